// SPDX-License-Identifier: Apache-2.0
//
// Errors of estimates of random training plans, compared with simulations, and the time of both.
//
//   estimates CLUSTER [PLANS] [SEED] [context]
//
// Plans are random: five models; tensor, pipeline, data and expert parallelism, with `context` also
// context parallelism; schedules; sharding; recomputation; with and without sequence parallelism.
// Plans need not fit into memory. Prints the largest errors, then one line for all plans: errors in
// percent, and milliseconds for the times of operations (computed once for equal operations), for
// an estimate and for a simulation.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "../fail_with.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/estimate/program/estimate_program.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/estimate/program/program_simulation.h"
#include "random_plans.h"

using namespace orrery;
using benchmarks::fail_with;

namespace {

struct Tried {
  std::string plan;
  double off = 0;                           // percent
  double asking = 0, playing = 0, sim = 0;  // ms
};

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double, std::milli> took = now - began_;
    began_ = now;
    return took.count();
  }

 private:
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

Result<Tried> attempt(std::string text, const workload::Program& program,
                      const study::Cluster& cluster, estimate::OpCosts& costs) {
  Tried tried{std::move(text)};
  Stopwatch watch;
  const auto times = costs.costs_of(program);
  if (!times) return tl::unexpected(times.error());
  tried.asking = watch.lap();
  const auto step = estimate::estimate_program(program, costs);
  if (!step) return tl::unexpected(step.error());
  tried.playing = watch.lap();
  const auto result = estimate::simulate_program(program, cluster);
  if (!result) return tl::unexpected(result.error());
  tried.sim = watch.lap();
  tried.off =
      (static_cast<double>(step->count()) / static_cast<double>(result->end.count()) - 1) * 100;
  return tried;
}

void print(std::vector<Tried> all, const std::string& cluster, std::size_t worst) {
  std::sort(all.begin(), all.end(),
            [](const Tried& a, const Tried& b) { return std::abs(a.off) > std::abs(b.off); });
  for (std::size_t i = 0; i < std::min(worst, all.size()); ++i)
    fmt::print("{:+.5f} %  {}\n", all[i].off, all[i].plan);
  const auto median_of = [&](double Tried::*what) {
    std::vector<double> values;
    for (const Tried& one : all) values.push_back(one.*what);
    return upper_median(values);
  };
  double sum = 0;
  for (const Tried& one : all) sum += std::abs(one.off);
  const auto far = std::count_if(all.begin(), all.end(),
                                 [](const Tried& one) { return std::abs(one.off) > 0.001; });
  fmt::print(
      "{}: {} plans; {} with an error above 0.001 %; median {:.4f} %, mean {:.4f} %, largest "
      "{:.4f} %; median ms: ops {:.2f}, estimate {:.2f}, simulation {:.1f}\n",
      cluster, all.size(), far, std::abs(all[all.size() / 2].off),
      sum / static_cast<double>(all.size()), std::abs(all.front().off), median_of(&Tried::asking),
      median_of(&Tried::playing), median_of(&Tried::sim));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "estimates CLUSTER [PLANS] [SEED] [context]\n");
    return 2;
  }
  study::Question question;
  question.cluster = words[1];
  const std::size_t plans = count > 2 ? std::strtoull(words[2], nullptr, 10) : 100;
  std::mt19937_64 random(count > 3 ? std::strtoull(words[3], nullptr, 10) : 1);
  const bool context = count > 4 && std::string(words[4]) == "context";
  Findings findings;
  auto read = study::read_cluster(question, findings);
  if (!read) return fail_with(read.error());
  const auto cluster = std::make_shared<const study::Cluster>(*std::move(read));
  estimate::OpCosts costs(cluster);
  std::vector<Tried> all;
  while (all.size() < plans) {
    const std::string text = benchmarks::random_plan(random, cluster->ranks, context);
    const auto spec = workload::parse_spec(text, "plan");
    if (!spec) return fail_with(spec.error());
    if (!workload::check_spec(*spec) || spec->parallel.world() != cluster->ranks) continue;
    const auto program = workload::assemble(*spec, findings);
    if (!program) return fail_with(program.error());
    if (!estimate::check_estimable(*program)) continue;
    const auto tried = attempt(text, *program, *cluster, costs);
    if (!tried) return fail_with(tried.error());
    all.push_back(*tried);
  }
  if (!all.empty()) print(std::move(all), question.cluster, 5);
  return 0;
}
