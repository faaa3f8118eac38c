// Functions that the compiler must not inline: values, structures, references, loops, collectives.
// nvcc: sm_75 sm_90 sm_100
struct Body {
    float x, y, z;
    int tag[3];
};

__device__ __noinline__ int gcd(int a, int b) {
    while (b) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

__device__ __noinline__ Body scaled(Body body, float by, int nth) {
    body.x *= by;
    body.y *= by;
    body.z *= by;
    body.tag[nth % 3] += 7;
    return body;
}

__device__ __noinline__ float weight(const Body &body) {
    return body.x * body.x + body.y * body.y + body.z * body.z + body.tag[1];
}

__device__ __noinline__ void exchange(int *p, int *q) {
    int kept = *p;
    *p = *q;
    *q = kept;
}

__device__ __noinline__ double polynomial(double x, int terms) {
    double sum = 0;
    for (int k = 0; k < terms; k++) sum = sum * x + gcd(k, terms);
    return sum;
}

__device__ __noinline__ int warp_sum(int value) {
    for (int distance = 16; distance; distance >>= 1) {
        value += __shfl_xor_sync(0xffffffff, value, distance);
    }
    return value;
}

__device__ __noinline__ unsigned char narrow(signed char a, unsigned short b) { return a + b; }

extern "C" __global__ void structures(const int *in, float *out, int *divisors, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    divisors[i] = gcd(in[i], 360);
    Body body = {(float)i, 2.f, 3.f, {i, i + 1, i + 2}};
    Body half = scaled(body, 0.5f, i);
    int p = i, q = i * 3;
    if (i & 1) exchange(&p, &q);
    out[i] = weight(half) + p - q;
}

// Only some lanes call, at two places, and all of them meet in a shuffle inside the function.
extern "C" __global__ void nested(double *out, int *sums, unsigned char *bytes) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    sums[i] = i % 3 == 0 ? warp_sum(i) : warp_sum(2 * i);
    if (i & 4) out[i] = polynomial(i * 0.25, 5);
    bytes[i] = narrow(-i, 3 * i);
}
