// Blocks of 64 bytes of delimited text -> a list of the places where a cell or a line may begin or end.
#ifndef CJSONSTREAM_DELIMITED_H
#define CJSONSTREAM_DELIMITED_H

#include "scan.h"

typedef struct {
  uint64_t tokens;  // the delimiter, quotes, line feeds, carriage returns
  uint64_t nul;
  uint64_t high;  // 0x80 and above
} CDelimitedMasks;

static inline CDelimitedMasks cdelimited_classify_scalar(const uint8_t *bytes, uint8_t delimiter) {
  CDelimitedMasks m = {0, 0, 0};
  for (int i = 0; i < 64; i++) {
    uint64_t bit = 1ull << i;
    uint8_t c = bytes[i];
    if (c == delimiter || c == '"' || c == '\n' || c == '\r') m.tokens |= bit;
    if (c == 0) m.nul |= bit;
    if (c >= 0x80) m.high |= bit;
  }
  return m;
}

#if defined(__x86_64__)

static inline CDelimitedMasks cdelimited_classify_baseline(const uint8_t *bytes, uint8_t delimiter) {
  CDelimitedMasks m = {0, 0, 0};
  for (int i = 0; i < 64; i += 16) {
    __m128i c = _mm_loadu_si128((const __m128i *)(bytes + i));
    __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8((char)delimiter)),
                                 _mm_cmpeq_epi8(c, _mm_set1_epi8('"')));
    __m128i ends =
        _mm_or_si128(_mm_cmpeq_epi8(c, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(c, _mm_set1_epi8('\r')));
    m.tokens |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(marks, ends)) << i;
    m.nul |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(c, _mm_setzero_si128())) << i;
    m.high |= (uint64_t)(uint32_t)_mm_movemask_epi8(c) << i;
  }
  return m;
}

CJSON_AVX2 static inline __m256i cdelimited_marks32(__m256i c, __m256i delimiter) {
  __m256i marks = _mm256_or_si256(_mm256_cmpeq_epi8(c, delimiter), _mm256_cmpeq_epi8(c, _mm256_set1_epi8('"')));
  __m256i ends = _mm256_or_si256(_mm256_cmpeq_epi8(c, _mm256_set1_epi8('\n')),
                                 _mm256_cmpeq_epi8(c, _mm256_set1_epi8('\r')));
  return _mm256_or_si256(marks, ends);
}

CJSON_AVX2 static inline CDelimitedMasks cdelimited_classify_avx2(const uint8_t *bytes, uint8_t delimiter) {
  __m256i a = _mm256_loadu_si256((const __m256i *)bytes);
  __m256i b = _mm256_loadu_si256((const __m256i *)(bytes + 32));
  __m256i mark = _mm256_set1_epi8((char)delimiter), nul = _mm256_setzero_si256();
  CDelimitedMasks m;
  m.tokens = cjson_bits32(cdelimited_marks32(a, mark), cdelimited_marks32(b, mark));
  m.nul = cjson_bits32(_mm256_cmpeq_epi8(a, nul), _mm256_cmpeq_epi8(b, nul));
  m.high = cjson_bits32(a, b);
  return m;
}

#elif defined(__aarch64__)

static inline CDelimitedMasks cdelimited_classify_baseline(const uint8_t *bytes, uint8_t delimiter) {
  uint8x16x4_t v = {{vld1q_u8(bytes), vld1q_u8(bytes + 16), vld1q_u8(bytes + 32), vld1q_u8(bytes + 48)}};
#define CDELIMITED_IS_MARK(c) vorrq_u8(CJSON_IS_EITHER(c, delimiter, '"'), CJSON_IS_EITHER(c, '\n', '\r'))
#define CDELIMITED_IS_NUL(c) vceqq_u8(c, vdupq_n_u8(0))
  CDelimitedMasks m = {CJSON_EACH(CDELIMITED_IS_MARK), CJSON_EACH(CDELIMITED_IS_NUL), CJSON_EACH(CJSON_IS_HIGH)};
  return m;
}

#else
#define cdelimited_classify_baseline cdelimited_classify_scalar
#endif

// A NUL byte ends the scan as bytes that are not UTF-8 do. Nothing else hangs on what stands around a byte: what a quote
// means is for whoever walks the tokens.
#define CDELIMITED_SCAN(classify)                                                                      \
  for (; count && out->fault == CJSON_NO_FAULT; bytes += 64, base += 64) {                             \
    unsigned part = count < 64 ? (unsigned)count : 64;                                                 \
    uint64_t valid = part == 64 ? ~0ull : (1ull << part) - 1;                                          \
    CDelimitedMasks m = classify(bytes, delimiter);                                                    \
    count -= part;                                                                                     \
    m.nul &= valid;                                                                                    \
    m.high &= valid;                                                                                   \
    if (__builtin_expect(m.nul != 0, 0)) {                                                             \
      cjson_fault(out, CJSON_CONTROL_IN_STRING, base + (uint32_t)__builtin_ctzll(m.nul));              \
    }                                                                                                  \
    if (__builtin_expect((m.high != 0) | (scan->utf8Missing != 0), 0)) {                               \
      cjson_utf8(scan, out, bytes, base, part, m.high);                                                \
    }                                                                                                  \
    if (__builtin_expect(out->fault != CJSON_NO_FAULT, 0)) {                                           \
      if (out->faultAt < base) return;                                                                 \
      valid &= (1ull << (out->faultAt - base)) - 1;                                                    \
    }                                                                                                  \
    out->tokenCount = cjson_list(out->tokens, out->tokenCount, m.tokens & valid, base);                \
  }

static inline void cdelimited_scan_scalar(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base,
                                          size_t count, uint8_t delimiter) {
  CDELIMITED_SCAN(cdelimited_classify_scalar)
}

static inline void cdelimited_scan_baseline(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base,
                                            size_t count, uint8_t delimiter) {
  CDELIMITED_SCAN(cdelimited_classify_baseline)
}

#if defined(__x86_64__)
CJSON_AVX2 static inline void cdelimited_scan_avx2(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes,
                                                   uint32_t base, size_t count, uint8_t delimiter) {
  CDELIMITED_SCAN(cdelimited_classify_avx2)
}
#endif

// As `cjson_scan`, for delimited text.
static inline void cdelimited_scan(int level, CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base,
                                   size_t count, uint8_t delimiter) {
#if defined(__x86_64__)
  if (level == CJSON_BEST) {
    cdelimited_scan_avx2(scan, out, bytes, base, count, delimiter);
    return;
  }
#endif
  if (level == CJSON_SCALAR) {
    cdelimited_scan_scalar(scan, out, bytes, base, count, delimiter);
  } else {
    cdelimited_scan_baseline(scan, out, bytes, base, count, delimiter);
  }
}

#endif
