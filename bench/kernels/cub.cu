// A tile of CUB's device-wide scan, and one of a pass of its radix sort, with the tiles that CUB takes for sm_80, beside native loops in
// `bench engines`.

#include <cub/cub.cuh>

using State = cub::ScanTileState<int>;

__device__ State state(unsigned long long *memory, int tiles)
{
    State state;
    size_t bytes;
    State::AllocationSize(tiles, bytes);
    state.Init(tiles, memory, bytes);
    return state;
}

extern "C" __global__ void begin_scan(unsigned long long *memory, int tiles)
{
    state(memory, tiles).InitializeStatus(tiles);
}

using ScanPolicy = cub::detail::agent_scan_policy<
    128, 15, int, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT, cub::BLOCK_STORE_WARP_TRANSPOSE,
    cub::BLOCK_SCAN_WARP_SCANS>;
using Scan = cub::detail::scan::AgentScan<ScanPolicy, const int *, int *, cuda::std::plus<>, int, int, int>;

extern "C" __global__ void __launch_bounds__(128)
scan(const int *in, int *out, unsigned long long *memory, int tiles, int count)
{
    __shared__ typename Scan::TempStorage storage;
    State tile = state(memory, tiles);
    Scan(storage, in, out, cuda::std::plus<>{}, 0).ConsumeRange(count, tile, 0);
}

constexpr int bits = 8;
using SweepPolicy = cub::detail::agent_radix_sort_onesweep_policy<
    384, 21, unsigned, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_RAKING_MEMOIZE,
    cub::RADIX_SORT_STORE_DIRECT, bits>;
using Sweep = cub::detail::radix_sort::AgentRadixSortOnesweep<SweepPolicy, false, unsigned, int, unsigned, int>;

extern "C" __global__ void __launch_bounds__(384)
sort_sweep(const unsigned *keys, const int *values, unsigned *keys_out, int *values_out, const unsigned *starts,
           unsigned *ends, int *look_back, int *next, int count, int bit)
{
    __shared__ typename Sweep::TempStorage storage;
    Sweep(storage, look_back, next, ends, starts, keys_out, keys, values_out, values, count, bit, bits).Process();
}
