// nvcc: sm_75 sm_90 -- -lineinfo
// A three-point stencil over a tile with one cell of halo on each side.
extern "C" __global__ void wrong_global(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int left = in[i - 1];  // before the first element
    out[i] = left + in[i];
}

extern "C" __global__ void wrong_shared(const int *in, int *out, int n) {
    __shared__ int tile[66];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    __syncthreads();  // nobody wrote tile[65]
    out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}

extern "C" __global__ void right(const int *in, int *out, int n) {
    __shared__ int tile[66];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x + 1] = in[i];
    if (threadIdx.x == 0) tile[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == 63) tile[65] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];
}
