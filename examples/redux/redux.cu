// nvcc: sm_80 sm_90
//
// Reductions of a warp in one instruction (redux.sync, sm_80 and later).

extern "C" __global__ void redux_unsigned(const unsigned *in, unsigned *add, unsigned *min,
                                          unsigned *max)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    add[i] = __reduce_add_sync(0xffffffff, in[i]);
    min[i] = __reduce_min_sync(0xffffffff, in[i]);
    max[i] = __reduce_max_sync(0xffffffff, in[i]);
}

extern "C" __global__ void redux_signed(const int *in, int *add, int *min, int *max)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    add[i] = __reduce_add_sync(0xffffffff, in[i]);
    min[i] = __reduce_min_sync(0xffffffff, in[i]);
    max[i] = __reduce_max_sync(0xffffffff, in[i]);
}

extern "C" __global__ void redux_bits(const unsigned *in, unsigned *all, unsigned *any,
                                      unsigned *parity)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    all[i] = __reduce_and_sync(0xffffffff, in[i]);
    any[i] = __reduce_or_sync(0xffffffff, in[i]);
    parity[i] = __reduce_xor_sync(0xffffffff, in[i]);
}

// The two halves of a warp take different branches and reduce apart, each with its own mask.
extern "C" __global__ void redux_halves(const unsigned *in, unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x % 32 < 16)
        out[i] = __reduce_add_sync(0x0000ffff, in[i]);
    else
        out[i] = __reduce_max_sync(0xffff0000, in[i]);
}
