// nvcc: sm_75 sm_90 -- -lineinfo
// A prefix sum over a block. With one buffer, a barrier must stand between the reads and the writes of a round.
extern "C" __global__ void wrong(const int *in, int *out) {
    __shared__ int cell[128];
    int i = threadIdx.x;
    cell[i] = in[i];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        int v = i >= d ? cell[i - d] : 0;  // read while another thread writes
        cell[i] += v;
    }
    out[i] = cell[i];
}

extern "C" __global__ void right(const int *in, int *out) {
    __shared__ int cell[2][128];
    int i = threadIdx.x, from = 0;
    cell[0][i] = in[i];
    for (int d = 1; d < 128; d *= 2) {
        __syncthreads();
        int v = cell[from][i] + (i >= d ? cell[from][i - d] : 0);
        from ^= 1;
        cell[from][i] = v;
    }
    out[i] = cell[from][i];
}
