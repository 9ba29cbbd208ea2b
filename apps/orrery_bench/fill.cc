// SPDX-License-Identifier: Apache-2.0
#include "fill.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace orrery::bench {
namespace {

/// splitmix64's finalizer (Steele, Lea and Flood, OOPSLA 2014, figure 16).
std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double unit_interval(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

std::uint16_t bfloat16(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// IEEE 754 binary16 of a value in [2^-14, 65504]; smaller values become 0.
std::uint16_t half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::int32_t exponent = static_cast<std::int32_t>(bits >> 23 & 0xFF) - 127;
  if (exponent < -14) return 0;
  return static_cast<std::uint16_t>((exponent + 15) << 10 | (bits >> 13 & 0x3FF));
}

template <class Element, class Fn>
void each(void* memory, std::int64_t bytes, Fn&& fn) {
  auto* const elements = static_cast<Element*>(memory);
  const auto count = bytes / static_cast<std::int64_t>(sizeof(Element));
  for (std::int64_t i = 0; i < count; ++i) elements[i] = static_cast<Element>(fn(i));
}

void fill_reals(void* memory, const Storage& storage, std::uint64_t seed) {
  const double low = storage.fill.low, width = storage.fill.high - low;
  const auto draw = [&](std::int64_t i) {
    return low + width * unit_interval(mix64(seed + static_cast<std::uint64_t>(i)));
  };
  const Dtype dtype = storage.dtype;
  if (dtype == Dtype::real64 || dtype == Dtype::complex64) {
    each<double>(memory, storage.bytes, draw);
  } else if (dtype == Dtype::real32 || dtype == Dtype::complex32) {
    // Two values from each random number.
    const auto fast_low = static_cast<float>(low), scale = static_cast<float>(width * 0x1p-24);
    each<float>(memory, storage.bytes, [&](std::int64_t i) {
      const std::uint64_t bits = mix64(seed + static_cast<std::uint64_t>(i / 2));
      const std::uint64_t own = (i % 2 == 0 ? bits : bits >> 32) >> 8 & 0xFFFFFF;
      return fast_low + scale * static_cast<float>(own);
    });
  } else if (dtype == Dtype::bfloat16) {
    each<std::uint16_t>(memory, storage.bytes,
                        [&](std::int64_t i) { return bfloat16(static_cast<float>(draw(i))); });
  } else {
    each<std::uint16_t>(memory, storage.bytes,
                        [&](std::int64_t i) { return half(static_cast<float>(draw(i))); });
  }
}

template <class Fn>
void fill_integers(void* memory, const Storage& storage, Fn&& value) {
  switch (bytes_of(storage.dtype)) {
    case 1:
      return each<std::uint8_t>(memory, storage.bytes, value);
    case 2:
      return each<std::int16_t>(memory, storage.bytes, value);
    case 4:
      return each<std::int32_t>(memory, storage.bytes, value);
    default:
      return each<std::int64_t>(memory, storage.bytes, value);
  }
}

/// The number of uses of rows in share j: the middle of the range from 2^(j-1) to 2^j.
std::int64_t uses(std::size_t j) {
  if (j < 2) return static_cast<std::int64_t>(j) + 1;
  return (std::int64_t{3} << j) / 4;
}

}  // namespace

std::vector<std::int64_t> reused_rows(std::int64_t count, std::int64_t rows,
                                      const std::vector<double>& shares, std::uint64_t seed) {
  std::vector<std::int64_t> drawn;
  drawn.reserve(static_cast<std::size_t>(count));
  rows = std::max<std::int64_t>(rows, 1);
  double mean = 0;
  for (std::size_t j = 0; j < shares.size(); ++j) mean += shares[j] * static_cast<double>(uses(j));
  const double different = mean > 0 ? static_cast<double>(count) / mean : 0;
  // Visits rows with a stride that reaches each row once before it repeats.
  std::int64_t next = static_cast<std::int64_t>(mix64(seed) % static_cast<std::uint64_t>(rows));
  std::int64_t step = static_cast<std::int64_t>(mix64(~seed) % static_cast<std::uint64_t>(rows));
  while (std::gcd(step, rows) != 1) step = (step + 1) % rows;
  for (std::size_t j = shares.size(); j-- > 0;) {
    const std::int64_t of_share = std::llround(different * shares[j]);
    for (std::int64_t r = 0; r < of_share; ++r) {
      for (std::int64_t u = 0; u < uses(j); ++u) {
        if (static_cast<std::int64_t>(drawn.size()) < count) drawn.push_back(next);
      }
      next = (next + step) % rows;
    }
  }
  for (std::uint64_t i = drawn.size(); i < static_cast<std::uint64_t>(count); ++i)
    drawn.push_back(static_cast<std::int64_t>(mix64(seed + i) % static_cast<std::uint64_t>(rows)));
  // Shuffles them.
  for (std::size_t i = drawn.size(); i > 1; --i)
    std::swap(drawn[i - 1], drawn[mix64(seed ^ i) % i]);
  return drawn;
}

void fill(void* memory, const Storage& storage, std::uint64_t seed,
          const std::vector<double>& reuse) {
  const double low = storage.fill.low, high = storage.fill.high;
  switch (storage.fill.kind) {
    case Fill::Kind::uniform:
      return fill_reals(memory, storage, seed);
    case Fill::Kind::ramp:
      return fill_integers(memory, storage, [&](std::int64_t i) {
        return std::min(std::floor(static_cast<double>(i) * storage.fill.step), high);
      });
    case Fill::Kind::reuse: {
      const std::int64_t count = storage.bytes / bytes_of(storage.dtype);
      const auto rows = reused_rows(count, static_cast<std::int64_t>(high), reuse, seed);
      return fill_integers(memory, storage,
                           [&](std::int64_t i) { return rows[static_cast<std::size_t>(i)]; });
    }
    case Fill::Kind::whole:
      break;
  }
  const auto first = static_cast<std::int64_t>(low);
  const auto range = static_cast<std::uint64_t>(high - low) + 1;
  fill_integers(memory, storage, [&](std::int64_t i) {
    const std::uint64_t drawn = mix64(seed + static_cast<std::uint64_t>(i));
    return first + static_cast<std::int64_t>(range == 1 ? 0 : drawn % range);
  });
}

}  // namespace orrery::bench
