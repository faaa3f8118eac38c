// finds: H004
// Nobody asks whether the launch was possible.
#include "../check.h"

__global__ void set(int *values) { values[threadIdx.x] = 1; }

int main()
{
    int *values;
    CHECK(cudaMalloc(&values, 2048 * sizeof(int)));
    set<<<1, 2048>>>(values);
    cudaDeviceSynchronize();
    return passed();
}
