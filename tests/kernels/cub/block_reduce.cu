// nvcc: sm_75 sm_90 sm_100
//
// cub::BlockReduce with each of its algorithms, in full and partial blocks.

#include <cub/block/block_reduce.cuh>

struct Maximum {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

template <int Threads, cub::BlockReduceAlgorithm Algorithm>
__device__ void reduce(const int *in, int *out, int valid)
{
    using Reduce = cub::BlockReduce<int, Threads, Algorithm>;
    __shared__ typename Reduce::TempStorage storage;
    int value = in[blockIdx.x * Threads + threadIdx.x];

    int sum = Reduce(storage).Sum(value);
    __syncthreads();
    int partial = Reduce(storage).Sum(value, valid);
    __syncthreads();
    int largest = Reduce(storage).Reduce(value, Maximum());
    if (threadIdx.x == 0) {
        out[blockIdx.x * 3] = sum;
        out[blockIdx.x * 3 + 1] = partial;
        out[blockIdx.x * 3 + 2] = largest;
    }
}

extern "C" __global__ void reduce_warps(const int *in, int *out, int valid)
{
    reduce<128, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(in, out, valid);
}

extern "C" __global__ void reduce_raking(const int *in, int *out, int valid)
{
    reduce<128, cub::BLOCK_REDUCE_RAKING>(in, out, valid);
}

extern "C" __global__ void reduce_commutative(const int *in, int *out, int valid)
{
    reduce<128, cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(in, out, valid);
}

// A block that is no multiple of a warp.
extern "C" __global__ void reduce_100(const int *in, int *out, int valid)
{
    reduce<100, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(in, out, valid);
}

// The argument of the minimum, as a pair.
struct Candidate {
    float value;
    int index;
};

struct Nearer {
    __device__ Candidate operator()(const Candidate &a, const Candidate &b) const
    {
        if (b.value < a.value || (b.value == a.value && b.index < a.index)) return b;
        return a;
    }
};

extern "C" __global__ void arg_min(const float *in, float *value, int *index)
{
    using Reduce = cub::BlockReduce<Candidate, 128>;
    __shared__ typename Reduce::TempStorage storage;
    int i = blockIdx.x * 128 + threadIdx.x;
    Candidate best = Reduce(storage).Reduce(Candidate{in[i], i}, Nearer());
    if (threadIdx.x == 0) {
        value[blockIdx.x] = best.value;
        index[blockIdx.x] = best.index;
    }
}
