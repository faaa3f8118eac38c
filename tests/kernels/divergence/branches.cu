// nvcc: sm_75 sm_90 sm_100
//
// Branches and loops whose condition differs from lane to lane.

// Steps of the Collatz sequence: every lane leaves the loop at a time of its own.
extern "C" __global__ void collatz(const unsigned *in, unsigned *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long x = in[i];
    unsigned steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[i] = steps;
}

// Nested loops with break and continue: the number of primes below each lane's limit and the last.
extern "C" __global__ void primes(unsigned *count, unsigned *last)
{
    unsigned limit = threadIdx.x * 5;
    unsigned found = 0, largest = 0;
    for (unsigned k = 2; k < limit; k++) {
        if (k > 2 && k % 2 == 0) continue;
        bool prime = true;
        for (unsigned d = 3; d * d <= k; d += 2) {
            if (k % d == 0) {
                prime = false;
                break;
            }
        }
        if (!prime) continue;
        found++;
        largest = k;
    }
    count[threadIdx.x] = found;
    last[threadIdx.x] = largest;
}

// A branch in a branch in a loop, with loads of its own in each arm.
extern "C" __global__ void nested(const int *in, int *out, int rounds)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = in[i];
    for (int k = 0; k < rounds; k++) {
        if (x & 1) {
            if (x & 2)
                x = x * 3 + in[(unsigned)x % 96];
            else
                x ^= in[(i + k) % 96] << 3;
        } else if (x % 5 == 0) {
            x = x / 2 - k;
            if (x < 0) break;
        } else {
            x += (int)i - 7;
        }
    }
    out[i] = x;
}

// A state machine in a loop; lanes return from inside it.
extern "C" __global__ void automaton(const unsigned char *text, int *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int state = 0, depth = 0;
    out[i] = -1;
    for (unsigned k = i; k < n; k++) {
        unsigned char c = text[k];
        if (state == 0) {
            if (c == '(') depth++;
            if (c == ')' && --depth < 0) {
                out[i] = (int)k;
                return;
            }
            if (c == '"') state = 1;
        } else if (state == 1) {
            if (c == '\\') state = 2;
            if (c == '"') state = 0;
        } else {
            state = 1;
        }
    }
    if (depth == 0 && state == 0) out[i] = -2;
}

// Greatest common divisors: Euclid by remainder, and by subtraction of the even parts.
extern "C" __global__ void gcds(const unsigned *a, const unsigned *b, unsigned *euclid,
                                unsigned *binary)
{
    unsigned i = threadIdx.x;
    unsigned x = a[i], y = b[i];
    while (y) {
        unsigned t = x % y;
        x = y;
        y = t;
    }
    euclid[i] = x;

    x = a[i];
    y = b[i];
    if (x == 0 || y == 0) {
        binary[i] = x | y;
        return;
    }
    int shift = __ffs(x | y) - 1;
    x >>= __ffs(x) - 1;
    do {
        y >>= __ffs(y) - 1;
        if (x > y) {
            unsigned t = x;
            x = y;
            y = t;
        }
        y -= x;
    } while (y);
    binary[i] = x << shift;
}
