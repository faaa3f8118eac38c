// nvcc: sm_75 sm_90 sm_100
//
// Other parts of CUB that work on a block: exchange, discontinuity, differences, histogram, shuffle
// and run-length decoding.

#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_shuffle.cuh>

extern "C" __global__ void exchange(const int *in, int *striped, int *blocked)
{
    using Exchange = cub::BlockExchange<int, 64, 4>;
    __shared__ typename Exchange::TempStorage storage;
    int t = threadIdx.x;
    int item[4], result[4];
    for (int k = 0; k < 4; k++) item[k] = in[t * 4 + k];
    Exchange(storage).BlockedToStriped(item, result);
    for (int k = 0; k < 4; k++) striped[t * 4 + k] = result[k];
    __syncthreads();
    Exchange(storage).StripedToBlocked(item, result);
    for (int k = 0; k < 4; k++) blocked[t * 4 + k] = result[k];
}

struct Differs {
    __device__ bool operator()(int a, int b) const { return a != b; }
};

struct Minus {
    __device__ int operator()(int a, int b) const { return a - b; }
};

extern "C" __global__ void heads_and_differences(const int *in, int *heads, int *differences)
{
    using Discontinuity = cub::BlockDiscontinuity<int, 64>;
    using Difference = cub::BlockAdjacentDifference<int, 64>;
    __shared__ typename Discontinuity::TempStorage heads_storage;
    __shared__ typename Difference::TempStorage difference_storage;
    int t = threadIdx.x;
    int item[2], flag[2], delta[2];
    for (int k = 0; k < 2; k++) item[k] = in[t * 2 + k];
    Discontinuity(heads_storage).FlagHeads(flag, item, Differs());
    Difference(difference_storage).SubtractLeft(item, delta, Minus());
    for (int k = 0; k < 2; k++) {
        heads[t * 2 + k] = flag[k];
        differences[t * 2 + k] = delta[k];
    }
}

template <cub::BlockHistogramAlgorithm Algorithm>
__device__ void histogram(const unsigned char *in, unsigned *bins)
{
    using Histogram = cub::BlockHistogram<unsigned char, 64, 4, 64, Algorithm>;
    __shared__ typename Histogram::TempStorage storage;
    __shared__ unsigned count[64];
    unsigned char item[4];
    for (int k = 0; k < 4; k++) item[k] = in[threadIdx.x * 4 + k] % 64;
    Histogram(storage).Histogram(item, count);
    __syncthreads();
    bins[threadIdx.x] = count[threadIdx.x];
}

extern "C" __global__ void histogram_atomic(const unsigned char *in, unsigned *bins)
{
    histogram<cub::BLOCK_HISTO_ATOMIC>(in, bins);
}

extern "C" __global__ void histogram_sort(const unsigned char *in, unsigned *bins)
{
    histogram<cub::BLOCK_HISTO_SORT>(in, bins);
}

extern "C" __global__ void rotate(const int *in, int *out, int distance)
{
    using Shuffle = cub::BlockShuffle<int, 96>;
    __shared__ typename Shuffle::TempStorage storage;
    int result;
    Shuffle(storage).Rotate(in[threadIdx.x], result, distance);
    out[threadIdx.x] = result;
}

extern "C" __global__ void run_length_decode(const int *value, const unsigned *length, int *out,
                                             unsigned *total)
{
    using Decode = cub::BlockRunLengthDecode<int, 32, 2, 4>;
    __shared__ typename Decode::TempStorage storage;
    int t = threadIdx.x;
    int values[2] = {value[t * 2], value[t * 2 + 1]};
    unsigned lengths[2] = {length[t * 2], length[t * 2 + 1]};
    unsigned size = 0;
    Decode decode(storage, values, lengths, size);
    if (t == 0) *total = size;
    for (unsigned base = 0; base < size; base += 32 * 4) {
        int item[4];
        decode.RunLengthDecode(item, base);
        for (int k = 0; k < 4; k++)
            if (base + t * 4 + k < size) out[base + t * 4 + k] = item[k];
        __syncthreads();
    }
}
