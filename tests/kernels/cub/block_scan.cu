// nvcc: sm_75 sm_90 sm_100
//
// cub::BlockScan with each of its algorithms, and a scan of an array by one block with a running
// prefix.

#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>

template <cub::BlockScanAlgorithm Algorithm>
__device__ void scan(const int *in, int *inclusive, int *exclusive, int *total)
{
    using Scan = cub::BlockScan<int, 128, Algorithm>;
    __shared__ typename Scan::TempStorage storage;
    int base = (blockIdx.x * 128 + threadIdx.x) * 4;

    int item[4], result[4], aggregate;
    for (int k = 0; k < 4; k++) item[k] = in[base + k];
    Scan(storage).InclusiveSum(item, result);
    for (int k = 0; k < 4; k++) inclusive[base + k] = result[k];
    __syncthreads();
    Scan(storage).ExclusiveSum(item, result, aggregate);
    for (int k = 0; k < 4; k++) exclusive[base + k] = result[k];
    if (threadIdx.x == 127) total[blockIdx.x] = aggregate;
}

extern "C" __global__ void scan_raking(const int *in, int *inclusive, int *exclusive, int *total)
{
    scan<cub::BLOCK_SCAN_RAKING>(in, inclusive, exclusive, total);
}

extern "C" __global__ void scan_memoize(const int *in, int *inclusive, int *exclusive, int *total)
{
    scan<cub::BLOCK_SCAN_RAKING_MEMOIZE>(in, inclusive, exclusive, total);
}

extern "C" __global__ void scan_warps(const int *in, int *inclusive, int *exclusive, int *total)
{
    scan<cub::BLOCK_SCAN_WARP_SCANS>(in, inclusive, exclusive, total);
}

struct RunningMaximum {
    int highest;
    __device__ int operator()(int block_highest)
    {
        int before = highest;
        highest = block_highest > highest ? block_highest : highest;
        return before;
    }
};

struct Maximum {
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};

// The running maximum of n elements, tile by tile, loaded and stored through shared memory.
extern "C" __global__ void running_maximum(const int *in, int *out, int n)
{
    constexpr int items = 3, tile = 64 * items;
    using Load = cub::BlockLoad<int, 64, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using Store = cub::BlockStore<int, 64, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    using Scan = cub::BlockScan<int, 64>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Store::TempStorage store;
        typename Scan::TempStorage scan;
    } storage;

    RunningMaximum prefix{INT_MIN};
    for (int base = 0; base < n; base += tile) {
        int item[items];
        Load(storage.load).Load(in + base, item, n - base, INT_MIN);
        __syncthreads();
        Scan(storage.scan).InclusiveScan(item, item, Maximum(), prefix);
        __syncthreads();
        Store(storage.store).Store(out + base, item, n - base);
        __syncthreads();
    }
}
