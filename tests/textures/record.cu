// Reads textures as a recording says, and holds what comes of it to what is recorded:
//
//     nvcc -arch=native tests/textures/record.cu -o record
//     ./record tests/textures/h100.bin               # what differs is told; exit status 1
//     ./record tests/textures/h100.bin other.bin     # the same with this device's results
//
// A recording is words of 32 bits: a case after the other, each a `Spec`, its texels, four coordinates of each read (floats or integers; a
// layer is the last one), its level or six gradients if it has any, and the four components that were read.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

struct Spec {
    int kind;  // 0 1d, 1 1d layered, 2 2d, 3 2d layered, 4 3d, 5 cube, 6 cube layered, 7 linear memory
    int w, h, d;
    int levels;
    int bits, chkind, channels;  // chkind: cudaChannelFormatKind
    int addr[3];
    int filter, readmode, normalized, srgb;
    int mipfilter;
    float bias, minl, maxl;
    float border[4];
    int op, words, reads, details;  // words of texels; words of details a read
};

enum Op { BASE, LOD, GRAD, G0, G1, G2, G3, INTS, OFFSET };

__device__ uint4 bits(float4 v)
{
    return make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w));
}
__device__ uint4 bits(uint4 v) { return v; }

template <class T> __device__ T int2d(cudaTextureObject_t t, int x, int y);
template <> __device__ float4 int2d<float4>(cudaTextureObject_t t, int x, int y)
{
    float4 v;
    asm volatile("tex.2d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "r"(x), "r"(y));
    return v;
}
template <> __device__ uint4 int2d<uint4>(cudaTextureObject_t t, int x, int y)
{
    uint4 v;
    asm volatile("tex.2d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5,%6}];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(t), "r"(x), "r"(y));
    return v;
}
template <class T> __device__ T int1d(cudaTextureObject_t t, int x);
template <> __device__ float4 int1d<float4>(cudaTextureObject_t t, int x)
{
    float4 v;
    asm volatile("tex.1d.v4.f32.s32 {%0,%1,%2,%3}, [%4, {%5}];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "r"(x));
    return v;
}
template <> __device__ uint4 int1d<uint4>(cudaTextureObject_t t, int x)
{
    uint4 v;
    asm volatile("tex.1d.v4.u32.s32 {%0,%1,%2,%3}, [%4, {%5}];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(t), "r"(x));
    return v;
}
__device__ float4 offset2d(cudaTextureObject_t t, float x, float y)
{
    float4 v;
    asm volatile("tex.2d.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5,%6}], {-3,2};" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(t), "f"(x), "f"(y));
    return v;
}

template <int KIND, int OP, class T>
__global__ void kernel(cudaTextureObject_t t, const float4 *at, const float *detail, int details, uint4 *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 a = at[i];
    const int layer = __float_as_int(a.w);
    float g[6];
    for (int k = 0; k < 6; k++) g[k] = k < details ? detail[i * details + k] : 0;
    T r;
    if constexpr (KIND == 7) r = tex1Dfetch<T>(t, __float_as_int(a.x));
    else if constexpr (OP == BASE) {
        if constexpr (KIND == 0) r = tex1D<T>(t, a.x);
        else if constexpr (KIND == 1) r = tex1DLayered<T>(t, a.x, layer);
        else if constexpr (KIND == 2) r = tex2D<T>(t, a.x, a.y);
        else if constexpr (KIND == 3) r = tex2DLayered<T>(t, a.x, a.y, layer);
        else if constexpr (KIND == 4) r = tex3D<T>(t, a.x, a.y, a.z);
        else if constexpr (KIND == 5) r = texCubemap<T>(t, a.x, a.y, a.z);
        else r = texCubemapLayered<T>(t, a.x, a.y, a.z, layer);
    } else if constexpr (OP == LOD) {
        if constexpr (KIND == 0) r = tex1DLod<T>(t, a.x, g[0]);
        else if constexpr (KIND == 1) r = tex1DLayeredLod<T>(t, a.x, layer, g[0]);
        else if constexpr (KIND == 2) r = tex2DLod<T>(t, a.x, a.y, g[0]);
        else if constexpr (KIND == 3) r = tex2DLayeredLod<T>(t, a.x, a.y, layer, g[0]);
        else if constexpr (KIND == 4) r = tex3DLod<T>(t, a.x, a.y, a.z, g[0]);
        else if constexpr (KIND == 5) r = texCubemapLod<T>(t, a.x, a.y, a.z, g[0]);
        else r = texCubemapLayeredLod<T>(t, a.x, a.y, a.z, layer, g[0]);
    } else if constexpr (OP == GRAD) {
        if constexpr (KIND == 0) r = tex1DGrad<T>(t, a.x, g[0], g[3]);
        else if constexpr (KIND == 2) r = tex2DGrad<T>(t, a.x, a.y, make_float2(g[0], g[1]), make_float2(g[3], g[4]));
        else if constexpr (KIND == 4) r = tex3DGrad<T>(t, a.x, a.y, a.z, make_float4(g[0], g[1], g[2], 0), make_float4(g[3], g[4], g[5], 0));
        else if constexpr (KIND == 5) r = texCubemapGrad<T>(t, a.x, a.y, a.z, make_float4(g[0], g[1], g[2], 0), make_float4(g[3], g[4], g[5], 0));
    } else if constexpr (OP >= G0 && OP <= G3) {
        r = tex2Dgather<T>(t, a.x, a.y, OP - G0);
    } else if constexpr (OP == INTS) {
        if constexpr (KIND == 0) r = int1d<T>(t, __float_as_int(a.x));
        else r = int2d<T>(t, __float_as_int(a.x), __float_as_int(a.y));
    } else if constexpr (OP == OFFSET) {
        r = offset2d(t, a.x, a.y);
    }
    out[i] = bits(r);
}

typedef void (*Kernel)(cudaTextureObject_t, const float4 *, const float *, int, uint4 *, int);

#define CASE(K, O) if (kind == K && op == O) return kernel<K, O, float4>
#define CASE_INT(K, O) if (kind == K && op == O && isint) return kernel<K, O, uint4>
static Kernel find(int kind, int op, int isint)
{
    CASE_INT(0, BASE); CASE_INT(2, BASE); CASE_INT(3, BASE); CASE_INT(4, BASE); CASE_INT(5, BASE); CASE_INT(7, BASE);
    CASE_INT(0, INTS); CASE_INT(2, INTS); CASE_INT(2, G0); CASE_INT(2, LOD);
    CASE(0, BASE); CASE(1, BASE); CASE(2, BASE); CASE(3, BASE); CASE(4, BASE); CASE(5, BASE); CASE(6, BASE); CASE(7, BASE);
    CASE(0, LOD); CASE(1, LOD); CASE(2, LOD); CASE(3, LOD); CASE(4, LOD); CASE(5, LOD); CASE(6, LOD);
    CASE(0, GRAD); CASE(2, GRAD); CASE(4, GRAD); CASE(5, GRAD);
    CASE(2, G0); CASE(2, G1); CASE(2, G2); CASE(2, G3);
    CASE(0, INTS); CASE(2, INTS); CASE(2, OFFSET);
    return nullptr;
}

#define TRY(call)                                                                                                                     \
    do {                                                                                                                              \
        cudaError_t e = (call);                                                                                                       \
        if (e != cudaSuccess) {                                                                                                       \
            snprintf(message, 200, "%d: %s: %s", __LINE__, #call, cudaGetErrorString(e));                                             \
            cudaGetLastError();                                                                                                       \
            return message;                                                                                                           \
        }                                                                                                                             \
    } while (0)

static char message[256];

// Reads as a case says; what went wrong, or null.
static const char *record(const Spec *s, const void *texels, const void *at, const void *detail, void *out)
{
    const int op = s->op, n = s->reads;
    message[0] = 0;
    const bool cube = s->kind == 5 || s->kind == 6, layered = s->kind == 1 || s->kind == 3 || s->kind == 6;
    const bool is_float = s->chkind == 2 || s->readmode == 1;
    cudaChannelFormatDesc desc = cudaCreateChannelDesc(s->bits, s->channels > 1 ? s->bits : 0, s->channels > 2 ? s->bits : 0,
                                                       s->channels > 2 ? s->bits : 0, cudaChannelFormatKind(s->chkind));
    const size_t texel = size_t(s->bits / 8) * s->channels;
    cudaResourceDesc res;
    memset(&res, 0, sizeof res);
    cudaArray_t array = nullptr;
    cudaMipmappedArray_t mips = nullptr;
    void *linear = nullptr;
    const bool has_gather = op >= G0 && op <= G3;
    if (s->kind == 7) {
        TRY(cudaMalloc(&linear, s->w * texel));
        TRY(cudaMemcpy(linear, texels, s->w * texel, cudaMemcpyHostToDevice));
        res.resType = cudaResourceTypeLinear;
        res.res.linear.devPtr = linear;
        res.res.linear.desc = desc;
        res.res.linear.sizeInBytes = s->w * texel;
    } else {
        const unsigned flags = (cube ? cudaArrayCubemap : 0) | (layered ? cudaArrayLayered : 0) | (has_gather ? cudaArrayTextureGather : 0);
        const cudaExtent extent = make_cudaExtent(s->w, s->h, s->d);
        const char *from = static_cast<const char *>(texels);
        if (s->levels > 0) TRY(cudaMallocMipmappedArray(&mips, &desc, extent, s->levels, flags));
        else TRY(cudaMalloc3DArray(&array, &desc, extent, flags));
        int w = s->w, h = s->h, d = s->d;
        for (int level = 0; level < (s->levels > 0 ? s->levels : 1); level++) {
            cudaArray_t to = array;
            if (mips) TRY(cudaGetMipmappedArrayLevel(&to, mips, level));
            cudaMemcpy3DParms copy;
            memset(&copy, 0, sizeof copy);
            const int rows = h ? h : 1, slices = d ? d : 1;
            copy.srcPtr = make_cudaPitchedPtr(const_cast<char *>(from), w * texel, w, rows);
            copy.dstArray = to;
            copy.extent = make_cudaExtent(w, rows, slices);
            copy.kind = cudaMemcpyHostToDevice;
            TRY(cudaMemcpy3D(&copy));
            from += w * texel * rows * slices;
            w = w > 1 ? w / 2 : 1;
            if (h) h = h > 1 ? h / 2 : 1;
            if (d && !layered && !cube) d = d > 1 ? d / 2 : 1;
        }
        res.resType = mips ? cudaResourceTypeMipmappedArray : cudaResourceTypeArray;
        if (mips) res.res.mipmap.mipmap = mips;
        else res.res.array.array = array;
    }
    cudaTextureDesc tex;
    memset(&tex, 0, sizeof tex);
    for (int i = 0; i < 3; i++) tex.addressMode[i] = cudaTextureAddressMode(s->addr[i]);
    tex.filterMode = cudaTextureFilterMode(s->filter);
    tex.readMode = cudaTextureReadMode(s->readmode);
    tex.normalizedCoords = s->normalized;
    tex.sRGB = s->srgb;
    memcpy(tex.borderColor, s->border, sizeof tex.borderColor);
    tex.mipmapFilterMode = cudaTextureFilterMode(s->mipfilter);
    tex.mipmapLevelBias = s->bias;
    tex.minMipmapLevelClamp = s->minl;
    tex.maxMipmapLevelClamp = s->maxl;
    cudaTextureObject_t object;
    TRY(cudaCreateTextureObject(&object, &res, &tex, nullptr));
    float4 *d_at;
    float *d_detail;
    uint4 *d_out;
    TRY(cudaMalloc(&d_at, n * 16ull));
    TRY(cudaMalloc(&d_detail, n * 24ull));
    TRY(cudaMalloc(&d_out, n * 16ull));
    TRY(cudaMemcpy(d_at, at, n * 16ull, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy(d_detail, detail, n * s->details * 4ull, cudaMemcpyHostToDevice));
    Kernel k = find(s->kind, op, !is_float);
    if (!k) return "no kernel";
    k<<<(n + 255) / 256, 256>>>(object, d_at, d_detail, s->details, d_out, n);
    TRY(cudaGetLastError());
    TRY(cudaDeviceSynchronize());
    TRY(cudaMemcpy(out, d_out, n * 16ull, cudaMemcpyDeviceToHost));
    cudaDestroyTextureObject(object);
    cudaFree(d_at);
    cudaFree(d_detail);
    cudaFree(d_out);
    if (linear) cudaFree(linear);
    if (array) cudaFreeArray(array);
    if (mips) cudaFreeMipmappedArray(mips);
    return nullptr;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        printf("usage: record RECORDING [NEW]\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    std::vector<unsigned> all;
    unsigned word;
    while (file && fread(&word, 4, 1, file) == 1) all.push_back(word);
    if (all.empty()) {
        printf("%s cannot be read\n", argv[1]);
        return 2;
    }
    fclose(file);
    int cases = 0, reads = 0, differ = 0;
    for (size_t place = 0; place < all.size(); cases++) {
        Spec s;
        memcpy(&s, &all[place], sizeof s);
        const size_t texels = place + sizeof s / 4, at = texels + s.words, detail = at + 4 * s.reads, out = detail + s.details * s.reads;
        std::vector<unsigned> found(4 * s.reads);
        const char *error = record(&s, &all[texels], &all[at], &all[detail], found.data());
        if (error) {
            printf("case %d: %s\n", cases, error);
            return 2;
        }
        int wrong = 0;
        for (int i = 0; i < s.reads; i++) wrong += memcmp(&found[4 * i], &all[out + 4 * i], 16) != 0;
        if (wrong) printf("case %d: %d of %d reads differ\n", cases, wrong, s.reads);
        memcpy(&all[out], found.data(), 16 * s.reads);
        differ += wrong;
        reads += s.reads;
        place = out + 4 * s.reads;
    }
    printf("%d of %d reads differ, in %d cases\n", differ, reads, cases);
    if (argc > 2) {
        FILE *file = fopen(argv[2], "wb");
        if (!file || fwrite(all.data(), 4, all.size(), file) != all.size() || fclose(file) != 0) {
            printf("%s cannot be written\n", argv[2]);
            return 2;
        }
    }
    return differ ? 1 : 0;
}
