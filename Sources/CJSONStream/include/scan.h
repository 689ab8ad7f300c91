// Blocks of 64 bytes -> a list of token positions, with all state that crosses a block's edge in one struct.
#ifndef CJSONSTREAM_SCAN_H
#define CJSONSTREAM_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "classify.h"

enum { CJSON_SCALAR = 0, CJSON_BASELINE = 1, CJSON_BEST = 2 };
enum { CJSON_NO_FAULT = 0, CJSON_CONTROL_IN_STRING = 1, CJSON_BAD_UTF8 = 2 };

// What one byte's reading needs to know of all bytes before it.
typedef struct {
  uint64_t inString;     // all ones while a string is open
  uint64_t escaped;      // 1 when the next byte follows a backslash that escapes it
  uint64_t afterScalar;  // 1 when the last byte belonged to a number or a word
  uint32_t utf8Start;    // where the open UTF-8 sequence began
  uint8_t utf8Missing;   // its bytes still to come
  uint8_t utf8Low, utf8High;  // what the next of them may be
} CJSONScan;

// Where the positions go. The caller makes room for 64 more entries than the bytes it hands over.
typedef struct {
  uint32_t *tokens;   // [ ] { } , : outside strings, both quotes of a string, the first byte of other runs
  size_t tokenCount;
  uint32_t *escapes;  // every backslash in a string that escapes the byte after it
  size_t escapeCount;
  uint32_t faultAt;
  int fault;
} CJSONTokens;

static inline void cjson_fault(CJSONTokens *out, int fault, uint32_t at) {
  if (out->fault != CJSON_NO_FAULT && out->faultAt <= at) return;
  out->fault = fault;
  out->faultAt = at;
}

// RFC 3629: no overlong form, no surrogate, nothing past U+10FFFF. The first bad sequence ends the scan. `high` has
// the bytes from 0x80 within strings: outside them such a byte is no JSON, UTF-8 or not, and the grammar says so.
static inline void cjson_utf8(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base, unsigned count,
                              uint64_t high) {
  unsigned i = 0;
  while (i < count) {
    uint8_t c = bytes[i];
    if (scan->utf8Missing) {
      if (c < scan->utf8Low || c > scan->utf8High) {
        cjson_fault(out, CJSON_BAD_UTF8, scan->utf8Start);
        return;
      }
      scan->utf8Missing--;
      scan->utf8Low = 0x80;
      scan->utf8High = 0xbf;
      i++;
      continue;
    }
    uint64_t rest = high >> i;
    if (rest == 0) return;
    unsigned skipped = (unsigned)__builtin_ctzll(rest);
    i += skipped;
    if (skipped) continue;
    scan->utf8Start = base + i;
    scan->utf8Low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    scan->utf8High = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    if (c >= 0xc2 && c <= 0xdf) {
      scan->utf8Missing = 1;
    } else if (c >= 0xe0 && c <= 0xef) {
      scan->utf8Missing = 2;
    } else if (c >= 0xf0 && c <= 0xf4) {
      scan->utf8Missing = 3;
    } else {
      cjson_fault(out, CJSON_BAD_UTF8, base + i);
      return;
    }
    i++;
  }
}

// The bits of escaped bytes; the backslashes that escape them are listed. Backslashes are rare enough for a loop.
static inline uint64_t cjson_escaped(CJSONScan *scan, uint64_t backslash, uint64_t *escaping) {
  uint64_t escaped = scan->escaped;
  uint64_t left = backslash & ~escaped;
  scan->escaped = 0;
  while (left) {
    uint64_t bit = left & (0 - left);
    *escaping |= bit;
    escaped |= bit << 1;
    if (bit >> 63) scan->escaped = 1;
    left &= ~(bit | bit << 1);
  }
  return escaped;
}

// The empty instruction keeps the compiler from doing eight of these in vectors, which is slower by far.
#define CJSON_PUT(k)                                                            \
  {                                                                             \
    uint32_t place = base + (uint32_t)__builtin_ctzll(bits | 1ull << 63); \
    __asm__("" : "+r"(place));                                                  \
    next[k] = place;                                                            \
    bits &= bits - 1;                                                           \
  }

static inline size_t cjson_list(uint32_t *list, size_t count, uint64_t bits, uint32_t base) {
  uint32_t *next = list + count;
  count += (size_t)__builtin_popcountll(bits);
  // Eight at a time without asking: entries past the count are written over by the next block.
  while (bits) {
    CJSON_PUT(0) CJSON_PUT(1) CJSON_PUT(2) CJSON_PUT(3) CJSON_PUT(4) CJSON_PUT(5) CJSON_PUT(6) CJSON_PUT(7)
    next += 8;
  }
  return count;
}

