// SPDX-License-Identifier: Apache-2.0
#include "addons/case_study/split_run.h"

#include <fmt/format.h>

#include <cmath>

#include "addons/case_study/simulation_run.h"
#include "addons/split_bandwidth/job_traffic.h"

namespace orrery::case_study {

namespace {

constexpr double kPerGB = 1e-9;
constexpr std::array kBandwidths{RunMetric::bandwidth_0, RunMetric::bandwidth_1,
                                 RunMetric::bandwidth_2, RunMetric::bandwidth_3};

Result<void> add_collective_compare(const SplitCollective& asked, double weight,
                            const std::vector<std::int64_t>& sizes, const std::string& where,
                            split_bandwidth::SplitProblem& problem) {
  const auto type = collective_type(asked.type, where + "/type");
  if (!type) return tl::unexpected(type.error());
  const auto extents = split_bandwidth::extents_of(asked.ranks, asked.stride, sizes, where);
  if (!extents) return tl::unexpected(extents.error());
  double size = static_cast<double>(asked.size.count());
  // For an all-gather, nodes state the input of a rank.
  if (*type == graph::CollectiveType::all_gather) size /= static_cast<double>(asked.ranks);
  problem.demands.push_back({split_bandwidth::bytes_sent(*type, size, *extents),
                             weight * static_cast<double>(asked.times)});
  return {};
}

Result<split_bandwidth::SplitProblem> problem_of(const SplitSpec& asked, const std::string& where) {
  split_bandwidth::SplitProblem problem;
  problem.total = asked.total;
  problem.objective = asked.objective;
  std::vector<std::int64_t> sizes;
  for (const SplitDimension& dim : asked.dimensions) {
    sizes.push_back(dim.size);
    problem.costs.push_back(dim.cost * kPerGB);
    problem.lower.push_back(dim.lower);
    problem.upper.push_back(dim.upper.count() > 0 ? dim.upper : asked.total);
  }
  for (std::size_t j = 0; j < asked.jobs.size(); ++j) {
    const SplitJob& job = asked.jobs[j];
    problem.fixed_seconds += job.weight * seconds(job.compute);
    for (std::size_t c = 0; c < job.collectives.size(); ++c) {
      auto added = add_collective_compare(job.collectives[c], job.weight, sizes,
                                  fmt::format("{}/jobs/{}/collectives/{}", where, j, c), problem);
      if (!added) return tl::unexpected(added.error());
    }
  }
  return problem;
}

double picoseconds(double seconds) { return std::round(seconds * 1e12); }

}  // namespace

Result<MetricValues> split_values(const GridRun& run, const std::string& where) {
  SplitSpec asked;
  config::Reading reading{where};
  config::read_value(run.split, "/split", {}, asked, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  const auto problem = problem_of(asked, where + ":/split");
  if (!problem) return tl::unexpected(problem.error());
  const auto split = split_bandwidth::best_split(*problem);
  if (!split) {
    Error error = split.error();
    error.where = fmt::format("{}:/split: {}", where, error.where);
    return tl::unexpected(std::move(error));
  }
  const std::size_t dims = asked.dimensions.size();
  const std::vector<Bandwidth> equal(dims,
                                     Bandwidth(asked.total.count() / static_cast<double>(dims)));
  MetricValues values;
  values[RunMetric::compute] = picoseconds(problem->fixed_seconds);
  values[RunMetric::communication] = picoseconds(split->seconds);
  values[RunMetric::time] = picoseconds(problem->fixed_seconds + split->seconds);
  for (std::size_t d = 0; d < std::min(dims, kBandwidths.size()); ++d)
    values[kBandwidths[d]] = split->bandwidth[d].count();
  values[RunMetric::gain] = split_bandwidth::split_value(*problem, equal) / split->value;
  values[RunMetric::gap] = split->gap();
  return values;
}

}  // namespace orrery::case_study
