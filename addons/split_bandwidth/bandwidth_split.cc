// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/bandwidth_split.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "addons/split_bandwidth/hyperbolic_program.h"
#include "addons/split_bandwidth/limits.h"
#include "addons/split_bandwidth/split_range.h"
#include "orrery/core/text/units.h"

namespace orrery::split_bandwidth {

namespace {

using Numbers = std::vector<double>;

constexpr double kNothing = 1e-8;  // share of the total: an unused dimension has less bandwidth
constexpr double kAlike = 1e-12;   // relative difference below which proportions count as equal

bool is_between(double value, double lower, double upper) {
  return value >= lower && value <= upper;
}

Result<void> check_demands(const SplitProblem& problem, std::size_t dims) {
  bool any = false;
  for (const CollectiveTraffic& demand : problem.demands) {
    if (demand.bytes.size() != dims)
      return fail(Errc::config_range, "collectives", "have different numbers of dimensions");
    for (const double bytes : demand.bytes) {
      if (!is_between(bytes, 0, limits::kMaxBytes) ||
          !is_between(demand.times, 0, limits::kMaxTimes) ||
          !is_between(bytes * demand.times, 0, limits::kMaxBytes))
        return fail(Errc::config_range, "collectives",
                    fmt::format("{} bytes, {} times, are out of range", bytes, demand.times));
      any |= bytes * demand.times > 0;
    }
  }
  if (any) return {};
  return fail(Errc::config_range, "collectives", "the job sends nothing, so all splits are equal",
              "use a job whose devices communicate");
}

Result<void> check(const SplitProblem& problem) {
  const std::size_t dims = problem.demands.empty() ? 0 : problem.demands.front().bytes.size();
  if (dims > limits::kDims)
    return fail(Errc::limit_exceeded, "the network",
                fmt::format("has {} dimensions, but the limit is {}", dims, limits::kDims));
  if (auto fine = check_demands(problem, dims); !fine) return fine;
  if (!is_between(problem.total.count(), limits::kMinRate, limits::kMaxRate))
    return fail(Errc::config_range, "the total",
                fmt::format("{} is out of range", format_bandwidth(problem.total)));
  if (problem.objective != SplitObjective::time_cost) return {};
  if (problem.costs.size() != dims)
    return fail(Errc::config_range, "the cost",
                fmt::format("has values for {} dimensions, but the network has {}",
                            problem.costs.size(), dims),
                "give one number per dimension, innermost first");
  for (const double cost : problem.costs)
    if (!(cost > 0) || cost > limits::kMaxCost)
      return fail(Errc::config_range, "the cost", fmt::format("{} is out of range", cost),
                  "give a value above 0 for each dimension");
  if (!is_between(problem.fixed_seconds, 0, limits::kMaxSeconds))
    return fail(Errc::config_range, "the rest of a step",
                fmt::format("{} seconds are out of range", problem.fixed_seconds));
  return {};
}

/// Whether b is a multiple of a.
bool are_alike(const Numbers& a, const Numbers& b) {
  const std::size_t top =
      static_cast<std::size_t>(std::max_element(a.begin(), a.end()) - a.begin());
  if (a[top] == 0) return false;
  const double times = b[top] / a[top];
  for (std::size_t d = 0; d < a.size(); ++d)
    if (std::abs(b[d] - times * a[d]) > kAlike * times * a[top]) return false;
  return true;
}

/// Sums demands with equal proportions: for them, the sum of maxima equals the maximum of sums.
Result<std::vector<Numbers>> distinct(const std::vector<CollectiveTraffic>& demands) {
  std::vector<Numbers> found;
  for (const CollectiveTraffic& demand : demands) {
    Numbers bytes = demand.bytes;
    for (double& one : bytes) one *= demand.times;
    if (*std::max_element(bytes.begin(), bytes.end()) == 0) continue;
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const Numbers& known) { return are_alike(known, bytes); });
    if (same != found.end())
      for (std::size_t d = 0; d < bytes.size(); ++d) (*same)[d] += bytes[d];
    else if (found.size() < limits::kDemands)
      found.push_back(std::move(bytes));
    else
      return fail(Errc::limit_exceeded, "collectives",
                  fmt::format("have more than {} different proportions over the dimensions",
                              limits::kDemands));
  }
  return found;
}

/// The scaled problem: bandwidths as shares of the total, bytes as multiples of `unit`.
struct ScaledProblem {
  HyperbolicProgram program;
  double unit = 1;  ///< unit of the program's values
};

void add_bounds(const ShareRange& range, HyperbolicProgram& program) {
  const std::size_t n = program.dims;
  for (std::size_t d = 0; d < n; ++d) {
    // B_d - bound = total (x_d / Σx - share)
    const auto beyond = [&](double share, double sign) {
      Numbers row(n, -sign * share);
      row[d] += sign;
      return row;
    };
    if (range.is_fixed(d)) {
      program.equal.push_back(beyond(range.lower[d], 1));
      continue;
    }
    program.lower.push_back(beyond(range.lower[d], 1));
    if (range.upper[d] < 1) program.lower.push_back(beyond(range.upper[d], -1));
  }
  for (const auto& [more, less] : range.order) {
    Numbers row(n, 0);
    row[more] = 1;
    row[less] = -1;
    program.lower.push_back(std::move(row));
  }
}

