// SPDX-License-Identifier: Apache-2.0
//
// Compares simulations and estimates of steps with measured steps.
//
//   measured_estimates POINTS...
//
// POINTS are files for orrery accuracy (data/measured). Prints one line per point with a job: its
// id; measured, simulated and estimated seconds; errors of simulation and estimate, in percent; and
// the difference between estimate and simulation, in percent. Then one line per source: the number
// of points, the median errors of simulations and estimates, the median and largest difference
// between both, and the number of points without an estimate.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "../fail_with.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/estimate/program/estimate_program.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/study.h"
#include "orrery/validate/measured_points.h"

using namespace orrery;
using benchmarks::fail_with;

namespace {

struct Errors {
  std::vector<double> simulated, estimated, apart;  // percent, absolute
  std::size_t not_estimated = 0;
};

/// Seconds; empty if the program cannot be estimated.
Result<std::optional<double>> estimate_of(const study::Outcome& outcome) {
  const workload::Program& program = *outcome.inputs.load->program;
  if (!estimate::check_estimable(program)) return std::optional<double>{};
  estimate::OpCosts costs(outcome.inputs.cluster);
  const auto step = estimate::estimate_program(program, costs);
  if (!step) return tl::unexpected(step.error());
  return std::optional<double>{static_cast<double>(step->count()) * 1e-12};
}

Result<void> compare(const validate::MeasuredPoint& point, std::map<std::string, Errors>& sources) {
  if (!point.skip_reason.empty()) return {};
  study::Question question = point.question;
  question.work.brief_names = true;
  const auto answer = study::simulate(question);
  if (!answer) {
    fmt::print("{}: {}\n", point.id, answer.error().what);
    return {};
  }
  const double simulated = static_cast<double>(answer->step().count()) * 1e-12;
  const auto estimated = estimate_of(answer->outcome());
  if (!estimated) return tl::unexpected(estimated.error());
  const auto off = [](double is, double of) { return (is / of - 1) * 100; };
  for (const std::string& name : {point.source, std::string("all")}) {
    Errors& of = sources[name];
    if (!*estimated) ++of.not_estimated;
    of.simulated.push_back(std::abs(off(simulated, point.seconds)));
    if (!*estimated) continue;
    of.estimated.push_back(std::abs(off(**estimated, point.seconds)));
    of.apart.push_back(std::abs(off(**estimated, simulated)));
  }
  if (!*estimated) {
    fmt::print("{} {:.4g} {:.4g} -\n", point.id, point.seconds, simulated);
    return {};
  }
  fmt::print("{} {:.4g} {:.4g} {:.4g}: {:+.2f} {:+.2f} %, difference {:+.4f} %\n", point.id,
             point.seconds, simulated, **estimated, off(simulated, point.seconds),
             off(**estimated, point.seconds), off(**estimated, simulated));
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    fmt::print(stderr, "measured_estimates POINTS...\n");
    return 2;
  }
  std::map<std::string, Errors> sources;
  Findings findings;
  for (int i = 1; i < count; ++i) {
    const auto points = validate::read_points(words[i], findings);
    if (!points) return fail_with(points.error());
    for (const validate::MeasuredPoint& point : *points)
      if (auto done = compare(point, sources); !done) return fail_with(done.error());
  }
  for (auto& [name, of] : sources) {
    const double most = of.apart.empty() ? 0 : *std::max_element(of.apart.begin(), of.apart.end());
    fmt::print(
        "{}: {} points; median error: simulation {:.2f} %, estimate {:.2f} %; difference of both: "
        "median {:.4f} %, largest {:.3f} %; {} not estimated\n",
        name, of.simulated.size(), upper_median(of.simulated), upper_median(of.estimated),
        upper_median(of.apart), most, of.not_estimated);
  }
  return 0;
}
