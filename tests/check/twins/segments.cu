// nvcc: sm_75 sm_90 -- -lineinfo
// Two groups of lanes reduce apart. The masks of the wrong twin overlap.
extern "C" __global__ void wrong(const int *in, int *out) {
    int lane = threadIdx.x;
    unsigned mask = lane < 16 ? 0x0001ffffu : 0xffff0000u;  // lane 16 is in both
    int v = in[lane];
    v += __shfl_xor_sync(mask, v, 8);
    out[lane] = v;
}

extern "C" __global__ void right(const int *in, int *out) {
    int lane = threadIdx.x;
    unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    int v = in[lane];
    v += __shfl_xor_sync(mask, v, 8);
    out[lane] = v;
}

// Segments of 7 lanes, each with the mask of the first.
extern "C" __global__ void wrong_segment(const int *in, int *out) {
    int lane = threadIdx.x;
    if (lane >= 28) return;
    int v = in[lane];
    int other = __shfl_down_sync(0x7fu, v, 1);
    out[lane] = lane % 7 < 6 ? v + other : v;
}

extern "C" __global__ void right_segment(const int *in, int *out) {
    int lane = threadIdx.x;
    if (lane >= 28) return;
    int v = in[lane];
    int other = __shfl_down_sync(0x7fu << lane / 7 * 7, v, 1);
    out[lane] = lane % 7 < 6 ? v + other : v;
}
