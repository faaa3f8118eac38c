// nvcc: sm_75 sm_80 sm_100
//
// cub::WarpScan, cub::WarpReduce and cub::WarpMergeSort, by warps and by logical warps of fewer lanes.

#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

template <int Lanes>
__device__ void scan(const int *in, int *inclusive, int *exclusive)
{
    using Scan = cub::WarpScan<int, Lanes>;
    __shared__ typename Scan::TempStorage storage[64 / Lanes];
    int i = blockIdx.x * 64 + threadIdx.x;
    Scan scan(storage[threadIdx.x / Lanes]);
    int result;
    scan.InclusiveSum(in[i], result);
    inclusive[i] = result;
    __syncwarp();
    scan.ExclusiveSum(in[i], result);
    exclusive[i] = result;
}

extern "C" __global__ void warp_scan_32(const int *in, int *inclusive, int *exclusive)
{
    scan<32>(in, inclusive, exclusive);
}

extern "C" __global__ void warp_scan_16(const int *in, int *inclusive, int *exclusive)
{
    scan<16>(in, inclusive, exclusive);
}

extern "C" __global__ void warp_scan_4(const int *in, int *inclusive, int *exclusive)
{
    scan<4>(in, inclusive, exclusive);
}

// A logical warp of seven lanes, the first of each warp; the others have nothing to do. Seven is no
// power of two, so nothing can be done with shuffles alone.
extern "C" __global__ void warp_sum_7(const int *in, int *out)
{
    using Reduce = cub::WarpReduce<int, 7>;
    __shared__ typename Reduce::TempStorage storage[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane >= 7) return;
    int sum = Reduce(storage[warp]).Sum(in[warp * 7 + lane]);
    if (lane == 0) out[warp] = sum;
}

extern "C" __global__ void warp_sum_8(const long long *in, long long *out)
{
    using Reduce = cub::WarpReduce<long long, 8>;
    __shared__ typename Reduce::TempStorage storage[8];
    int group = threadIdx.x / 8;
    long long sum = Reduce(storage[group]).Sum(in[threadIdx.x]);
    if (threadIdx.x % 8 == 0) out[group] = sum;
}

// Sums of runs whose first elements are flagged.
extern "C" __global__ void segmented_sum(const int *in, const int *head, int *out)
{
    using Reduce = cub::WarpReduce<int>;
    __shared__ typename Reduce::TempStorage storage[2];
    int i = threadIdx.x;
    int sum = Reduce(storage[i / 32]).HeadSegmentedSum(in[i], head[i]);
    out[i] = head[i] ? sum : 0;
}

struct Less {
    __device__ bool operator()(int a, int b) const { return a < b; }
};

extern "C" __global__ void warp_merge_sort(const int *in, int *out)
{
    using Sort = cub::WarpMergeSort<int, 4, 16>;
    __shared__ typename Sort::TempStorage storage[4];
    int i = threadIdx.x;
    int key[4];
    for (int k = 0; k < 4; k++) key[k] = in[i * 4 + k];
    Sort(storage[i / 16]).Sort(key, Less());
    for (int k = 0; k < 4; k++) out[i * 4 + k] = key[k];
}
