// nvcc: sm_75 sm_80 -- -lineinfo
// Matrix products need whole warps: the wrong twins have lanes that returned, are elsewhere, or never existed.
#include <mma.h>
#include <cuda_fp16.h>
using namespace nvcuda::wmma;

__device__ __forceinline__ void square(const half *in, float *out) {
    fragment<matrix_a, 16, 16, 16, half, row_major> a;
    fragment<matrix_b, 16, 16, 16, half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0.0f);
    load_matrix_sync(a, in, 16);
    load_matrix_sync(b, in, 16);
    mma_sync(sum, a, b, sum);
    store_matrix_sync(out, sum, 16, mem_row_major);
}

extern "C" __global__ void wrong_return(const half *in, float *out, int n) {
    if (threadIdx.x >= n) return;
    square(in, out);
}
extern "C" __global__ void right_return(const half *in, float *out, int n) {
    square(in, out);
    __syncwarp();
    if (threadIdx.x >= n) return;
    out[threadIdx.x] *= 2;
}

extern "C" __global__ void wrong_branch(const half *in, float *out, int n) {
    if (threadIdx.x < n) square(in, out);
    __syncwarp();
}
extern "C" __global__ void right_branch(const half *in, float *out, int n) {
    if (n > 0) square(in, out);
    __syncwarp();
}

extern "C" __global__ void wrong_last_warp(const half *in, float *out, int n) {
    int warp = threadIdx.x / 32;
    square(in, out + warp * 256);
}
extern "C" __global__ void right_last_warp(const half *in, float *out, int n) {
    int warp = threadIdx.x / 32;
    if ((warp + 1) * 32 > blockDim.x) return;
    square(in, out + warp * 256);
}
