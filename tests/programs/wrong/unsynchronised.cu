// finds: H005
// The program reads what the kernel writes, and has not waited for it.
#include "../check.h"

__global__ void addOne(int *values) { values[threadIdx.x] += 1; }

int main()
{
    int *values;
    CHECK(cudaMallocManaged(&values, 64 * sizeof *values));
    for (int i = 0; i < 64; i++) values[i] = i;
    addOne<<<1, 64>>>(values);
    CHECK(cudaGetLastError());
    printf("%d\n", values[0]);
    CHECK(cudaDeviceSynchronize());
    return passed();
}
