// nvcc: sm_75 sm_80 sm_100
//
// Collectives in divergent code: each arm of a branch with a mask and a shuffle of its own, and arms
// that meet in one collective.

#define FULL 0xffffffffu

// Four arms of eight neighbouring lanes.
extern "C" __global__ void four_arms(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int value = in[lane];
    if (lane < 8)
        value = __shfl_xor_sync(0x000000ffu, value, 1) * 3;
    else if (lane < 16)
        value = __shfl_up_sync(0x0000ff00u, value, 2, 8) + 5;
    else if (lane < 24)
        value = __shfl_down_sync(0x00ff0000u, value, 3, 8) - 7;
    else
        value = __shfl_sync(0xff000000u, value, 31 - lane, 8) ^ 9;
    out[lane] = value;
}

// Four arms of interleaved lanes, decided by data.
extern "C" __global__ void four_interleaved_arms(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int value = in[lane];
    unsigned group = lane % 4;
    unsigned mask = 0x11111111u << group;
    if (group == 0) {
        value += __shfl_xor_sync(mask, value, 4);
    } else if (group == 1) {
        value -= __shfl_sync(mask, value, 29);
        value = __shfl_xor_sync(mask, value, 8) + 1;
    } else if (group == 2) {
        for (int k = 4; k < 32; k *= 2) value = max(value, __shfl_xor_sync(mask, value, k));
    } else {
        value = __shfl_sync(mask, value, (lane + 4) % 32);
    }
    out[lane] = value;
}

// One instruction, executed once by the whole warp, with two masks: two shuffles.
extern "C" __global__ void masks_by_lane(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    unsigned mask = lane & 4 ? 0xf0f0f0f0u : 0x0f0f0f0fu;
    int value = in[lane];
    out[lane] = __shfl_xor_sync(mask, value, 8) - __shfl_xor_sync(mask, value, 3);
}

// The halves of the warp reach the same collective at two program counters: from sm_70 on they meet.
#define SHFL_IDX(d, a, b)                                                                          \
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=r"(d) : "r"(a), "r"(b))

extern "C" __global__ void two_places(const int *in, int *out)
{
    unsigned lane = threadIdx.x;
    int value = in[lane];
    int got;
    if (lane < 16) {
        value = value * 5 + 1;
        SHFL_IDX(got, value, 31 - lane);
        got += 1000;
    } else {
        value = value - 100;
        for (unsigned k = 0; k < lane; k++) value += in[k];
        SHFL_IDX(got, value, (lane * 3) % 32);
        got *= 2;
    }
    out[lane] = got;
}

// The same with a vote and a match.
extern "C" __global__ void two_places_vote(const int *in, unsigned *out)
{
    unsigned lane = threadIdx.x;
    unsigned result, same;
    if (in[lane] & 1) {
        asm volatile("{ .reg .pred p; setp.gt.s32 p, %1, 0;"
                     "vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(result) : "r"(in[lane]));
        asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(in[lane] & 6));
        result ^= same << 1;
    } else {
        asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 0;"
                     "vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(result) : "r"(in[lane]));
        asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(same) : "r"(in[lane] & 6));
        result += same;
    }
    out[lane] = result;
}

// Arms that synchronise with bar.warp.sync at different places and exchange through shared memory.
extern "C" __global__ void warp_barrier(const int *in, int *out)
{
    __shared__ volatile int cell[32];
    unsigned lane = threadIdx.x;
    if (lane % 3 == 0) {
        cell[lane] = in[lane] * 2;
        __syncwarp();
        out[lane] = cell[(lane + 1) % 32] + 1;
    } else {
        cell[lane] = in[lane] - 4;
        __syncwarp();
        out[lane] = cell[(lane + 5) % 32] * 3;
    }
}
