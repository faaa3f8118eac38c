// nvcc: sm_75 sm_90 -- -lineinfo
// A block of 48 threads: the last warp has 16 lanes.
extern "C" __global__ void wrong(const int *in, int *out) {
    int i = threadIdx.x;
    int v = in[i];
    v += __shfl_xor_sync(0xffffffffu, v, 16);  // lane 0 of the last warp has no partner
    out[i] = v;
}

extern "C" __global__ void right(const int *in, int *out) {
    int i = threadIdx.x, lane = i % 32;
    unsigned count = min(32u, blockDim.x - i / 32 * 32);
    unsigned mask = count == 32 ? 0xffffffffu : (1u << count) - 1;
    int v = in[i];
    int other = __shfl_xor_sync(mask, v, 16);
    if ((lane ^ 16) < count) v += other;
    out[i] = v;
}
