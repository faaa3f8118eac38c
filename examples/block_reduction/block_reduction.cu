// nvcc: sm_75 sm_90
//
// Sum of an array, one partial sum per block. Each thread adds its elements in a grid-stride loop,
// each warp reduces with shuffles, the warps leave their sums in shared memory, and the first warp
// reduces those. The block size must be a multiple of 32.

__device__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

extern "C" __global__ void block_sum(const float *in, float *out, unsigned n)
{
    __shared__ float partial[32];

    float value = 0.0f;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += in[i];

    unsigned lane = threadIdx.x % 32;
    unsigned warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0) partial[warp] = value;
    __syncthreads();

    if (warp == 0) {
        value = lane < blockDim.x / 32 ? partial[lane] : 0.0f;
        value = warp_sum(value);
        if (lane == 0) out[blockIdx.x] = value;
    }
}

// The same with a tree in dynamic shared memory: one barrier per level. The block size must be a
// power of two.
extern "C" __global__ void tree_sum(const float *in, float *out, unsigned n)
{
    extern __shared__ float tree[];

    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    tree[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) tree[threadIdx.x] += tree[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = tree[0];
}
