// finds: H001
// Half of what is copied to the host was never written.
#include "../check.h"

int main()
{
    int *values, host[64];
    CHECK(cudaMalloc(&values, sizeof host));
    CHECK(cudaMemset(values, 0, sizeof host / 2));
    CHECK(cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(values));
    return passed();
}
