// A kernel that stores where nothing is: its context can do nothing any more.
#include "check.h"

__global__ void store(int *where)
{
    where[threadIdx.x] = 1;
}

int main()
{
    int *data;
    CHECK(cudaMalloc(&data, 64));
    store<<<1, 32>>>(reinterpret_cast<int *>(0x10));
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
    EXPECT(cudaMalloc(&data, 64) == cudaErrorIllegalAddress);
    return passed();
}
