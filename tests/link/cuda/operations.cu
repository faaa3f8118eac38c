// Functions whose addresses a table holds; one of another module is among them.
#include "common.cuh"
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
static __device__ int third(int a, int b) { return twice(a) - b; }
__device__ Operation operations[3] = {add, mul, third};
