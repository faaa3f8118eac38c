// nvcc: sm_75 sm_90 sm_100
//
// shfl.sync as written in PTX, with every operand in a register: b beyond 31, any clamp and any
// segment mask, a different pair in every lane.

#define SHFL(mode, d, p, a, b, c)                                                                  \
    asm volatile("{ .reg .pred q; shfl.sync." mode ".b32 %0|q, %2, %3, %4, 0xffffffff;"           \
                 "  selp.u32 %1, 1, 0, q; }"                                                       \
                 : "=r"(d), "=r"(p)                                                                \
                 : "r"(a), "r"(b), "r"(c))

#define KERNEL(name, mode)                                                                         \
    extern "C" __global__ void name(const unsigned *a, const unsigned *b, const unsigned *c,       \
                                    unsigned *d, unsigned *p)                                      \
    {                                                                                              \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                        \
        unsigned value, in_range;                                                                  \
        SHFL(mode, value, in_range, a[i], b[i], c[i]);                                             \
        d[i] = value;                                                                              \
        p[i] = in_range;                                                                           \
    }

KERNEL(shfl_up, "up")
KERNEL(shfl_down, "down")
KERNEL(shfl_bfly, "bfly")
KERNEL(shfl_idx, "idx")

// The same with operands known at compile time, and without the predicate.
#define FIXED(out, mode, b, c)                                                                     \
    asm volatile("shfl.sync." mode ".b32 %0, %1, " b ", " c ", 0xffffffff;" : "=r"(out) : "r"(v))

extern "C" __global__ void immediates(const unsigned *in, unsigned *out)
{
    unsigned i = threadIdx.x;
    unsigned v = in[i];
    unsigned r[12];
    FIXED(r[0], "up", "32", "0");
    FIXED(r[1], "up", "33", "0");
    FIXED(r[2], "up", "63", "0");
    FIXED(r[3], "down", "32", "31");
    FIXED(r[4], "down", "33", "0x1f");
    FIXED(r[5], "down", "63", "0x1f");
    FIXED(r[6], "bfly", "33", "31");
    FIXED(r[7], "bfly", "63", "0x180f");
    FIXED(r[8], "idx", "33", "0x1f");
    FIXED(r[9], "idx", "63", "0x1c07");
    FIXED(r[10], "idx", "-1", "0x0b05");
    FIXED(r[11], "bfly", "5", "0xffffe013");
    for (int k = 0; k < 12; k++) out[k * 32 + i] = r[k];
}
