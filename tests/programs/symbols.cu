// Constants and variables by their names.
#include "check.h"

__constant__ float weights[16];
__device__ int counter = 3;
static __device__ short hidden[2][4];

__global__ void use(float *out)
{
    out[threadIdx.x] = weights[threadIdx.x] * 2;
    if (threadIdx.x >= 8)
        hidden[threadIdx.x / 4 % 2][threadIdx.x % 4] = threadIdx.x;
    if (threadIdx.x == 0)
        counter *= 2;
}

int main()
{
    float host[16], got[16], *out;
    for (int i = 0; i < 16; i++)
        host[i] = i + 0.5f;
    size_t size;
    CHECK(cudaGetSymbolSize(&size, weights));
    EXPECT(size == sizeof host);
    CHECK(cudaMemcpyToSymbol(weights, host, sizeof host / 2));
    CHECK(cudaMemcpyToSymbol(weights, host + 8, sizeof host / 2, sizeof host / 2));
    EXPECT(cudaMemcpyToSymbol(weights, host, sizeof host, 4) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue && cudaGetLastError() == cudaSuccess);
    int count = 0;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT(count == 3);
    void *address;
    CHECK(cudaGetSymbolAddress(&address, counter));
    count = 20;
    CHECK(cudaMemcpy(address, &count, sizeof count, cudaMemcpyHostToDevice));
    CHECK(cudaMalloc(&out, sizeof got));
    use<<<1, 16>>>(out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDefault));
    for (int i = 0; i < 16; i++)
        EXPECT(got[i] == host[i] * 2);
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    EXPECT(count == 40);
    short last;
    CHECK(cudaMemcpyFromSymbol(&last, hidden, sizeof last, 7 * sizeof last));
    EXPECT(last == 15);
    EXPECT(cudaMemcpyFromSymbol(&count, host, sizeof count) == cudaErrorInvalidSymbol);
    CHECK(cudaFree(out));
    return passed();
}
