// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/cache_hits.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace orrery::model {
namespace {

/// Rows that fit into the cache of every GPU.
constexpr std::int64_t kMinCache = 256;

/// Uses only multiplications: equal results on every machine.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

/// Expected number of different rows in `lookups` lookups of a table of `rows`.
double different(double rows, std::int64_t lookups) {
  return rows * (1 - power(1 - 1 / rows, lookups));
}

/// Counts lookups that are the last of their row so far, in a tree of partial sums (Fenwick tree).
class Latest {
 public:
  explicit Latest(std::size_t lookups) : sums_(lookups + 1) {}
  void add(std::size_t at, int by) {
    for (++at; at < sums_.size(); at += at & (~at + 1)) sums_[at] += by;
  }
  /// Their number among the first `end` lookups.
  [[nodiscard]] std::int64_t before(std::size_t end) const {
    std::int64_t sum = 0;
    for (; end > 0; end &= end - 1) sum += sums_[end];
    return sum;
  }

 private:
  std::vector<std::int32_t> sums_;
};

}  // namespace

double lin_hits(std::int64_t rows, std::int64_t lookups, std::int64_t cached) {
  if (rows < 1 || lookups < 1) return 0;
  const auto e = static_cast<double>(rows), n = static_cast<double>(lookups),
             x = static_cast<double>(cached);
  const double unique = different(e, lookups);
  const double misses = unique > x ? x + (n - x) * (e - x) / e : unique;
  return 1 - misses / n;
}

double uniform_hits(std::int64_t rows, std::int64_t lookups, std::int64_t cached) {
  if (rows < 1 || lookups < 1) return 0;
  const auto e = static_cast<double>(rows),
             x = static_cast<double>(std::max<std::int64_t>(cached, 0));
  if (different(e, lookups) <= x) return 1 - different(e, lookups) / static_cast<double>(lookups);
  std::int64_t full = 0;  // maximum number of lookups after which the cache is not yet full
  for (std::int64_t step = lookups; step > 0; step /= 2)
    while (full + step <= lookups && different(e, full + step) <= x) full += step;
  const double misses =
      different(e, full) + static_cast<double>(lookups - full) * std::max(e - x, 0.0) / e;
  return 1 - misses / static_cast<double>(lookups);
}

double reuse_hits(std::span<const RowGroup> groups, std::int64_t cached) {
  double rows = 0, lookups = 0;
  for (const RowGroup& group : groups) {
    rows += group.rows;
    lookups += group.rows * static_cast<double>(group.times);
  }
  if (!(lookups > 0)) return 0;
  const auto x = static_cast<double>(std::max<std::int64_t>(cached, 0));
  if (rows <= x) return 1 - rows / lookups;
  double low = 0, high = 1;  // the window, as a share of the batch
  for (int step = 0; step < 60; ++step) {
    const double window = 0.5 * (low + high);
    double in_it = 0;
    for (const RowGroup& group : groups) in_it += group.rows * (1 - power(1 - window, group.times));
    (in_it < x ? low : high) = window;
  }
  double hits = 0;
  for (const RowGroup& group : groups)
    hits += group.rows * static_cast<double>(group.times - 1) * (1 - power(1 - low, group.times));
  return hits / lookups;
}

ReuseSummary summary_of(std::span<const RowGroup> groups) {
  std::vector<RowGroup> sorted(groups.begin(), groups.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const RowGroup& a, const RowGroup& b) { return a.times > b.times; });
  double rows = 0, lookups = 0;
  for (const RowGroup& group : sorted) {
    rows += group.rows;
    lookups += group.rows * static_cast<double>(group.times);
  }
  ReuseSummary best, tried;
  best.unique = tried.unique = std::llround(rows);
  const std::int64_t all = std::llround(lookups);
  const auto distance = [&](const ReuseSummary& is) {
    const std::vector<RowGroup> parts = groups_of(is, all);
    double off = 0;
    for (std::int64_t cached = kMinCache; cached < 2 * is.unique; cached *= 2)
      off += std::abs(reuse_hits(parts, cached) - reuse_hits(sorted, cached));
    return off;
  };
  double minimum = distance(best), hot = 0, hot_lookups = 0;
  for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
    hot += sorted[i].rows;
    hot_lookups += sorted[i].rows * static_cast<double>(sorted[i].times);
    tried.hot = std::max<std::int64_t>(1, std::llround(hot));
    tried.hot_lookups = std::llround(hot_lookups);
    const double off = distance(tried);
    if (!(off < minimum)) continue;
    minimum = off;
    best = tried;
  }
  return best;
}

double simulated_hits(std::span<const std::int64_t> indices, std::int64_t cached) {
  // A lookup hits if fewer than `cached` other rows were used since the last use of its row.
  if (indices.empty()) return 0;
  Latest latest(indices.size());
  std::unordered_map<std::int64_t, std::size_t> last;
  std::size_t hits = 0;
  for (std::size_t at = 0; at < indices.size(); ++at) {
    const auto [found, is_new] = last.try_emplace(indices[at], at);
    if (!is_new) {
      const std::int64_t since = latest.before(at) - latest.before(found->second + 1);
      if (since < cached) ++hits;
      latest.add(found->second, -1);
      found->second = at;
    }
    latest.add(at, 1);
  }
  return static_cast<double>(hits) / static_cast<double>(indices.size());
}

}  // namespace orrery::model
