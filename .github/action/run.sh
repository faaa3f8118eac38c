#!/usr/bin/env bash
# Runs COMMAND so that its findings mark lines; with SARIF, once more for that file. Ends with the status of the first run.
set -euo pipefail

# Words, and the files that patterns stand for, as in a shell; nothing else of a shell is in it.
read -r -a words <<< "${COMMAND:?}"
if [ "${words[0]}" = warpwise ]; then words=("${words[@]:1}"); fi
files=()
for word in "${words[@]}"; do
    case $word in
        -* | *=* | *\[*) files+=("$word") ;;
        *) mapfile -t found < <(compgen -G "$word" || printf '%s\n' "$word"); files+=("${found[@]}") ;;
    esac
done

case ${files[0]} in
    run | check | lint) format=(--format github) ;;
    *) format=() ;;
esac
status=0
warpwise "${files[@]}" "${format[@]}" || status=$?
if [ -n "${SARIF:-}" ]; then
    warpwise "${files[@]}" --format sarif > "$SARIF" || [ $? -le 4 ]
fi
exit "$status"
