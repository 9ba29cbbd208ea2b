// SPDX-License-Identifier: Apache-2.0
//
// Compares closed-form estimates of plans (estimate/columns) with played and simulated plans.
//
//   plan_columns agreement CLUSTER [PLANS] [SEED] [played|simulated] [context]
//   plan_columns rate CLUSTER MODEL [BATCHES]
//
// `agreement` uses random plans like `estimates`; `context`: with context parallelism. It prints
// the largest errors, then one line per group of plans (by schedule and sharding) with the number
// of plans and their errors in percent. The last line shows how many plans have no estimate, and
// how many have another memory than account_memory computes (0 is expected). `rate` estimates all
// plans of a model: tensor and pipeline parallelism, four schedules, chunks, microbatches, all
// kinds of sharding and recomputation, with and without sequence parallelism. The global batches
// are 1 to BATCHES samples per device. It prints plans per CPU second with and without building the
// tables.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "../fail_with.h"
#include "orrery/config/parameters.h"
#include "orrery/core/statistics/statistics.h"
#include "orrery/estimate/columns/column_estimator.h"
#include "orrery/estimate/program/op_schedule.h"
#include "orrery/estimate/program/program_simulation.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/memory/memory_report.h"
#include "random_plans.h"

using namespace orrery;
using benchmarks::fail_with;

