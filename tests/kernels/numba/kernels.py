"""numba kernels, and how they are compiled to the PTX beside this file.

    python kernels.py

writes NAME.sm_75.ptx and NAME.sm_90.ptx; no GPU is needed. An array of one dimension arrives as
seven parameters: two pointers that kernels leave alone, the number of elements, the size of one, the
address of the first, the length and the stride in bytes; one of two dimensions has two lengths and
two strides.
"""

from pathlib import Path

from numba import cuda, float32, int32, int64


def add(x, y, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i] + y[i]


def warp_reduce(x, out):
    i = cuda.grid(1)
    value = x[i]
    offset = 16
    while offset > 0:
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
        offset //= 2
    if cuda.laneid == 0:
        out[i // 32] = value


def warp_scan(x, out):
    i = cuda.grid(1)
    lane = cuda.laneid
    value = x[i]
    offset = 1
    while offset < 32:
        below = cuda.shfl_up_sync(0xFFFFFFFF, value, offset)
        if lane >= offset:
            value += below
        offset *= 2
    out[i] = value


def votes(x, out):
    i = cuda.grid(1)
    positive = x[i] > 0
    ballot = cuda.ballot_sync(0xFFFFFFFF, positive)
    same = cuda.match_any_sync(0xFFFFFFFF, x[i] & 3)
    word = cuda.popc(ballot) | cuda.popc(same) << 8
    if cuda.all_sync(0xFFFFFFFF, positive):
        word |= 1 << 16
    if cuda.any_sync(0xFFFFFFFF, positive):
        word |= 1 << 17
    out[i] = word


def histogram(x, bins):
    local = cuda.shared.array(16, int32)
    t = cuda.threadIdx.x
    if t < 16:
        local[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        cuda.atomic.add(local, x[i] & 15, 1)
    cuda.syncthreads()
    if t < 16:
        cuda.atomic.add(bins, t, local[t])


def extrema(x, low, high):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.min(low, 0, x[i])
        cuda.atomic.max(high, 0, x[i])


def matrix_product(a, b, c):
    left = cuda.shared.array((8, 8), float32)
    right = cuda.shared.array((8, 8), float32)
    row, column = cuda.grid(2)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0.0)
    for base in range(0, a.shape[1], 8):
        left[x, y] = a[row, base + y]
        right[x, y] = b[base + x, column]
        cuda.syncthreads()
        for k in range(8):
            total = cuda.fma(left[x, k], right[k, y], total)
        cuda.syncthreads()
    c[row, column] = total


def mandelbrot(out, width, height, limit):
    x, y = cuda.grid(2)
    if x < width and y < height:
        # Fixed point with 24 bits after the point.
        cr = -37748736 + 50331648 * x // width
        ci = -20132659 + 40265318 * y // height
        r = int64(0)
        i = int64(0)
        steps = 0
        while steps < limit and r * r + i * i < 1 << 50:
            r, i = ((r * r - i * i) >> 24) + cr, ((r * i) >> 23) + ci
            steps += 1
        out[y * width + x] = steps


def local_sort(x, out):
    own = cuda.local.array(8, int32)
    t = cuda.grid(1)
    for k in range(8):
        value = x[t * 8 + k]
        place = k
        while place > 0 and own[place - 1] > value:
            own[place] = own[place - 1]
            place -= 1
        own[place] = value
    for k in range(8):
        out[t * 8 + k] = own[k]


def floor_division(x, y, quotient, remainder):
    i = cuda.grid(1)
    if i < x.size:
        quotient[i] = x[i] // y[i]
        remainder[i] = x[i] % y[i]


KERNELS = [
    (add, (float32[::1], float32[::1], float32[::1])),
    (warp_reduce, (int64[::1], int64[::1])),
    (warp_scan, (int32[::1], int32[::1])),
    (votes, (int32[::1], int32[::1])),
    (histogram, (int32[::1], int32[::1])),
    (extrema, (int32[::1], int32[::1], int32[::1])),
    (matrix_product, (float32[:, ::1], float32[:, ::1], float32[:, ::1])),
    (mandelbrot, (int32[::1], int32, int32, int32)),
    (local_sort, (int32[::1], int32[::1])),
    (floor_division, (int32[::1], int32[::1], int32[::1], int32[::1])),
]


def main():
    here = Path(__file__).resolve().parent
    for function, signature in KERNELS:
        for major, minor in (7, 5), (9, 0):
            ptx, _ = cuda.compile_ptx(function, signature, cc=(major, minor))
            (here / f"{function.__name__}.sm_{major}{minor}.ptx").write_text(ptx)


if __name__ == "__main__":
    main()
