// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/outcome/replay_report.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "addons/bench/operators/substitution_rules.h"
#include "orrery/core/statistics/statistics.h"

namespace orrery::bench {
namespace {

void count(OperatorShare& share, Time recorded) {
  ++share.count;
  share.recorded += recorded;
}

std::string_view words_for(std::string_view rule) {
  if (rule == kTritonRule) return "reads and writes the same bytes, and computes";
  for (const SubstitutionRule& known : rules()) {
    if (known.name == rule) return known.description;
  }
  return {};
}

void add_trouble(std::map<std::string, OperatorProblem>& all, const std::string& name,
                 const std::string& reason) {
  OperatorProblem& trouble = all[name];
  if (trouble.count++ == 0) trouble.reason = reason;
  trouble.name = name;
}

std::vector<OperatorProblem> most_first(std::map<std::string, OperatorProblem> all) {
  std::vector<OperatorProblem> list;
  for (auto& [name, trouble] : all) list.push_back(std::move(trouble));
  std::stable_sort(
      list.begin(), list.end(),
      [](const OperatorProblem& a, const OperatorProblem& b) { return a.count > b.count; });
  return list;
}

/// The times of operators with one name.
struct Samples {
  std::uint64_t calls = 0;
  Time recorded{};
  std::vector<std::int64_t> each;
};

/// The time of a recorded operator is the sum over its steps.
std::map<std::string, Samples> samples_of(const ReplayPlan& plan, const ReplayOutcome& outcome) {
  std::map<std::string, Samples> by_name;
  for (std::size_t s = 0; s < plan.steps.size();) {
    if (plan.steps[s].kind == ReplayStep::Kind::wait) {
      ++s;
      continue;
    }
    const std::uint32_t source = plan.steps[s].source;
    const std::size_t end = plan.end_of_operator(s);
    Samples& samples = by_name[plan.sources[source].name];
    ++samples.calls;
    samples.recorded += plan.sources[source].recorded;
    for (std::size_t i = 0; i < outcome.wall_ns.size(); ++i) {
      std::int64_t took = 0;
      for (std::size_t k = s; k < end; ++k) took += outcome.length_ns[i * plan.steps.size() + k];
      samples.each.push_back(took);
    }
    s = end;
  }
  return by_name;
}

}  // namespace

Coverage coverage_of(const ReplayPlan& plan) {
  Coverage coverage;
  std::map<std::string, OperatorShare> by_rule;
  std::map<std::string, OperatorProblem> absent;
  for (const PlanSource& source : plan.sources) {
    count(coverage.all, source.recorded);
    count(coverage.by_method[static_cast<std::size_t>(source.how)], source.recorded);
    if (!source.rule.empty() && source.how != ReplayMethod::absent)
      count(by_rule[source.rule], source.recorded);
    if (source.how == ReplayMethod::absent)
      add_trouble(absent, source.name, "no available operator accepts these arguments");
  }
  for (auto& [rule, share] : by_rule)
    coverage.rules.push_back({rule, std::string(words_for(rule)), share});
  coverage.absent = most_first(std::move(absent));
  return coverage;
}

TimePercentiles percentiles(std::vector<std::int64_t> numbers) {
  return {quantile_nearest_rank(numbers, 0), quantile_nearest_rank(numbers, 0.5),
          quantile_nearest_rank(numbers, 0.9), quantile_nearest_rank(numbers, 0.99),
          quantile_nearest_rank(numbers, 1)};
}

Timing timing_of(const ReplayPlan& plan, const ReplayOutcome& outcome) {
  Timing timing;
  timing.wall = percentiles(outcome.wall_ns);
  timing.cpu = percentiles(outcome.cpu_ns);
  const auto iterations =
      std::max<std::int64_t>(static_cast<std::int64_t>(outcome.wall_ns.size()), 1);
  for (auto& [name, samples] : samples_of(plan, outcome)) {
    std::int64_t total = 0;
    for (const std::int64_t took : samples.each) total += took;
    timing.operators_ns += total / iterations;
    timing.operators.push_back({name, samples.calls, total / iterations,
                                percentiles(std::move(samples.each)), samples.recorded});
  }
  std::stable_sort(
      timing.operators.begin(), timing.operators.end(),
      [](const OperatorTime& a, const OperatorTime& b) { return a.total_ns > b.total_ns; });
  std::map<std::string, OperatorProblem> failed;
  std::uint32_t last_failed = ~0u;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    if (outcome.reshaped[s]) ++timing.reshaped;
    const std::uint32_t source = plan.steps[s].source;
    if (outcome.failures[s] == 0 || source == last_failed) continue;
    last_failed = source;
    ++timing.failed_operators;
    add_trouble(failed, plan.sources[source].name, outcome.reasons[s]);
  }
  timing.failed = most_first(std::move(failed));
  return timing;
}

}  // namespace orrery::bench
