// nvcc: sm_75 sm_90 sm_100
//
// Arithmetic in each rounding mode, with and without .ftz and .sat.

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void modes_f32(const float *a, const float *b, const float *c, float *out,
                                     int n)
{
    int i = INDEX;
    float x = a[i], y = b[i], z = c[i];
    float *o = out + i;
#define STORE(value) *o = (value); o += n;
#define EACH(mode)                                                                                 \
    STORE(__fadd_##mode(x, y))                                                                     \
    STORE(__fsub_##mode(x, y))                                                                     \
    STORE(__fmul_##mode(x, y))                                                                     \
    STORE(__fmaf_##mode(x, y, z))                                                                  \
    STORE(__fdiv_##mode(x, y))                                                                     \
    STORE(__frcp_##mode(x))                                                                        \
    STORE(__fsqrt_##mode(x))
    EACH(rn)
    EACH(rz)
    EACH(rd)
    EACH(ru)
}

extern "C" __global__ void modes_f64(const double *a, const double *b, const double *c, double *out,
                                     int n)
{
    int i = INDEX;
    double x = a[i], y = b[i], z = c[i];
    double *o = out + i;
#define EACH64(mode)                                                                               \
    STORE(__dadd_##mode(x, y))                                                                     \
    STORE(__dsub_##mode(x, y))                                                                     \
    STORE(__dmul_##mode(x, y))                                                                     \
    STORE(__fma_##mode(x, y, z))                                                                   \
    STORE(__ddiv_##mode(x, y))                                                                     \
    STORE(__drcp_##mode(x))                                                                        \
    STORE(__dsqrt_##mode(x))
    EACH64(rn)
    EACH64(rz)
    EACH64(rd)
    EACH64(ru)
}

// Subnormals flushed to zero, results clamped to [0, 1].
extern "C" __global__ void flush_and_saturate(const float *a, const float *b, const float *c,
                                              float *out, int n)
{
    int i = INDEX;
    float x = a[i], y = b[i], z = c[i], r;
    float *o = out + i;
#define OP2(op) asm(op " %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y)); STORE(r)
#define OP3(op) asm(op " %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z)); STORE(r)
#define OP1(op) asm(op " %0, %1;" : "=f"(r) : "f"(x)); STORE(r)
    OP2("add.ftz.f32")
    OP2("sub.ftz.f32")
    OP2("mul.ftz.f32")
    OP3("fma.rn.ftz.f32")
    OP2("div.rn.ftz.f32")
    OP1("sqrt.rn.ftz.f32")
    OP1("rcp.rn.ftz.f32")
    OP2("add.sat.f32")
    OP2("sub.rz.ftz.sat.f32")
    OP2("mul.sat.f32")
    OP3("fma.rp.sat.f32")
    OP3("fma.rm.ftz.sat.f32")
    OP1("abs.f32")
    OP1("neg.f32")
    OP1("abs.ftz.f32")
    OP1("neg.ftz.f32")
    OP2("min.f32")
    OP2("max.f32")
    OP2("min.ftz.f32")
    OP2("max.ftz.f32")
    asm("copysign.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(z));
    STORE(r)
}

// Comparisons of every kind, ordered and unordered, as bits of a word.
extern "C" __global__ void comparisons(const float *a, const float *b, unsigned *out)
{
    int i = INDEX;
    float x = a[i], y = b[i];
    unsigned word = 0, r;
#define COMPARE(k, op)                                                                             \
    asm("{ .reg .pred p; setp." op ".f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(r)            \
        : "f"(x), "f"(y));                                                                         \
    word |= r << (k);
    COMPARE(0, "eq")
    COMPARE(1, "ne")
    COMPARE(2, "lt")
    COMPARE(3, "le")
    COMPARE(4, "gt")
    COMPARE(5, "ge")
    COMPARE(6, "equ")
    COMPARE(7, "neu")
    COMPARE(8, "ltu")
    COMPARE(9, "leu")
    COMPARE(10, "gtu")
    COMPARE(11, "geu")
    COMPARE(12, "num")
    COMPARE(13, "nan")
    COMPARE(14, "eq.ftz")
    COMPARE(15, "lt.ftz")
#define SET(k, op, type, con)                                                                      \
    {                                                                                              \
        type s;                                                                                    \
        asm("set." op ".f32 %0, %1, %2;" : "=" con(s) : "f"(x), "f"(y));                           \
        word |= (unsigned)(s != 0) << (k);                                                         \
    }
    SET(16, "lt.u32", unsigned, "r")
    SET(17, "geu.s32", int, "r")
    SET(18, "ne.f32", float, "f")
    asm("{ .reg .pred p, q, c; setp.gt.f32 c, %1, 0f3F800000; setp.lt.and.f32 p|q, %1, %2, c;"
        "selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=r"(r) : "f"(x), "f"(y));
    word |= r << 19;
    out[i] = word;
}
