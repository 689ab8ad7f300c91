// One block of 64 bytes -> six bit masks, bit i for byte i. Four versions that give the same bits.
#ifndef CJSONSTREAM_CLASSIFY_H
#define CJSONSTREAM_CLASSIFY_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define CJSON_AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef struct {
  uint64_t quote;      // "
  uint64_t backslash;  // the reverse solidus
  uint64_t operators;  // [ ] { } , :
  uint64_t space;      // space, tab, line feed, carriage return
  uint64_t control;    // below 0x20
  uint64_t high;       // 0x80 and above
} CJSONMasks;

static inline CJSONMasks cjson_classify_scalar(const uint8_t *bytes) {
  CJSONMasks m = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint64_t bit = 1ull << i;
    uint8_t c = bytes[i];
    if (c < 0x20) m.control |= bit;
    if (c >= 0x80) m.high |= bit;
    switch (c) {
      case '"': m.quote |= bit; break;
      case '\\': m.backslash |= bit; break;
      case '[': case ']': case '{': case '}': case ',': case ':': m.operators |= bit; break;
      case ' ': case '\t': case '\n': case '\r': m.space |= bit; break;
      default: break;
    }
  }
  return m;
}

#if defined(__x86_64__)

// SSE2 is part of every x86-64, so this is the least that runs there.
static inline CJSONMasks cjson_classify_baseline(const uint8_t *bytes) {
  CJSONMasks m = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < 64; i += 16) {
    __m128i c = _mm_loadu_si128((const __m128i *)(bytes + i));
    // '[' and '{' differ in bit 5 alone, and so do ']' and '}'.
    __m128i folded = _mm_or_si128(c, _mm_set1_epi8(0x20));
    __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')),
                                    _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8(',')), _mm_cmpeq_epi8(c, _mm_set1_epi8(':')));
    __m128i spaces = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(c, _mm_set1_epi8('\t'))),
        _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(c, _mm_set1_epi8('\r'))));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(c, _mm_set1_epi8(0x1f)), c);
    m.quote |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8('"'))) << i;
    m.backslash |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_set1_epi8('\\'))) << i;
    m.operators |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(brackets, marks)) << i;
    m.space |= (uint64_t)(uint32_t)_mm_movemask_epi8(spaces) << i;
    m.control |= (uint64_t)(uint32_t)_mm_movemask_epi8(control) << i;
    m.high |= (uint64_t)(uint32_t)_mm_movemask_epi8(c) << i;
  }
  return m;
}

CJSON_AVX2 static inline uint64_t cjson_bits32(__m256i low, __m256i high) {
  return (uint64_t)(uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

CJSON_AVX2 static inline CJSONMasks cjson_classify_avx2(const uint8_t *bytes) {
  __m256i a = _mm256_loadu_si256((const __m256i *)bytes);
  __m256i b = _mm256_loadu_si256((const __m256i *)(bytes + 32));
  // Looked up by the low four bits: the one white space, or operator with bit 5 set, that has these bits.
  // Where there is none, an entry that no byte with these bits can equal.
  const __m256i spaces = _mm256_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0, ' ', 0, 0, 0,
                                          0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0);
  const __m256i operators = _mm256_setr_epi8(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0, 1, 0, 0, 0, 0,
                                             0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0);
  const __m256i bit5 = _mm256_set1_epi8(0x20), below = _mm256_set1_epi8(0x1f);
  const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
  CJSONMasks m;
  m.quote = cjson_bits32(_mm256_cmpeq_epi8(a, quote), _mm256_cmpeq_epi8(b, quote));
  m.backslash = cjson_bits32(_mm256_cmpeq_epi8(a, backslash), _mm256_cmpeq_epi8(b, backslash));
  m.space = cjson_bits32(_mm256_cmpeq_epi8(a, _mm256_shuffle_epi8(spaces, a)),
                         _mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(spaces, b)));
  m.control = cjson_bits32(_mm256_cmpeq_epi8(_mm256_min_epu8(a, below), a),
                           _mm256_cmpeq_epi8(_mm256_min_epu8(b, below), b));
  m.operators = cjson_bits32(_mm256_cmpeq_epi8(_mm256_or_si256(a, bit5), _mm256_shuffle_epi8(operators, a)),
                             _mm256_cmpeq_epi8(_mm256_or_si256(b, bit5), _mm256_shuffle_epi8(operators, b)));
  // Bit 5 set makes 0x0c look like a comma and 0x1a like a colon.
  m.operators &= ~m.control;
  m.high = cjson_bits32(a, b);
  return m;
}

#elif defined(__aarch64__)

static inline uint64_t cjson_bits64(uint8x16_t a, uint8x16_t b, uint8x16_t c, uint8x16_t d) {
  const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  // Three pairwise additions gather one bit a byte from four vectors of 0x00 or 0xff.
  uint8x16_t ab = vpaddq_u8(vandq_u8(a, weights), vandq_u8(b, weights));
  uint8x16_t cd = vpaddq_u8(vandq_u8(c, weights), vandq_u8(d, weights));
  uint8x16_t all = vpaddq_u8(ab, cd);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}

#define CJSON_EACH(test) cjson_bits64(test(v.val[0]), test(v.val[1]), test(v.val[2]), test(v.val[3]))
#define CJSON_IS_QUOTE(c) vceqq_u8(c, vdupq_n_u8('"'))
#define CJSON_IS_BACKSLASH(c) vceqq_u8(c, vdupq_n_u8('\\'))
#define CJSON_IS_CONTROL(c) vcltq_u8(c, vdupq_n_u8(0x20))
#define CJSON_IS_HIGH(c) vcgeq_u8(c, vdupq_n_u8(0x80))
#define CJSON_IS_EITHER(c, x, y) vorrq_u8(vceqq_u8(c, vdupq_n_u8(x)), vceqq_u8(c, vdupq_n_u8(y)))
#define CJSON_IS_SPACE(c) vorrq_u8(CJSON_IS_EITHER(c, ' ', '\t'), CJSON_IS_EITHER(c, '\n', '\r'))
#define CJSON_IS_OPERATOR(c) \
  vorrq_u8(CJSON_IS_EITHER(c, ',', ':'), CJSON_IS_EITHER(vorrq_u8(c, vdupq_n_u8(0x20)), '{', '}'))

static inline CJSONMasks cjson_classify_baseline(const uint8_t *bytes) {
  uint8x16x4_t v = {{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
  CJSONMasks m = {CJSON_EACH(CJSON_IS_QUOTE),  CJSON_EACH(CJSON_IS_BACKSLASH), CJSON_EACH(CJSON_IS_OPERATOR),
                  CJSON_EACH(CJSON_IS_SPACE),  CJSON_EACH(CJSON_IS_CONTROL),   CJSON_EACH(CJSON_IS_HIGH)};
  return m;
}

#else
#define cjson_classify_baseline cjson_classify_scalar
#endif

#endif
