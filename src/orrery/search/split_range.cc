// SPDX-License-Identifier: Apache-2.0
#include "orrery/search/split_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "orrery/core/units.h"
#include "orrery/search/limits.h"

namespace orrery::search {

namespace {

constexpr double kRounding = 1e-12;  // of the total

std::string place(std::size_t dim) { return fmt::format("dimension {}", dim); }

Result<void> read_bounds(const SplitProblem& problem, std::size_t dims, SplitRange& range) {
  for (const auto* bounds : {&problem.least, &problem.most}) {
    if (bounds->size() > dims)
      return fail(Errc::config_range, place(bounds->size() - 1), "is not in the network",
                  fmt::format("it has {}, counted from 0, innermost first", dims));
    for (std::size_t d = 0; d < bounds->size(); ++d)
      if (!((*bounds)[d].count() >= 0) || (*bounds)[d].count() > limits::kMostRate)
        return fail(Errc::config_range, place(d),
                    fmt::format("{} is no bandwidth", (*bounds)[d].count()));
  }
  const double total = problem.total.count();
  range.least.assign(dims, 0);
  range.most.assign(dims, 1);
  for (std::size_t d = 0; d < dims; ++d) {
    if (d < problem.least.size()) range.least[d] = problem.least[d].count() / total;
    if (d < problem.most.size()) range.most[d] = std::min(1.0, problem.most[d].count() / total);
  }
  return {};
}

/// Bounds follow orders; `depth` is how many others each has to have no less than, in a row.
Result<std::vector<std::size_t>> follow_orders(const SplitProblem& problem, std::size_t dims,
                                               SplitRange& range) {
  std::vector<std::size_t> depth(dims, 0);
  for (const auto& [more, less] : problem.order)
    if (more >= dims || less >= dims || more == less)
      return fail(Errc::config_range, place(std::max(more, less)),
                  more == less ? "is ordered against itself" : "is not in the network",
                  fmt::format("it has {}, counted from 0, innermost first", dims));
  for (std::size_t round = 0; round <= dims; ++round) {
    bool changed = false;
    for (const auto& [more, less] : problem.order) {
      if (depth[more] <= depth[less]) {
        depth[more] = depth[less] + 1;
        changed = true;
      }
      range.least[more] = std::max(range.least[more], range.least[less]);
      range.most[less] = std::min(range.most[less], range.most[more]);
    }
    if (!changed && round > 0) break;
    if (round == dims && changed)
      return fail(Errc::config_conflict, "the order",
                  "it goes round: the dimensions in it would be alike",
                  "each dimension once, from the fastest to the slowest");
  }
  return depth;
}

Result<void> check_room(const SplitProblem& problem, SplitRange& range) {
  const auto amount = [&](double share) {
    return format_bandwidth(Bandwidth(share * problem.total.count()));
  };
  for (std::size_t d = 0; d < range.least.size(); ++d) {
    if (std::abs(range.most[d] - range.least[d]) <= kRounding) range.most[d] = range.least[d];
    if (range.most[d] < range.least[d])
      return fail(Errc::config_conflict, place(d),
                  fmt::format("it has to have {} at least and {} at most", amount(range.least[d]),
                              amount(range.most[d])),
                  "bounds of dimensions before or behind it in the order count, too");
  }
  const double least = std::accumulate(range.least.begin(), range.least.end(), 0.0);
  const double most = std::accumulate(range.most.begin(), range.most.end(), 0.0);
  if (least > 1 + kRounding || most < 1 - kRounding)
    return fail(Errc::config_conflict, "the total",
                fmt::format("{} is to be split, and dimensions have to have {} {} together",
                            format_bandwidth(problem.total), amount(least > 1 ? least : most),
                            least > 1 ? "at least" : "at most"),
                "another total, or other bounds");
  range.only = least > 1 - kRounding || most < 1 + kRounding;
  if (range.only) range.start = least > 1 - kRounding ? range.least : range.most;
  return {};
}

/// Each goes the same way from its least to its most, those with more orders a little further, so
/// that none is at a bound.
void find_start(const std::vector<std::size_t>& depth, SplitRange& range) {
  const auto at = [&](double way) {
    std::vector<double> shares;
    for (std::size_t d = 0; d < depth.size(); ++d) {
      // way^(1 / 2^depth): roots give the same bits everywhere
      double own = way;
      for (std::size_t i = 0; i < depth[d]; ++i) own = std::sqrt(own);
      shares.push_back(range.least[d] + own * (range.most[d] - range.least[d]));
    }
    return shares;
  };
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    const auto shares = at(middle);
    (std::accumulate(shares.begin(), shares.end(), 0.0) < 1 ? low : high) = middle;
  }
  range.start = at(low + (high - low) / 2);
}

}  // namespace

Result<SplitRange> split_range(const SplitProblem& problem, std::size_t dims) {
  SplitRange range;
  if (auto fine = read_bounds(problem, dims, range); !fine) return tl::unexpected(fine.error());
  const auto depth = follow_orders(problem, dims, range);
  if (!depth) return tl::unexpected(depth.error());
  if (auto fine = check_room(problem, range); !fine) return tl::unexpected(fine.error());
  // What is fixed bounds those that are ordered with it, as follow_orders did; between two that are
  // fixed nothing is left to keep.
  for (const auto& [more, less] : problem.order)
    if (!range.is_fixed(more) && !range.is_fixed(less)) range.order.emplace_back(more, less);
  if (!range.only) find_start(*depth, range);
  return range;
}

}  // namespace orrery::search
