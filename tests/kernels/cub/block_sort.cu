// nvcc: sm_75 sm_90
//
// cub::BlockRadixSort of several key types, and cub::BlockMergeSort.

#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>

template <typename Key, int Items, bool Descending>
__device__ void sort_keys(const Key *in, Key *out)
{
    using Sort = cub::BlockRadixSort<Key, 64, Items>;
    __shared__ typename Sort::TempStorage storage;
    int base = (blockIdx.x * 64 + threadIdx.x) * Items;
    Key key[Items];
    for (int k = 0; k < Items; k++) key[k] = in[base + k];
    if (Descending)
        Sort(storage).SortDescending(key);
    else
        Sort(storage).Sort(key);
    for (int k = 0; k < Items; k++) out[base + k] = key[k];
}

extern "C" __global__ void sort_u32(const unsigned *in, unsigned *out)
{
    sort_keys<unsigned, 4, false>(in, out);
}

extern "C" __global__ void sort_f32_descending(const float *in, float *out)
{
    sort_keys<float, 3, true>(in, out);
}

extern "C" __global__ void sort_s16(const short *in, short *out)
{
    sort_keys<short, 2, false>(in, out);
}

// Keys with values, by some of their bits, to a striped arrangement.
extern "C" __global__ void sort_pairs(const unsigned *in, unsigned *keys, int *origin)
{
    using Sort = cub::BlockRadixSort<unsigned, 64, 2, int>;
    __shared__ typename Sort::TempStorage storage;
    unsigned key[2];
    int value[2];
    for (int k = 0; k < 2; k++) {
        value[k] = threadIdx.x * 2 + k;
        key[k] = in[value[k]];
    }
    Sort(storage).SortBlockedToStriped(key, value, 4, 16);
    for (int k = 0; k < 2; k++) {
        keys[k * 64 + threadIdx.x] = key[k];
        origin[k * 64 + threadIdx.x] = value[k];
    }
}

struct Less {
    __device__ bool operator()(long long a, long long b) const { return a < b; }
};

extern "C" __global__ void merge_sort_s64(const long long *in, long long *out)
{
    using Sort = cub::BlockMergeSort<long long, 64, 4>;
    __shared__ typename Sort::TempStorage storage;
    long long key[4];
    for (int k = 0; k < 4; k++) key[k] = in[threadIdx.x * 4 + k];
    Sort(storage).Sort(key, Less());
    for (int k = 0; k < 4; k++) out[threadIdx.x * 4 + k] = key[k];
}
