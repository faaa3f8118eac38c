// finds: H003
// A stream that does not block runs beside the default one, where the fill is.
#include "../check.h"

__global__ void addOne(int *values) { values[threadIdx.x] += 1; }

int main()
{
    int *values, host[64];
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMemset(values, 0, sizeof host));
    addOne<<<1, 64, 0, stream>>>(values);
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    return passed();
}
