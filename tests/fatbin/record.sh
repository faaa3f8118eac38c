#!/usr/bin/env bash
# Makes the files of this folder from add.cu, in a folder of their own: some of them say where they were made.
#
#   NVCC     the compiler, with options if it needs some  (default: nvcc)
set -euo pipefail

read -ra nvcc <<<"${NVCC:-nvcc}"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
made=/tmp/warpwise-fatbin
mkdir -p "$made"
cp "$here/add.cu" "$made"
cd "$made"
for mode in none speed size; do
    "${nvcc[@]}" -fatbin -arch=sm_75 -Xfatbin --compress-mode=$mode add.cu -o $mode.fatbin
done
"${nvcc[@]}" -ptx -arch=sm_75 add.cu -o add.ptx
targets=(-gencode arch=compute_80,code=sm_80)
for target in 75 90 90a 100f; do
    targets+=(-gencode "arch=compute_$target,code=compute_$target")
done
"${nvcc[@]}" -fatbin -lineinfo "${targets[@]}" add.cu -o targets.fatbin
"${nvcc[@]}" -c -gencode arch=compute_75,code=compute_75 add.cu -o module.o
"${nvcc[@]}" -dc -gencode arch=compute_75,code=compute_75 add.cu -o part.o
cp ./*.fatbin ./*.o add.ptx "$here"
rm -r "$made"
