// nvcc: sm_75 sm_90 -- -lineinfo
// Undefined values that matter, and copies of padding that do not.
struct __align__(16) Pair { int key; double value; };

extern "C" __global__ void right_padding(const Pair *in, Pair *out) {
    __shared__ Pair tile[64];
    Pair mine;
    mine.key = in[threadIdx.x].key;
    mine.value = in[threadIdx.x].value;
    tile[threadIdx.x] = mine;
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}

// Only the first half of the tile is filled.
extern "C" __global__ void wrong(const int *in, int *out) {
    __shared__ int tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 32];
}

// The low bits of an unwritten cell are masked away.
extern "C" __global__ void right_masked(const int *in, int *out) {
    __shared__ int tile[64];
    if (threadIdx.x < 32) tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    int keep = threadIdx.x < 32 ? 0 : -1;
    out[threadIdx.x] = tile[threadIdx.x ^ 32] & keep;
}

extern "C" __global__ void wrong_branch(const int *in, int *out) {
    __shared__ int flag;
    if (in[0] > 1000) flag = in[1];
    __syncthreads();
    out[threadIdx.x] = 0;
    if (flag) out[threadIdx.x] = in[threadIdx.x];
}
