// SPDX-License-Identifier: Apache-2.0
#include "stand_in.h"

#include <array>
#include <cstring>

namespace orrery::bench {
namespace {

/// Prevents the compiler from removing computations.
volatile double kept = 0;

}  // namespace

void read_bytes(const void* memory, std::int64_t bytes) {
  const char* const from = static_cast<const char*>(memory);
  std::array<std::uint64_t, 4> sums{};
  std::int64_t at = 0;
  for (; at + 32 <= bytes; at += 32) {
    std::array<std::uint64_t, 4> block;
    std::memcpy(block.data(), from + at, 32);
    for (std::size_t i = 0; i < 4; ++i) sums[i] += block[i];
  }
  for (; at < bytes; ++at) sums[0] += static_cast<unsigned char>(from[at]);
  kept = static_cast<double>(sums[0] + sums[1] + sums[2] + sums[3]);
}

void calculate(double flops) {
  constexpr std::size_t kLanes = 16;
  std::array<float, kLanes> values;
  values.fill(1);
  const auto rounds = static_cast<std::int64_t>(flops / (2 * kLanes));
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (float& value : values) value = value * 0.999f + 0.001f;
  }
  float sum = 0;
  for (const float value : values) sum += value;
  kept = static_cast<double>(sum);
}

}  // namespace orrery::bench
