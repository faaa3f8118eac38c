// nvcc: sm_75 sm_90 sm_100
//
// Shifts, fields, counts and permutations of bits.

typedef unsigned u32;
typedef unsigned long long u64;

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

// Shift amounts beyond the width: PTX clamps them.
extern "C" __global__ void shifts(const u64 *a, const u32 *b, u64 *out, u32 n)
{
    u32 i = INDEX;
    u64 w = a[i], r64;
    u32 x = (u32)w, amount = b[i], r;
    unsigned short h = (unsigned short)x, r16;
    asm("shl.b32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(amount));
    out[i] = r;
    asm("shr.u32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(amount));
    out[n + i] = r;
    asm("shr.s32 %0, %1, %2;" : "=r"(r) : "r"(x), "r"(amount));
    out[2 * n + i] = r;
    asm("shl.b64 %0, %1, %2;" : "=l"(r64) : "l"(w), "r"(amount));
    out[3 * n + i] = r64;
    asm("shr.u64 %0, %1, %2;" : "=l"(r64) : "l"(w), "r"(amount));
    out[4 * n + i] = r64;
    asm("shr.s64 %0, %1, %2;" : "=l"(r64) : "l"(w), "r"(amount));
    out[5 * n + i] = r64;
    asm("shl.b16 %0, %1, %2;" : "=h"(r16) : "h"(h), "r"(amount));
    out[6 * n + i] = r16;
    asm("shr.u16 %0, %1, %2;" : "=h"(r16) : "h"(h), "r"(amount));
    out[7 * n + i] = r16;
    asm("shr.s16 %0, %1, %2;" : "=h"(r16) : "h"(h), "r"(amount));
    out[8 * n + i] = r16;
}

extern "C" __global__ void funnels(const u32 *low, const u32 *high, const u32 *amount, u32 *out,
                                   u32 n)
{
    u32 i = INDEX;
    out[i] = __funnelshift_l(low[i], high[i], amount[i]);
    out[n + i] = __funnelshift_lc(low[i], high[i], amount[i]);
    out[2 * n + i] = __funnelshift_r(low[i], high[i], amount[i]);
    out[3 * n + i] = __funnelshift_rc(low[i], high[i], amount[i]);
    out[4 * n + i] = (low[i] << 7 | low[i] >> 25) + (high[i] >> 11 | high[i] << 21);
}

extern "C" __global__ void counts(const u64 *a, u32 *out, u32 n)
{
    u32 i = INDEX;
    u64 w = a[i];
    u32 x = (u32)w, r;
    out[i] = __popc(x);
    out[n + i] = __popcll(w);
    out[2 * n + i] = __clz((int)x);
    out[3 * n + i] = __clzll((long long)w);
    out[4 * n + i] = __ffs((int)x);
    out[5 * n + i] = __ffsll((long long)w);
    out[6 * n + i] = __brev(x);
    u64 reversed = __brevll(w);
    out[7 * n + i] = (u32)reversed;
    out[8 * n + i] = (u32)(reversed >> 32);
#define FIND(k, op, con, value)                                                                    \
    asm(op " %0, %1;" : "=r"(r) : con(value));                                                     \
    out[(k) * n + i] = r;
    FIND(9, "bfind.u32", "r", x)
    FIND(10, "bfind.s32", "r", x)
    FIND(11, "bfind.u64", "l", w)
    FIND(12, "bfind.s64", "l", w)
    FIND(13, "bfind.shiftamt.u32", "r", x)
    FIND(14, "bfind.shiftamt.s32", "r", x)
    FIND(15, "bfind.shiftamt.u64", "l", w)
    FIND(16, "bfind.shiftamt.s64", "l", w)
}

// Bit fields with any position and length, also beyond the width.
extern "C" __global__ void fields(const u64 *a, const u64 *b, const u32 *position,
                                  const u32 *length, u64 *out, u32 n)
{
    u32 i = INDEX;
    u64 w = a[i], v = b[i], r64;
    u32 x = (u32)w, y = (u32)v, p = position[i], l = length[i], r;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(p), "r"(l));
    out[i] = r;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(p), "r"(l));
    out[n + i] = r;
    asm("bfe.u64 %0, %1, %2, %3;" : "=l"(r64) : "l"(w), "r"(p), "r"(l));
    out[2 * n + i] = r64;
    asm("bfe.s64 %0, %1, %2, %3;" : "=l"(r64) : "l"(w), "r"(p), "r"(l));
    out[3 * n + i] = r64;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(x), "r"(y), "r"(p), "r"(l));
    out[4 * n + i] = r;
    asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(r64) : "l"(w), "l"(v), "r"(p), "r"(l));
    out[5 * n + i] = r64;
    asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r) : "r"(p), "r"(l));
    out[6 * n + i] = r;
    asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(r) : "r"(p), "r"(l));
    out[7 * n + i] = r;
}

extern "C" __global__ void permute_bytes(const u32 *a, const u32 *b, const u32 *selector, u32 *out,
                                         u32 n)
{
    u32 i = INDEX;
    u32 r;
    out[i] = __byte_perm(a[i], b[i], selector[i]);
#define PRMT(k, mode)                                                                              \
    asm("prmt.b32" mode " %0, %1, %2, %3;" : "=r"(r) : "r"(a[i]), "r"(b[i]), "r"(selector[i]));    \
    out[(k) * n + i] = r;
    PRMT(1, "")
    PRMT(2, ".f4e")
    PRMT(3, ".b4e")
    PRMT(4, ".rc8")
    PRMT(5, ".ecl")
    PRMT(6, ".ecr")
    PRMT(7, ".rc16")
    out[8 * n + i] = __byte_perm(a[i], 0, 0x0123);
    out[9 * n + i] = __byte_perm(a[i], b[i], 0x5410);
}

// lop3 with each of its 256 truth tables.
template <int First, int Count>
__device__ __forceinline__ void lop3_from(u32 a, u32 b, u32 c, u32 *out)
{
    if constexpr (Count == 1) {
        u32 r;
        asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(r) : "r"(a), "r"(b), "r"(c), "n"(First));
        out[First * 32] = r;
    } else {
        lop3_from<First, Count / 2>(a, b, c, out);
        lop3_from<First + Count / 2, Count / 2>(a, b, c, out);
    }
}

extern "C" __global__ void lop3_tables(const u32 *a, const u32 *b, const u32 *c, u32 *out)
{
    u32 i = threadIdx.x;
    lop3_from<0, 256>(a[i], b[i], c[i], out + i);
}

// What the compiler itself makes lop3 of.
extern "C" __global__ void logic(const u32 *a, const u32 *b, const u32 *c, u32 *out, u32 n)
{
    u32 i = INDEX;
    u32 x = a[i], y = b[i], z = c[i];
    out[i] = (x & y) | (~x & z);
    out[n + i] = (x & y) | (x & z) | (y & z);
    out[2 * n + i] = x ^ y ^ z;
    out[3 * n + i] = ~(x | y) & ~z;
    out[4 * n + i] = x ? y & ~z : y | z;
}
