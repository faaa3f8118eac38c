// nvcc: sm_75 sm_90
//
// Inclusive prefix sum of every warp with shfl.up. In step k each lane adds the value that the lane
// 2^k below it holds; after log2(Width) steps lane i holds the sum of lanes 0..i of its segment.

template <int Width>
__device__ int warp_inclusive_scan(int value)
{
    int lane = threadIdx.x & (Width - 1);
    for (int offset = 1; offset < Width; offset *= 2) {
        int below = __shfl_up_sync(0xffffffff, value, offset, Width);
        if (lane >= offset) value += below;
    }
    return value;
}

template <int Width>
__device__ void scan_array(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = warp_inclusive_scan<Width>(in[i]);
}

extern "C" __global__ void scan(const int *in, int *out) { scan_array<32>(in, out); }
extern "C" __global__ void scan_seg16(const int *in, int *out) { scan_array<16>(in, out); }
extern "C" __global__ void scan_seg8(const int *in, int *out) { scan_array<8>(in, out); }
