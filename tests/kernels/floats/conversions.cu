// nvcc: sm_75 sm_90 sm_100
//
// Conversions between floats and integers and between formats, in each rounding mode.

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STORE(value) *o = (value); o += n;

extern "C" __global__ void float_to_int(const float *a, int *out, long long *out64, int n)
{
    int i = INDEX;
    float x = a[i];
    {
        int *o = out + i;
        STORE(__float2int_rn(x))
        STORE(__float2int_rz(x))
        STORE(__float2int_rd(x))
        STORE(__float2int_ru(x))
        STORE((int)__float2uint_rn(x))
        STORE((int)__float2uint_rz(x))
        STORE((int)__float2uint_rd(x))
        STORE((int)__float2uint_ru(x))
        short h;
        asm("cvt.rzi.s16.f32 %0, %1;" : "=h"(h) : "f"(x));
        STORE(h)
        asm("cvt.rni.u16.f32 %0, %1;" : "=h"(h) : "f"(x));
        STORE((unsigned short)h)
        int r;
        asm("{ .reg .b16 t; cvt.rni.s8.f32 t, %1; cvt.s32.s8 %0, t; }" : "=r"(r) : "f"(x));
        STORE(r)
        asm("{ .reg .b16 t; cvt.rpi.u8.f32 t, %1; cvt.u32.u8 %0, t; }" : "=r"(r) : "f"(x));
        STORE(r)
    }
    {
        long long *o = out64 + i;
        if (x != x) x = 0;
        STORE(__float2ll_rn(x))
        STORE(__float2ll_rz(x))
        STORE(__float2ll_rd(x))
        STORE(__float2ll_ru(x))
        STORE((long long)__float2ull_rn(x))
        STORE((long long)__float2ull_rz(x))
        STORE((long long)__float2ull_rd(x))
        STORE((long long)__float2ull_ru(x))
    }
}

extern "C" __global__ void double_to_int(const double *a, long long *out, int n)
{
    int i = INDEX;
    double x = a[i];
    long long *o = out + i;
    STORE(__double2int_rn(x))
    STORE(__double2int_rz(x))
    STORE(__double2int_rd(x))
    STORE(__double2int_ru(x))
    STORE(__double2uint_rn(x))
    STORE(__double2uint_rz(x))
    STORE(__double2ll_rn(x))
    STORE(__double2ll_rz(x))
    STORE(__double2ll_rd(x))
    STORE(__double2ll_ru(x))
    STORE((long long)__double2ull_rn(x))
    STORE((long long)__double2ull_ru(x))
}

extern "C" __global__ void int_to_float(const long long *a, float *out, int n)
{
    int i = INDEX;
    long long x = a[i];
    float *o = out + i;
#define EACH(mode)                                                                                 \
    STORE(__int2float_##mode((int)x))                                                              \
    STORE(__uint2float_##mode((unsigned)x))                                                        \
    STORE(__ll2float_##mode(x))                                                                    \
    STORE(__ull2float_##mode((unsigned long long)x))
    EACH(rn)
    EACH(rz)
    EACH(rd)
    EACH(ru)
}

extern "C" __global__ void int_to_double(const long long *a, double *out, int n)
{
    int i = INDEX;
    long long x = a[i];
    double *o = out + i;
    STORE((double)(int)x)
    STORE((double)(unsigned)x)
    STORE(__ll2double_rn(x))
    STORE(__ll2double_rz(x))
    STORE(__ll2double_rd(x))
    STORE(__ll2double_ru(x))
    STORE(__ull2double_rn((unsigned long long)x))
    STORE(__ull2double_rz((unsigned long long)x))
    STORE((double)(short)x)
    STORE((double)(unsigned char)x)
}

extern "C" __global__ void between_formats(const double *a, float *out, double *back, int n)
{
    int i = INDEX;
    double x = a[i];
    float *o = out + i;
    STORE(__double2float_rn(x))
    STORE(__double2float_rz(x))
    STORE(__double2float_rd(x))
    STORE(__double2float_ru(x))
    back[i] = (double)(float)x * 0.5;
}

// Rounding to an integer in the same format.
extern "C" __global__ void to_integral(const float *a, const double *b, float *out, double *out64,
                                       int n)
{
    int i = INDEX;
    {
        float x = a[i];
        float *o = out + i;
        STORE(rintf(x))
        STORE(truncf(x))
        STORE(floorf(x))
        STORE(ceilf(x))
        STORE(__saturatef(x))
        float r;
        asm("cvt.rmi.ftz.f32.f32 %0, %1;" : "=f"(r) : "f"(x));
        STORE(r)
        asm("cvt.rni.sat.f32.f32 %0, %1;" : "=f"(r) : "f"(x));
        STORE(r)
    }
    {
        double x = b[i];
        double *o = out64 + i;
        STORE(rint(x))
        STORE(trunc(x))
        STORE(floor(x))
        STORE(ceil(x))
    }
}

// Bits as they are.
extern "C" __global__ void reinterpret(const float *a, const double *b, unsigned *out, int n)
{
    int i = INDEX;
    unsigned *o = out + i;
    STORE(__float_as_uint(a[i]) ^ 0x80000000u)
    STORE((unsigned)__double2hiint(b[i]))
    STORE((unsigned)__double2loint(b[i]))
    STORE(__float_as_uint(__uint_as_float(__float_as_uint(a[i]) + 1)))
    double swapped = __hiloint2double(__double2loint(b[i]), __double2hiint(b[i]));
    STORE((unsigned)(__double_as_longlong(swapped) >> 16))
}
