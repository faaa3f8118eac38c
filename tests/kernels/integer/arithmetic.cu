// nvcc: sm_75 sm_90 sm_100
//
// Division, multiplication and extrema of 32- and 64-bit integers, signed and unsigned.

typedef unsigned u32;
typedef long long s64;
typedef unsigned long long u64;

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void divide_u32(const u32 *a, const u32 *b, u32 *q, u32 *r)
{
    u32 i = INDEX;
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
}

extern "C" __global__ void divide_s32(const int *a, const int *b, int *q, int *r)
{
    u32 i = INDEX;
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
}

extern "C" __global__ void divide_u64(const u64 *a, const u64 *b, u64 *q, u64 *r)
{
    u32 i = INDEX;
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
}

extern "C" __global__ void divide_s64(const s64 *a, const s64 *b, s64 *q, s64 *r)
{
    u32 i = INDEX;
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
}

// Constant divisors: the compiler turns them into multiplications by a reciprocal.
extern "C" __global__ void divide_constants(const u32 *a, u32 *out, u32 n)
{
    u32 i = INDEX;
    u32 u = a[i];
    int s = (int)u;
    out[i] = u / 7;
    out[n + i] = u / 10;
    out[2 * n + i] = u % 1000;
    out[3 * n + i] = u / 641 * 3 + u % 641;
    out[4 * n + i] = (u32)(s / -3);
    out[5 * n + i] = (u32)(s % 60);
    out[6 * n + i] = (u32)(s / 16);
    out[7 * n + i] = (u32)(s % 4096);
}

extern "C" __global__ void divide_constants_64(const u64 *a, u64 *out, u32 n)
{
    u32 i = INDEX;
    u64 u = a[i];
    s64 s = (s64)u;
    out[i] = u / 10;
    out[n + i] = u % 1000000007;
    out[2 * n + i] = (u64)(s / 86400);
    out[3 * n + i] = (u64)(s % 7);
}

extern "C" __global__ void multiply_high(const u64 *a, const u64 *b, u64 *out, u32 n)
{
    u32 i = INDEX;
    u32 x = (u32)a[i], y = (u32)b[i];
    out[i] = __umulhi(x, y);
    out[n + i] = (u32)__mulhi((int)x, (int)y);
    out[2 * n + i] = __umul64hi(a[i], b[i]);
    out[3 * n + i] = (u64)__mul64hi((s64)a[i], (s64)b[i]);
    out[4 * n + i] = (u64)x * y;
    out[5 * n + i] = (u64)((s64)(int)x * (int)y);
    out[6 * n + i] = a[i] * b[i];
}

// 128-bit products and sums: x*y + z, and its square shifted.
extern "C" __global__ void wide_128(const u64 *a, const u64 *b, u64 *low, u64 *high)
{
    u32 i = INDEX;
    unsigned __int128 x = (unsigned __int128)a[i] * b[i] + (a[i] ^ b[i]);
    x -= (unsigned __int128)b[i] << 37;
    __int128 y = (__int128)(s64)a[i] * (s64)b[i];
    x ^= (unsigned __int128)(y >> 13);
    low[i] = (u64)x;
    high[i] = (u64)(x >> 64);
}

extern "C" __global__ void extrema(const u64 *a, const u64 *b, u64 *out, u32 n)
{
    u32 i = INDEX;
    u32 x = (u32)a[i], y = (u32)b[i];
    out[i] = min(x, y);
    out[n + i] = max(x, y);
    out[2 * n + i] = (u32)min((int)x, (int)y);
    out[3 * n + i] = (u32)max((int)x, (int)y);
    out[4 * n + i] = min(a[i], b[i]);
    out[5 * n + i] = (u64)max((s64)a[i], (s64)b[i]);
    out[6 * n + i] = (u32)abs((int)x);
    out[7 * n + i] = (u64)llabs((s64)b[i]);
    out[8 * n + i] = a[i] < b[i] ? -a[i] : ~b[i];
}

// Saturating and mixed-width forms that C has no operator for.
#define ASM2(out, op, con, x, y) asm(op " %0, %1, %2;" : "=" con(out) : con(x), con(y))

extern "C" __global__ void saturating(const u32 *a, const u32 *b, const u32 *c, u32 *out, u32 n)
{
    u32 i = INDEX;
    u32 x = a[i], y = b[i], z = c[i], r;
    ASM2(r, "add.sat.s32", "r", x, y);
    out[i] = r;
    ASM2(r, "sub.sat.s32", "r", x, y);
    out[n + i] = r;
    asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    out[2 * n + i] = r;
    asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    out[3 * n + i] = r;
    asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    out[4 * n + i] = r;
    asm("mad.wide.s16 %0, %1, %2, %3;" : "=r"(r) : "h"((short)x), "h"((short)y), "r"(z));
    out[5 * n + i] = r;
    asm("mad.wide.u16 %0, %1, %2, %3;" : "=r"(r) : "h"((short)x), "h"((short)y), "r"(z));
    out[6 * n + i] = r;
    asm("neg.s32 %0, %1;" : "=r"(r) : "r"(x));
    out[7 * n + i] = r;
    asm("abs.s32 %0, %1;" : "=r"(r) : "r"(x));
    out[8 * n + i] = r;
    unsigned short h;
    asm("mul.hi.s16 %0, %1, %2;" : "=h"(h) : "h"((short)x), "h"((short)y));
    out[9 * n + i] = h;
    asm("mul.hi.u16 %0, %1, %2;" : "=h"(h) : "h"((short)x), "h"((short)y));
    out[10 * n + i] = h;
    asm("mad.lo.u16 %0, %1, %2, %3;" : "=h"(h) : "h"((short)x), "h"((short)y), "h"((short)z));
    out[11 * n + i] = h;
}
