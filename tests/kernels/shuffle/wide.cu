// nvcc: sm_75 sm_90 sm_100
//
// Shuffles of types that are not 32 bits wide.

#include <cuda_fp16.h>

#define FULL 0xffffffffu

extern "C" __global__ void shuffle_u64(const unsigned long long *in, unsigned long long *out)
{
    unsigned lane = threadIdx.x;
    unsigned long long value = in[lane];
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        unsigned long long below = __shfl_up_sync(FULL, value, offset);
        if (lane >= offset) value += below;
    }
    out[lane] = value;
}

extern "C" __global__ void shuffle_f64(const double *in, double *out)
{
    double value = in[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
        value += __shfl_xor_sync(FULL, value, distance);
    out[threadIdx.x] = value;
}

extern "C" __global__ void shuffle_half(const __half *in, __half *out)
{
    __half value = in[threadIdx.x];
    for (int distance = 16; distance > 0; distance /= 2)
        value = __hadd(value, __shfl_xor_sync(FULL, value, distance));
    out[threadIdx.x] = value;
}

extern "C" __global__ void shuffle_half2(const __half2 *in, __half2 *out)
{
    __half2 value = in[threadIdx.x];
    out[threadIdx.x] = __hmax2(value, __shfl_down_sync(FULL, value, 9));
}

extern "C" __global__ void shuffle_char(const signed char *in, signed char *out)
{
    int lane = threadIdx.x;
    signed char value = in[lane];
    value = (signed char)(value + __shfl_sync(FULL, (int)value, lane ^ 21));
    out[lane] = value;
}
