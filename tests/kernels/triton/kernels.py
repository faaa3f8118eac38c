"""Triton kernels, and how they are compiled to the PTX beside this file.

    TRITON_CACHE_DIR=$(mktemp -d) python kernels.py

writes NAME.sm_80.ptx and NAME.sm_90.ptx; no GPU is needed. A block has 32 threads for each of its
warps (four, where KERNELS does not say otherwise). Two pointers follow the parameters of a kernel,
to scratch memory that none of these needs: 0 is passed for both.

vector_add.lines.sm_80.ptx is vector_add with TRITON_DISABLE_LINE_INFO=0, compiled in a folder
/kernels: it has .loc, .file and debug sections.
"""

import os
from pathlib import Path

os.environ.setdefault("TRITON_DISABLE_LINE_INFO", "1")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    tl.store(out + i, tl.load(x + i, mask=valid) + tl.load(y + i, mask=valid), mask=valid)


@triton.jit
def half_axpy(alpha, x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    valid = i < n
    value = alpha * tl.load(x + i, mask=valid).to(tl.float32) + tl.load(y + i, mask=valid)
    tl.store(out + i, value.to(tl.float16), mask=valid)


@triton.jit
def row_reductions(x, sums, largest, where, parity, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + i, mask=i < columns, other=0)
    tl.store(sums + row, tl.sum(value, axis=0))
    tl.store(largest + row, tl.max(value, axis=0))
    tl.store(where + row, tl.argmax(value, axis=0))
    tl.store(parity + row, tl.xor_sum(value, axis=0))


@triton.jit
def scans(x, sums, products, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.store(sums + i, tl.cumsum(value, axis=0))
    tl.store(products + i, tl.cumprod(value, axis=0, reverse=True))


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    valid = i < columns
    value = tl.load(x + row * columns + i, mask=valid, other=-float("inf"))
    power = tl.exp2(value - tl.max(value, axis=0))
    tl.store(out + row * columns + i, tl.div_rn(power, tl.sum(power, axis=0)), mask=valid)


@triton.jit
def layer_norm(x, scale, shift, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    valid = i < columns
    value = tl.load(x + row * columns + i, mask=valid, other=0.0)
    mean = tl.div_rn(tl.sum(value, axis=0), columns.to(tl.float32))
    centred = tl.where(valid, value - mean, 0.0)
    variance = tl.div_rn(tl.sum(centred * centred, axis=0), columns.to(tl.float32))
    inverse = tl.div_rn(1.0, tl.sqrt_rn(variance + 1e-5))
    result = centred * inverse * tl.load(scale + i, mask=valid) + tl.load(shift + i, mask=valid)
    tl.store(out + row * columns + i, result, mask=valid)


@triton.jit
def matrix_product(a, b, c, n, BLOCK: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inner = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, BLOCK):
        left = tl.load(a + row[:, None] * n + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * n + column[None, :])
        total = tl.dot(left, right, total, input_precision="ieee")
    tl.store(c + row[:, None] * n + column[None, :], total)


@triton.jit
def transpose(x, out, rows, columns, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (r[:, None] < rows) & (c[None, :] < columns)
    tile = tl.load(x + r[:, None] * columns + c[None, :], mask=inside)
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(tile), mask=tl.trans(inside))


@triton.jit
def sort_rows(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def histogram(x, bins, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    tl.atomic_add(bins + tl.arange(0, BINS), tl.histogram(value, BINS))


@triton.jit
def random_words(out, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.randint(seed, i))


@triton.jit
def collatz(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, other=1)
    steps = tl.zeros_like(value)
    while tl.max(value, axis=0) > 1:
        following = tl.where(value % 2 == 0, value // 2, 3 * value + 1)
        steps += (value > 1).to(tl.int32)
        value = tl.where(value > 1, following, value)
    tl.store(out + i, steps, mask=i < n)


# sm_90 code for `matrix_product` would have stmatrix in it, which belongs to the matrix instructions.
KERNELS = [
    (vector_add, "*fp32 *fp32 *fp32 i32", dict(BLOCK=256), {}),
    (half_axpy, "fp32 *fp16 *fp16 *fp16 i32", dict(BLOCK=512), {}),
    (row_reductions, "*i32 *i32 *i32 *i32 *i32 i32", dict(BLOCK=256), {}),
    (scans, "*i32 *i32 *i32", dict(BLOCK=256), {}),
    (softmax, "*fp32 *fp32 i32", dict(BLOCK=128), {}),
    (layer_norm, "*fp32 *fp32 *fp32 *fp32 i32", dict(BLOCK=256), {}),
    (matrix_product, "*fp32 *fp32 *fp32 i32", dict(BLOCK=16), dict(num_warps=2, num_stages=1), [80]),
    (transpose, "*fp32 *fp32 i32 i32", dict(BLOCK=32), {}),
    (sort_rows, "*i32 *i32", dict(BLOCK=128), dict(num_warps=1)),
    (histogram, "*i32 *i32", dict(BLOCK=256, BINS=32), {}),
    (random_words, "*i32 i32", dict(BLOCK=128), {}),
    (collatz, "*i32 *i32 i32", dict(BLOCK=128), {}),
]


def main():
    here = Path(__file__).resolve().parent
    for function, types, constants, options, *targets in KERNELS:
        names = function.arg_names
        signature = dict(zip(names, types.split() + ["constexpr"] * len(constants)))
        for target in targets[0] if targets else (80, 90):
            source = ASTSource(fn=function, signature=signature, constexprs=constants)
            kernel = triton.compile(source, target=GPUTarget("cuda", target, 32), options=options)
            name = function.__name__
            (here / f"{name}.sm_{target}.ptx").write_text(kernel.asm["ptx"])
            meta = kernel.metadata
            assert meta.global_scratch_size == 0 and meta.profile_scratch_size == 0
            print(f"{name}.sm_{target}: {32 * meta.num_warps} threads, {meta.shared} bytes shared")


if __name__ == "__main__":
    main()
