/* SHA-256 (FIPS 180-4), for the hashes by which a page names its scripts, and for digests of files.
 *
 *     sha256 s;
 *     sha256_init(&s);
 *     sha256_add(&s, bytes, n);         any number of times
 *     sha256_base64(&s, out);           or sha256_digest(&s, out)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t h[8];
    uint64_t bytes;          // so far
    unsigned char block[64]; // the last, not full yet
} sha256;

enum {
    SHA256_DIGEST = 32,
    SHA256_BASE64 = 45 // 44 characters and a NUL
};

void sha256_init(sha256 *s);
void sha256_add(sha256 *s, const void *bytes, size_t n);
void sha256_digest(sha256 *s, unsigned char out[SHA256_DIGEST]); // ends it
void sha256_base64(sha256 *s, char out[SHA256_BASE64]);          // ends it

#endif
