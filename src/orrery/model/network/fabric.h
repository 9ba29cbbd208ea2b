// SPDX-License-Identifier: Apache-2.0
//
// The multi-dimensional network without congestion: who is how many hops away, and how long a
// message takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Stacked blocks (ring, fully connected, switch); rank = a0 + n0*(a1 + n1*(a2 + …)).
///
/// Time of a message: hops × latency + size / bandwidth, nobody in its way.
/// ASTRA rules: whole nanoseconds, truncated; only the lowest dimension in which the ranks differ
/// is charged. Orrery rules: picoseconds, rounded up; every dimension that differs is crossed
/// (cut-through: the hops' latencies add up, the slowest dimension's bandwidth counts once).
/// Source: ASTRA-sim 2.0 (ISPASS 2023) section on the analytical network; t = hops × latency +
/// bytes / bandwidth.
class Fabric {
 public:
  explicit Fabric(const platform::Platform& platform);

  [[nodiscard]] std::uint32_t rank_count() const { return ranks_; }
  [[nodiscard]] std::size_t dim_count() const { return dims_.size(); }
  [[nodiscard]] const platform::Dimension& dim(std::size_t d) const { return dims_[d]; }
  /// Ranks between neighbours of dimension `d`: the product of the sizes below it.
  [[nodiscard]] std::uint32_t stride(std::size_t d) const { return strides_[d]; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t rank, std::size_t d) const {
    return rank / strides_[d] % static_cast<std::uint32_t>(dims_[d].size);
  }

  /// Hops between two coordinates of dimension `d`.
  [[nodiscard]] std::uint32_t hops(std::size_t d, std::uint32_t from, std::uint32_t to) const;

  /// Time of `size` bytes over `hops` hops of dimension `d`, in picoseconds; kTooLong when it does
  /// not fit.
  [[nodiscard]] std::int64_t delay_in_dim(std::size_t d, std::uint32_t hops,
                                          std::int64_t size) const;

  /// Time of `size` bytes from rank to rank, in picoseconds; 0 when they are the same; kTooLong
  /// when it does not fit.
  [[nodiscard]] std::int64_t delay(std::uint32_t from, std::uint32_t to, std::int64_t size) const;

  /// Beyond about 53 days a time is an error of the input.
  static constexpr std::int64_t kTooLong = std::int64_t{1} << 62;

 private:
  std::vector<platform::Dimension> dims_;
  std::vector<std::uint32_t> strides_;
  std::vector<double> bytes_per_ns_;
  std::uint32_t ranks_ = 1;
  bool astra_;
};

}  // namespace orrery::model
