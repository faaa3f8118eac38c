// Cooperative groups: tiles, a barrier of the grid.
#include "check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Every CTA leaves its number of threads; after the barrier all of them sum up what all have left.
__global__ void everybody(int *left, int *sums)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int votes = 0;
    for (int i = 0; i < 4; i++)
        votes += tile.any(tile.thread_rank() == i);
    if (threadIdx.x == 0)
        left[blockIdx.x] = blockDim.x + votes;
    grid.sync();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int i = 0; i < gridDim.x; i++)
            sum += left[i];
        sums[blockIdx.x] = sum;
    }
}

int main()
{
    const int blocks = 6;
    int *left, *sums, got[blocks], cooperative = 0;
    CHECK(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0));
    EXPECT(cooperative == 1);
    CHECK(cudaMalloc(&left, sizeof got));
    CHECK(cudaMalloc(&sums, sizeof got));
    void *arguments[] = {&left, &sums};
    CHECK(cudaLaunchCooperativeKernel((void *)everybody, dim3(blocks), dim3(64), arguments, 0, 0));
    CHECK(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks; i++)
        EXPECT(got[i] == blocks * 68);
    CHECK(cudaFree(left));
    CHECK(cudaFree(sums));
    return passed();
}
