// Functions with shared variables of their own: one for all calls, apart from those of other functions.
// nvcc: sm_75 sm_90 -- -lineinfo
__device__ __noinline__ int counted(int by) {
    __shared__ int count;
    if (threadIdx.x == 0) count = by < 0 ? 0 : count + by;
    __syncthreads();
    int now = count;
    __syncthreads();
    return now;
}

__device__ __noinline__ int block_sum(int value) {
    __shared__ int part[4];
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    part[threadIdx.x / 32] = value;
    __syncthreads();
    int sum = part[0] + part[1] + part[2] + part[3];
    return sum;
}

extern "C" __global__ void counters(int *out) {
    counted(-1);
    int first = counted(3), second = counted(4 + blockIdx.x);
    out[blockIdx.x * blockDim.x + threadIdx.x] = 100 * first + second;
}

// The scratch of a function is used again.
template <bool Waits> __device__ void sums(const int *in, int *out) {
    int a = block_sum(in[threadIdx.x]);
    if (Waits) __syncthreads();
    int b = block_sum(2 * in[threadIdx.x] + 1);
    out[threadIdx.x] = a;
    out[threadIdx.x + blockDim.x] = b;
}

extern "C" __global__ void right_sums(const int *in, int *out) { sums<true>(in, out); }

extern "C" __global__ void wrong_sums(const int *in, int *out) { sums<false>(in, out); }
