// Copies and sets of two and three dimensions, pitched memory, memory of pools.
#include "check.h"
#include <cstring>

int main()
{
    const size_t width = 37, height = 11, depth = 5;
    unsigned char host[depth][height][width], back[depth][height][width];
    for (size_t i = 0; i < sizeof host; i++)
        (&host[0][0][0])[i] = i * 7;
    unsigned char *device;
    size_t pitch;
    CHECK(cudaMallocPitch(&device, &pitch, width, height));
    EXPECT(pitch >= width && pitch % 32 == 0);
    CHECK(cudaMemcpy2D(device, pitch, host[1], width, width, height, cudaMemcpyHostToDevice));
    CHECK(cudaMemset2D(device + 3, pitch, 0xab, 2, 4));
    CHECK(cudaMemcpy2D(back[0], width, device, pitch, width, height, cudaMemcpyDeviceToHost));
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            EXPECT(back[0][y][x] == (y < 4 && (x == 3 || x == 4) ? 0xab : host[1][y][x]));

    cudaExtent extent = make_cudaExtent(width, height, depth);
    cudaPitchedPtr volume;
    CHECK(cudaMalloc3D(&volume, extent));
    cudaMemcpy3DParms parms = {};
    parms.srcPtr = make_cudaPitchedPtr(host, width, width, height);
    parms.dstPtr = volume;
    parms.extent = extent;
    parms.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&parms));
    memset(back, 0, sizeof back);
    cudaMemcpy3DParms out = {};
    out.srcPtr = volume;
    out.srcPos = make_cudaPos(5, 2, 1);
    out.dstPtr = make_cudaPitchedPtr(back, width, width, height);
    out.extent = make_cudaExtent(20, 4, 3);
    out.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&out));
    for (size_t z = 0; z < 3; z++)
        for (size_t y = 0; y < 4; y++)
            EXPECT(!memcmp(back[z][y], &host[z + 1][y + 2][5], 20));

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    void *pooled;
    CHECK(cudaMallocAsync(&pooled, 1000, stream));
    CHECK(cudaMemsetAsync(pooled, 0x5a, 1000, stream));
    CHECK(cudaMemcpyAsync(back, pooled, 1000, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(pooled, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < 1000; i++)
        EXPECT((&back[0][0][0])[i] == 0x5a);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(volume.ptr));
    CHECK(cudaFree(device));
    return passed();
}
