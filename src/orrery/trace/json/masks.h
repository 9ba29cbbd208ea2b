// SPDX-License-Identifier: Apache-2.0
//
// Positions of quotes, backslashes and brackets in 64 bytes of JSON, as bit masks.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace orrery::trace::json {

/// Bit i stands for byte i.
struct Masks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t openers = 0;  ///< { and [
  std::uint64_t closers = 0;  ///< } and ]
};

#if defined(__SSE2__)
inline Masks masks_of(const char* bytes) {
  Masks out;
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i bit = _mm_set1_epi8(0x20);  // maps square brackets to curly brackets
  const __m128i open = _mm_set1_epi8('{');
  const __m128i close = _mm_set1_epi8('}');
  const auto bits = [](__m128i equal, int part) {
    return static_cast<std::uint64_t>(static_cast<std::uint16_t>(_mm_movemask_epi8(equal)))
           << (16 * part);
  };
  for (int part = 0; part < 4; ++part) {
    const __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
    const __m128i curly = _mm_or_si128(some, bit);
    out.quotes |= bits(_mm_cmpeq_epi8(some, quote), part);
    out.backslashes |= bits(_mm_cmpeq_epi8(some, backslash), part);
    out.openers |= bits(_mm_cmpeq_epi8(curly, open), part);
    out.closers |= bits(_mm_cmpeq_epi8(curly, close), part);
  }
  return out;
}
#else
inline Masks masks_of(const char* bytes) {
  Masks out;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    const char c = bytes[i];
    if (c == '"') out.quotes |= bit;
    if (c == '\\') out.backslashes |= bit;
    if (c == '{' || c == '[') out.openers |= bit;
    if (c == '}' || c == ']') out.closers |= bit;
  }
  return out;
}
#endif

/// Finds the bytes inside strings, for one block of 64 bytes after the other. An opening quote
/// counts as inside, a closing one does not.
class BlockStringTracker {
 public:
  std::uint64_t inside(const Masks& masks) {
    std::uint64_t quotes = masks.quotes;
    if ((masks.backslashes | escape_) != 0) quotes &= ~escaped(masks.backslashes);
    // Each bit becomes the parity of the quotes up to it.
    for (int step = 1; step < 64; step *= 2) quotes ^= quotes << step;
    quotes ^= carry_;
    carry_ = (quotes >> 63) != 0 ? ~std::uint64_t{0} : 0;
    return quotes;
  }

 private:
  /// The bytes after a backslash. Handles backslashes one by one, because they are rare.
  std::uint64_t escaped(std::uint64_t backslashes) {
    std::uint64_t out = escape_;
    escape_ = 0;
    for (; backslashes != 0; backslashes &= backslashes - 1) {
      const std::uint64_t bit = backslashes & (~backslashes + 1);
      if ((out & bit) != 0) continue;  // this backslash is escaped itself
      if ((bit >> 63) != 0) {
        escape_ = 1;
      } else {
        out |= bit << 1;
      }
    }
    return out;
  }

  std::uint64_t carry_ = 0;   // all ones inside a string
  std::uint64_t escape_ = 0;  // 1: the first byte of the next block is escaped
};

}  // namespace orrery::trace::json
