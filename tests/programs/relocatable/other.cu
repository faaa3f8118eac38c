// What main.cu uses.
__device__ int offset = 5;

__device__ int twice(int value)
{
    return 2 * value;
}
