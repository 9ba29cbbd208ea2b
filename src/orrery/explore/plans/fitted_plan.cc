// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/fitted_plan.h"

#include <string_view>
#include <utility>

#include "orrery/core/findings.h"
#include "orrery/estimate/program/program_simulation.h"
#include "orrery/record/make_run.h"
#include "orrery/study/jobs/expanded_cluster.h"
#include "orrery/study/jobs/step_errors.h"
#include "orrery/study/jobs/usable_memory.h"
#include "orrery/workload/memory/memory_bounds.h"
#include "orrery/workload/memory/memory_report.h"

namespace orrery::explore {

std::string rule_of(const Error& error) {
  const std::string_view hint = error.hint;
  constexpr std::string_view kMark = "rule ";
  if (!hint.starts_with(kMark)) return error.what;
  return std::string(hint.substr(kMark.size(), hint.find(':') - kMark.size()));
}

FittedPlan fit_plan(workload::Spec spec, const std::vector<workload::RecomputeKind>& recompute,
                    const platform::Device& device) {
  FittedPlan fitted;
  workload::MemoryOptions how;
  how.details = false;
  how.device = study::reserved_memory(device.entry);
  const std::int64_t room = study::usable_total_memory(device).count();
  for (const workload::RecomputeKind kind : recompute) {
    spec.recompute.kind = kind;
    if (auto fine = workload::check_spec(spec); !fine) {
      fitted.rule = rule_of(fine.error());
      continue;
    }
    Findings ignored_findings;
    auto program = workload::assemble(spec, ignored_findings);
    if (!program) {
      fitted.rule = rule_of(program.error());
      continue;
    }
    const auto memory = workload::account_memory(*program, how);
    if (!memory) {
      fitted.rule = memory.error().what;
      continue;
    }
    fitted.need = workload::memory_need(memory->roles[memory->worst]);
    fitted.fit = room > 0 ? memory_fit(fitted.need, Bytes(room)) : MemoryFit::yes;
    fitted.spec = program->spec;
    if (room > 0 && fitted.need.total.count() > room) continue;
    fitted.program = *std::move(program);
    break;
  }
  return fitted;
}

Result<SimulatedPlan> simulate_plan(const workload::Program& program,
                                    const std::shared_ptr<const study::Cluster>& cluster) {
  // The interval needs the critical path.
  auto result = estimate::simulate_program(program, *study::with_expanded_memory(program, cluster),
                                           estimate::SimulationDetail::path);
  if (!result) return tl::unexpected(result.error());
  study::add_step_errors(program.spec, cluster->platform.device, *result);
  const auto errors = record::error_classes(*result);
  SimulatedPlan plan{result->end,
                     {},
                     analysis::step_interval(errors, result->end),
                     analysis::no_interval_reason(errors, result->end)};
  for (std::size_t i = 0; i < kStepParts.size(); ++i) {
    double sum = 0;
    for (const sim::RankResult& rank : result->ranks)
      sum += static_cast<double>(kStepParts[i].of(rank, result->end).count());
    plan.parts[i] =
        Time(static_cast<std::int64_t>(sum / static_cast<double>(result->ranks.size())));
  }
  return plan;
}

}  // namespace orrery::explore
