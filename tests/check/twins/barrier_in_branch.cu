// nvcc: sm_75 sm_90 -- -lineinfo
// A barrier that only some threads execute.
extern "C" __global__ void wrong(const int *in, int *out) {
    __shared__ int cell[64];
    int i = threadIdx.x;
    cell[i] = in[i];
    if (i < 32) {
        __syncthreads();  // the second warp never comes
        out[i] = cell[i];
    }
}

extern "C" __global__ void wrong_lanes(const int *in, int *out) {
    int i = threadIdx.x;
    if (i % 32 < 16) {
        __syncthreads();  // half of each warp
        out[i] = in[i];
    } else {
        __syncthreads();
        out[i] = -in[i];
    }
}

extern "C" __global__ void right(const int *in, int *out) {
    __shared__ int cell[64];
    int i = threadIdx.x;
    cell[i] = in[i];
    __syncthreads();
    if (i < 32) out[i] = cell[63 - i];
}
