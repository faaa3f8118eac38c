// Text that kernels print, in order with the program's own.
#include "check.h"

__global__ void hello(const char *name)
{
    printf("thread %d of %s\n", threadIdx.x, name ? "nobody" : "kernel");
}

int main()
{
    printf("before\n");
    hello<<<1, 3>>>(nullptr);
    CHECK(cudaDeviceSynchronize());
    printf("after\n");
    return passed();
}
