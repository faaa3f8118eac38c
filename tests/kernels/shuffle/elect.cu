// nvcc: sm_90 sm_100
//
// elect.sync: one lane of the membermask is chosen, the lowest that has not exited.

__device__ unsigned elect(unsigned mask, unsigned &chosen)
{
    unsigned leader;
    asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
                 : "=r"(leader), "=r"(chosen) : "r"(mask));
    return leader;
}

extern "C" __global__ void elections(unsigned *leader, unsigned *chosen)
{
    unsigned lane = threadIdx.x, word;
    leader[lane] = elect(0xffffffff, word);
    chosen[lane] = word;
    leader[32 + lane] = 99;
    leader[64 + lane] = 99;
    chosen[32 + lane] = chosen[64 + lane] = 99;
    if (lane % 3 == 1) {
        leader[32 + lane] = elect(0x92492492, word);
        chosen[32 + lane] = word;
    }
    if (lane < 11) return;
    leader[64 + lane] = elect(0xffffffff, word);
    chosen[64 + lane] = word;
}
