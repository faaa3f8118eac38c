// nvcc: sm_75 sm_90
//
// The decoupled look-back of CUB's device-wide scan and reduction by key: each block takes one tile and waits for
// what the blocks before it say of theirs.

#include <cub/cub.cuh>

using State = cub::ScanTileState<int>;
using KeyState = cub::ReduceByKeyScanTileState<int, int>;

template <typename S>
__device__ S state(unsigned long long *memory, int tiles)
{
    S state;
    size_t bytes;
    S::AllocationSize(tiles, bytes);
    state.Init(tiles, memory, bytes);
    return state;
}

extern "C" __global__ void begin_scan(unsigned long long *memory, int tiles)
{
    state<State>(memory, tiles).InitializeStatus(tiles);
}

extern "C" __global__ void begin_reduce_by_key(unsigned long long *memory, int tiles)
{
    state<KeyState>(memory, tiles).InitializeStatus(tiles);
}

using ScanPolicy = cub::detail::agent_scan_policy<
    128, 4, int, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT, cub::BLOCK_STORE_WARP_TRANSPOSE,
    cub::BLOCK_SCAN_WARP_SCANS>;
using Scan = cub::detail::scan::AgentScan<ScanPolicy, const int *, int *, cuda::std::plus<>, int, int, int>;

extern "C" __global__ void __launch_bounds__(128)
scan(const int *in, int *out, unsigned long long *memory, int tiles, int count)
{
    __shared__ typename Scan::TempStorage storage;
    State tile = state<State>(memory, tiles);
    Scan(storage, in, out, cuda::std::plus<>{}, 0).ConsumeRange(count, tile, 0);
}

// Lanes beyond the end of the last tile carry values that nothing wrote into a tile state that nobody reads.
using KeyPolicy = cub::AgentReduceByKeyPolicy<
    128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT, cub::BLOCK_SCAN_WARP_SCANS>;
using ReduceByKey = cub::detail::reduce_by_key::AgentReduceByKey<
    KeyPolicy, const int *, int *, const int *, int *, int *, cuda::std::equal_to<>, cuda::std::plus<>,
    int, int, cub::NullType>;

extern "C" __global__ void __launch_bounds__(128)
reduce_by_key(const int *keys, const int *values, int *unique, int *sums, int *runs,
              unsigned long long *memory, int tiles, int count)
{
    __shared__ typename ReduceByKey::TempStorage storage;
    KeyState tile = state<KeyState>(memory, tiles);
    ReduceByKey(storage, keys, unique, values, sums, runs, cuda::std::equal_to<>{}, cuda::std::plus<>{},
                cub::NullType{})
        .ConsumeRange(count, tile, 0);
}
