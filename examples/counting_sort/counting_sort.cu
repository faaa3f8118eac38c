// nvcc: sm_75 sm_90 -- -lineinfo
//
// Counting sort of keys from 0 to 255 in three launches: how often each key occurs, where its run begins (an exclusive
// scan of one block), and every key to its place.

namespace sorting {

constexpr unsigned keys = 256;

// How many keys all launches have seen.
__device__ unsigned seen;

__global__ void histogram(const unsigned *in, unsigned *counts, unsigned n)
{
    __shared__ unsigned mine[keys];
    for (unsigned key = threadIdx.x; key < keys; key += blockDim.x) mine[key] = 0;
    __syncthreads();

    unsigned stride = gridDim.x * blockDim.x;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&mine[in[i] % keys], 1);
        atomicAdd(&seen, 1);
    }
    __syncthreads();

    for (unsigned key = threadIdx.x; key < keys; key += blockDim.x)
        if (mine[key] > 0) atomicAdd(&counts[key], mine[key]);
}

// One block of as many threads as there are keys.
__global__ void offsets(const unsigned *counts, unsigned *begins)
{
    __shared__ unsigned warps[keys / 32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned count = counts[threadIdx.x], sum = count;
    for (unsigned d = 1; d < 32; d *= 2) {
        unsigned below = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += below;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();

    unsigned before = 0;
    for (unsigned other = 0; other < warp; other++) before += warps[other];
    begins[threadIdx.x] = before + sum - count;
}

// Moves `begins` to the ends of the runs.
__global__ void scatter(const unsigned *in, unsigned *begins, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[atomicAdd(&begins[in[i] % keys], 1)] = in[i];
}

}  // namespace sorting
