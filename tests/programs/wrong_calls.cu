// Calls that are wrong, each with the error that the documentation names.
#include "check.h"

__global__ void nothing() {}

static void notAKernel() {}

#define FAILS(call, with)                                                                              \
    do {                                                                                               \
        EXPECT((call) == (with));                                                                      \
        EXPECT(cudaPeekAtLastError() == (with));                                                       \
        EXPECT(cudaGetLastError() == (with));                                                          \
        EXPECT(cudaGetLastError() == cudaSuccess);                                                     \
    } while (0)

int main()
{
    void *memory;
    int value, count;
    CHECK(cudaGetDeviceCount(&count));
    FAILS(cudaSetDevice(count), cudaErrorInvalidDevice);
    FAILS(cudaSetDevice(-1), cudaErrorInvalidDevice);
    FAILS(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), cudaErrorInvalidDevice);
    FAILS(cudaMalloc(&memory, size_t(1) << 60), cudaErrorMemoryAllocation);
    FAILS(cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(&value, &count, 4, cudaMemcpyKind(9)), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaFree(&value), cudaErrorInvalidValue);
    FAILS(cudaLaunchKernel((void *)notAKernel, dim3(1), dim3(1), nullptr, 0, 0), cudaErrorInvalidDeviceFunction);
    FAILS(cudaLaunchKernel((void *)nothing, dim3(1), dim3(0), nullptr, 0, 0), cudaErrorInvalidConfiguration);
    nothing<<<1, 2048>>>();
    EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
    nothing<<<1, 32>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaFree(nullptr));
    CHECK(cudaMalloc(&memory, 0));
    EXPECT(memory == nullptr);
    CHECK(cudaDeviceSynchronize());
    return passed();
}
