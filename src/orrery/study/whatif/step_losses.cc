// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/step_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <thread>
#include <tuple>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/step_breakdown.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/kernels/steps/operator_times.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

namespace {

using workload::OpClass;
using workload::Phase;

/// Mean over ranks, in picoseconds.
struct KernelParts {
  double recomputation = 0, memory_bound = 0, optimizer = 0, products = 0;

  [[nodiscard]] double sum() const { return recomputation + memory_bound + optimizer + products; }
};

KernelParts kernel_parts(const workload::Program& program, const Cluster& cluster) {
  KernelParts made;
  for (const OperatorTime& one : operator_times(program, cluster)) {
    const auto time = static_cast<double>(one.mean.count());
    if (one.phase == Phase::recompute) {
      made.recomputation += time;
    } else if (one.op_class == OpClass::optimizer) {
      made.optimizer += time;
    } else if (one.op_class == OpClass::matmul || one.op_class == OpClass::attention) {
      made.products += time;
    } else {
      made.memory_bound += time;
    }
  }
  return made;
}

/// The time of the model FLOPs at the peaks of their formats, in picoseconds; 0: no peak is known.
double needed_time(const Outcome& outcome) {
  const auto ranks = static_cast<double>(outcome.result.ranks.size());
  double seconds_needed = 0;
  for (const analysis::FormatWork& work : outcome.job->work_by_format)
    if (work.peak > 0) seconds_needed += work.model_flops / work.peak;
  const double rated = outcome.platform().device.rated.count();
  if (outcome.job->work_by_format.empty() && rated > 0)
    seconds_needed = outcome.job->work.model_flops / rated;
  return seconds_needed * 1e12 / ranks;
}

/// The exposed communication of the mean rank, divided as on the rank that ends last.
void add_communication(const Outcome& outcome, Time exposed, std::vector<StepLoss>& losses) {
  double all = 0;
  for (const sim::ExposedGroup& group : outcome.result.exposed)
    all += static_cast<double>(group.time.count());
  if (all <= 0) {
    losses.push_back({LossKind::communication, "", exposed, {}});
    return;
  }
  Time rest = exposed;
  for (const sim::ExposedGroup& group : outcome.result.exposed) {
    const Time time(std::llround(static_cast<double>(exposed.count()) *
                                 static_cast<double>(group.time.count()) / all));
    losses.push_back({LossKind::communication, group.group, std::min(time, rest), {}});
    rest -= losses.back().time;
  }
  losses.back().time += rest;
}

/// "tp=4" of 8; empty if it is odd.
std::string half_of(std::string_view name, std::int64_t value) {
  return value > 1 && value % 2 == 0 ? fmt::format("{}={}", name, value / 2) : "";
}

/// Changes that can avoid exposed communication of a group.
std::vector<std::string> communication_changes(const workload::Spec& spec, std::string_view group) {
  const workload::Parallel& plan = spec.parallel;
  std::vector<std::string> made;
  if (group.starts_with("tp")) {
    if (!plan.sp) made.emplace_back("parallel.sp=true");
    made.push_back(half_of("tp", plan.tp));
  } else if (group.starts_with("cp")) {
    made.push_back(half_of("cp", plan.cp));
  } else if (group.starts_with("ep")) {
    if (spec.model.moe && spec.model.moe->imbalance > 1) made.emplace_back("model.moe.imbalance=1");
    if (plan.dispatcher == workload::Dispatcher::all_to_all)
      made.emplace_back("parallel.dispatcher=deepep");
    made.push_back(half_of("ep", plan.ep));
  } else if (group.empty() || group.starts_with("pp")) {
    made.push_back(half_of("pp", plan.pp));
    if (spec.schedule.chunks > 1) made.push_back(half_of("chunks", spec.schedule.chunks));
  } else {  // replicas: "dp", and groups of experts' replicas
    if (!plan.overlap_gradients.value_or(false))
      made.emplace_back("parallel.overlap_gradients=true");
    if (plan.sharding == workload::Sharding::none) made.emplace_back("sharding=zero1");
    if (plan.sharding == workload::Sharding::zero3) made.emplace_back("parallel.prefetch=2");
  }
  return made;
}

std::vector<std::string> idle_changes(const workload::Spec& spec) {
  const workload::Parallel& plan = spec.parallel;
  std::vector<std::string> made;
  if (spec.kernels.launch_times().is_set()) made.emplace_back("kernels.graphs=true");
  if (plan.pp == 1) return made;
  made.push_back(half_of("micro_batch", spec.batch.micro));
  if (spec.schedule.kind == workload::ScheduleKind::one_f_one_b)
    made.emplace_back("schedule=zb_h1");
  if (spec.schedule.kind == workload::ScheduleKind::interleaved)
    made.push_back(fmt::format("chunks={}", 2 * spec.schedule.chunks));
  made.push_back(half_of("pp", plan.pp));
  return made;
}

/// Changes that can avoid a loss, as --change has them; empty ones are no changes.
std::vector<std::string> changes_for(const StepLoss& loss, const workload::Spec& spec) {
  const std::string larger = fmt::format("micro_batch={}", 2 * spec.batch.micro);
  switch (loss.kind) {
    case LossKind::communication:
      return communication_changes(spec, loss.group);
    case LossKind::remote_memory:
      return {};
    case LossKind::idle:
      return idle_changes(spec);
    case LossKind::recomputation:
      if (spec.recompute.kind == workload::RecomputeKind::full)
        return {"recompute=selective", "recompute=none"};
      return {"recompute=none"};
    case LossKind::memory_bound: {
      std::vector<std::string> made = {larger};
      if (spec.parallel.tp > 1 && !spec.parallel.sp) made.emplace_back("parallel.sp=true");
      if (spec.kernels.framework == workload::Framework::none && !spec.kernels.fused)
        made.emplace_back("kernels.fused=true");
      return made;
    }
    case LossKind::optimizer:
      if (spec.parallel.sharding == workload::Sharding::none) return {"sharding=zero1"};
      return {};
    case LossKind::gaps:
      return {larger};
    case LossKind::interference:
      return {half_of("tp", spec.parallel.tp)};
    case LossKind::below_peak:
      break;
  }
  return {};
}

/// Simulates one change. Empty if it is no legal plan.
std::optional<LossRemedy> simulate_change(const WhatIfCase& read, const std::string& text) {
  const auto change = parse_change(text);
  if (!change) return std::nullopt;
  const auto estimate = read.estimate_step(std::span(&*change, 1));
  if (!estimate) return std::nullopt;
  return LossRemedy{text, estimate->whole, estimate->fits};
}

}  // namespace

