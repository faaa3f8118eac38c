// nvcc: sm_80 sm_90 sm_100
//
// f16: single and packed arithmetic, comparisons and conversions.

#include <cuda_fp16.h>

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STORE(value) *o = (value); o += n;

extern "C" __global__ void half_arithmetic(const __half *a, const __half *b, const __half *c,
                                           __half *out, int n)
{
    int i = INDEX;
    __half x = a[i], y = b[i], z = c[i];
    __half *o = out + i;
    STORE(__hadd(x, y))
    STORE(__hsub(x, y))
    STORE(__hmul(x, y))
    STORE(__hfma(x, y, z))
    STORE(__hadd_sat(x, y))
    STORE(__hmul_sat(x, y))
    STORE(__hfma_sat(x, y, z))
    STORE(__hneg(x))
    STORE(__habs(x))
}

extern "C" __global__ void half2_arithmetic(const __half2 *a, const __half2 *b, const __half2 *c,
                                            __half2 *out, int n)
{
    int i = INDEX;
    __half2 x = a[i], y = b[i], z = c[i];
    __half2 *o = out + i;
    STORE(__hadd2(x, y))
    STORE(__hsub2(x, y))
    STORE(__hmul2(x, y))
    STORE(__hfma2(x, y, z))
    STORE(__hfma2_sat(x, y, z))
    STORE(__hneg2(x))
    STORE(__habs2(x))
    STORE(__lowhigh2highlow(x))
    STORE(__halves2half2(__high2half(x), __low2half(y)))
}

extern "C" __global__ void half_comparisons(const __half *a, const __half *b, unsigned *out)
{
    int i = INDEX;
    __half x = a[i], y = b[i];
    unsigned word = 0;
    word |= (unsigned)__heq(x, y) | (unsigned)__hne(x, y) << 1 | (unsigned)__hlt(x, y) << 2;
    word |= (unsigned)__hle(x, y) << 3 | (unsigned)__hgt(x, y) << 4 | (unsigned)__hge(x, y) << 5;
    word |= (unsigned)__hequ(x, y) << 6 | (unsigned)__hneu(x, y) << 7 | (unsigned)__hltu(x, y) << 8;
    word |= (unsigned)__hisnan(x) << 9;
    __half2 p = __halves2half2(x, y), q = __halves2half2(y, y);
    word |= (unsigned)__hbeq2(p, q) << 10 | (unsigned)__hble2(p, q) << 11;
    __half2 flags = __hge2(p, q);
    word |= (unsigned)__half_as_ushort(__low2half(flags)) << 16;
    out[i] = word;
}

extern "C" __global__ void half_conversions(const float *a, const __half *b, __half *half,
                                            float *single, int *whole, int n)
{
    int i = INDEX;
    {
        float x = a[i];
        __half *o = half + i;
        STORE(__float2half_rn(x))
        STORE(__float2half_rz(x))
        STORE(__float2half_rd(x))
        STORE(__float2half_ru(x))
        STORE(__int2half_rn((int)(x * 1000.0f)))
        STORE(hrint(b[i]))
        STORE(htrunc(b[i]))
        STORE(hfloor(b[i]))
        STORE(hceil(b[i]))
    }
    {
        __half x = b[i];
        int *o = whole + i;
        STORE(__half2int_rn(x))
        STORE(__half2int_rz(x))
        STORE(__half2int_rd(x))
        STORE(__half2int_ru(x))
        STORE((int)__half2uint_rn(x))
        STORE(__half2short_rz(x))
        single[i] = __half2float(x);
    }
}

// Minimum and maximum: NaN loses against a number, or wins.
extern "C" __global__ void half_extrema(const __half *a, const __half *b, __half *out, int n)
{
    int i = INDEX;
    __half x = a[i], y = b[i];
    __half *o = out + i;
    STORE(__hmin(x, y))
    STORE(__hmax(x, y))
    STORE(__hmin_nan(x, y))
    STORE(__hmax_nan(x, y))
}

// A dot product in pairs, as kernels for inference have it: products and sums in half2, the total in
// float by shuffles.
extern "C" __global__ void half2_dot(const __half2 *a, const __half2 *b, float *out, int n)
{
    int lane = threadIdx.x;
    __half2 sum = __float2half2_rn(0.0f);
    for (int k = lane; k < n; k += 32) sum = __hfma2(a[blockIdx.x * n + k], b[k], sum);
    float total = __low2float(sum) + __high2float(sum);
    for (int d = 16; d > 0; d /= 2) total += __shfl_xor_sync(0xffffffff, total, d);
    if (lane == 0) out[blockIdx.x] = total;
}
