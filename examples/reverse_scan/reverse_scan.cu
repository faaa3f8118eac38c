// nvcc: sm_75 sm_90
//
// Inclusive suffix sum of every warp with shfl.down: lane i ends with the sum of lanes i.. of its
// segment.

template <int Width>
__device__ int warp_reverse_scan(int value)
{
    int lane = threadIdx.x & (Width - 1);
    for (int offset = 1; offset < Width; offset *= 2) {
        int above = __shfl_down_sync(0xffffffff, value, offset, Width);
        if (lane + offset < Width) value += above;
    }
    return value;
}

template <int Width>
__device__ void reverse_scan_array(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = warp_reverse_scan<Width>(in[i]);
}

extern "C" __global__ void reverse_scan(const int *in, int *out)
{
    reverse_scan_array<32>(in, out);
}

extern "C" __global__ void reverse_scan_seg16(const int *in, int *out)
{
    reverse_scan_array<16>(in, out);
}

extern "C" __global__ void reverse_scan_seg8(const int *in, int *out)
{
    reverse_scan_array<8>(in, out);
}
