#!/usr/bin/env bash
# Recompiles every CUDA source below the given folders (default: this one) to PTX and rewrites the
# inputs and expected outputs.
#
# The line "// nvcc: TARGET... [-- FLAG...]" of a source says what it is compiled for; NAME.cu
# becomes NAME.TARGET.ptx beside it. The line "// cubin: TARGET..." makes NAME.TARGET.cubin, and
# NAME.TARGET.tsv with what the disassembler says of it: section, address, text. Sources without such lines
# are left alone.
#
#   NVCC     the compiler, with options if it needs some  (default: nvcc)
#   NVDISASM the disassembler                             (default: nvdisasm)
#   PYTHON   a Python with numpy                          (default: python3)
set -euo pipefail

read -ra nvcc <<<"${NVCC:-nvcc}"
nvdisasm=${NVDISASM:-nvdisasm}
python=${PYTHON:-python3}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
roots=("$@")
((${#roots[@]})) || roots=("$here")

compile() {
    local source=$1 line targets flags target
    line=$(sed -n 's|^// nvcc: *||p' "$source" | head -n 1)
    [[ -n $line ]] || return 0
    targets=${line%%--*}
    flags=""
    [[ $line == *" -- "* ]] && flags=${line#* -- }
    for target in $targets; do
        # shellcheck disable=SC2086  # flags are words
        (cd "$(dirname "$source")" &&
            "${nvcc[@]}" -ptx -O3 -std=c++17 -arch="$target" $flags \
                -o "$(basename "${source%.cu}").$target.ptx" "$(basename "$source")" &&
            # The folders of this machine mean nothing on another, and of debugging nothing but lines matters.
            sed -i -E -e '/^\s*\.section\s+\.debug_(abbrev|info|loc|macinfo)/,/^\s*\}/d' \
                -e 's|^(\.target .*), debug|\1|' -e 's|^(\s*\.file\s+[0-9]+ )".*/([^"/]+)"|\1"\2"|' \
                "$(basename "${source%.cu}").$target.ptx")
    done
}

# The machine code of a source, and the disassembler's text for each of its words.
disassemble() {
    local source=$1 target name
    for target in $(sed -n 's|^// cubin: *||p' "$source" | head -n 1); do
        name=$(basename "${source%.cu}").$target
        (cd "$(dirname "$source")" &&
            "${nvcc[@]}" -cubin -O3 -std=c++17 -arch="$target" -o "$name.cubin" "$(basename "$source")" &&
            "$nvdisasm" "$name.cubin" | sed -nE \
                -e 's|^\s*\.section\s+(\.text[^,]*),.*|S \1|p' \
                -e 's|^\s*/\*([0-9a-f]{4,})\*/\s+(.*;).*|I \1 \2|p' |
            awk '$1 == "S" { section = $2 }
                 $1 == "I" { address = $2; sub(/^I [0-9a-f]+ /, ""); print section "\t" address "\t" $0 }' \
                >"$name.tsv")
    done
}

for root in "${roots[@]}"; do
    while IFS= read -r source; do
        echo "${source#"$root"/}"
        compile "$source"
        disassemble "$source"
    done < <(find "$root" -name '*.cu' | LC_ALL=C sort)
    while IFS= read -r script; do
        "$python" "$script"
    done < <(find "$root" -name 'expected.py' | LC_ALL=C sort)
done