std::string_view name(LossKind kind) {
  switch (kind) {
    case LossKind::communication:
      return "exposed communication";
    case LossKind::remote_memory:
      return "exposed remote memory";
    case LossKind::idle:
      return "idle";
    case LossKind::recomputation:
      return "recomputation";
    case LossKind::memory_bound:
      return "memory-bound kernels";
    case LossKind::optimizer:
      return "optimizer";
    case LossKind::gaps:
      return "gaps between kernels";
    case LossKind::interference:
      return "kernels slowed by collectives";
    case LossKind::below_peak:
      return "products below peak";
  }
  return "";
}

StepLosses step_losses(const Outcome& outcome) {
  StepLosses made;
  made.step = outcome.result.end;
  if (!outcome.job || outcome.inputs.load->program == nullptr) return made;
  const double needed = needed_time(outcome);
  if (needed <= 0) return made;
  made.needed = Time(std::llround(needed));
  const workload::Program& program = *outcome.inputs.load->program;
  Cluster without_gaps = *outcome.inputs.cluster;
  without_gaps.platform.device.in_step.gap = Time{};
  const KernelParts parts = kernel_parts(program, without_gaps);
  const double kernels = kernel_parts(program, *outcome.inputs.cluster).sum();
  const analysis::Breakdown mean = digest(outcome).step;
  const double slowed = static_cast<double>(mean.compute.count()) - kernels;
  const auto add = [&](LossKind kind, double time) {
    made.losses.push_back({kind, "", Time(std::llround(std::max(time, 0.0))), {}});
  };
  add(LossKind::recomputation, parts.recomputation);
  add(LossKind::memory_bound, parts.memory_bound);
  add(LossKind::optimizer, parts.optimizer);
  add(LossKind::gaps, kernels - parts.sum());
  add(LossKind::interference, slowed);
  // Kernels of several streams overlap: the sum of their times is then more than the time in which
  // the device computes.
  add(LossKind::below_peak, parts.products - needed + std::min(slowed, 0.0));
  add(LossKind::remote_memory, static_cast<double>(mean.memory_only.count()));
  const bool stages = program.spec.parallel.pp > 1;
  made.losses.push_back({LossKind::idle, stages ? std::string(kPipeline) : "", mean.idle, {}});
  add_communication(outcome, mean.comm_only, made.losses);
  std::erase_if(made.losses, [](const StepLoss& one) { return one.time <= Time{}; });
  std::stable_sort(made.losses.begin(), made.losses.end(),
                   [](const StepLoss& a, const StepLoss& b) { return a.time > b.time; });
  return made;
}

void try_remedies(const WhatIfCase& read, std::size_t most, StepLosses& losses) {
  struct Trial {
    StepLoss* loss;
    std::string change;
    std::optional<LossRemedy> result{};
  };
  std::vector<Trial> trials;
  std::size_t count = 0;
  for (StepLoss& loss : losses.losses) {
    if (!is_recoverable(loss.kind)) continue;
    if (count++ == most) break;
    for (std::string& change : changes_for(loss, read.program()->spec))
      if (!change.empty()) trials.push_back({&loss, std::move(change)});
  }
  ThreadPool(std::max(1u, std::thread::hardware_concurrency()))
      .parallel_for(static_cast<std::uint32_t>(trials.size()), [&](std::uint32_t i) {
        trials[i].result = simulate_change(read, trials[i].change);
      });
  for (Trial& trial : trials)
    if (trial.result) trial.loss->tried.push_back(*std::move(trial.result));
  for (StepLoss& loss : losses.losses)
    std::stable_sort(loss.tried.begin(), loss.tried.end(),
                     [](const LossRemedy& a, const LossRemedy& b) {
                       return std::tuple(!a.fits, a.whole) < std::tuple(!b.fits, b.whole);
                     });
}

}  // namespace orrery::study
