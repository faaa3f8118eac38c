// nvcc: sm_75 sm_90 sm_100
//
// Launch bounds, read-only loads, and structures passed by value whose arrays are indexed at run time.

struct Table {
    int size;
    int entry[13];
    double weight[4];
};

extern "C" __global__ void __launch_bounds__(128, 2)
    bounded(const float4 *__restrict__ in, const int *__restrict__ order, float *__restrict__ out)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 v = in[order[i]];
    out[i] = (v.x + v.y) + (v.z + v.w);
}

extern "C" __global__ void indexed_parameter(Table table, const unsigned *in, double *out)
{
    int i = threadIdx.x;
    unsigned k = in[i] % table.size;
    out[i] = table.entry[k] * table.weight[in[i] % 4];
}

extern "C" __global__ void constant_parameter(const __grid_constant__ Table table, const unsigned *in,
                                              double *out)
{
    int i = threadIdx.x;
    const int *entry = table.entry;
    int sum = 0;
    for (unsigned k = 0; k <= in[i] % table.size; k++) sum += entry[k];
    out[i] = sum * table.weight[in[i] % 4];
}

// Clocks advance, and the numbers of warp and processor are in range.
extern "C" __global__ void special_registers(int *out)
{
    unsigned warp, warps, sm;
    unsigned long long before, after, time;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(before));
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
    asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(warps));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(after));
    out[blockIdx.x * blockDim.x + threadIdx.x] =
        (after >= before) | (warp < warps) << 1 | (warps >= blockDim.x / 32) << 2 |
        (sm < 100000) << 3 | (time > 0) << 4;
}