// Everything after the classification. `xors` has at bit i the parity of the quotes up to and with byte i.
static inline __attribute__((always_inline)) void cjson_block(CJSONScan *scan, CJSONTokens *out,
                                                              const uint8_t *bytes, uint32_t base, unsigned count,
                                                              CJSONMasks m, uint64_t quotes, uint64_t xors,
                                                              uint64_t escaping) {
  uint64_t valid = count == 64 ? ~0ull : (1ull << count) - 1;
  uint64_t inString = xors ^ scan->inString;  // from the opening quote up to before the closing one
  uint64_t scalar = ~(m.operators | m.space | quotes | inString);
  uint64_t tokens = (m.operators & ~inString) | quotes | (scalar & ~(scalar << 1 | scan->afterScalar));
  uint64_t control = m.control & inString & valid;
  if (__builtin_expect(control != 0, 0)) {
    cjson_fault(out, CJSON_CONTROL_IN_STRING, base + (uint32_t)__builtin_ctzll(control));
  }
  m.high &= valid & inString;
  if (__builtin_expect((m.high != 0) | (scan->utf8Missing != 0), 0)) {
    cjson_utf8(scan, out, bytes, base, count, m.high);
  }
  if (__builtin_expect(out->fault != CJSON_NO_FAULT, 0)) {
    if (out->faultAt < base) return;
    valid &= (1ull << (out->faultAt - base)) - 1;
  }
  out->tokenCount = cjson_list(out->tokens, out->tokenCount, tokens & valid, base);
  escaping &= inString & valid;
  if (__builtin_expect(escaping != 0, 0)) {
    out->escapeCount = cjson_list(out->escapes, out->escapeCount, escaping, base);
  }
  scan->inString = (uint64_t)((int64_t)inString >> 63);
  scan->afterScalar = scalar >> 63;
}

static inline uint64_t cjson_prefix_xor(uint64_t bits) {
  for (int shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
  return bits;
}

#define CJSON_SCAN(classify, prefix_xor)                                                               \
  for (; count && out->fault == CJSON_NO_FAULT; bytes += 64, base += 64) {                             \
    unsigned part = count < 64 ? (unsigned)count : 64;                                                 \
    CJSONMasks m = classify(bytes);                                                                    \
    uint64_t escaping = 0, quotes = m.quote;                                                           \
    if (m.backslash | scan->escaped) quotes &= ~cjson_escaped(scan, m.backslash, &escaping);           \
    cjson_block(scan, out, bytes, base, part, m, quotes, prefix_xor(quotes), escaping);                \
    count -= part;                                                                                     \
  }

static inline void cjson_scan_scalar(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base,
                                     size_t count) {
  CJSON_SCAN(cjson_classify_scalar, cjson_prefix_xor)
}

static inline void cjson_scan_baseline(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base,
                                       size_t count) {
  CJSON_SCAN(cjson_classify_baseline, cjson_prefix_xor)
}

#if defined(__x86_64__)
CJSON_AVX2 static inline uint64_t cjson_prefix_xor_clmul(uint64_t bits) {
  __m128i ones = _mm_set1_epi8(-1);
  return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(_mm_set_epi64x(0, (int64_t)bits), ones, 0));
}

CJSON_AVX2 static inline void cjson_scan_avx2(CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes,
                                              uint32_t base, size_t count) {
  CJSON_SCAN(cjson_classify_avx2, cjson_prefix_xor_clmul)
}
#endif

static inline bool cjson_has_avx2(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt") &&
         __builtin_cpu_supports("pclmul");
#else
  return false;
#endif
}

// Scans `count` bytes from `bytes`, which stands at position `base`. Whole blocks of 64 are read, so 63 bytes
// past the end must be readable. Only the last call before the state is thrown away may end within a block.
static inline void cjson_scan(int level, CJSONScan *scan, CJSONTokens *out, const uint8_t *bytes, uint32_t base,
                              size_t count) {
#if defined(__x86_64__)
  if (level == CJSON_BEST) {
    cjson_scan_avx2(scan, out, bytes, base, count);
    return;
  }
#endif
  if (level == CJSON_SCALAR) {
    cjson_scan_scalar(scan, out, bytes, base, count);
  } else {
    cjson_scan_baseline(scan, out, bytes, base, count);
  }
}

static inline size_t cjson_newlines_scalar(const uint8_t *bytes, size_t count) {
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += bytes[i] == '\n';
  return found;
}

#if defined(__x86_64__)
CJSON_AVX2 static inline size_t cjson_newlines_avx2(const uint8_t *bytes, size_t count) {
  const __m256i newline = _mm256_set1_epi8('\n');
  size_t found = 0, i = 0;
  for (; i + 64 <= count; i += 64) {
    __m256i a = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(bytes + i)), newline);
    __m256i b = _mm256_cmpeq_epi8(_mm256_loadu_si256((const __m256i *)(bytes + i + 32)), newline);
    found += (size_t)__builtin_popcountll(cjson_bits32(a, b));
  }
  return found + cjson_newlines_scalar(bytes + i, count - i);
}
#endif

static inline size_t cjson_newlines(int level, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  if (level == CJSON_BEST) return cjson_newlines_avx2(bytes, count);
#endif
  return cjson_newlines_scalar(bytes, count);
}

#endif
