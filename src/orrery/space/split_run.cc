// SPDX-License-Identifier: Apache-2.0
#include "orrery/space/split_run.h"

#include <fmt/format.h>

#include <cmath>

#include "orrery/search/traffic.h"
#include "orrery/space/answer.h"

namespace orrery::space {

namespace {

constexpr double kPerGB = 1e-9;
constexpr std::array kBandwidths{Metric::bandwidth_0, Metric::bandwidth_1, Metric::bandwidth_2,
                                 Metric::bandwidth_3};

Result<void> add_collective(const SplitCollective& asked, double weight,
                            const std::vector<std::int64_t>& sizes, const std::string& where,
                            search::SplitProblem& problem) {
  const auto type = collective_type(asked.type, where + "/type");
  if (!type) return tl::unexpected(type.error());
  const auto extents = search::extents_of(asked.ranks, asked.stride, sizes, where);
  if (!extents) return tl::unexpected(extents.error());
  double size = static_cast<double>(asked.size.count());
  // Of all-gathers a node states what each rank gives.
  if (*type == graph::CollectiveType::all_gather) size /= static_cast<double>(asked.ranks);
  problem.demands.push_back(
      {search::bytes_sent(*type, size, *extents), weight * static_cast<double>(asked.times)});
  return {};
}

Result<search::SplitProblem> problem_of(const SplitAsked& asked, const std::string& where) {
  search::SplitProblem problem;
  problem.total = asked.total;
  problem.objective = asked.objective;
  std::vector<std::int64_t> sizes;
  for (const SplitDimension& dim : asked.dimensions) {
    sizes.push_back(dim.size);
    problem.costs.push_back(dim.cost * kPerGB);
    problem.least.push_back(dim.least);
    problem.most.push_back(dim.most.count() > 0 ? dim.most : asked.total);
  }
  for (std::size_t j = 0; j < asked.jobs.size(); ++j) {
    const SplitJob& job = asked.jobs[j];
    problem.besides += job.weight * seconds(job.compute);
    for (std::size_t c = 0; c < job.collectives.size(); ++c) {
      auto added = add_collective(job.collectives[c], job.weight, sizes,
                                  fmt::format("{}/jobs/{}/collectives/{}", where, j, c), problem);
      if (!added) return tl::unexpected(added.error());
    }
  }
  return problem;
}

double picoseconds(double seconds) { return std::round(seconds * 1e12); }

}  // namespace

Result<Values> split_values(const Run& run, const std::string& where) {
  SplitAsked asked;
  config::Reading reading{where};
  config::read_value(run.split, "/split", {}, asked, reading);
  if (reading.error) return tl::unexpected(*std::move(reading.error));
  const auto problem = problem_of(asked, where + ":/split");
  if (!problem) return tl::unexpected(problem.error());
  const auto split = search::best_split(*problem);
  if (!split) {
    Error error = split.error();
    error.where = fmt::format("{}:/split: {}", where, error.where);
    return tl::unexpected(std::move(error));
  }
  const std::size_t dims = asked.dimensions.size();
  const std::vector<Bandwidth> equal(dims,
                                     Bandwidth(asked.total.count() / static_cast<double>(dims)));
  Values values;
  values[Metric::compute] = picoseconds(problem->besides);
  values[Metric::communication] = picoseconds(split->seconds);
  values[Metric::time] = picoseconds(problem->besides + split->seconds);
  for (std::size_t d = 0; d < std::min(dims, kBandwidths.size()); ++d)
    values[kBandwidths[d]] = split->bandwidth[d].count();
  values[Metric::gain] = search::split_value(*problem, equal) / split->value;
  values[Metric::gap] = split->gap();
  return values;
}

}  // namespace orrery::space
