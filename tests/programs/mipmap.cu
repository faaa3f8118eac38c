// A mipmapped array, whose levels are written one by one, and a texture of it; border colours; sRGB.
#include "check.h"
#include <cmath>

__global__ void levels(cudaTextureObject_t image, const float *number, float *out)
{
    out[threadIdx.x] = tex2DLod<float>(image, 0.5f, 0.5f, number[threadIdx.x]);
}

__global__ void gradients(cudaTextureObject_t image, const float *step, float *out)
{
    const float by = step[threadIdx.x];
    out[threadIdx.x] = tex2DGrad<float>(image, 0.5f, 0.5f, make_float2(by, 0), make_float2(0, by / 2));
}

__global__ void outside(cudaTextureObject_t image, float4 *out)
{
    out[0] = tex1D<float4>(image, -3.0f);
    out[1] = tex1D<float4>(image, 0.5f);
}

int main()
{
    const int width = 16, height = 8, count = 5;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t array;
    CHECK(cudaMallocMipmappedArray(&array, &channel, make_cudaExtent(width, height, 0), 99));
    float texels[width * height];
    for (int nth = 0; nth < count; nth++) {
        cudaArray_t level;
        CHECK(cudaGetMipmappedArrayLevel(&level, array, nth));
        cudaExtent extent;
        CHECK(cudaArrayGetInfo(nullptr, &extent, nullptr, level));
        const size_t w = width >> nth, h = height >> nth ? height >> nth : 1;
        EXPECT(extent.width == w && extent.height == h);
        for (float &texel : texels)
            texel = nth * 10;
        CHECK(cudaMemcpy2DToArray(level, 0, 0, texels, w * 4, w * 4, h, cudaMemcpyHostToDevice));
    }
    cudaArray_t none;
    EXPECT(cudaGetMipmappedArrayLevel(&none, array, count) == cudaErrorInvalidValue);

    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = how.mipmapFilterMode = cudaFilterModeLinear;
    how.normalizedCoords = 1;
    how.mipmapLevelBias = 0.5f;
    how.minMipmapLevelClamp = 0.25f;
    how.maxMipmapLevelClamp = 3.75f;
    cudaTextureObject_t image;
    CHECK(cudaCreateTextureObject(&image, &resource, &how, nullptr));
    // The numbers of levels, and ten times what is left of them after bias and clamp.
    const float numbers[] = {-1, 0, 0.25f, 1, 2.125f, 3, 3.25f, 9}, expected[] = {2.5f, 5, 7.5f, 15, 26.25f, 35, 37.5f, 37.5f};
    float *in, *out, got[8];
    CHECK(cudaMalloc(&in, sizeof numbers));
    CHECK(cudaMalloc(&out, 2 * sizeof(float4)));
    CHECK(cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice));
    levels<<<1, 8>>>(image, in, out);
    CHECK(cudaMemcpy(got, out, sizeof numbers, cudaMemcpyDeviceToHost));
    for (int nth = 0; nth < 8; nth++)
        EXPECT(got[nth] == expected[nth]);
    // Steps of 1, 2, 4 and 8 texels in a row.
    const float steps[] = {1 / 16.0f, 2 / 16.0f, 4 / 16.0f, 8 / 16.0f};
    CHECK(cudaMemcpy(in, steps, sizeof steps, cudaMemcpyHostToDevice));
    gradients<<<1, 4>>>(image, in, out);
    CHECK(cudaMemcpy(got, out, sizeof steps, cudaMemcpyDeviceToHost));
    for (int nth = 0; nth < 4; nth++)
        EXPECT(got[nth] == 10 * nth + 5);
    CHECK(cudaDestroyTextureObject(image));
    CHECK(cudaFreeMipmappedArray(array));

    cudaChannelFormatDesc colour = cudaCreateChannelDesc<uchar4>();
    cudaArray_t row;
    CHECK(cudaMallocArray(&row, &colour, 2));
    const unsigned char texel[8] = {255, 10, 128, 128};
    CHECK(cudaMemcpy2DToArray(row, 0, 0, texel, 8, 8, 1, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = row;
    how = {};
    how.addressMode[0] = cudaAddressModeBorder;
    how.readMode = cudaReadModeNormalizedFloat;
    how.sRGB = 1;
    for (int nth = 0; nth < 4; nth++)
        how.borderColor[nth] = 0.25f + nth;
    CHECK(cudaCreateTextureObject(&image, &resource, &how, nullptr));
    outside<<<1, 1>>>(image, (float4 *)out);
    float4 colours[2];
    CHECK(cudaMemcpy(colours, out, sizeof colours, cudaMemcpyDeviceToHost));
    EXPECT(colours[0].x == 0.25f && colours[0].y == 1.25f && colours[0].z == 2.25f && colours[0].w == 3.25f);
    const float linear = (float)pow((128 / 255.0 + 0.055) / 1.055, 2.4);
    EXPECT(colours[1].x == 1 && colours[1].y == (float)(10 / 255.0 / 12.92));
    EXPECT(fabsf(colours[1].z - linear) < 1e-7f && colours[1].w == 128 / 255.0f);
    CHECK(cudaDestroyTextureObject(image));
    CHECK(cudaFreeArray(row));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return passed();
}
