// SHA-256 as FIPS 180-4 gives it: the inner loop alone, sixty-four bytes at a time.
//
// This is C for one thing only: a function can be compiled for the processor's own SHA instructions and be chosen at
// run time. How a message begins and ends is in Swift (ImportInput/SHA256.swift).
#ifndef CSHA256_H
#define CSHA256_H

#include <stddef.h>
#include <stdint.h>

// Takes `count` blocks of 64 bytes into the hash's eight words: by the processor's own instructions where it has them.
void csha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count);

// The same in plain C: what a processor without such instructions runs, and what the tests hold the other to.
void csha256_blocks_plain(uint32_t state[8], const uint8_t *bytes, size_t count);

#endif
