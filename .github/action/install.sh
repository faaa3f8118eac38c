#!/usr/bin/env bash
# Installs a release, or the archive ARCHIVE, and puts the command on the PATH of the steps that follow.
set -euo pipefail

place="${RUNNER_TEMP:?}/warpwise"
mkdir -p "$place"
archive="${ARCHIVE:-}"
if [ -z "$archive" ]; then
    base="https://github.com/warpwise/warpwise/releases"
    if [ -n "${VERSION:-}" ]; then from="$base/download/v$VERSION"; else from="$base/latest/download"; fi
    archive="$place/warpwise-x86_64-linux.tar.gz"
    curl --fail --silent --show-error --location --retry 3 --output "$archive" "$from/warpwise-x86_64-linux.tar.gz"
    curl --fail --silent --show-error --location --retry 3 --output "$place/SHA256SUMS" "$from/SHA256SUMS"
    (cd "$place" && sha256sum --check --ignore-missing SHA256SUMS)
fi
tar --extract --gzip --strip-components=1 --directory "$place" --file "$archive"
echo "$place/bin" >> "${GITHUB_PATH:?}"
"$place/bin/warpwise" --version