Result<ScaledProblem> scaled(const SplitProblem& problem, const ShareRange& range) {
  const auto demands = distinct(problem.demands);
  if (!demands) return tl::unexpected(demands.error());
  ScaledProblem made;
  HyperbolicProgram& program = made.program;
  program.dims = range.lower.size();
  program.scale.assign(program.dims, 1);
  made.unit = 0;
  for (const Numbers& bytes : *demands) made.unit += *std::max_element(bytes.begin(), bytes.end());
  const bool costs = problem.objective == SplitObjective::time_cost;
  if (costs) {
    const double dearest = *std::max_element(problem.costs.begin(), problem.costs.end());
    for (std::size_t d = 0; d < program.dims; ++d) program.scale[d] = problem.costs[d] / dearest;
    if (problem.fixed_seconds > 0)
      program.terms.push_back(
          {{HyperbolicProgram::kSum, problem.fixed_seconds * problem.total.count() / made.unit}});
  }
  for (const Numbers& bytes : *demands) {
    std::vector<HyperbolicProgram::Quotient> term;
    for (std::size_t d = 0; d < bytes.size(); ++d)
      if (bytes[d] > 0) term.push_back({d, bytes[d] / made.unit});
    program.terms.push_back(std::move(term));
  }
  add_bounds(range, program);
  return made;
}

/// Whether bytes are sent in the dimension.
bool is_used(const SplitProblem& problem, std::size_t dim) {
  return std::any_of(
      problem.demands.begin(), problem.demands.end(),
      [dim](const CollectiveTraffic& demand) { return demand.bytes[dim] * demand.times > 0; });
}

/// Checks that no bytes are sent in a dimension whose bandwidth must be 0.
Result<void> check_carried(const SplitProblem& problem, const ShareRange& range) {
  for (std::size_t d = 0; d < range.lower.size(); ++d)
    if (range.is_fixed(d) && range.lower[d] == 0 && is_used(problem, d))
      return fail(Errc::config_conflict, fmt::format("dimension {}", d),
                  "its bandwidth is limited to 0, but collectives cross it");
  return {};
}

}  // namespace

double collective_seconds(const std::vector<CollectiveTraffic>& demands,
                          const std::vector<Bandwidth>& bandwidth) {
  double sum = 0;
  for (const CollectiveTraffic& demand : demands) {
    if (demand.times == 0) continue;
    double upper = 0;
    for (std::size_t d = 0; d < demand.bytes.size(); ++d)
      if (demand.bytes[d] > 0) upper = std::max(upper, demand.bytes[d] / bandwidth[d].count());
    sum += demand.times * upper;
  }
  return sum;
}

double split_value(const SplitProblem& problem, const std::vector<Bandwidth>& bandwidth) {
  const double seconds = collective_seconds(problem.demands, bandwidth);
  if (problem.objective == SplitObjective::time) return seconds;
  double cost = 0;
  for (std::size_t d = 0; d < bandwidth.size(); ++d)
    cost += problem.costs[d] * bandwidth[d].count();
  return (problem.fixed_seconds + seconds) * cost;
}

Result<Split> best_split(const SplitProblem& problem) {
  if (auto fine = check(problem); !fine) return tl::unexpected(fine.error());
  const std::size_t dims = problem.demands.front().bytes.size();
  const auto range = split_range(problem, dims);
  if (!range) return tl::unexpected(range.error());
  if (auto fine = check_carried(problem, *range); !fine) return tl::unexpected(fine.error());
  Split split;
  if (range->is_unique) {
    for (const double share : range->start)
      split.bandwidth.emplace_back(share * problem.total.count());
    split.seconds = collective_seconds(problem.demands, split.bandwidth);
    split.value = split.bound = split_value(problem, split.bandwidth);
    return split;
  }
  const auto made = scaled(problem, *range);
  if (!made) return tl::unexpected(made.error());
  // Converts shares of the total to shares of the cost.
  Numbers start = range->start;
  double cost = 0;
  for (std::size_t d = 0; d < dims; ++d) cost += made->program.scale[d] * start[d];
  for (double& one : start) one /= cost;
  const HyperbolicPoint found = minimize(made->program, std::move(start));
  double sum = 0;
  std::vector<double> shares = found.x;
  for (const double one : shares) sum += one;
  for (std::size_t d = 0; d < dims; ++d) {
    const bool unused = shares[d] < kNothing * sum && range->lower[d] == 0 && !is_used(problem, d);
    split.bandwidth.emplace_back(unused ? 0 : shares[d] / sum * problem.total.count());
  }
  split.seconds = collective_seconds(problem.demands, split.bandwidth);
  split.value = split_value(problem, split.bandwidth);
  const double dearest = problem.objective == SplitObjective::time
                             ? 1 / problem.total.count()
                             : *std::max_element(problem.costs.begin(), problem.costs.end());
  split.bound = found.bound * made->unit * dearest;
  return split;
}

}  // namespace orrery::split_bandwidth
