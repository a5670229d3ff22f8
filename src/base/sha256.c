/* Names follow the standard: K, the schedule W, the working variables a ... h.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "base/sha256.h"

#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes: 4.2.2. */
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void sha256_init(sha256 *s)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    *s = (sha256){0};
    memcpy(s->h, first, sizeof first);
}

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* 6.2.2 */
static void sha256_compress(uint32_t H[8], const unsigned char *m)
{
    uint32_t W[64], v[8];
    for (int t = 0; t < 16; t++)
        W[t] = (uint32_t)m[4 * t] << 24 | (uint32_t)m[4 * t + 1] << 16 |
               (uint32_t)m[4 * t + 2] << 8 | m[4 * t + 3];
    for (int t = 16; t < 64; t++) {
        uint32_t s0 = rotr(W[t - 15], 7) ^ rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
        uint32_t s1 = rotr(W[t - 2], 17) ^ rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
        W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
    memcpy(v, H, sizeof v);
    for (int t = 0; t < 64; t++) {
        uint32_t a = v[0], b = v[1], c = v[2], e = v[4];
        uint32_t T1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
                      K[t] + W[t];
        uint32_t T2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += T1;
        v[0] = T1 + T2;
    }
    for (int i = 0; i < 8; i++) H[i] += v[i];
}

void sha256_add(sha256 *s, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t used = (size_t)(s->bytes % 64);
    s->bytes += n;
    while (n) {
        size_t part = 64 - used < n ? 64 - used : n;
        memcpy(s->block + used, p, part);
        used += part;
        p += part;
        n -= part;
        if (used == 64) sha256_compress(s->h, s->block), used = 0;
    }
}

void sha256_digest(sha256 *s, unsigned char out[SHA256_DIGEST])
{
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    uint64_t bits = 8 * s->bytes;
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(s, padding, 1 + (size_t)((119 - s->bytes % 64) % 64)); // to 56 of a block
    sha256_add(s, length, sizeof length);
    for (int i = 0; i < SHA256_DIGEST; i++)
        out[i] = (unsigned char)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_base64(sha256 *s, char out[SHA256_BASE64])
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char digest[SHA256_DIGEST + 1] = {0};
    sha256_digest(s, digest);
    for (int i = 0; i < 11; i++) { // 32 bytes and one that is not there
        uint32_t three = (uint32_t)digest[3 * i] << 16 | (uint32_t)digest[3 * i + 1] << 8 |
                         (uint32_t)(i < 10 ? digest[3 * i + 2] : 0);
        for (int k = 0; k < 4; k++) out[4 * i + k] = letters[three >> (18 - 6 * k) & 63];
    }
    out[43] = '=';
    out[44] = 0;
}
