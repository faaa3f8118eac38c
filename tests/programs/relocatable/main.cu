// Relocatable device code: functions and variables of another file.
#include "../check.h"

extern __device__ int offset;
extern __device__ int twice(int value);

__global__ void run(int *out)
{
    out[threadIdx.x] = twice(threadIdx.x) + offset;
}

int main()
{
    int *out, got[32], value = 1000;
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpyToSymbol(offset, &value, sizeof value));
    run<<<1, 32>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        EXPECT(got[i] == 2 * i + 1000);
    return passed();
}
