// nvcc: sm_75 sm_90 -- -lineinfo
// Loads of constant memory that is not constant.
extern "C" __global__ void wrong_ldg(int *a) {
    int t = threadIdx.x, v = a[t];
    a[t] = 2 * v;
    __syncthreads();
    a[64 + t] = __ldg(&a[63 - t]);  // may be the old value
}

extern "C" __global__ void right_ldg(int *a) {
    int t = threadIdx.x, v = a[t];
    a[t] = 2 * v;
    __syncthreads();
    a[64 + t] = a[63 - t];
}

// Each thread reads what it alone writes.
extern "C" __global__ void right_in_place(int *a) {
    int t = threadIdx.x, v = __ldg(&a[t]);
    a[t] = 2 * v;
}

// The compiler believes that nobody writes what `from` points to.
__device__ __forceinline__ void shift(const int *__restrict__ from, int *__restrict__ to) {
    int t = threadIdx.x;
    int v = from[t + 1];
    __syncthreads();
    to[t] = v;
}
extern "C" __global__ void right_restrict(const int *__restrict__ from, int *__restrict__ to) { shift(from, to); }
