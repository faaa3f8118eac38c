// nvcc: sm_75 sm_90 sm_100
//
// Checksums and ciphers: each has an implementation elsewhere to compare with.

typedef unsigned u32;
typedef unsigned char u8;

__constant__ u32 round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ u32 rotate_right(u32 x, int n) { return x >> n | x << (32 - n); }

// SHA-256 of one message of 55 bytes or fewer per thread: a single block of the hash.
extern "C" __global__ void sha256(const u8 *message, const int *length, u32 *digest)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 w[16];
    for (int k = 0; k < 16; k++) {
        u32 word = 0;
        for (int b = 0; b < 4; b++) {
            int place = 4 * k + b;
            u32 byte = place < length[t] ? message[56 * t + place] : place == length[t] ? 0x80 : 0;
            word = word << 8 | byte;
        }
        w[k] = word;
    }
    w[15] = length[t] * 8;

    const u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    u32 s[8];
    for (int k = 0; k < 8; k++) s[k] = start[k];
#pragma unroll 1
    for (int k = 0; k < 64; k++) {
        u32 word = w[k & 15];
        if (k >= 16) {
            u32 a = w[(k + 1) & 15], b = w[(k + 14) & 15];
            word += (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + w[(k + 9) & 15] +
                    (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
            w[k & 15] = word;
        }
        u32 e = s[4], a = s[0];
        u32 t1 = s[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) +
                 ((e & s[5]) ^ (~e & s[6])) + round_constant[k] + word;
        u32 t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) +
                 ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int j = 7; j > 0; j--) s[j] = s[j - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int k = 0; k < 8; k++) digest[8 * t + k] = s[k] + start[k];
}

// CRC-32 of the prefix of a text that ends at each thread, with a table that the block makes.
extern "C" __global__ void crc32(const u8 *text, u32 *out)
{
    __shared__ u32 table[256];
    for (u32 k = threadIdx.x; k < 256; k += blockDim.x) {
        u32 c = k;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        table[k] = c;
    }
    __syncthreads();
    u32 crc = ~0u;
    for (u32 k = 0; k <= threadIdx.x; k++) crc = table[(crc ^ text[k]) & 255] ^ crc >> 8;
    out[threadIdx.x] = ~crc;
}

// Adler-32 with 16-bit sums, one line of text per warp: each lane takes every 32nd byte.
extern "C" __global__ void adler32(const u8 *text, u32 *out, int n)
{
    int lane = threadIdx.x;
    const u8 *line = text + blockIdx.x * n;
    u32 sum = 0, weighted = 0;
    for (int k = lane; k < n; k += 32) {
        sum += line[k];
        weighted += line[k] * (n - k);
    }
    for (int d = 16; d > 0; d /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        weighted += __shfl_xor_sync(0xffffffff, weighted, d);
    }
    if (lane == 0) out[blockIdx.x] = (weighted + n) % 65521 << 16 | (sum + 1) % 65521;
}

#define QUARTER(a, b, c, d)                                                                        \
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 16);                                                 \
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 12);                                                 \
    a += b; d = __funnelshift_l(d ^ a, d ^ a, 8);                                                  \
    c += d; b = __funnelshift_l(b ^ c, b ^ c, 7);

// One block of the ChaCha20 key stream per thread (RFC 8439).
extern "C" __global__ void chacha20(const u32 *key, const u32 *nonce, u32 *stream)
{
    u32 t = blockIdx.x * blockDim.x + threadIdx.x;
    u32 x[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (int k = 0; k < 8; k++) x[4 + k] = key[k];
    x[12] = t + 1;
    for (int k = 0; k < 3; k++) x[13 + k] = nonce[k];
    u32 y[16];
    for (int k = 0; k < 16; k++) y[k] = x[k];
    for (int round = 0; round < 10; round++) {
        QUARTER(y[0], y[4], y[8], y[12])
        QUARTER(y[1], y[5], y[9], y[13])
        QUARTER(y[2], y[6], y[10], y[14])
        QUARTER(y[3], y[7], y[11], y[15])
        QUARTER(y[0], y[5], y[10], y[15])
        QUARTER(y[1], y[6], y[11], y[12])
        QUARTER(y[2], y[7], y[8], y[13])
        QUARTER(y[3], y[4], y[9], y[14])
    }
    for (int k = 0; k < 16; k++) stream[16 * t + k] = x[k] + y[k];
}

// Generators of pseudo-random numbers, each thread a stream.
extern "C" __global__ void generators(u32 *shift, unsigned long long *star, u32 *lcg, int steps)
{
    u32 t = threadIdx.x;
    u32 x = t * 2654435761u + 1;
    unsigned long long y = 0x9e3779b97f4a7c15ull * (t + 1);
    u32 z = t;
    for (int k = 0; k < steps; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        y ^= y >> 12;
        y ^= y << 25;
        y ^= y >> 27;
        z = z * 1664525u + 1013904223u;
    }
    shift[t] = x;
    star[t] = y * 0x2545f4914f6cdd1dull;
    lcg[t] = z;
}
