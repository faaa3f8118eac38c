// A sum by shuffles, shared memory whose size the launch gives, atomics; occupancy decides on the launch.
#include "check.h"
#include <vector>

__global__ void sum(const int *data, int n, unsigned long long *total)
{
    extern __shared__ int sums[];
    int value = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        value += data[i];
    for (int offset = 16; offset; offset /= 2)
        value += __shfl_down_sync(~0u, value, offset);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int warp = 1; warp < blockDim.x / 32; warp++)
            value += sums[warp];
        atomicAdd(total, value);
    }
}

int main()
{
    const int n = 100003;
    std::vector<int> data(n);
    unsigned long long expected = 0, got = 0;
    for (int i = 0; i < n; i++)
        expected += data[i] = i % 1000;
    int *device;
    unsigned long long *total;
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof *total));
    CHECK(cudaMemcpy(device, data.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(total, 0, sizeof *total));
    int blocks = 0, threads = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, sum, 32 * sizeof(int), 256));
    EXPECT(blocks > 0 && threads > 0 && threads <= 256);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, sum));
    EXPECT(attributes.sharedSizeBytes == 0 && attributes.maxThreadsPerBlock >= threads);
    sum<<<8, threads, threads / 32 * sizeof(int)>>>(device, n, total);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == expected);
    CHECK(cudaFree(device));
    CHECK(cudaFree(total));
    return passed();
}
