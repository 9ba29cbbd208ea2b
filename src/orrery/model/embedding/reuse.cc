// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/reuse.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "orrery/core/statistics/distributions.h"

namespace orrery::model {
namespace {

/// Adds rows that are read `times` times on average, as groups with integer numbers of reads.
void add_group(double rows, double times, std::vector<RowGroup>& groups) {
  const double whole = std::floor(times), above = times - whole;
  if (rows * (1 - above) > 0)
    groups.push_back({rows * (1 - above), static_cast<std::int64_t>(whole)});
  if (rows * above > 0) groups.push_back({rows * above, static_cast<std::int64_t>(whole) + 1});
}

double middle_of(std::size_t bin) {
  if (bin + 1 == kReuseBins) return 2.0 * static_cast<double>(reuse_bin_minimum(bin) - 1);
  return 0.5 * static_cast<double>(reuse_bin_minimum(bin) + reuse_bin_maximum(bin));
}

}  // namespace

std::size_t reuse_bin(std::int64_t times) {
  if (times <= 1) return 0;
  const auto bin = static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(times) - 1));
  return std::min(bin, kReuseBins - 1);
}

std::int64_t reuse_bin_minimum(std::size_t bin) { return bin == 0 ? 1 : (1ll << (bin - 1)) + 1; }

std::int64_t reuse_bin_maximum(std::size_t bin) {
  return bin + 1 < kReuseBins ? 1ll << bin : std::numeric_limits<std::int64_t>::max();
}

ReuseHistogram Reuse::shares() const {
  ReuseHistogram is{};
  for (std::size_t bin = 0; rows > 0 && bin < kReuseBins; ++bin)
    is[bin] = static_cast<double>(rows_in[bin]) / static_cast<double>(rows);
  return is;
}

Reuse& Reuse::operator+=(const Reuse& other) {
  lookups += other.lookups;
  rows += other.rows;
  largest = std::max(largest, other.largest);
  most = std::max(most, other.most);
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    rows_in[bin] += other.rows_in[bin];
    lookups_in[bin] += other.lookups_in[bin];
  }
  return *this;
}

Reuse reuse_of(std::span<const std::int64_t> indices) {
  Reuse is;
  is.lookups = static_cast<std::int64_t>(indices.size());
  std::vector<std::int64_t> sorted(indices.begin(), indices.end());
  std::sort(sorted.begin(), sorted.end());
  for (auto first = sorted.begin(); first != sorted.end();) {
    const auto last = std::upper_bound(first, sorted.end(), *first);
    const std::int64_t times = last - first;
    const std::size_t bin = reuse_bin(times);
    ++is.rows;
    ++is.rows_in[bin];
    is.lookups_in[bin] += times;
    is.most = std::max(is.most, times);
    first = last;
  }
  if (!sorted.empty()) is.largest = sorted.back();
  return is;
}

std::vector<RowGroup> groups_of(const ReuseHistogram& shares, std::int64_t lookups) {
  double times = 0;  // mean number of reads of a row
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) times += shares[bin] * middle_of(bin);
  std::vector<RowGroup> groups;
  if (!(times > 0)) return groups;
  const double rows = static_cast<double>(lookups) / times;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    add_group(rows * shares[bin], middle_of(bin), groups);
  return groups;
}

std::vector<RowGroup> groups_of(const Reuse& reuse) {
  std::vector<RowGroup> groups;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    if (reuse.rows_in[bin] == 0) continue;
    const auto rows = static_cast<double>(reuse.rows_in[bin]);
    add_group(rows, static_cast<double>(reuse.lookups_in[bin]) / rows, groups);
  }
  return groups;
}

std::vector<RowGroup> groups_of(const ReuseSummary& summary, std::int64_t lookups) {
  std::vector<RowGroup> groups;
  if (summary.unique < 1 || lookups < 1) return groups;
  const std::int64_t unique = std::min(summary.unique, lookups);
  // Every row is read at least once.
  const std::int64_t hot = std::clamp<std::int64_t>(summary.hot, 0, unique);
  const std::int64_t often =
      hot == unique ? lookups
                    : std::clamp<std::int64_t>(summary.hot_lookups, hot, lookups - (unique - hot));
  const auto add = [&](std::int64_t rows, std::int64_t of) {
    if (rows > 0)
      add_group(static_cast<double>(rows), static_cast<double>(of) / static_cast<double>(rows),
                groups);
  };
  if (hot > 0) add(hot, often);
  add(unique - hot, hot > 0 ? lookups - often : lookups);
  return groups;
}

ReuseHistogram uniform_shares(std::int64_t rows, std::int64_t lookups) {
  ReuseHistogram is{};
  if (rows < 1 || lookups < 1) return is;
  if (rows == 1) {
    is[reuse_bin(lookups)] = 1;
    return is;
  }
  // Probabilities far from the mean are negligible.
  const double n = static_cast<double>(lookups), p = 1 / static_cast<double>(rows);
  const double mean = n * p, reach = 12 * std::sqrt(mean) + 40;
  const auto from = static_cast<std::int64_t>(std::max(1.0, mean - reach));
  const auto to = static_cast<std::int64_t>(std::min(n, mean + reach));
  double sum = 0;
  for (std::int64_t c = from; c <= to; ++c) {
    const double chance =
        binomial_probability(static_cast<std::uint64_t>(c), static_cast<std::uint64_t>(lookups), p);
    is[reuse_bin(c)] += chance;
    sum += chance;
  }
  for (double& share : is) share /= sum;
  return is;
}

}  // namespace orrery::model
