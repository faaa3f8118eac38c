// nvcc: sm_75 sm_90
//
// Device-wide sort, selection, partition and reduction of CUB, with several tiles each.

#include <cub/cub.cuh>

namespace radix = cub::detail::radix_sort;
constexpr int bits = 6;
template <int Threads, int Items> using Fixed = cub::detail::NoScaling<Threads, Items>;

// Counts of the digits of every pass.
using HistogramPolicy = cub::detail::agent_radix_sort_histogram_policy<128, 4, 1, unsigned, bits>;
using Histogram = radix::AgentRadixSortHistogram<HistogramPolicy, false, unsigned, unsigned>;

extern "C" __global__ void __launch_bounds__(128)
sort_histogram(const unsigned *keys, unsigned *bins, int count, int begin, int end)
{
    __shared__ typename Histogram::TempStorage storage;
    Histogram(storage, bins, keys, count, begin, end).Process();
}

// One pass of the sort: every tile waits for what those before it have counted.
using SweepPolicy = cub::detail::agent_radix_sort_onesweep_policy<
    0, 0, void, 1, cub::RADIX_RANK_MATCH_EARLY_COUNTS_ANY, cub::BLOCK_SCAN_WARP_SCANS,
    cub::RADIX_SORT_STORE_DIRECT, bits, Fixed<128, 4>>;
using Sweep = radix::AgentRadixSortOnesweep<SweepPolicy, false, unsigned, int, unsigned, int>;

extern "C" __global__ void __launch_bounds__(128)
sort_sweep(const unsigned *keys, const int *values, unsigned *keys_out, int *values_out, const unsigned *starts,
           unsigned *ends, int *look_back, int *next, int count, int bit)
{
    __shared__ typename Sweep::TempStorage storage;
    Sweep(storage, look_back, next, ends, starts, keys_out, keys, values_out, values, count, bit, bits).Process();
}

struct Third
{
    __device__ bool operator()(int v) const { return v % 3 == 0; }
};

struct Whole
{
    using total_num_items_t = int;
    __device__ int input_offset() const { return 0; }
    __device__ bool is_first_partition() const { return true; }
    __device__ int num_previously_selected() const { return 0; }
    __device__ int num_previously_rejected() const { return 0; }
    __device__ int num_total_items(int count) const { return count; }
    __device__ void update_num_selected(int *to, int count) const { *to = count; }
};

using SelectPolicy = cub::detail::agent_select_if_policy<
    128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT, cub::BLOCK_SCAN_WARP_SCANS>;
template <cub::SelectImpl How, typename Out>
using Select = cub::detail::select::AgentSelectIf<
    SelectPolicy, const int *, cub::NullType *, Out, Third, cub::NullType, int, Whole, How>;
using State = cub::ScanTileState<int>;

template <typename Agent, typename Out>
__device__ void tiles_of(const int *in, Out out, int *selected, unsigned long long *memory, int tiles, int count)
{
    __shared__ typename Agent::TempStorage storage;
    State state;
    size_t bytes;
    State::AllocationSize(tiles, bytes);
    state.Init(tiles, memory, bytes);
    Agent(storage, in, nullptr, out, Third{}, cub::NullType{}, count, Whole{}).ConsumeRange(tiles, state, selected);
}

extern "C" __global__ void __launch_bounds__(128)
select_if(const int *in, int *out, int *selected, unsigned long long *memory, int tiles, int count)
{
    tiles_of<Select<cub::SelectImpl::Select, int *>>(in, out, selected, memory, tiles, count);
}

extern "C" __global__ void __launch_bounds__(128)
partition(const int *in, int *out, int *selected, unsigned long long *memory, int tiles, int count)
{
    tiles_of<Select<cub::SelectImpl::Partition, int *>>(in, out, selected, memory, tiles, count);
}

// A segment for each block.
using ReducePolicy = cub::detail::agent_reduce_policy<
    0, 0, int, 2, cub::BLOCK_REDUCE_WARP_REDUCTIONS, cub::LOAD_DEFAULT, Fixed<128, 4>>;
using Reduce = cub::detail::reduce::AgentReduce<ReducePolicy, const int *, int, cuda::maximum<>, int>;

extern "C" __global__ void __launch_bounds__(128)
segment_maxima(const int *in, const int *starts, int *out)
{
    __shared__ typename Reduce::TempStorage storage;
    int begin = starts[blockIdx.x], end = starts[blockIdx.x + 1];
    if (begin == end) {
        if (threadIdx.x == 0) out[blockIdx.x] = INT_MIN;
        return;
    }
    int most = Reduce(storage, in, cuda::maximum<>{}).ConsumeRange(begin, end);
    if (threadIdx.x == 0) out[blockIdx.x] = most;
}
