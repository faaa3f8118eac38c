// nvcc: sm_75 sm_90 -- -lineinfo
// A shuffle inside a loop that lanes leave at different times.
extern "C" __global__ void wrong(const int *in, int *out, int n) {
    int lane = threadIdx.x, sum = 0;
    for (int i = lane; i < n; i += 32) {
        sum += __shfl_xor_sync(0xffffffffu, in[i], 16);  // not all lanes are here in the last round
    }
    __syncwarp();
    out[lane] = sum;
}

extern "C" __global__ void right(const int *in, int *out, int n) {
    int lane = threadIdx.x, sum = 0;
    for (int base = 0; base < n; base += 32) {
        int v = base + lane < n ? in[base + lane] : 0;
        sum += __shfl_xor_sync(0xffffffffu, v, 16);
    }
    __syncwarp();
    out[lane] = sum;
}
