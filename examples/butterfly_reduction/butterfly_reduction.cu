// nvcc: sm_75 sm_90
//
// Sum and maximum of every warp with shfl.bfly. Partners exchange values at distance 16, 8, 4, 2, 1,
// so that at the end every lane holds the result: no broadcast is needed.
//
// Floating-point addition is commutative, so both partners of an exchange get the same sum, and the
// order of the additions is fixed: the result is the same on every run.

template <int Width>
__device__ float warp_sum(float value)
{
    for (int distance = Width / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffff, value, distance, Width);
    return value;
}

template <int Width>
__device__ int warp_max(int value)
{
    for (int distance = Width / 2; distance > 0; distance /= 2)
        value = max(value, __shfl_xor_sync(0xffffffff, value, distance, Width));
    return value;
}

template <int Width>
__device__ void sum_array(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = warp_sum<Width>(in[i]);
}

template <int Width>
__device__ void max_array(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = warp_max<Width>(in[i]);
}

extern "C" __global__ void sum(const float *in, float *out) { sum_array<32>(in, out); }
extern "C" __global__ void sum_seg16(const float *in, float *out) { sum_array<16>(in, out); }
extern "C" __global__ void sum_seg8(const float *in, float *out) { sum_array<8>(in, out); }
extern "C" __global__ void maximum(const int *in, int *out) { max_array<32>(in, out); }
extern "C" __global__ void maximum_seg16(const int *in, int *out) { max_array<16>(in, out); }
extern "C" __global__ void maximum_seg8(const int *in, int *out) { max_array<8>(in, out); }
