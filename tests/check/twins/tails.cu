// nvcc: sm_75 sm_90 -- -lineinfo
// Warps that are not full, and threads that return early.
// partial last warp
extern "C" __global__ void wrong_partial(const int *in, int *out) {
    int t = threadIdx.x, v = in[t];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (t % 32 == 0) out[t / 32] = v;
}

extern "C" __global__ void right_partial(const int *in, int *out) {
    int t = threadIdx.x, v = in[t], lane = t % 32;
    int lanes = min(32, blockDim.x - (t - lane));
    unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    for (int d = 16; d; d >>= 1) {
        int w = __shfl_down_sync(mask, v, d);
        if (lane + d < lanes) v += w;
    }
    if (lane == 0) out[t / 32] = v;
}

// block reduction of 4.5 warps, second stage reads 32 cells though 5 were written
extern "C" __global__ void wrong_second_stage(const int *in, int *out) {
    __shared__ int part[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[t];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = part[lane];
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if (lane == 0) out[0] = v;
    }
}

extern "C" __global__ void right_second_stage(const int *in, int *out) {
    __shared__ int part[32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, v = in[t];
    unsigned mask = __ballot_sync(~0u, true);
    for (int d = 16; d; d >>= 1) {
        int w = __shfl_down_sync(mask, v, d);
        if (mask >> ((lane + d) & 31) & 1 && lane + d < 32) v += w;
    }
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < (blockDim.x + 31) / 32 ? part[lane] : 0;
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if (lane == 0) out[0] = v;
    }
}

// early return, butterfly over all
extern "C" __global__ void wrong_return_bfly(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (i % 32 == 0) out[i / 32] = v;
}

extern "C" __global__ void right_return_bfly(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? in[i] : 0.f;
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    if (i % 32 == 0) out[i / 32] = v;
}

// inclusive scan after an early return: lower lanes only, defined
extern "C" __global__ void right_return_scan(const int *in, int *out, int n) {
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(~0u, t < n);
    if (t >= n) return;
    int v = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int w = __shfl_up_sync(mask, v, d);
        if (t >= d) v += w;
    }
    out[t] = v;
}

// early return in a loop before __syncwarp'ed exchange (wrong: reads a cell of a lane that returned)
extern "C" __global__ void wrong_return_shared(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[63 - t];
}

extern "C" __global__ void right_return_shared(const int *in, int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < n) s[t] = in[t];
    __syncthreads();
    if (t < n) out[t] = s[n - 1 - t];
}

// early return before a barrier: defined, the others do not wait for threads that exited
extern "C" __global__ void right_return_barrier(const int *in, int *out, int n) {
    __shared__ int s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    if (i >= n) return;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[t ^ 1];
}
