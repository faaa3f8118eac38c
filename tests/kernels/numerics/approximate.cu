// nvcc: sm_75 sm_90 sm_100
//
// Functions that the ISA calls approximate: the results here are those of a GPU, which gave
// them bit for bit.

#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STORE(value) *o = (value); o += n;

#define OP(op, x) asm(op " %0, %1;" : "=f"(r) : "f"(x)); STORE(r)

extern "C" __global__ void functions(const float *a, const float *positive,
                                     const float *divisor, float *out, int n)
{
    int i = INDEX;
    float x = a[i], p = positive[i], d = divisor[i], r;
    float *o = out + i;
    OP("ex2.approx.f32", x)
    OP("ex2.approx.ftz.f32", x)
    OP("lg2.approx.f32", p)
    OP("lg2.approx.ftz.f32", p)
    OP("sin.approx.f32", x)
    OP("cos.approx.f32", x)
    OP("rcp.approx.f32", x)
    OP("rcp.approx.ftz.f32", p)
    OP("sqrt.approx.f32", p)
    OP("rsqrt.approx.f32", p)
    OP("rsqrt.approx.ftz.f32", p)
    OP("tanh.approx.f32", x)
    asm("div.approx.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(d));
    STORE(r)
    asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(d));
    STORE(r)
}

// Softmax of rows as inference kernels have it: the maximum and the sum by warp reductions, the
// exponential by ex2.
extern "C" __global__ void softmax(const float *in, float *out, int n)
{
    const float *row = in + blockIdx.x * n;
    float largest = __int_as_float(0xff800000);
    for (int k = threadIdx.x; k < n; k += 32) largest = fmaxf(largest, row[k]);
    for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, d));
    float sum = 0;
    for (int k = threadIdx.x; k < n; k += 32) {
        float e = exp2f(__fmul_rn(__fsub_rn(row[k], largest), 1.44269504f));
        out[blockIdx.x * n + k] = e;
        sum += e;
    }
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    for (int k = threadIdx.x; k < n; k += 32) out[blockIdx.x * n + k] = out[blockIdx.x * n + k] / sum;
}

// The library's expf and logf: exact operations around one approximation, or around none.
extern "C" __global__ void library(const float *a, const float *positive, float *exponential,
                                   float *logarithm)
{
    int i = INDEX;
    exponential[i] = expf(a[i]);
    logarithm[i] = logf(positive[i]);
}
