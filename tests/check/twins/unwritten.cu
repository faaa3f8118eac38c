// nvcc: sm_75 sm_90 -- -lineinfo
// Undefined values that matter, and copies of padding that do not.
struct __align__(16) Pair { int key; double value; };

extern "C" __global__ void right_padding(const Pair *in, Pair *out) {
    __shared__ Pair tile[64];
    Pair mine;
    mine.key = in[threadIdx.x].key;
    mine.value = in[threadIdx.x].value;
    tile[threadIdx.x] = mine;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// Only the first half of the tile is filled.
extern "C" __global__ void wrong(const int *in, int *out) {
    __shared__ int tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 32];
}

// The low bits of an unwritten cell are masked away.
extern "C" __global__ void right_masked(const int *in, int *out) {
    __shared__ int tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int keep = threadIdx.x < 32 ? 0 : -1;
    out[threadIdx.x] = tile[threadIdx.x ^ 32] & keep;
}

extern "C" __global__ void wrong_branch(const int *in, int *out) {
    __shared__ int flag;
    if (in[0] > 1000) flag = in[1];
    __syncthreads();
    out[threadIdx.x] = 0;
    if (flag) out[threadIdx.x] = in[threadIdx.x];
}

// Exclusive sums of two values a thread, in a tile that is not full: threads behind its end bring what nothing wrote.
template <int Behind> __device__ void sums(const int *in, int *out, int count) {
    int first = 2 * threadIdx.x, a, b;
    if (first < count) a = in[first];
    if (first + 1 < count) b = in[first + 1];
    int own = a + b, sum = own;
    for (int d = 1; d < 32; d *= 2) {
        int lower = __shfl_up_sync(~0u, sum, d);
        if (threadIdx.x >= d) sum += lower;
    }
    sum -= own;
    if (first < count + Behind) out[first] = sum;
    if (first + 1 < count + Behind) out[first + 1] = sum + a;
}

extern "C" __global__ void right_sums(const int *in, int *out, int count) {
    sums<0>(in, out, count);
}

// Stores one sum too many.
extern "C" __global__ void wrong_sums(const int *in, int *out, int count) {
    sums<2>(in, out, count);
}

// The same by way of shared memory, with numbers of 64 bits.
extern "C" __global__ void right_wide_sums(const int *in, long long *out, int count) {
    __shared__ long long own[64];
    long long value;
    if (threadIdx.x < count) value = in[threadIdx.x];
    own[threadIdx.x] = value;
    __syncwarp();
    long long sum = own[2 * threadIdx.x % 32] + own[2 * threadIdx.x % 32 + 1], pair = sum;
    for (int d = 1; d < 16; d *= 2) {
        long long lower = __shfl_up_sync(~0u, sum, d, 16);
        if (threadIdx.x % 16 >= d) sum += lower;
    }
    long long before = sum - pair;
    if (threadIdx.x < 16 && 2 * threadIdx.x < count) out[2 * threadIdx.x] = before;
    if (threadIdx.x < 16 && 2 * threadIdx.x + 1 < count) out[2 * threadIdx.x + 1] = before + own[2 * threadIdx.x];
}

// What is printed is used.
#include <cstdio>
__device__ void print(const int *in, int first) {
    __shared__ int row[32];
    int t = threadIdx.x;
    if (t >= first) row[t] = in[t];
    __syncthreads();
    if (t < 2) printf("%d of %s: %5.1f\n", row[t], "row", 0.5f * t);
}
extern "C" __global__ void wrong_printed(const int *in) { print(in, 1); }
extern "C" __global__ void right_printed(const int *in) { print(in, 0); }
