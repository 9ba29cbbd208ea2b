// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/split_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "addons/split_bandwidth/limits.h"
#include "orrery/core/text/units.h"

namespace orrery::split_bandwidth {

namespace {

constexpr double kRounding = 1e-12;  // relative to the total

std::string place(std::size_t dim) { return fmt::format("dimension {}", dim); }

Result<void> read_bounds(const SplitProblem& problem, std::size_t dims, ShareRange& range) {
  for (const auto* bounds : {&problem.lower, &problem.upper}) {
    if (bounds->size() > dims)
      return fail(Errc::config_range, place(bounds->size() - 1), "is not in the network",
                  fmt::format("it has {} dimensions, numbered from 0, innermost first", dims));
    for (std::size_t d = 0; d < bounds->size(); ++d)
      if (!((*bounds)[d].count() >= 0) || (*bounds)[d].count() > limits::kMaxRate)
        return fail(Errc::config_range, place(d),
                    fmt::format("{} is not a valid bandwidth", (*bounds)[d].count()));
  }
  const double total = problem.total.count();
  range.lower.assign(dims, 0);
  range.upper.assign(dims, 1);
  for (std::size_t d = 0; d < dims; ++d) {
    if (d < problem.lower.size()) range.lower[d] = problem.lower[d].count() / total;
    if (d < problem.upper.size()) range.upper[d] = std::min(1.0, problem.upper[d].count() / total);
  }
  return {};
}

/// Tightens bounds by the orders. `depth`: length of the longest chain of dimensions below each one
/// in the order.
Result<std::vector<std::size_t>> follow_orders(const SplitProblem& problem, std::size_t dims,
                                               ShareRange& range) {
  std::vector<std::size_t> depth(dims, 0);
  for (const auto& [more, less] : problem.order)
    if (more >= dims || less >= dims || more == less)
      return fail(Errc::config_range, place(std::max(more, less)),
                  more == less ? "is compared with itself" : "is not in the network",
                  fmt::format("it has {} dimensions, numbered from 0, innermost first", dims));
  for (std::size_t round = 0; round <= dims; ++round) {
    bool changed = false;
    for (const auto& [more, less] : problem.order) {
      if (depth[more] <= depth[less]) {
        depth[more] = depth[less] + 1;
        changed = true;
      }
      range.lower[more] = std::max(range.lower[more], range.lower[less]);
      range.upper[less] = std::min(range.upper[less], range.upper[more]);
    }
    if (!changed && round > 0) break;
    if (round == dims && changed)
      return fail(Errc::config_conflict, "the order",
                  "is circular, so the dimensions in it must be equal",
                  "list each dimension once, from the fastest to the slowest");
  }
  return depth;
}

Result<void> check_room(const SplitProblem& problem, ShareRange& range) {
  const auto amount = [&](double share) {
    return format_bandwidth(Bandwidth(share * problem.total.count()));
  };
  for (std::size_t d = 0; d < range.lower.size(); ++d) {
    if (std::abs(range.upper[d] - range.lower[d]) <= kRounding) range.upper[d] = range.lower[d];
    if (range.upper[d] < range.lower[d])
      return fail(Errc::config_conflict, place(d),
                  fmt::format("must have at least {} and at most {}", amount(range.lower[d]),
                              amount(range.upper[d])),
                  "bounds of earlier and later dimensions in the order also apply");
  }
  const double lower = std::accumulate(range.lower.begin(), range.lower.end(), 0.0);
  const double upper = std::accumulate(range.upper.begin(), range.upper.end(), 0.0);
  if (lower > 1 + kRounding || upper < 1 - kRounding)
    return fail(Errc::config_conflict, "the total",
                fmt::format("{} cannot be split: the bounds of all dimensions sum to {} {}",
                            format_bandwidth(problem.total), amount(lower > 1 ? lower : upper),
                            lower > 1 ? "at least" : "at most"),
                "change the total or the bounds");
  range.is_unique = lower > 1 - kRounding || upper < 1 + kRounding;
  if (range.is_unique) range.start = lower > 1 - kRounding ? range.lower : range.upper;
  return {};
}

/// All dimensions move by the same fraction from their lower to their upper bounds, those with a
/// larger depth slightly further, so that none is at a bound.
void find_start(const std::vector<std::size_t>& depth, ShareRange& range) {
  const auto at = [&](double way) {
    std::vector<double> shares;
    for (std::size_t d = 0; d < depth.size(); ++d) {
      // way^(1 / 2^depth): square roots give identical bits on all machines
      double own = way;
      for (std::size_t i = 0; i < depth[d]; ++i) own = std::sqrt(own);
      shares.push_back(range.lower[d] + own * (range.upper[d] - range.lower[d]));
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

Result<ShareRange> split_range(const SplitProblem& problem, std::size_t dims) {
  ShareRange range;
  if (auto fine = read_bounds(problem, dims, range); !fine) return tl::unexpected(fine.error());
  const auto depth = follow_orders(problem, dims, range);
  if (!depth) return tl::unexpected(depth.error());
  if (auto fine = check_room(problem, range); !fine) return tl::unexpected(fine.error());
  // follow_orders() has already applied orders with a fixed dimension as bounds.
  for (const auto& [more, less] : problem.order)
    if (!range.is_fixed(more) && !range.is_fixed(less)) range.order.emplace_back(more, less);
  if (!range.is_unique) find_start(*depth, range);
  return range;
}

}  // namespace orrery::split_bandwidth
