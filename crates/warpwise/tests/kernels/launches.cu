// Kernels that launch kernels. Compiled by nvcc 13.5:
//   nvcc -arch=compute_75 -rdc=true -ptx launches.cu -o launches.ptx
extern "C" {
__global__ void append(int *list, int value) { list[++list[0]] = value; }

__global__ void parent(int *list, int below)
{
    append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, 4);
    append<<<1, 1>>>(list, below);
    if (below > 0) parent<<<1, 1>>>(list, below - 1);
    cudaMemsetAsync(list + 62, 0x11, sizeof(int), 0);
    cudaMemcpyAsync(list + 63, list + 62, sizeof(int), cudaMemcpyDeviceToDevice, 0);
    append<<<1, 2048>>>(list, 5);
    list[61] = cudaGetLastError();
}
}
