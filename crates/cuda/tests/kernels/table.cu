// What `lookup.cu` is linked with: nvcc -arch=compute_75 -rdc=true -ptx table.cu
extern "C" __device__ int answer(int of) { return of * 7; }
