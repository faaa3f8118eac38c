// Types that came with sm_80: bf16, tf32, f64; and bits and nibbles.
// nvcc: sm_80 sm_90
#include <mma.h>
using namespace nvcuda::wmma;

template <int M, int N, int K, class A, class P, class T, class LA, class LB>
__device__ void product(const A *a, const A *b, T *d, int la, int lb, int ld) {
    fragment<matrix_a, M, N, K, P, LA> fa;
    fragment<matrix_b, M, N, K, P, LB> fb;
    fragment<accumulator, M, N, K, T> sum;
    load_matrix_sync(fa, a, la);
    load_matrix_sync(fb, b, lb);
    load_matrix_sync(sum, d, ld, mem_row_major);
    mma_sync(sum, fa, fb, sum);
    store_matrix_sync(d, sum, ld, mem_row_major);
}

extern "C" __global__ void bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *d) {
    product<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, row_major, row_major>(a, b, d, 16, 16, 16);
}

extern "C" __global__ void tf32(const float *a, const float *b, float *d) {
    product<16, 16, 8, float, precision::tf32, float, col_major, col_major>(a, b, d, 16, 8, 16);
}

extern "C" __global__ void f64(const double *a, const double *b, double *d) {
    product<8, 8, 4, double, double, double, row_major, row_major>(a, b, d, 4, 8, 8);
}

extern "C" __global__ void s4(const int *a, const int *b, int *d) {
    product<8, 8, 32, int, experimental::precision::s4, int, row_major, col_major>(a, b, d, 32, 32, 8);
}

extern "C" __global__ void b1(const unsigned *a, const unsigned *b, int *d) {
    fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> fa;
    fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> fb;
    fragment<accumulator, 8, 8, 128, int> sum;
    load_matrix_sync(fa, a, 128);
    load_matrix_sync(fb, b, 128);
    load_matrix_sync(sum, d, 8, mem_row_major);
    bmma_sync(sum, fa, fb, sum, experimental::bmmaBitOpXOR);
    store_matrix_sync(d, sum, 8, mem_row_major);
}
