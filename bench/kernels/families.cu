// Kernels of the table of engines, beside those of kernels.cu.

// y = a x + y.
extern "C" __global__ void saxpy(unsigned n, float a, const float *x, float *y) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// The positive numbers, in no order across warps; the count comes first in `count`.
extern "C" __global__ void compact(const int *in, int *out, unsigned *count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x & 31;
    int x = in[i];
    unsigned mask = __ballot_sync(0xffffffffu, x > 0);
    unsigned base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(0xffffffffu, base, 0);
    unsigned below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    if (x > 0) out[base + __popc(mask & below)] = x;
}

// How often each of 256 values of bits 2..9 occurs.
extern "C" __global__ void histogram(const unsigned *in, unsigned *out) {
    __shared__ unsigned h[256];
    h[threadIdx.x] = 0;
    __syncthreads();
    unsigned i = blockIdx.x * 4096 + threadIdx.x;
    for (int k = 0; k < 16; ++k) {
        unsigned v = in[i + k * 256];
        atomicAdd(&h[v >> 2 & 255], 1);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], h[threadIdx.x]);
}

// C = A B, square matrices of n, tiles of 16.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n) {
    __shared__ float at[16][16], bt[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        at[ty][tx] = a[row * n + t + tx];
        bt[ty][tx] = b[(t + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k) sum += at[ty][k] * bt[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// Rounds until a point of the plane escapes.
extern "C" __global__ void mandelbrot(unsigned *out, int width, float step, int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float cx = -2.0f + step * (float)(i % width), cy = -1.5f + step * (float)(i / width);
    float x = 0, y = 0;
    int it = 0;
    while (it < most) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f) break;
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        ++it;
    }
    out[i] = it;
}