namespace {

/// CPU seconds of this process.
struct Clock {
  static double now() { return double(std::clock()) / CLOCKS_PER_SEC; }
};

double seconds_since(double begin) { return Clock::now() - begin; }

struct Compared {
  std::string plan, schedule, sharding;
  double off = 0;  // percent
};

void print_group(const std::string& name, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double average = mean(values), most = values.back();
  fmt::print("{:28} {:5} plans: median {:.4f} %, mean {:.4f} %, 95 % {:.4f} %, largest {:.3f} %\n",
             name, values.size(), upper_median(values), average, quantile_next_rank(values, 0.95),
             most);
}

void print(std::vector<Compared> all) {
  std::map<std::string, std::vector<double>> groups;
  for (const Compared& one : all) {
    groups[one.schedule].push_back(std::abs(one.off));
    groups[one.sharding].push_back(std::abs(one.off));
    const bool experts = one.plan.find("mixtral") != std::string::npos;
    groups[experts ? "experts" : "dense"].push_back(std::abs(one.off));
    if (experts) groups["experts " + one.sharding].push_back(std::abs(one.off));
    groups[one.schedule + " " + one.sharding].push_back(std::abs(one.off));
    groups["all"].push_back(std::abs(one.off));
  }
  std::sort(all.begin(), all.end(),
            [](const Compared& a, const Compared& b) { return std::abs(a.off) > std::abs(b.off); });
  for (std::size_t i = 0; i < std::min<std::size_t>(14, all.size()); ++i)
    fmt::print("{:+.3f} %  {}\n", all[i].off, all[i].plan);
  for (auto& [name, values] : groups) print_group(name, std::move(values));
}

/// The step of the played or simulated plan, in ps.
Result<double> reference_step(const workload::Program& program, const study::Cluster& cluster,
                              estimate::OpCosts& costs, bool simulate_program) {
  if (simulate_program) {
    const auto result = estimate::simulate_program(program, cluster);
    if (!result) return tl::unexpected(result.error());
    return static_cast<double>(result->end.count());
  }
  const auto times = costs.costs_of(program);
  if (!times) return tl::unexpected(times.error());
  const auto step = estimate::schedule_ops(program, *times);
  if (!step) return tl::unexpected(step.error());
  return static_cast<double>(step->count());
}

struct ClosedForm {
  estimate::StepColumns steps;
  std::string refusal;
};

Result<ClosedForm> closed_form_of(const workload::Spec& spec,
                                  const std::shared_ptr<const study::Cluster>& cluster,
                                  estimate::OpCosts& costs) {
  ClosedForm estimated;
  estimated.refusal = estimate::ColumnEstimator::refusal(*cluster, spec);
  if (!estimated.refusal.empty()) return estimated;
  estimate::ColumnEstimator columns(cluster, spec, costs);
  estimate::PlanColumns plans;
  plans.add(spec);
  if (auto done = columns.prepare(plans); !done) return tl::unexpected(done.error());
  estimated.steps.resize(1);
  columns.estimate_steps(plans, estimated.steps);
  return estimated;
}

int agreement(std::shared_ptr<const study::Cluster> cluster, std::size_t plans, std::uint64_t seed,
              bool simulate_program, bool context) {
  std::mt19937_64 random(seed);
  estimate::OpCosts costs(cluster);
  std::vector<Compared> all;
  std::size_t not_estimable = 0, other_memory = 0, drawn = 0;
  workload::MemoryOptions how;
  how.details = false;
  how.device = study::reserved_memory(cluster->platform.device.entry);
  const std::int64_t room = study::usable_total_memory(cluster->platform.device).count();
  Findings findings;
  std::size_t too_large = 0;
  while (all.size() < plans && drawn < 100 * plans) {
    const std::string text = benchmarks::random_plan(random, cluster->ranks, context);
    const auto spec = workload::parse_spec(text, "plan");
    if (!spec) return fail_with(spec.error());
    if (!workload::check_spec(*spec) || spec->parallel.world() != cluster->ranks) continue;
    const auto program = workload::assemble(*spec, findings);
    if (!program) return fail_with(program.error());
    ++drawn;
    const auto memory = workload::account_memory(*program, how);
    if (!memory) return fail_with(memory.error());
    const auto estimated = closed_form_of(*spec, cluster, costs);
    if (!estimated) return fail_with(estimated.error());
    const auto verdict = estimated->refusal.empty() ? estimated->steps.verdict[0]
                                                    : estimate::PlanVerdict::not_estimable;
    if (verdict == estimate::PlanVerdict::not_estimable) {
      ++not_estimable;
      continue;
    }
    const std::int64_t bytes = memory->roles[memory->worst].total();
    if (estimated->steps.memory[0] != bytes && ++other_memory <= 5)
      fmt::print("estimated memory {} B, accounted {} B: {}\n", estimated->steps.memory[0], bytes,
                 text);
    if ((verdict == estimate::PlanVerdict::too_large) != (room > 0 && bytes > room)) return 3;
    if (verdict == estimate::PlanVerdict::too_large && ++too_large > 0) continue;
    const auto step = reference_step(*program, *cluster, costs, simulate_program);
    if (!step) return fail_with(step.error());
    all.push_back({text, std::string(config::enum_name(spec->schedule.kind)),
                   std::string(config::enum_name(spec->parallel.sharding)),
                   (estimated->steps.step[0] / *step - 1) * 100});
  }
  if (!all.empty()) print(std::move(all));
  fmt::print("{} plans, {} without estimate, {} too large, {} with other memory\n", drawn,
             not_estimable, too_large, other_memory);
  return other_memory == 0 ? 0 : 1;
}

/// Calls `visit` with each divisor of `of` up to `most`.
template <class Visit>
void each_divisor(std::int64_t of, std::int64_t most, Visit visit) {
  for (std::int64_t value = 1; value <= std::min(of, most); ++value)
    if (of % value == 0) visit(value);
}

/// Adds all plans of one mesh and batch.
void add_plans(workload::Spec spec, estimate::PlanColumns& plans) {
  using workload::ScheduleKind;
  const auto add = [&](ScheduleKind kind, std::int64_t chunks) {
    spec.schedule.kind = kind;
    spec.schedule.chunks = chunks;
    for (int sp = 0; sp < (spec.parallel.tp > 1 ? 2 : 1); ++sp) {
      spec.parallel.sp = sp == 1;
      for (const auto& [word, sharding] : config::EnumNames<workload::Sharding>::names) {
        if (spec.parallel.dp == 1 && sharding != workload::Sharding::none) continue;
        spec.parallel.sharding = sharding;
        for (const auto kind_of :
             {workload::RecomputeKind::none, workload::RecomputeKind::selective,
              workload::RecomputeKind::full}) {
          spec.recompute.kind = kind_of;
          plans.add(spec);
        }
      }
    }
  };
  add(ScheduleKind::one_f_one_b, 1);
  if (spec.parallel.pp == 1) return;
  add(ScheduleKind::gpipe, 1);
  add(ScheduleKind::zb_h1, 1);
  each_divisor(spec.model.layers / spec.parallel.pp, 48, [&](std::int64_t chunks) {
    if (chunks > 1) add(ScheduleKind::interleaved, chunks);
  });
}

estimate::PlanColumns all_plans(workload::Spec spec, std::int64_t devices, std::int64_t batches) {
  estimate::PlanColumns plans;
  each_divisor(devices, 64, [&](std::int64_t tp) {
    each_divisor(spec.model.layers, devices / tp, [&](std::int64_t pp) {
      if (devices % (tp * pp) != 0 || spec.model.heads % tp != 0) return;
      spec.parallel.tp = tp;
      spec.parallel.pp = pp;
      spec.parallel.dp = devices / (tp * pp);
      for (std::int64_t batch = 1; batch <= batches; ++batch) {
        spec.batch.global = batch * devices;
        each_divisor(spec.batch.global / spec.parallel.dp, 64, [&](std::int64_t micro) {
          spec.batch.micro = micro;
          add_plans(spec, plans);
        });
      }
    });
  });
  return plans;
}

int rate(std::shared_ptr<const study::Cluster> cluster, const std::string& model,
         std::int64_t batches) {
  const auto base = workload::parse_spec(
      fmt::format("{{version: 1, model: {}, batch: {{seq: 2048}}}}", model), "plan");
  if (!base) return fail_with(base.error());
  if (const std::string why = estimate::ColumnEstimator::refusal(*cluster, *base); !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return 1;
  }
  const estimate::PlanColumns plans = all_plans(*base, cluster->ranks, batches);
  estimate::OpCosts costs(cluster);
  estimate::ColumnEstimator columns(cluster, *base, costs);
  estimate::StepColumns steps;
  steps.resize(plans.size());
  auto begin = Clock::now();
  if (auto done = columns.prepare(plans); !done) return fail_with(done.error());
  const double preparing = seconds_since(begin);
  begin = Clock::now();
  columns.estimate_steps(plans, steps);
  const double estimating = seconds_since(begin);
  std::map<estimate::PlanVerdict, std::size_t> verdicts;
  std::size_t best = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ++verdicts[steps.verdict[i]];
    const auto per_sample = [&](std::size_t at) {
      return steps.step[at] / (double(plans.micro[at]) * plans.dp[at] * plans.microbatches[at]);
    };
    if (steps.verdict[i] == estimate::PlanVerdict::estimated &&
        (steps.verdict[best] != estimate::PlanVerdict::estimated ||
         per_sample(i) < per_sample(best)))
      best = i;
  }
  const auto count = static_cast<double>(plans.size());
  fmt::print(
      "{} plans: {} estimated, {} illegal, {} too large, {} without estimate; {} table entries\n",
      plans.size(), verdicts[estimate::PlanVerdict::estimated],
      verdicts[estimate::PlanVerdict::illegal], verdicts[estimate::PlanVerdict::too_large],
      verdicts[estimate::PlanVerdict::not_estimable], columns.entries());
  fmt::print("tables {:.2f} s, estimates {:.3f} s: {:.0f} plans per second, {:.0f} with tables\n",
             preparing, estimating, count / estimating, count / (estimating + preparing));
  fmt::print(
      "shortest time per sample: tp {}, pp {}, dp {}, micro {}, {} microbatches, {} chunks\n",
      plans.tp[best], plans.pp[best], plans.dp[best], plans.micro[best], plans.microbatches[best],
      plans.chunks[best]);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    fmt::print(stderr,
               "plan_columns agreement CLUSTER [PLANS] [SEED] [played|simulated] [context]\n"
               "plan_columns rate CLUSTER MODEL [BATCHES]\n");
    return 2;
  }
  study::Question question;
  question.cluster = words[2];
  Findings findings;
  auto read = study::read_cluster(question, findings);
  if (!read) return fail_with(read.error());
  const auto cluster = std::make_shared<const study::Cluster>(*std::move(read));
  if (std::string(words[1]) == "rate" && count > 3)
    return rate(cluster, words[3], count > 4 ? std::strtoll(words[4], nullptr, 10) : 1);
  return agreement(cluster, count > 3 ? std::strtoull(words[3], nullptr, 10) : 100,
                   count > 4 ? std::strtoull(words[4], nullptr, 10) : 1,
                   count > 5 && std::string(words[5]) == "simulated",
                   count > 6 && std::string(words[6]) == "context");
}
