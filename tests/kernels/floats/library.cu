// nvcc: sm_75 sm_90 sm_100
//
// Functions of the mathematical library whose results are exact.

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STORE(value) *o = (value); o += n;

extern "C" __global__ void exact_f32(const float *a, const float *b, float *out, int *whole, int n)
{
    int i = INDEX, e;
    float x = a[i], y = b[i], part;
    {
        float *o = out + i;
        STORE(fmodf(x, y))
        STORE(remainderf(x, y))
        STORE(ldexpf(x, (int)i % 60 - 30))
        STORE(frexpf(x, &e))
        STORE(modff(x, &part))
        STORE(part)
        STORE(nextafterf(x, y))
        STORE(roundf(x))
        STORE(nearbyintf(x))
        STORE(fdimf(x, y))
        STORE(logbf(x))
    }
    {
        int *o = whole + i;
        STORE(e)
        STORE(ilogbf(x))
        STORE((int)lrintf(y))
        STORE((int)lroundf(y))
        STORE(signbit(x) ? 1 : 0)
    }
}

extern "C" __global__ void exact_f64(const double *a, const double *b, double *out, long long *whole,
                                     int n)
{
    int i = INDEX, e;
    double x = a[i], y = b[i], part;
    {
        double *o = out + i;
        STORE(fmod(x, y))
        STORE(remainder(x, y))
        STORE(ldexp(x, (int)i % 60 - 30))
        STORE(frexp(x, &e))
        STORE(modf(x, &part))
        STORE(part)
        STORE(nextafter(x, y))
        STORE(round(x))
        STORE(fdim(x, y))
    }
    {
        long long *o = whole + i;
        STORE(e)
        STORE(ilogb(x))
        STORE(llrint(y))
        STORE(llround(y))
    }
}
