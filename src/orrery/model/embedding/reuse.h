// SPDX-License-Identifier: Apache-2.0
//
// How often the rows of an embedding table are read again within a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::model {

/// Bin 0 holds rows that are read once, bin j those read more than 2^(j-1) and at most 2^j times,
/// the last one those read more than 32,768 times. Source: Lin et al. (TPDS 2024) section 4.2 and
/// facebookresearch/dlrm_datasets.
inline constexpr std::size_t kReuseBins = 17;
[[nodiscard]] std::size_t reuse_bin(std::int64_t times);
/// The least number of times of a bin, and the most (of the last: no limit, INT64_MAX).
[[nodiscard]] std::int64_t reuse_bin_minimum(std::size_t bin);
[[nodiscard]] std::int64_t reuse_bin_maximum(std::size_t bin);

/// Shares of the different rows by bin; their sum is 1.
using ReuseHistogram = std::array<double, kReuseBins>;

/// So many rows, each read so often.
struct RowGroup {
  double rows = 0;
  std::int64_t times = 0;
};

/// What is to be known of the indices of one table in one batch.
struct Reuse {
  std::int64_t lookups = 0;
  std::int64_t rows = 0;     ///< different ones
  std::int64_t largest = 0;  ///< index; the table has at least one row more
  std::int64_t most = 0;     ///< times that one row is read
  std::array<std::int64_t, kReuseBins> rows_in{}, lookups_in{};

  /// Of the rows; all zeros where nothing was looked up.
  [[nodiscard]] ReuseHistogram shares() const;
  /// Adds another table's; `largest` and `most` are the larger ones.
  Reuse& operator+=(const Reuse& other);
};

/// Indices are not negative. O(n log n).
[[nodiscard]] Reuse reuse_of(std::span<const std::int64_t> indices);

/// Rows of `lookups` lookups by the number of times, as a histogram leaves them open: those of a
/// bin are read as often as its middle (of the last: 65,536 times), and there are as many rows as
/// make `lookups`. Groups of the same rows need not be whole.
[[nodiscard]] std::vector<RowGroup> groups_of(const ReuseHistogram& shares, std::int64_t lookups);
/// … and as they were counted.
[[nodiscard]] std::vector<RowGroup> groups_of(const Reuse& reuse);

/// Three numbers that say nearly what a histogram does: rows are read often, or not.
struct ReuseSummary {
  std::int64_t unique = 0;       ///< different rows; 0: nothing is known
  std::int64_t hot = 0;          ///< of them, those that are read often
  std::int64_t hot_lookups = 0;  ///< of these

  friend bool operator==(const ReuseSummary&, const ReuseSummary&) = default;
};
/// Rows of each part are read equally often. None where nothing is known.
[[nodiscard]] std::vector<RowGroup> groups_of(const ReuseSummary& summary, std::int64_t lookups);

/// The histogram of evenly distributed indices into a table of `rows`: how many rows are read how
/// often is binomial.
[[nodiscard]] ReuseHistogram uniform_shares(std::int64_t rows, std::int64_t lookups);

}  // namespace orrery::model
