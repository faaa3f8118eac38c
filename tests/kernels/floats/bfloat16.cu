// nvcc: sm_80 sm_90 sm_100
//
// bf16: single and packed arithmetic and conversions. Up to sm_80 sums and products are made of fma.

#include <cuda_bf16.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STORE(value) *o = (value); o += n;

extern "C" __global__ void bf16_arithmetic(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                           const __nv_bfloat16 *c, __nv_bfloat16 *out, int n)
{
    int i = INDEX;
    __nv_bfloat16 x = a[i], y = b[i], z = c[i];
    __nv_bfloat16 *o = out + i;
    STORE(__hadd(x, y))
    STORE(__hsub(x, y))
    STORE(__hmul(x, y))
    STORE(__hfma(x, y, z))
    STORE(__hneg(x))
    STORE(__habs(x))
    STORE(__hmin(x, y))
    STORE(__hmax(x, y))
    STORE(__hmin_nan(x, y))
    STORE(__hmax_nan(x, y))
}

extern "C" __global__ void bf162_arithmetic(const __nv_bfloat162 *a, const __nv_bfloat162 *b,
                                            const __nv_bfloat162 *c, __nv_bfloat162 *out, int n)
{
    int i = INDEX;
    __nv_bfloat162 x = a[i], y = b[i], z = c[i];
    __nv_bfloat162 *o = out + i;
    STORE(__hadd2(x, y))
    STORE(__hmul2(x, y))
    STORE(__hfma2(x, y, z))
    STORE(__hmax2(x, y))
    STORE(__hneg2(x))
}

extern "C" __global__ void bf16_conversions(const float *a, const __nv_bfloat16 *b,
                                            __nv_bfloat16 *narrow, float *single, int n)
{
    int i = INDEX;
    __nv_bfloat16 *o = narrow + i;
    STORE(__float2bfloat16_rn(a[i]))
    STORE(__float2bfloat16_rz(a[i]))
    __nv_bfloat162 both = __floats2bfloat162_rn(a[i], -a[i]);
    STORE(__low2bfloat16(both))
    STORE(__high2bfloat16(both))
    single[i] = __bfloat162float(b[i]);
}
