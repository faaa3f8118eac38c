// nvcc: sm_75 sm_90 sm_100 -- -fmad=false
//
// Iterations and statistics, compiled without fusing: every operation rounds on its own.

extern "C" __global__ void mandelbrot(unsigned char *out, int width, int height, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cr = -2.25f + 3.0f * x / width, ci = -1.2f + 2.4f * y / height;
    float r = 0, i = 0;
    int steps = 0;
    while (steps < limit && r * r + i * i < 4.0f) {
        float next = r * r - i * i + cr;
        i = 2.0f * r * i + ci;
        r = next;
        steps++;
    }
    out[y * width + x] = steps;
}

// Gravitation between all pairs, positions in tiles of shared memory.
extern "C" __global__ void gravitation(const float4 *body, float4 *velocity, int n, float dt)
{
    __shared__ float4 tile[32];
    int i = blockIdx.x * 32 + threadIdx.x;
    float4 own = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int base = 0; base < n; base += 32) {
        tile[threadIdx.x] = body[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            float dx = tile[k].x - own.x, dy = tile[k].y - own.y, dz = tile[k].z - own.z;
            float squared = dx * dx + dy * dy + dz * dz + 0.01f;
            float factor = tile[k].w / (squared * sqrtf(squared));
            ax += dx * factor;
            ay += dy * factor;
            az += dz * factor;
        }
        __syncthreads();
    }
    float4 v = velocity[i];
    velocity[i] = make_float4(v.x + ax * dt, v.y + ay * dt, v.z + az * dt, v.w);
}

// Sums of many small numbers, with Kahan's compensation and without.
extern "C" __global__ void compensated_sums(const float *in, float *kahan, float *plain, int n)
{
    int t = threadIdx.x;
    float sum = 0, lost = 0, naive = 0;
    for (int k = 0; k < n; k++) {
        float value = in[k * blockDim.x + t];
        float y = value - lost;
        float next = sum + y;
        lost = (next - sum) - y;
        sum = next;
        naive += value;
    }
    kahan[t] = sum;
    plain[t] = naive;
}

// Mean and variance in one pass (Welford), then combined over the lanes of a warp.
extern "C" __global__ void welford(const double *in, double *mean_out, double *variance_out, int n)
{
    double mean = 0, m2 = 0, count = 0;
    for (int k = threadIdx.x; k < n; k += 32) {
        double value = in[blockIdx.x * n + k];
        count += 1;
        double delta = value - mean;
        mean += delta / count;
        m2 += delta * (value - mean);
    }
    for (int d = 16; d > 0; d /= 2) {
        double other_mean = __shfl_down_sync(0xffffffff, mean, d);
        double other_m2 = __shfl_down_sync(0xffffffff, m2, d);
        double other_count = __shfl_down_sync(0xffffffff, count, d);
        double total = count + other_count, delta = other_mean - mean;
        mean = mean + delta * other_count / total;
        m2 = m2 + other_m2 + delta * delta * count * other_count / total;
        count = total;
    }
    if (threadIdx.x == 0) {
        mean_out[blockIdx.x] = mean;
        variance_out[blockIdx.x] = m2 / (count - 1);
    }
}

// Normalisation of rows: mean and variance by warp reductions.
extern "C" __global__ void layer_norm(const float *in, const float *scale, const float *shift,
                                      float *out, int n)
{
    const float *row = in + blockIdx.x * n;
    float sum = 0;
    for (int k = threadIdx.x; k < n; k += 32) sum += row[k];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    float mean = sum / n;
    float squares = 0;
    for (int k = threadIdx.x; k < n; k += 32) squares += (row[k] - mean) * (row[k] - mean);
    for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(0xffffffff, squares, d);
    float inverse = 1.0f / sqrtf(squares / n + 1e-5f);
    for (int k = threadIdx.x; k < n; k += 32)
        out[blockIdx.x * n + k] = (row[k] - mean) * inverse * scale[k] + shift[k];
}

// Quantisation to int8 by the largest magnitude of the row, and back.
extern "C" __global__ void quantise(const float *in, signed char *out, float *scale, float *back, int n)
{
    const float *row = in + blockIdx.x * n;
    float largest = 0;
    for (int k = threadIdx.x; k < n; k += 32) largest = fmaxf(largest, fabsf(row[k]));
    for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, d));
    float step = largest / 127.0f;
    if (threadIdx.x == 0) scale[blockIdx.x] = step;
    for (int k = threadIdx.x; k < n; k += 32) {
        int q = __float2int_rn(row[k] / step);
        q = max(-127, min(127, q));
        out[blockIdx.x * n + k] = (signed char)q;
        back[blockIdx.x * n + k] = q * step;
    }
}

// The logistic map, in f32 and f64: every rounding shows in the end.
extern "C" __global__ void logistic_map(float *single, double *twice, int steps)
{
    int t = threadIdx.x;
    float x = 0.1f + 0.001f * t;
    double y = 0.1 + 0.001 * t;
    for (int k = 0; k < steps; k++) {
        x = 3.9f * x * (1.0f - x);
        y = 3.9 * y * (1.0 - y);
    }
    single[t] = x;
    twice[t] = y;
}

// Newton's method for cube roots: lanes stop when they have converged.
extern "C" __global__ void cube_roots(const double *in, double *out, int *steps)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double a = in[t], x = a;
    int k = 0;
    while (k < 200) {
        double next = (2.0 * x + a / (x * x)) / 3.0;
        k++;
        if (next == x || (k > 3 && fabs(next - x) <= 1e-15 * fabs(x))) break;
        x = next;
    }
    out[t] = x;
    steps[t] = k;
}
