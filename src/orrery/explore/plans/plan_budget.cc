// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/plans/plan_budget.h"

#include "orrery/study/goodput/goodput.h"
#include "orrery/workload/memory/checkpoint_size.h"
#include "orrery/workload/program/program.h"

namespace orrery::explore {

namespace {

Result<double> predicted_goodput(const platform::Platform& platform, std::int64_t devices,
                                 const workload::Spec& spec, Time step) {
  Findings ignored_findings;
  const auto program = workload::assemble(spec, ignored_findings);
  if (!program) return tl::unexpected(program.error());
  const auto size = workload::checkpoint_size(*program);
  if (!size) return tl::unexpected(size.error());
  const auto failures = study::failure_model(
      {}, platform, devices, {static_cast<double>(size->total()), "predicted"}, seconds(step));
  if (!failures) return tl::unexpected(failures.error());
  return failures->shares.training;
}

}  // namespace

Result<void> check_budget(const BudgetQuestion& question) {
  if (!(question.tokens >= 0))
    return fail(Errc::usage, "--tokens", "must be above 0", "--tokens 15e12");
  if (question.goodput && !(*question.goodput > 0 && *question.goodput <= 1))
    return fail(Errc::usage, "--goodput", "must be a share above 0, at most 1", "--goodput 0.9");
  if (question.given()) return {};
  if (question.deadline)
    return fail(Errc::usage, "--deadline", "needs a token budget", "--tokens 15e12 --deadline 90d");
  if (question.goodput)
    return fail(Errc::usage, "--goodput", "needs a token budget", "--tokens 15e12 --goodput 0.9");
  return {};
}

Result<PlanBudget> plan_budget(const BudgetQuestion& question, const platform::Platform& platform,
                               std::int64_t devices, const workload::Spec& spec, Time step,
                               std::int64_t step_tokens) {
  if (step_tokens <= 0)
    return fail(Errc::usage, "--tokens", "the model has no tokens", "leave it out");
  PlanBudget budget;
  if (question.goodput) {
    budget.goodput = *question.goodput;
  } else {
    const auto goodput = predicted_goodput(platform, devices, spec, step);
    if (!goodput) return tl::unexpected(goodput.error());
    budget.goodput = *goodput;
  }
  budget.elapsed =
      question.tokens / static_cast<double>(step_tokens) * seconds(step) / budget.goodput;
  budget.late = question.deadline && budget.elapsed > question.deadline->seconds;
  return budget;
}

}  // namespace orrery::explore
