// nvcc: sm_75 sm_90 sm_100
//
// Vector loads and stores, narrow types, cache operators, structures as parameters, and blocks and
// grids of more than one dimension.

extern "C" __global__ void vectors(const float4 *a, const int2 *b, const uchar4 *c, float4 *x,
                                   int2 *y, uchar4 *z)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 f = a[i];
    x[i] = make_float4(f.w, f.z, f.y, f.x);
    int2 p = b[i];
    y[i] = make_int2(p.y - p.x, p.x ^ p.y);
    uchar4 u = c[i];
    z[i] = make_uchar4(u.y, u.x + u.w, 255 - u.z, u.w >> 1);
}

extern "C" __global__ void wide_vectors(const double2 *a, const short4 *b, double2 *x, short4 *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double2 d = a[i];
    x[i] = make_double2(d.y, -d.x);
    short4 s = b[i];
    y[i] = make_short4(s.w, s.x + s.y, s.z * 3, -s.y);
}

struct Settings {
    float factor;
    short shift[3];
    unsigned char flag;
    long long bias;
    struct {
        int low, high;
    } range;
};

extern "C" __global__ void by_value(const int *in, long long *out, Settings settings, char tail)
{
    int i = threadIdx.x;
    int x = in[i] << settings.shift[i % 3];
    x = min(max(x, settings.range.low), settings.range.high);
    long long y = settings.flag & 1 << i % 8 ? x : -x;
    out[i] = y * (int)settings.factor + settings.bias + tail;
}

extern "C" __global__ void cache_operators(const int *in, int *out)
{
    int i = threadIdx.x;
    int sum = __ldg(in + i) + 2 * __ldcg(in + (i ^ 1)) + 3 * __ldca(in + (i ^ 2));
    sum += 5 * __ldcs(in + (i ^ 3)) + 7 * __ldlu(in + (i ^ 4)) + 11 * __ldcv(in + (i ^ 5));
    __stcg(out + i, sum);
    __stcs(out + 64 + i, sum + 1);
    __stwt(out + 128 + i, sum - 1);
    __stwb(out + 192 + i, -sum);
}

// Tiles of 32 by 32 transposed through shared memory, eight rows at a time.
extern "C" __global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < width && y + k < height) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < height && y + k < width) out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

// Every dimension of block and grid at once.
extern "C" __global__ void coordinates(unsigned *out)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
    unsigned lane, warp;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    unsigned rank = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    warp = rank / 32;
    out[(z * height + y) * width + x] = x | y << 5 | z << 10 | lane << 15 | warp << 20;
}

// More elements than threads.
extern "C" __global__ void grid_stride(const int *a, const int *b, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = a[i] * b[i] - (a[i] > b[i] ? a[i] : b[n - 1 - i]);
}

// The masks of lanes that each lane can read.
extern "C" __global__ void lane_masks(unsigned *out)
{
    unsigned i = threadIdx.x, r;
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(r));
    out[i] = r;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r));
    out[64 + i] = r;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(r));
    out[128 + i] = r;
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(r));
    out[192 + i] = r;
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(r));
    out[256 + i] = r;
}
