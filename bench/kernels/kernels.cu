// The kernels that the benchmark compares with native loops.

// A thousand rounds of xorshift and multiply-add on one integer per thread.
extern "C" __global__ void xorshift(unsigned *out, unsigned rounds) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i + 1;
    for (unsigned r = 0; r < rounds; ++r) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        x = x * 1664525u + 1013904223u;
    }
    out[i] = x;
}

// Inclusive scan of every 32 elements.
extern "C" __global__ void warp_scan(const int *in, int *out) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x & 31;
    int x = in[i];
    for (int d = 1; d < 32; d *= 2) {
        int y = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += y;
    }
    out[i] = x;
}

// The sum of every 256 elements.
extern "C" __global__ void block_reduce(const float *in, float *out) {
    __shared__ float partial[8];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);
    if ((threadIdx.x & 31) == 0) partial[threadIdx.x / 32] = x;
    __syncthreads();
    if (threadIdx.x < 32) {
        x = threadIdx.x < 8 ? partial[threadIdx.x] : 0.0f;
        for (int d = 4; d > 0; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);
        if (threadIdx.x == 0) out[blockIdx.x] = x;
    }
}
