// finds: H002
// A copy from memory that was freed before.
#include "../check.h"

int main()
{
    int *values, host[64] = {};
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMemcpy(values, host, sizeof host, cudaMemcpyHostToDevice));
    CHECK(cudaFree(values));
    EXPECT(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
    return passed();
}
