// finds: M004
// A kernel sums up an array of which the program has filled the first half.
#include "../check.h"

__global__ void sum(const int *values, int *total)
{
    atomicAdd(total, values[threadIdx.x]);
}

int main()
{
    int *values, *total, host;
    CHECK(cudaMalloc(&values, 64 * sizeof(int)));
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemset(values, 0, 32 * sizeof(int)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    sum<<<1, 64>>>(values, total);
    CHECK(cudaMemcpy(&host, total, sizeof host, cudaMemcpyDeviceToHost));
    return passed();
}
