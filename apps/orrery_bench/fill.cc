// SPDX-License-Identifier: Apache-2.0
#include "fill.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

namespace orrery::replay {
namespace {

/// splitmix64's finalizer (Steele, Lea and Flood, OOPSLA 2014, figure 16).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

double evenly(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

std::uint16_t bfloat16(float value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
}

/// IEEE 754 binary16 of a value in [2^-14, 65504]; what is smaller becomes 0.
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
  const double low = storage.first, width = storage.second - storage.first;
  const auto draw = [&](std::int64_t i) {
    return low + width * evenly(mixed(seed + static_cast<std::uint64_t>(i)));
  };
  const std::string_view dtype = storage.dtype;
  if (dtype == "double" || dtype == "complex_double") {
    each<double>(memory, storage.bytes, draw);
  } else if (dtype == "float" || dtype == "complex_float") {
    // Two of them from each number drawn.
    const auto fast_low = static_cast<float>(low), scale = static_cast<float>(width * 0x1p-24);
    each<float>(memory, storage.bytes, [&](std::int64_t i) {
      const std::uint64_t bits = mixed(seed + static_cast<std::uint64_t>(i / 2));
      const std::uint64_t own = (i % 2 == 0 ? bits : bits >> 32) >> 8 & 0xFFFFFF;
      return fast_low + scale * static_cast<float>(own);
    });
  } else if (dtype == "bfloat16") {
    each<std::uint16_t>(memory, storage.bytes,
                        [&](std::int64_t i) { return bfloat16(static_cast<float>(draw(i))); });
  } else {
    each<std::uint16_t>(memory, storage.bytes,
                        [&](std::int64_t i) { return half(static_cast<float>(draw(i))); });
  }
}

template <class Fn>
void fill_whole(void* memory, const Storage& storage, Fn&& value) {
  switch (width_of(storage.dtype)) {
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

/// How often the rows of share j occur: in the middle of more than 2^(j-1) and at most 2^j.
std::int64_t uses(std::size_t j) {
  if (j < 2) return static_cast<std::int64_t>(j) + 1;
  return (std::int64_t{3} << j) / 4;
}

}  // namespace

std::int64_t width_of(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 13> kWidths = {
      {{"uint8", 1},
       {"int8", 1},
       {"bool", 1},
       {"int16", 2},
       {"half", 2},
       {"bfloat16", 2},
       {"int32", 4},
       {"float", 4},
       {"complex_half", 4},
       {"int64", 8},
       {"double", 8},
       {"complex_float", 8},
       {"complex_double", 16}}};
  for (const auto& [word, width] : kWidths) {
    if (word == dtype) return width;
  }
  return 0;
}

std::vector<std::int64_t> reused_rows(std::int64_t count, std::int64_t rows,
                                      const std::vector<double>& shares, std::uint64_t seed) {
  std::vector<std::int64_t> drawn;
  drawn.reserve(static_cast<std::size_t>(count));
  rows = std::max<std::int64_t>(rows, 1);
  double mean = 0;
  for (std::size_t j = 0; j < shares.size(); ++j) mean += shares[j] * static_cast<double>(uses(j));
  const double different = mean > 0 ? static_cast<double>(count) / mean : 0;
  // Through the table in steps that meet each row once before any comes again.
  std::int64_t next = static_cast<std::int64_t>(mixed(seed) % static_cast<std::uint64_t>(rows));
  std::int64_t step = static_cast<std::int64_t>(mixed(~seed) % static_cast<std::uint64_t>(rows));
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
    drawn.push_back(static_cast<std::int64_t>(mixed(seed + i) % static_cast<std::uint64_t>(rows)));
  // In no order.
  for (std::size_t i = drawn.size(); i > 1; --i)
    std::swap(drawn[i - 1], drawn[mixed(seed ^ i) % i]);
  return drawn;
}

void fill(void* memory, const Storage& storage, std::uint64_t seed,
          const std::vector<double>& reuse) {
  if (storage.fill == "uniform") return fill_reals(memory, storage, seed);
  if (storage.fill == "ramp") {
    return fill_whole(memory, storage, [&](std::int64_t i) {
      return std::min(std::floor(static_cast<double>(i) * storage.first), storage.second);
    });
  }
  if (storage.fill == "reuse") {
    const std::int64_t count = storage.bytes / width_of(storage.dtype);
    const auto rows = reused_rows(count, static_cast<std::int64_t>(storage.second), reuse, seed);
    return fill_whole(memory, storage,
                      [&](std::int64_t i) { return rows[static_cast<std::size_t>(i)]; });
  }
  const auto low = static_cast<std::int64_t>(storage.first);
  const auto range = static_cast<std::uint64_t>(storage.second - storage.first) + 1;
  fill_whole(memory, storage, [&](std::int64_t i) {
    const std::uint64_t drawn = mixed(seed + static_cast<std::uint64_t>(i));
    return low + static_cast<std::int64_t>(range == 1 ? 0 : drawn % range);
  });
}

}  // namespace orrery::replay
