// One kernel and one variable, for fat binaries of every kind.
__device__ int calls = 7;

extern "C" __global__ void add(const float *a, const float *b, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sum[i] = a[i] + b[i];
    if (i == 0)
        calls += 1;
}
