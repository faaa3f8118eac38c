// What the device says of itself, in both ways that programs ask.
#include "check.h"
#include <cstring>

int main()
{
    int count = 0, device = -1, value = 0, driver = 0, runtime = 0;
    CHECK(cudaGetDeviceCount(&count));
    EXPECT(count >= 1);
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    EXPECT(driver / 1000 >= runtime / 1000 && runtime / 1000 == CUDART_VERSION / 1000);
    cudaDeviceProp properties;
    memset(&properties, 0x77, sizeof properties);
    CHECK(cudaGetDeviceProperties(&properties, 0));
    EXPECT(strlen(properties.name) > 0 && properties.warpSize == 32 && properties.maxThreadsPerBlock == 1024);
    EXPECT(properties.totalGlobalMem >= size_t(1) << 30 && properties.totalConstMem == 65536);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    EXPECT(value == properties.multiProcessorCount && value > 0);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT(value == properties.major);
    EXPECT(properties.unifiedAddressing == 1 && properties.maxGridSize[0] == 2147483647);
    EXPECT(properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock);
    size_t free, total;
    CHECK(cudaMemGetInfo(&free, &total));
    EXPECT(free <= total && total == properties.totalGlobalMem);
    return passed();
}
