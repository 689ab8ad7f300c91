#include "CSHA256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>
#endif
#endif

// K: the first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

void csha256_blocks_plain(uint32_t state[8], const uint8_t *bytes, size_t count) {
  for (; count; count--, bytes += 64) {
    uint32_t w[64];
    for (int t = 0; t < 16; t++) {
      const uint8_t *p = bytes + 4 * t;
      w[t] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (int t = 16; t < 64; t++) {
      uint32_t s0 = rotated(w[t - 15], 7) ^ rotated(w[t - 15], 18) ^ w[t - 15] >> 3;
      uint32_t s1 = rotated(w[t - 2], 17) ^ rotated(w[t - 2], 19) ^ w[t - 2] >> 10;
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (int t = 0; t < 64; t++) {
      uint32_t s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
      uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + constants[t] + w[t];
      uint32_t s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
      uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + t1;
      d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
  }
}

#if defined(__x86_64__)

// The instructions take the words a…h as two vectors, highest lane first: a b e f and c d g h. A vector of `m` holds
// four words of the schedule; the sixteen that are needed at a time go round in four of them.
__attribute__((target("sha,sse4.1"))) static void blocks_by_instructions(
    uint32_t state[8], const uint8_t *bytes, size_t count) {
  const __m128i bigEndian = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  __m128i cdab = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
  __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
  __m128i abef = _mm_alignr_epi8(cdab, efgh, 8);
  __m128i cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);
  for (; count; count--, bytes += 64) {
    __m128i before[2] = {abef, cdgh}, m[4];
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      __m128i *now = &m[i % 4], next = m[(i + 1) % 4], last = m[(i + 3) % 4];
      if (i < 4) {
        *now = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * i)), bigEndian);
      } else {
        __m128i seventh = _mm_alignr_epi8(last, m[(i + 2) % 4], 4);
        *now = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(*now, next), seventh), last);
      }
      __m128i sum = _mm_add_epi32(*now, _mm_load_si128((const __m128i *)(constants + 4 * i)));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
    }
    abef = _mm_add_epi32(abef, before[0]);
    cdgh = _mm_add_epi32(cdgh, before[1]);
  }
  __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}

static int has_instructions(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1)) return 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

#elif defined(__aarch64__)

__attribute__((target("sha2"))) static void blocks_by_instructions(
    uint32_t state[8], const uint8_t *bytes, size_t count) {
  uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
  for (; count; count--, bytes += 64) {
    uint32x4_t before[2] = {abcd, efgh}, m[4];
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; i++) {
      uint32x4_t *now = &m[i % 4];
      if (i < 4) {
        *now = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * i)));
      } else {
        *now = vsha256su1q_u32(vsha256su0q_u32(*now, m[(i + 1) % 4]), m[(i + 2) % 4], m[(i + 3) % 4]);
      }
      uint32x4_t sum = vaddq_u32(*now, vld1q_u32(constants + 4 * i)), old = abcd;
      abcd = vsha256hq_u32(abcd, efgh, sum);
      efgh = vsha256h2q_u32(efgh, old, sum);
    }
    abcd = vaddq_u32(abcd, before[0]);
    efgh = vaddq_u32(efgh, before[1]);
  }
  vst1q_u32(state, abcd);
  vst1q_u32(state + 4, efgh);
}

static int has_instructions(void) {
#if defined(__linux__)
  return (getauxval(AT_HWCAP) & 1 << 6) != 0;  // HWCAP_SHA2
#else
  return 1;  // every processor of a Mac
#endif
}

#endif

void csha256_blocks(uint32_t state[8], const uint8_t *bytes, size_t count) {
#if defined(__x86_64__) || defined(__aarch64__)
  static int known;  // 0 not asked yet, 1 no, 2 yes: whoever asks finds the same
  int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!answer) {
    answer = 1 + has_instructions();
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  if (answer == 2) {
    blocks_by_instructions(state, bytes, count);
    return;
  }
#endif
  csha256_blocks_plain(state, bytes, count);
}
