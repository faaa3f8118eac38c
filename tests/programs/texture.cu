// Textures of an array and of linear memory, and a surface.
#include "check.h"

__global__ void read(cudaTextureObject_t image, cudaTextureObject_t line, float *out)
{
    int x = threadIdx.x, y = blockIdx.x;
    out[y * blockDim.x + x] = tex2D<float>(image, x + 0.5f, y + 0.5f) + tex1Dfetch<float>(line, x);
}

__global__ void write(cudaSurfaceObject_t image)
{
    float value = surf2Dread<float>(image, threadIdx.x * 4, blockIdx.x);
    surf2Dwrite(value + 1, image, threadIdx.x * 4, blockIdx.x);
}

int main()
{
    const int width = 16, height = 8;
    float pixels[height][width], got[height][width];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            pixels[y][x] = y * 100 + x;
    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, width, height, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, pixels, sizeof pixels[0], sizeof pixels[0], height, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t image, line;
    CHECK(cudaCreateTextureObject(&image, &resource, &how, nullptr));
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    write<<<height, width>>>(surface);
    CHECK(cudaGetLastError());
    float *memory, *out;
    CHECK(cudaMalloc(&memory, sizeof pixels[0]));
    CHECK(cudaMalloc(&out, sizeof got));
    CHECK(cudaMemcpy(memory, pixels[2], sizeof pixels[0], cudaMemcpyHostToDevice));
    cudaResourceDesc linear = {};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = memory;
    linear.res.linear.desc = channel;
    linear.res.linear.sizeInBytes = sizeof pixels[0];
    CHECK(cudaCreateTextureObject(&line, &linear, &how, nullptr));
    read<<<height, width>>>(image, line, out);
    CHECK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            EXPECT(got[y][x] == pixels[y][x] + 1 + pixels[2][x]);
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaDestroyTextureObject(image));
    CHECK(cudaDestroyTextureObject(line));
    CHECK(cudaFreeArray(array));
    return passed();
}
