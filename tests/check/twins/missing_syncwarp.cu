// nvcc: sm_75 sm_90 -- -lineinfo
// Lanes exchange values through shared memory. The wrong twin relies on lockstep.
extern "C" __global__ void wrong(const int *in, int *out) {
    __shared__ int cell[32];
    int lane = threadIdx.x;
    cell[lane] = in[lane];
    out[lane] = cell[31 - lane];  // read before the other lane wrote?
}

extern "C" __global__ void right(const int *in, int *out) {
    __shared__ int cell[32];
    int lane = threadIdx.x;
    cell[lane] = in[lane];
    __syncwarp();
    out[lane] = cell[31 - lane];
}
