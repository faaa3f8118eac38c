// nvcc: sm_75 sm_90 -- -lineinfo
// Threads without an element return before the lanes of their warp reduce.
extern "C" __global__ void wrong(const int *in, int *out, int n) {
    int lane = threadIdx.x;
    if (lane >= n) return;
    int v = in[lane];
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);  // reads lanes that returned
    }
    if (lane == 0) out[0] = v;  // the sum of whatever they left
}

extern "C" __global__ void right(const int *in, int *out, int n) {
    int lane = threadIdx.x;
    int v = lane < n ? in[lane] : 0;
    for (int d = 16; d > 0; d /= 2) {
        v += __shfl_down_sync(0xffffffffu, v, d);
    }
    if (lane == 0) out[0] = v;
}
