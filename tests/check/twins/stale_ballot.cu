// nvcc: sm_75 sm_90 -- -lineinfo
// A mask that a ballot gave names other lanes than those that use it.
extern "C" __global__ void wrong(const int *in, int *out) {
    int lane = threadIdx.x;
    int v = in[lane];
    unsigned mask = __ballot_sync(0xffffffffu, v > 10);
    if (v > 5) {  // not the condition of the ballot
        v += __shfl_xor_sync(mask, v, 1);
    }
    out[lane] = v;
}

extern "C" __global__ void right(const int *in, int *out) {
    int lane = threadIdx.x;
    int v = in[lane];
    unsigned mask = __ballot_sync(0xffffffffu, v > 5);
    if (v > 5) {
        int other = __shfl_xor_sync(mask, v, 1);
        if (mask >> (lane ^ 1) & 1) v += other;
    }
    out[lane] = v;
}
