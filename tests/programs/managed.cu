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
    return passed();
}
