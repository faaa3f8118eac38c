// nvcc: sm_75 -- -lineinfo
//
// Mistakes with memory that kernels allocate.

extern "C" __global__ void past_the_end(unsigned *out)
{
    unsigned *block = (unsigned *)malloc(10 * sizeof(unsigned));
    block[threadIdx.x] = 1;
    out[threadIdx.x] = block[threadIdx.x];
    free(block);
}

extern "C" __global__ void after_free(unsigned *out)
{
    volatile unsigned *block = (unsigned *)malloc(sizeof(unsigned));
    *block = 3;
    free((void *)block);
    out[threadIdx.x] = *block;
}

extern "C" __global__ void freed_twice(unsigned *out)
{
    unsigned *block = (unsigned *)malloc(sizeof(unsigned) * out[0]);
    free(block);
    if (out[threadIdx.x] == 8) free(block);
}

extern "C" __global__ void freed_inside(unsigned *out)
{
    char *block = (char *)malloc(100);
    free(block + out[0]);
}

extern "C" __global__ void freed_buffer(unsigned *out)
{
    free(out);
}

extern "C" __global__ void not_written(unsigned *out)
{
    volatile unsigned *block = (unsigned *)malloc(2 * sizeof(unsigned));
    block[0] = 3;
    out[threadIdx.x] = block[0] + block[threadIdx.x % 2];
    free((void *)block);
}

extern "C" __global__ void lost(unsigned *out)
{
    volatile unsigned *block = (unsigned *)malloc(24);
    *block = 3;
    out[threadIdx.x] = *block;
}

extern "C" __global__ void left(unsigned **out)
{
    unsigned *block = (unsigned *)malloc(24);
    *block = 3;
    out[threadIdx.x] = block;
}

// Null is freed without effect.
extern "C" __global__ void nothing(unsigned *out)
{
    free(nullptr);
    out[threadIdx.x] = 1;
}
