// nvcc: sm_75 sm_90
//
// Texture and surface objects: every thread reads at the coordinates that it is given.

#define AT const unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= count) return

extern "C" __global__ void sample1d(cudaTextureObject_t t, const float *x, float *out, unsigned count)
{
    AT;
    out[i] = tex1D<float>(t, x[i]);
}

extern "C" __global__ void fetch1d(cudaTextureObject_t t, const int *x, int4 *out, unsigned count)
{
    AT;
    out[i] = tex1Dfetch<int4>(t, x[i]);
}

extern "C" __global__ void sample2d(cudaTextureObject_t t, const float *x, const float *y, float *out, unsigned count)
{
    AT;
    out[i] = tex2D<float>(t, x[i], y[i]);
}

extern "C" __global__ void level2d(cudaTextureObject_t t, const float *x, const float *y, float *out, unsigned count)
{
    AT;
    const float a = tex2DLod<float>(t, x[i], y[i], 0.0f);
    const float b = tex2DGrad<float>(t, x[i], y[i], make_float2(0.0f, 0.0f), make_float2(0.0f, 0.0f));
    out[i] = a == b ? a : -1.0f;
}

extern "C" __global__ void sample2d4(cudaTextureObject_t t, const float *x, const float *y, float4 *out, unsigned count)
{
    AT;
    out[i] = tex2D<float4>(t, x[i], y[i]);
}

extern "C" __global__ void gather2d(cudaTextureObject_t t, const float *x, const float *y, float4 *out, unsigned count)
{
    AT;
    out[i] = tex2Dgather<float4>(t, x[i], y[i], 1);
}

extern "C" __global__ void sample3d(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *out,
                                    unsigned count)
{
    AT;
    out[i] = tex3D<float>(t, x[i], y[i], z[i]);
}

extern "C" __global__ void layered(cudaTextureObject_t t, const float *x, const float *y, const int *layer, float *out,
                                   unsigned count)
{
    AT;
    out[i] = tex2DLayered<float>(t, x[i], y[i], layer[i]);
}

extern "C" __global__ void cube(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *out,
                                unsigned count)
{
    AT;
    out[i] = texCubemap<float>(t, x[i], y[i], z[i]);
}

// One more than what is read is written to the place that is mirrored in the diagonal, if there is one.
extern "C" __global__ void transpose(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int *read, int width, int height)
{
    const int x = int(threadIdx.x) - 1, y = int(threadIdx.y) - 1;
    int value;
    surf2Dread(&value, from, x * 4, y, cudaBoundaryModeZero);
    read[(y + 1) * (width + 2) + x + 1] = value;
    surf2Dwrite(value + 1, to, y * 4, x, cudaBoundaryModeZero);
}

// What is nearest is read.
extern "C" __global__ void nearest(cudaSurfaceObject_t from, int2 *read, int width, int layer)
{
    const int x = int(threadIdx.x) - 2, y = int(threadIdx.y) - 2;
    int2 value;
    surf2DLayeredread(&value, from, x * 8, y, layer, cudaBoundaryModeClamp);
    read[(y + 2) * (width + 4) + x + 2] = value;
}

// Reads outside, which traps.
extern "C" __global__ void outside(cudaSurfaceObject_t from, int *read)
{
    *read = surf1Dread<int>(from, int(threadIdx.x) * 4, cudaBoundaryModeTrap);
}

// Adds to a place of a surface.
extern "C" __global__ void add(cudaSurfaceObject_t to, const int *x, unsigned count)
{
    AT;
    asm volatile("sured.b.add.1d.u32.zero [%0, {%1}], %2;" ::"l"(to), "r"(x[i] * 4), "r"(i) : "memory");
}

extern "C" __global__ void query(cudaTextureObject_t t, unsigned *out)
{
    asm("txq.width.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
    asm("txq.height.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    asm("txq.depth.b32 %0, [%1];" : "=r"(out[2]) : "l"(t));
}
