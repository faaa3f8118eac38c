// nvcc: sm_75 sm_90 sm_100
//
// Chains of additions and multiplications through the carry flag.

typedef unsigned u32;

// 256-bit sums and differences, one pair of numbers per thread, least significant word first.
extern "C" __global__ void add_256(const u32 *a, const u32 *b, u32 *sum, u32 *carry)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 *x = a + 8 * t, *y = b + 8 * t;
    u32 r[8], c;
    asm("add.cc.u32 %0, %9, %17;\n\t"
        "addc.cc.u32 %1, %10, %18;\n\t"
        "addc.cc.u32 %2, %11, %19;\n\t"
        "addc.cc.u32 %3, %12, %20;\n\t"
        "addc.cc.u32 %4, %13, %21;\n\t"
        "addc.cc.u32 %5, %14, %22;\n\t"
        "addc.cc.u32 %6, %15, %23;\n\t"
        "addc.cc.u32 %7, %16, %24;\n\t"
        "addc.u32 %8, 0, 0;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]),
          "=r"(r[7]), "=r"(c)
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(x[4]), "r"(x[5]), "r"(x[6]), "r"(x[7]),
          "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]), "r"(y[4]), "r"(y[5]), "r"(y[6]), "r"(y[7]));
    for (int k = 0; k < 8; k++) sum[8 * t + k] = r[k];
    carry[t] = c;
}

extern "C" __global__ void sub_128(const u32 *a, const u32 *b, u32 *difference, u32 *borrow)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 *x = a + 4 * t, *y = b + 4 * t;
    u32 r[4], c;
    asm("sub.cc.u32 %0, %5, %9;\n\t"
        "subc.cc.u32 %1, %6, %10;\n\t"
        "subc.cc.u32 %2, %7, %11;\n\t"
        "subc.cc.u32 %3, %8, %12;\n\t"
        "subc.u32 %4, 0, 0;"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(c)
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(y[2]), "r"(y[3]));
    for (int k = 0; k < 4; k++) difference[4 * t + k] = r[k];
    borrow[t] = c;
}

// 128 x 128 -> 256 bits, schoolbook, with mad.cc and madc.
__device__ __forceinline__ void multiply_row(u32 *r, const u32 *x, u32 y)
{
    asm("mad.lo.cc.u32 %0, %5, %9, %0;\n\t"
        "madc.lo.cc.u32 %1, %6, %9, %1;\n\t"
        "madc.lo.cc.u32 %2, %7, %9, %2;\n\t"
        "madc.lo.cc.u32 %3, %8, %9, %3;\n\t"
        "addc.u32 %4, 0, 0;\n\t"
        "mad.hi.cc.u32 %1, %5, %9, %1;\n\t"
        "madc.hi.cc.u32 %2, %6, %9, %2;\n\t"
        "madc.hi.cc.u32 %3, %7, %9, %3;\n\t"
        "madc.hi.u32 %4, %8, %9, %4;"
        : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3]), "+r"(r[4])
        : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y));
}

extern "C" __global__ void multiply_128(const u32 *a, const u32 *b, u32 *product)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x[4], r[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int k = 0; k < 4; k++) x[k] = a[4 * t + k];
#pragma unroll
    for (int k = 0; k < 4; k++) multiply_row(r + k, x, b[4 * t + k]);
    for (int k = 0; k < 8; k++) product[8 * t + k] = r[k];
}

// 64-bit chains: 128-bit sums whose carry is counted over an array.
extern "C" __global__ void sum_128(const unsigned long long *in, unsigned long long *out, u32 n)
{
    u32 t = threadIdx.x;
    unsigned long long low = 0, high = 0;
    for (u32 k = t; k < n; k += blockDim.x)
        asm("add.cc.u64 %0, %0, %2; addc.u64 %1, %1, 0;" : "+l"(low), "+l"(high) : "l"(in[k]));
    out[2 * t] = low;
    out[2 * t + 1] = high;
}
