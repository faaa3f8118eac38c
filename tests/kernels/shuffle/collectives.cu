// nvcc: sm_75 sm_90 sm_100
//
// The other collectives: votes, matches and the transposition of an 8 by 8 matrix held by a warp.

#define FULL 0xffffffffu

// Per warp: all, any and uni of a predicate as bits, next to its ballot.
extern "C" __global__ void votes(const int *in, unsigned *flags, unsigned *ballot)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bool p = in[i] > 0;
    ballot[i] = __ballot_sync(FULL, p);
    unsigned word = __all_sync(FULL, p) | __any_sync(FULL, p) << 1 | __uni_sync(FULL, p) << 2;
    unsigned r;
    asm("{ .reg .pred a, b; setp.gt.s32 a, %1, 0; vote.sync.any.pred b, !a, 0xffffffff;"
        "  selp.u32 %0, 8, 0, b; }" : "=r"(r) : "r"(in[i]));
    flags[i] = word | r;
}

// The same in each half of the warp, in the arms of a branch.
extern "C" __global__ void half_votes(const int *in, unsigned *flags)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    bool p = in[i] > 0;
    unsigned word;
    if (threadIdx.x % 32 < 16)
        word = __all_sync(0xffff, p) | __uni_sync(0xffff, p) << 1 | __ballot_sync(0xffff, p) << 2;
    else
        word = __any_sync(0xffff0000, p) | __popc(__ballot_sync(0xffff0000, p)) << 1;
    flags[i] = word;
}

extern "C" __global__ void matches(const int *in, const long long *wide, unsigned *any,
                                   unsigned *any_wide, unsigned *all, int *all_equal)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    any[i] = __match_any_sync(FULL, in[i]);
    any_wide[i] = __match_any_sync(FULL, wide[i]);
    int equal;
    all[i] = __match_all_sync(FULL, in[i], &equal);
    all_equal[i] = equal;
    all[gridDim.x * blockDim.x + i] = __match_all_sync(FULL, wide[i] & ~255ll, &equal);
    all_equal[gridDim.x * blockDim.x + i] = equal;
}

// Each lane holds two neighbouring elements of a row of an 8 by 8 matrix of 16-bit elements.
extern "C" __global__ void transpose_8x8(const unsigned *in, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, r;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(in[i]));
    out[i] = r;
}
