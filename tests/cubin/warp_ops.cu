// Every warp-level instruction that the compiler makes of the intrinsics, in straight and in divergent code.
// cubin: sm_75 sm_80 sm_90 sm_100 sm_120
#include <cstdint>

extern "C" __global__ void straight(const unsigned *in, unsigned *out)
{
    unsigned x = in[threadIdx.x];
    unsigned full = 0xffffffffu;
    unsigned r = __shfl_up_sync(full, x, 1);
    r ^= __shfl_down_sync(full, x, 3, 8);
    r += __shfl_xor_sync(full, x, x & 31);
    r += __shfl_sync(full, x, 7, x);
    r += __ballot_sync(full, x & 1);
    r += __any_sync(full, x > 5) ? 3 : 1;
    r += __all_sync(full, x > 6) ? 5 : 7;
    r += __match_any_sync(full, x);
    r += __match_any_sync(full, (unsigned long long)x << 7);
    int same;
    r += __match_all_sync(full, x, &same);
    r += same;
#if __CUDA_ARCH__ >= 800
    r += __reduce_add_sync(full, x);
    r += __reduce_min_sync(full, (int)x);
    r += __reduce_max_sync(full, x);
    r += __reduce_and_sync(full, x) ^ __reduce_or_sync(full, x) ^ __reduce_xor_sync(full, x);
#endif
    unsigned t;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(x));
    out[threadIdx.x] = r + t;
}

extern "C" __global__ void divergent(const unsigned *in, unsigned *out)
{
    unsigned x = in[threadIdx.x];
    unsigned r = 0;
    if (x & 1) {
        unsigned mask = __activemask();
        r = __shfl_sync(mask, x, 0);
        r += __ballot_sync(mask, x & 2);
    } else {
        r = __shfl_xor_sync(0x0000ffffu, x, 4) + __any_sync(in[2], x > 9);
    }
    __syncwarp(in[0]);
    out[threadIdx.x] = r + __popc(__match_any_sync(in[1], x));
}
