// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/step_losses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "orrery/analysis/metrics/format_peaks.h"
#include "orrery/analysis/metrics/step_breakdown.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/kernels/steps/operator_times.h"
#include "orrery/study/whatif/loss_remedies.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/launch_policy.h"

namespace orrery::study {

namespace {

using workload::OpClass;
using workload::Phase;

/// Times of kernels: mean over ranks, in picoseconds.
struct KernelTimes {
  double all = 0;
  std::array<double, graph::kOperations> by_operation{};

  void add(graph::Operation operation, double time) {
    all += time;
    by_operation.at(static_cast<std::size_t>(operation)) += time;
  }
  [[nodiscard]] std::vector<FamilyTime> families() const {
    std::vector<FamilyTime> made;
    for (std::size_t i = 0; i < by_operation.size(); ++i)
      if (const Time time(std::llround(by_operation.at(i))); time > Time{})
        made.push_back({static_cast<graph::Operation>(i), time});
    std::stable_sort(made.begin(), made.end(),
                     [](const FamilyTime& a, const FamilyTime& b) { return a.time > b.time; });
    return made;
  }
};

struct KernelParts {
  KernelTimes recomputation, memory_bound, optimizer, products;

  [[nodiscard]] double sum() const {
    return recomputation.all + memory_bound.all + optimizer.all + products.all;
  }
};

KernelParts kernel_parts(const workload::Program& program, const Cluster& cluster) {
  KernelParts made;
  for (const OperatorTime& one : operator_times(program, cluster)) {
    const bool is_product = one.op_class == OpClass::matmul || one.op_class == OpClass::attention;
    KernelTimes& part = one.phase == Phase::recompute        ? made.recomputation
                        : one.op_class == OpClass::optimizer ? made.optimizer
                        : is_product                         ? made.products
                                                             : made.memory_bound;
    part.add(one.operation, static_cast<double>(one.mean.count()));
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
    losses.push_back({LossKind::communication, "", exposed, {}, {}});
    return;
  }
  Time rest = exposed;
  for (const sim::ExposedGroup& group : outcome.result.exposed) {
    const Time time(std::llround(static_cast<double>(exposed.count()) *
                                 static_cast<double>(group.time.count()) / all));
    losses.push_back({LossKind::communication, group.group, std::min(time, rest), {}, {}});
    rest -= losses.back().time;
  }
  losses.back().time += rest;
}

void sort_losses(std::vector<StepLoss>& losses) {
  std::stable_sort(losses.begin(), losses.end(),
                   [](const StepLoss& a, const StepLoss& b) { return a.time > b.time; });
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
    case LossKind::host:
      return "waits for kernel launches";
    case LossKind::imbalance:
      return "imbalance of experts";
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
  const auto add = [&](LossKind kind, double time, std::vector<FamilyTime> families = {}) {
    made.losses.push_back(
        {kind, "", Time(std::llround(std::max(time, 0.0))), {}, std::move(families)});
  };
  add(LossKind::recomputation, parts.recomputation.all, parts.recomputation.families());
  add(LossKind::memory_bound, parts.memory_bound.all, parts.memory_bound.families());
  add(LossKind::optimizer, parts.optimizer.all, parts.optimizer.families());
  add(LossKind::gaps, kernels - parts.sum());
  add(LossKind::interference, slowed);
  // Kernels of several streams overlap: the sum of their times is then more than the time in which
  // the device computes.
  add(LossKind::below_peak, parts.products.all - needed + std::min(slowed, 0.0),
      parts.products.families());
  add(LossKind::remote_memory, static_cast<double>(mean.memory_only.count()));
  const bool stages = program.spec.parallel.pp > 1;
  made.losses.push_back({LossKind::idle, stages ? std::string(kPipeline) : "", mean.idle, {}, {}});
  add_communication(outcome, mean.comm_only, made.losses);
  std::erase_if(made.losses, [](const StepLoss& one) { return one.time <= Time{}; });
  sort_losses(made.losses);
  return made;
}

StepLosses separated_losses(const WhatIfCase& read, const Outcome& outcome, Watch& watch) {
  const workload::Program* program = read.program();
  if (program == nullptr) return step_losses(outcome);
  const workload::Spec& spec = program->spec;
  std::vector<std::pair<LossKind, std::string_view>> causes;
  if (spec.model.moe && spec.model.moe->imbalance > 1)
    causes.emplace_back(LossKind::imbalance, kWithoutImbalance);
  if (workload::launch_times(spec).is_set())
    causes.emplace_back(LossKind::host, without_host_waits(spec));
  std::vector<StepLoss> separate;
  std::vector<Change> removed;
  std::optional<Outcome> without;
  Time step = outcome.result.end;
  for (const auto& [kind, text] : causes) {
    const auto change = parse_change(std::string(text));
    if (!change) continue;
    std::vector<Change> changes = removed;
    changes.push_back(*change);
    Findings ignored;
    auto simulated = read.simulate(changes, false, watch, ignored);
    if (!simulated || simulated->result.end >= step) continue;
    separate.push_back({kind, "", step - simulated->result.end, {}, {}});
    step = simulated->result.end;
    removed = std::move(changes);
    without = *std::move(simulated);
  }
  StepLosses made = step_losses(without ? *without : outcome);
  if (made.losses.empty()) return made;
  made.step = outcome.result.end;
  made.losses.insert(made.losses.end(), separate.begin(), separate.end());
  sort_losses(made.losses);
  return made;
}

}  // namespace orrery::study
