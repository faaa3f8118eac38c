// nvcc: sm_75 sm_90 -- -lineinfo
// Buffers in shared memory, halos, histograms.
// prefetch into the buffer that is being read
extern "C" __global__ void wrong_prefetch(const int *in, int *out) {
    extern __shared__ int dyn[];
    int t = threadIdx.x, sum = 0;
    dyn[t] = in[t];
    for (int i = 0; i < 8; ++i) {
        __syncthreads();
        int *cur = dyn + (i & 1) * 64, *next = dyn + (i & 1) * 64;
        sum += cur[63 - t];
        if (i < 7) next[t] = in[(i + 1) * 64 + t];
    }
    out[t] = sum;
}

extern "C" __global__ void right_prefetch(const int *in, int *out) {
    extern __shared__ int dyn[];
    int t = threadIdx.x, sum = 0;
    dyn[t] = in[t];
    for (int i = 0; i < 8; ++i) {
        __syncthreads();
        int *cur = dyn + (i & 1) * 64, *next = dyn + (~i & 1) * 64;
        sum += cur[63 - t];
        if (i < 7) next[t] = in[(i + 1) * 64 + t];
    }
    out[t] = sum;
}

// dynamic shared memory too small
extern "C" __global__ void wrong_dynamic_size(const int *in, int *out) {
    extern __shared__ int dyn[];
    int t = threadIdx.x;
    dyn[t] = in[t];
    dyn[64 + t] = in[64 + t];
    __syncthreads();
    out[t] = dyn[127 - t];
}

// tile with halo in shared memory
#define R 2
extern "C" __global__ void wrong_halo(const int *in, int *out, int n) {
    __shared__ int s[32 + 2 * R];
    int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x + R;
    s[t] = in[i];
    if (threadIdx.x < R) {
        s[t - R] = i >= R ? in[i - R] : 0;
        if (threadIdx.x < R - 1) s[t + 32] = i + 32 < n ? in[i + 32] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; ++d) sum += s[t + d];
    out[i] = sum;
}

extern "C" __global__ void right_halo(const int *in, int *out, int n) {
    __shared__ int s[32 + 2 * R];
    int i = blockIdx.x * 32 + threadIdx.x, t = threadIdx.x + R;
    s[t] = in[i];
    if (threadIdx.x < R) {
        s[t - R] = i >= R ? in[i - R] : 0;
        s[t + 32] = i + 32 < n ? in[i + 32] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; ++d) sum += s[t + d];
    out[i] = sum;
}

extern "C" __global__ void wrong_halo_global_low(const int *in, int *out, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    out[i] = in[i - 1] + in[i];
}

extern "C" __global__ void wrong_halo_global_high(const int *in, int *out, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    int right = i <= n - 1 ? in[i + 1] : 0;
    out[i] = right + in[i];
}

extern "C" __global__ void right_halo_global(const int *in, int *out, int n) {
    int i = blockIdx.x * 32 + threadIdx.x;
    int right = i < n - 1 ? in[i + 1] : 0, left = i ? in[i - 1] : 0;
    out[i] = right + in[i] + left;
}

extern "C" __global__ void wrong_histogram_init(const int *in, int *out) {
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    for (int i = t; i < 128; i += 64) atomicAdd(bins + in[blockIdx.x * 128 + i] % 8, 1);
    __syncthreads();
    if (t < 8) atomicAdd(out + t, bins[t]);
}

extern "C" __global__ void right_histogram(const int *in, int *out) {
    __shared__ int bins[8];
    int t = threadIdx.x;
    if (t < 8) bins[t] = 0;
    __syncthreads();
    for (int i = t; i < 128; i += 64) atomicAdd(bins + in[blockIdx.x * 128 + i] % 8, 1);
    __syncthreads();
    if (t < 8) atomicAdd(out + t, bins[t]);
}

// warp-private histograms without a warp barrier before the merge
extern "C" __global__ void wrong_private(const int *in, int *out) {
    __shared__ int bins[2][4];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    if (lane < 4) bins[w][lane] = 0;
    __syncwarp();
    atomicAdd(&bins[w][in[t] % 4], 1);
    __syncwarp();
    if (t < 4) out[t] = bins[0][t] + bins[1][t];
}

extern "C" __global__ void right_private(const int *in, int *out) {
    __shared__ int bins[2][4];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    if (lane < 4) bins[w][lane] = 0;
    __syncwarp();
    atomicAdd(&bins[w][in[t] % 4], 1);
    __syncthreads();
    if (t < 4) out[t] = bins[0][t] + bins[1][t];
}
