// SPDX-License-Identifier: Apache-2.0
//
// The reuse of rows of an embedding table within a batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace orrery::model {

/// Bin 0 contains rows that are read once, bin j rows that are read more than 2^(j-1) and at most
/// 2^j times, the last bin rows that are read more than 32,768 times. Source: Lin et al. (TPDS
/// 2024) section 4.2 and facebookresearch/dlrm_datasets.
inline constexpr std::size_t kReuseBins = 17;
[[nodiscard]] std::size_t reuse_bin(std::int64_t times);
/// The minimum and maximum number of reads of a row in a bin (maximum of the last bin: INT64_MAX).
[[nodiscard]] std::int64_t reuse_bin_minimum(std::size_t bin);
[[nodiscard]] std::int64_t reuse_bin_maximum(std::size_t bin);

/// Share of the different rows in each bin; the sum is 1.
using ReuseHistogram = std::array<double, kReuseBins>;

/// `rows` rows that are each read `times` times.
struct RowGroup {
  double rows = 0;
  std::int64_t times = 0;
};

/// Statistics of the indices of one table in one batch.
struct Reuse {
  std::int64_t lookups = 0;
  std::int64_t rows = 0;     ///< number of different rows
  std::int64_t largest = 0;  ///< largest index; the table has at least one row more
  std::int64_t most = 0;     ///< maximum number of reads of one row
  std::array<std::int64_t, kReuseBins> rows_in{}, lookups_in{};

  /// Shares of rows by bin; all zeros without lookups.
  [[nodiscard]] ReuseHistogram shares() const;
  /// Adds the statistics of another table; `largest` and `most` become the maxima of both.
  Reuse& operator+=(const Reuse& other);
};

/// Computes the statistics of indices, which are not negative. O(n log n).
[[nodiscard]] Reuse reuse_of(std::span<const std::int64_t> indices);

/// The groups of rows of `lookups` lookups, estimated from a histogram. The rows of a bin are read
/// as often as the middle of the bin (last bin: 65,536 times). The number of rows is such that the
/// sum is `lookups`; numbers of rows need not be integers.
[[nodiscard]] std::vector<RowGroup> groups_of(const ReuseHistogram& shares, std::int64_t lookups);
/// The same from counted lookups: the mean of each bin instead of its middle.
[[nodiscard]] std::vector<RowGroup> groups_of(const Reuse& reuse);

/// Three numbers that approximate a histogram: rows are read often (hot) or seldom.
struct ReuseSummary {
  std::int64_t unique = 0;       ///< number of different rows; 0: unknown
  std::int64_t hot = 0;          ///< number of hot rows among them
  std::int64_t hot_lookups = 0;  ///< lookups of hot rows

  friend bool operator==(const ReuseSummary&, const ReuseSummary&) = default;
};
/// Two groups: hot and other rows, each read equally often. Empty: the summary is unknown.
[[nodiscard]] std::vector<RowGroup> groups_of(const ReuseSummary& summary, std::int64_t lookups);

/// The histogram of uniformly distributed indices into a table of `rows`: the number of reads of a
/// row is binomial.
[[nodiscard]] ReuseHistogram uniform_shares(std::int64_t rows, std::int64_t lookups);

}  // namespace orrery::model
