// Warp instructions in loops and in divergent code, so that the compiler makes collective regions, and a function
// that calls itself, so that it makes calls and, in a relocatable object, relocations.
// cubin: sm_90 sm_100, and sm_90 with -rdc=true
extern "C" __global__ void divergent(const unsigned *in, unsigned *out)
{
    unsigned x = in[threadIdx.x], r = 0;
    if (x & 1) {
        unsigned mask = in[3];
        r = __shfl_sync(mask, x, 0) + __ballot_sync(mask, x & 2);
        for (unsigned i = 0; i < x; i++)
            r += __shfl_xor_sync(mask, r, i);
    } else {
        r = __shfl_xor_sync(0xffff, x, 4) + __any_sync(in[2], x > 9);
    }
    __syncwarp(in[0]);
    out[threadIdx.x] = r + __popc(__match_any_sync(in[1], x));
}

__device__ unsigned again(unsigned x, unsigned mask)
{
    return x < 2 ? __popc(mask) : again(x - 1, __ballot_sync(mask, x & 1)) + again(x - 2, mask);
}

extern "C" __global__ void caller(const unsigned *in, unsigned *out)
{
    unsigned x = in[threadIdx.x];
    *out = x > 5 ? again(x, in[2]) : again(x + 1, in[3]);
}
