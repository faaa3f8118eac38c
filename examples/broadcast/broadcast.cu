// nvcc: sm_75 sm_90
//
// One lane's value for all lanes of its warp, or of its segment, with shfl.idx. The source lane is
// counted from the start of the segment.

template <int Width>
__device__ void broadcast_array(const float *in, float *out, int source)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(0xffffffff, in[i], source, Width);
}

extern "C" __global__ void broadcast(const float *in, float *out, int source)
{
    broadcast_array<32>(in, out, source);
}

extern "C" __global__ void broadcast_seg16(const float *in, float *out, int source)
{
    broadcast_array<16>(in, out, source);
}

extern "C" __global__ void broadcast_seg8(const float *in, float *out, int source)
{
    broadcast_array<8>(in, out, source);
}

// Every lane names its own source: a permutation of the warp.
extern "C" __global__ void gather(const float *in, const int *source, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __shfl_sync(0xffffffff, in[i], source[i]);
}
