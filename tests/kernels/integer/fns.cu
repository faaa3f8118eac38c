// nvcc: sm_75 sm_90
// The n-th set bit: every base and every offset, and some beyond, in a few masks.
extern "C" __global__ void fns(const unsigned *masks, unsigned *out)
{
    unsigned mask = masks[blockIdx.x];
    int offset = (int)threadIdx.x - 34;
    for (int base = -2; base < 35; base++)
        out[(blockIdx.x * 37 + base + 2) * 69 + threadIdx.x] = __fns(mask, base, offset);
}
