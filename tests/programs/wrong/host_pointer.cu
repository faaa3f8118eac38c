// finds: M001
// The kernel gets a pointer to memory of the program that no device reaches.
#include "../check.h"

__global__ void set(int *value) { *value = 1; }

int main()
{
    int value = 0;
    set<<<1, 1>>>(&value);
    EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    return passed();
}
