// nvcc: sm_75 sm_90 sm_100
//
// 8- and 16-bit integers: arithmetic that wraps, conversions that extend, cut or saturate, packed
// operations and dot products.

typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned char u8;
typedef signed char s8;

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void bytes(const u8 *a, const s8 *b, u8 *sum, s8 *product, short *mixed)
{
    u32 i = INDEX;
    sum[i] = (u8)(a[i] + b[i] * 3);
    product[i] = (s8)(a[i] * b[i] - (b[i] >> 2));
    mixed[i] = (short)((a[i] << 7) ^ b[i]);
}

extern "C" __global__ void shorts(const short *a, const u16 *b, short *quotient, u16 *remainder,
                                  int *wide)
{
    u32 i = INDEX;
    quotient[i] = (short)(a[i] / (short)(b[i] | 1));
    remainder[i] = (u16)(b[i] % (u16)(a[i] | 1));
    wide[i] = a[i] * (int)b[i] + min(a[i], (short)b[i]);
}

// Integer conversions of PTX with and without saturation.
extern "C" __global__ void conversions(const int *a, int *out, u32 n)
{
    u32 i = INDEX;
    int x = a[i], r;
    long long wide = (long long)x * 70001;
#define CVT(k, to, from, con, value)                                                               \
    asm("{ .reg ." to " t; cvt." to "." from " t, %1; cvt.s32." to " %0, t; }" : "=r"(r)          \
        : con(value));                                                                             \
    out[(k) * n + i] = r;
#define CVT_SAT(k, to, from, con, value)                                                           \
    asm("{ .reg ." to " t; cvt.sat." to "." from " t, %1; cvt.s32." to " %0, t; }" : "=r"(r)      \
        : con(value));                                                                             \
    out[(k) * n + i] = r;
    CVT(0, "s16", "s32", "r", x)
    CVT(1, "u16", "s32", "r", x)
    CVT_SAT(2, "s16", "s32", "r", x)
    CVT_SAT(3, "u16", "s32", "r", x)
    CVT_SAT(4, "s16", "u32", "r", x)
    CVT_SAT(5, "u16", "u32", "r", x)
    CVT_SAT(6, "s32", "s64", "l", wide)
    CVT_SAT(7, "u32", "s64", "l", wide)
    CVT_SAT(8, "s32", "u64", "l", wide)
    CVT_SAT(9, "u32", "u64", "l", wide)
    CVT_SAT(10, "s16", "s64", "l", wide)
    CVT_SAT(11, "u32", "s32", "r", x)
    CVT_SAT(12, "s32", "u32", "r", x)
    asm("cvt.s32.s8 %0, %1;" : "=r"(r) : "r"(x));
    out[13 * n + i] = r;
    asm("cvt.u32.u8 %0, %1;" : "=r"(r) : "r"(x));
    out[14 * n + i] = r;
    asm("{ .reg .b16 t; cvt.sat.s8.s32 t, %1; cvt.s32.s8 %0, t; }" : "=r"(r) : "r"(x));
    out[15 * n + i] = r;
    asm("{ .reg .b16 t; cvt.sat.u8.s32 t, %1; cvt.u32.u8 %0, t; }" : "=r"(r) : "r"(x));
    out[16 * n + i] = r;
    asm("{ .reg .b16 t; cvt.sat.u8.u32 t, %1; cvt.u32.u8 %0, t; }" : "=r"(r) : "r"(x));
    out[17 * n + i] = r;
    asm("{ .reg .b16 t; cvt.u8.s32 t, %1; cvt.u32.u16 %0, t; }" : "=r"(r) : "r"(x));
    out[18 * n + i] = r;
}

// Dot products of packed bytes and of halfwords with bytes, in every signedness.
#define DOT(k, op)                                                                                 \
    asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a[i]), "r"(b[i]), "r"(c[i]));                        \
    out[(k) * n + i] = r;

extern "C" __global__ void dots(const u32 *a, const u32 *b, const u32 *c, u32 *out, u32 n)
{
    u32 i = INDEX;
    u32 r;
    DOT(0, "dp4a.u32.u32")
    DOT(1, "dp4a.u32.s32")
    DOT(2, "dp4a.s32.u32")
    DOT(3, "dp4a.s32.s32")
    DOT(4, "dp2a.lo.u32.u32")
    DOT(5, "dp2a.lo.u32.s32")
    DOT(6, "dp2a.lo.s32.u32")
    DOT(7, "dp2a.lo.s32.s32")
    DOT(8, "dp2a.hi.u32.u32")
    DOT(9, "dp2a.hi.u32.s32")
    DOT(10, "dp2a.hi.s32.u32")
    DOT(11, "dp2a.hi.s32.s32")
    out[12 * n + i] = (u32)__dp4a((int)a[i], (int)b[i], (int)c[i]);
}

// An int8 matrix times a vector, as quantised inference does it.
extern "C" __global__ void int8_matvec(const int *matrix, const int *vector, int *out, int words)
{
    int row = blockIdx.x, lane = threadIdx.x;
    int sum = 0;
    for (int k = lane; k < words; k += 32) sum = __dp4a(matrix[row * words + k], vector[k], sum);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    if (lane == 0) out[row] = sum;
}

// Bytes in a word, each on its own.
extern "C" __global__ void packed(const u32 *a, const u32 *b, u32 *out, u32 n)
{
    u32 i = INDEX;
    out[i] = __vadd4(a[i], b[i]);
    out[n + i] = __vsub2(a[i], b[i]);
    out[2 * n + i] = __vcmpeq4(a[i], b[i]);
    out[3 * n + i] = __vavgu4(a[i], b[i]);
    out[4 * n + i] = __vmaxu2(a[i], b[i]);
    out[5 * n + i] = __vmins2(a[i], b[i]);
}
