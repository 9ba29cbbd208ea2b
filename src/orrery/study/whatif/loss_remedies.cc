// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/loss_remedies.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/core/system/thread_pool.h"
#include "orrery/study/whatif/changes/changes.h"
#include "orrery/workload/program/program.h"
#include "orrery/workload/spec/model_parallel_policy.h"

namespace orrery::study {

namespace {

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
    if (workload::dispatcher_of(spec) == workload::Dispatcher::all_to_all)
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
    case LossKind::host:
      return {std::string(without_host_waits(spec)), larger};
    case LossKind::imbalance:
      return {std::string(kWithoutImbalance), half_of("ep", spec.parallel.ep)};
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

std::string_view without_host_waits(const workload::Spec& spec) {
  return spec.kernels.launch ? "kernels.launch=0" : "kernels.graphs=true";
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
