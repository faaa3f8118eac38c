// nvcc: sm_80 sm_90 -- -lineinfo -Xcicc -O0
// Device functions that are called, not inlined. A finding leads to their line, and says where they were called.
__device__ __noinline__ int next_of(int v, unsigned mask) {
    return __shfl_down_sync(mask, v, 1, 8);
}
__device__ __noinline__ void put(int *to, int v) {
    *to = v;
}
__device__ __noinline__ int get(const int *from) {
    return *from;
}

extern "C" __global__ void wrong_mask(const int *in, int *out) {
    int t = threadIdx.x;
    int v = in[t];
    v += next_of(v, 0xff);
    out[t] = v;
}
extern "C" __global__ void right_mask(const int *in, int *out) {
    int t = threadIdx.x;
    int v = in[t];
    v += next_of(v, 0xffu << (t & 24));
    out[t] = v;
}

extern "C" __global__ void wrong_exchange(const int *in, int *out) {
    __shared__ int cell[64];
    int t = threadIdx.x;
    put(&cell[t], in[t]);
    out[t] = get(&cell[63 - t]);
}
extern "C" __global__ void right_exchange(const int *in, int *out) {
    __shared__ int cell[64];
    int t = threadIdx.x;
    put(&cell[t], in[t]);
    __syncthreads();
    out[t] = get(&cell[63 - t]);
}
