// Products of matrices through the C++ interface: shapes, types, layouts, scaled accumulators.
// nvcc: sm_80 sm_90
#include <mma.h>
using namespace nvcuda::wmma;

template <int M, int N, int K, class A, class B, class T, class LA, class LB>
__device__ void product(const A *a, const B *b, T *d, int la, int lb, layout_t out, int ld) {
    fragment<matrix_a, M, N, K, A, LA> fa;
    fragment<matrix_b, M, N, K, B, LB> fb;
    fragment<accumulator, M, N, K, T> sum;
    load_matrix_sync(fa, a, la);
    load_matrix_sync(fb, b, lb);
    load_matrix_sync(sum, d, ld, out);
    for (int i = 0; i < sum.num_elements; i++) sum.x[i] = sum.x[i] + sum.x[i];
    mma_sync(sum, fa, fb, sum);
    store_matrix_sync(d, sum, ld, out);
}

#define KERNEL(NAME, M, N, K, A, B, T, LA, LB, la, lb, OUT, ld)                       \
    extern "C" __global__ void NAME(const A *a, const B *b, T *d) {                   \
        product<M, N, K, A, B, T, LA, LB>(a, b, d, la, lb, OUT, ld);                  \
    }

KERNEL(f16_row_col, 16, 16, 16, half, half, float, row_major, col_major, 16, 16, mem_row_major, 16)
KERNEL(f16_col_row, 16, 16, 16, half, half, float, col_major, row_major, 16, 16, mem_col_major, 16)
KERNEL(f16_tall, 32, 8, 16, half, half, float, row_major, row_major, 24, 16, mem_row_major, 12)
KERNEL(f16_wide, 8, 32, 16, half, half, float, col_major, col_major, 16, 24, mem_col_major, 8)
KERNEL(s8_row_col, 16, 16, 16, signed char, signed char, int, row_major, col_major, 16, 16, mem_row_major, 16)
KERNEL(u8_col_row, 8, 32, 16, unsigned char, unsigned char, int, col_major, row_major, 16, 32, mem_row_major, 32)

extern "C" __global__ void f16_sum(const half *a, const half *b, half *d) {
    fragment<matrix_a, 16, 16, 16, half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, half, col_major> fb;
    fragment<accumulator, 16, 16, 16, half> sum;
    fill_fragment(sum, __float2half(3.0f));
    load_matrix_sync(fa, a, 16);
    load_matrix_sync(fb, b, 16);
    mma_sync(sum, fa, fb, sum);
    store_matrix_sync(d, sum, 16, mem_col_major);
}
