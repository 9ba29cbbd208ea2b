// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/recording/tensor.h"

#include <algorithm>
#include <array>
#include <utility>

namespace orrery::bench {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 62;

/// The bytes of an element, by Dtype.
constexpr std::array<std::int64_t, kDtypes> kBytes = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 2};

constexpr std::array<std::pair<std::string_view, Dtype>, 25> kRecorded = {{
    {"float", Dtype::real32},
    {"double", Dtype::real64},
    {"long", Dtype::int64},
    {"long int", Dtype::int64},
    {"int", Dtype::int32},
    {"bool", Dtype::truth},
    {"unsigned char", Dtype::byte},
    {"uint8_t", Dtype::byte},
    {"signed char", Dtype::signed_byte},
    {"char", Dtype::signed_byte},
    {"int8_t", Dtype::signed_byte},
    {"short", Dtype::int16},
    {"short int", Dtype::int16},
    {"int16_t", Dtype::int16},
    {"int64_t", Dtype::int64},
    {"int32_t", Dtype::int32},
    {"c10::Half", Dtype::half},
    {"Half", Dtype::half},
    {"half", Dtype::half},
    {"c10::BFloat16", Dtype::bfloat16},
    {"bfloat16", Dtype::bfloat16},
    {"c10::complex<float>", Dtype::complex32},
    {"c10::complex<double>", Dtype::complex64},
    {"c10::complex<c10::Half>", Dtype::complex_half},
    {"c10::complex<Half>", Dtype::complex_half},
}};

/// a × b for non-negative numbers; empty above kFarthest.
std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  if (__builtin_mul_overflow(a, b, &out) || out > kFarthest) return std::nullopt;
  return out;
}

}  // namespace

std::int64_t bytes_of(Dtype dtype) { return kBytes[static_cast<std::size_t>(dtype)]; }

bool is_whole(Dtype dtype) { return dtype <= Dtype::int64; }

std::optional<Dtype> recorded_dtype(std::string_view word) {
  const auto* found = std::find_if(kRecorded.begin(), kRecorded.end(),
                                   [&](const auto& entry) { return entry.first == word; });
  if (found == kRecorded.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> elements_of(const TensorSpec& spec) {
  std::int64_t count = 1;
  for (const std::int64_t size : spec.sizes) {
    if (size < 0) return std::nullopt;
    const auto next = product(count, size);
    if (!next) return std::nullopt;
    count = *next;
  }
  return count;
}

std::optional<std::int64_t> bytes_of(const TensorSpec& spec) {
  const auto count = elements_of(spec);
  return count ? product(*count, bytes_of(spec.dtype)) : std::nullopt;
}

std::optional<std::int64_t> reach_of(const TensorSpec& spec) {
  const auto count = elements_of(spec);
  if (!count || spec.offset < 0) return std::nullopt;
  std::int64_t last = *count == 0 ? -1 : 0;  // offset of the last element
  if (spec.strides.empty()) {
    last = *count - 1;
  } else if (spec.strides.size() != spec.sizes.size()) {
    return std::nullopt;
  } else {
    for (std::size_t d = 0; d < spec.sizes.size(); ++d) {
      if (spec.strides[d] < 0) return std::nullopt;
      const auto step = product(std::max<std::int64_t>(spec.sizes[d] - 1, 0), spec.strides[d]);
      if (!step) return std::nullopt;
      if (*count == 0) continue;
      if (*step > kFarthest - last) return std::nullopt;
      last += *step;
    }
  }
  std::int64_t end = 0;
  if (__builtin_add_overflow(last + 1, spec.offset, &end)) return std::nullopt;
  return product(end, bytes_of(spec.dtype));
}

}  // namespace orrery::bench
