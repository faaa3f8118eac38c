// nvcc: sm_100a
//
// Minimum and maximum of floats in one instruction, with absolute values and with NaN that wins.

#define REDUX(k, op)                                                                               \
    asm("redux.sync." op ".f32 %0, %1, 0xffffffff;" : "=f"(r) : "f"(value));                       \
    out[(k) * n + i] = r;

extern "C" __global__ void redux_float(const float *in, float *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = in[i], r;
    REDUX(0, "min")
    REDUX(1, "max")
    REDUX(2, "min.abs")
    REDUX(3, "max.abs")
    REDUX(4, "min.NaN")
    REDUX(5, "max.NaN")
    REDUX(6, "min.abs.NaN")
    REDUX(7, "max.abs.NaN")
}
