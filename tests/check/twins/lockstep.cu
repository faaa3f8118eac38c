// nvcc: sm_75 sm_90 -- -lineinfo
// The last steps of a reduction as they were written for warps in lockstep.
extern "C" __global__ void wrong(const int *in, int *out) {
    __shared__ volatile int cell[64];
    int i = threadIdx.x;
    cell[i] = in[i];
    cell[i + 32] = in[i + 32];
    cell[i] += cell[i + 32];
    cell[i] += cell[i + 16];  // another lane's cell
    if (i < 16) out[i] = cell[i];
}

extern "C" __global__ void right(const int *in, int *out) {
    __shared__ int cell[64];
    int i = threadIdx.x;
    cell[i] = in[i];
    cell[i + 32] = in[i + 32];
    int v = cell[i] + cell[i + 32];
    cell[i] = v;
    __syncwarp();
    if (i < 16) v += cell[i + 16];
    if (i < 16) out[i] = v;
}
