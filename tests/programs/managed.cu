// Managed memory and managed variables, which host and device use by the same address.
#include "check.h"

__managed__ int counter = 5;
__managed__ float table[64];

__global__ void work(int *data, int n)
{
    int i = threadIdx.x;
    if (i < n)
        data[i] += i;
    if (i < 64)
        table[i] = i / 2.0f;
    if (i == 0)
        counter += 10;
}

// A location, or its number: CUDA 13 has changed what the functions take.
#if CUDART_VERSION >= 13000
static const cudaMemLocation DEVICE = {cudaMemLocationTypeDevice, 0}, HOST = {cudaMemLocationTypeHost, 0};
#define PREFETCH(data, bytes, place) cudaMemPrefetchAsync(data, bytes, place, 0, 0)
#else
static const int DEVICE = 0, HOST = cudaCpuDeviceId;
#define PREFETCH(data, bytes, place) cudaMemPrefetchAsync(data, bytes, place, 0)
#endif

static int attribute(cudaMemRangeAttribute which, void *data, size_t bytes)
{
    int value = 77;
    CHECK(cudaMemRangeGetAttribute(&value, sizeof value, which, data, bytes));
    return value;
}

// Advice is there to be asked for, of the ranges that it was given for.
static void advice(char *data, size_t bytes)
{
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, data, bytes) == 0);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data, bytes) == cudaInvalidDeviceId);
    CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetReadMostly, DEVICE));
    CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetPreferredLocation, HOST));
    CHECK(cudaMemAdvise(data, bytes, cudaMemAdviseSetAccessedBy, DEVICE));
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, data, bytes) == 1);
    EXPECT(attribute(cudaMemRangeAttributePreferredLocation, data, bytes) == cudaCpuDeviceId);
    EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, data, bytes) == cudaInvalidDeviceId);
    CHECK(PREFETCH(data, bytes, DEVICE));
    EXPECT(attribute(cudaMemRangeAttributeLastPrefetchLocation, data, bytes) == 0);
    int devices[2];
    CHECK(cudaMemRangeGetAttribute(devices, sizeof devices, cudaMemRangeAttributeAccessedBy, data, bytes));
    EXPECT(devices[0] == 0 && devices[1] == cudaInvalidDeviceId);
    CHECK(cudaMemAdvise(data, bytes / 2, cudaMemAdviseUnsetReadMostly, DEVICE));
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, data, bytes) == 0);
    EXPECT(attribute(cudaMemRangeAttributeReadMostly, data + bytes / 2, bytes / 2) == 1);
}

int main()
{
    EXPECT(counter == 5);
    counter = 7;
    int *data;
    const int n = 100;
    CHECK(cudaMallocManaged(&data, n * sizeof(int)));
    for (int i = 0; i < n; i++)
        data[i] = 1000;
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data));
    EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == data);
    CHECK(cudaPointerGetAttributes(&attributes, &counter));
    int onStack;
    CHECK(cudaPointerGetAttributes(&attributes, &onStack));
    EXPECT(attributes.type == cudaMemoryTypeUnregistered);
    work<<<1, 128>>>(data, n);
    CHECK(cudaDeviceSynchronize());
    EXPECT(counter == 17);
    for (int i = 0; i < n; i++)
        EXPECT(data[i] == 1000 + i);
    for (int i = 0; i < 64; i++)
        EXPECT(table[i] == i / 2.0f);
    CHECK(cudaFree(data));
    char *advised;
    CHECK(cudaMallocManaged(&advised, 1 << 16));
    advice(advised, 1 << 16);
    CHECK(cudaFree(advised));
    return passed();
}
