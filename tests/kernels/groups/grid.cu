// The barrier of a whole grid.
// nvcc: sm_80 sm_90 -- -lineinfo
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Four sweeps of a sum with the right-hand neighbour, between two buffers.
template <bool Waits> __device__ void sweeps(int *from, int *to, int count) {
    auto grid = cg::this_grid();
    for (int sweep = 0; sweep < 4; ++sweep) {
        for (int i = grid.thread_rank(); i < count; i += grid.size()) to[i] = from[i] + from[(i + 1) % count];
        if (Waits) grid.sync();
        int *other = from;
        from = to;
        to = other;
    }
}

extern "C" __global__ void right_sweeps(int *from, int *to, int count) { sweeps<true>(from, to, count); }

extern "C" __global__ void wrong_sweeps(int *from, int *to, int count) { sweeps<false>(from, to, count); }
