// SPDX-License-Identifier: Apache-2.0
//
// Points whose plans are told in columns (estimate/columns).
#include <cmath>
#include <utility>

#include "orrery/explore/evaluator.h"
#include "orrery/search/plans/first_look.h"
#include "orrery/workload/program/count.h"

namespace orrery::explore {

namespace {

/// Jobs that one evaluator remembers.
constexpr std::size_t kJobs = 4096;

/// All that is no column put back.
workload::Spec without_columns(workload::Spec spec) {
  const workload::Spec plain;
  spec.parallel.tp = spec.parallel.pp = spec.parallel.dp = spec.parallel.ep = 1;
  spec.parallel.cp = 1;
  spec.parallel.sp = plain.parallel.sp;
  spec.parallel.sharding = plain.parallel.sharding;
  spec.schedule.kind = plain.schedule.kind;
  spec.schedule.chunks = 1;
  spec.recompute.kind = plain.recompute.kind;
  spec.batch.micro = 1;
  spec.batch.global = 0;
  return spec;
}

}  // namespace

std::optional<Evaluator::Job> Evaluator::job_of(const Asked& asked, const Known& known) {
  auto spec = spec_of(asked.job, *known.cluster);
  if (!spec || spec->parallel.world() != known.cluster->ranks) return std::nullopt;
  Job job{*std::move(spec), {}, 0, 0};
  job.family = workload::to_json(without_columns(job.spec));
  // FLOPs of the model are those of its batch, however it is cut; without a plan nobody asks.
  Findings nobody;
  const auto program = workload::assemble(job.spec, nobody);
  if (!program) return job;
  if (const auto counted = workload::count(*program)) {
    job.model_flops = workload::to_double(counted->flops.model());
    if (workload::has_tokens(program->spec)) job.tokens = counted->tokens;
  }
  return job;
}

Result<std::optional<Told>> Evaluator::told_in_columns(const Asked& asked, Known& known,
                                                       const Told& begun) {
  const std::string text = std::to_string(known.cluster->ranks) + " " + asked.job.dump();
  auto found = jobs_.find(text);
  if (found == jobs_.end()) {
    if (jobs_.size() >= kJobs) jobs_.clear();
    const FilesRead read_files;
    auto job = job_of(asked, known);
    found = jobs_.emplace(text, RememberedJob{std::move(job), read_files.hashes()}).first;
  }
  files_.insert(found->second.files.begin(), found->second.files.end());
  if (!found->second.job) return std::optional<Told>{};
  const Job& job = *found->second.job;
  auto columns = known.columns.find(job.family);
  if (columns == known.columns.end()) {
    std::unique_ptr<estimate::Columns> made;
    if (estimate::Columns::refusal(*known.cluster, job.spec).empty())
      made = std::make_unique<estimate::Columns>(known.cluster, job.spec, *known.costs);
    columns = known.columns.emplace(job.family, std::move(made)).first;
  }
  if (columns->second == nullptr) return std::optional<Told>{};
  const auto kinds = space_.recompute.empty() ? std::vector{job.spec.recompute.kind}  //
                                              : space_.recompute;
  const auto seen = search::first_look({job.spec}, kinds, *columns->second);
  if (!seen) return tl::unexpected(seen.error());
  const search::SeenPlan& plan = seen->front();
  if (!plan.seen || (plan.fits && (!plan.step || job.model_flops == 0)))
    return std::optional<Told>{};
  Told told = begun;
  told.memory = plan.memory;
  workload::Spec spec = job.spec;
  spec.recompute.kind = plan.recompute;
  if (plan.memory > 0) told.plan = search::plan_words(spec);
  told.state = plan.fits ? State::fits : plan.memory > 0 ? State::too_large : State::illegal;
  if (told.state == State::illegal) told.why = plan.rule;
  if (!plan.fits) return told;
  told.step = std::llround(*plan.step);
  told.model_flops = job.model_flops;
  told.tokens = job.tokens;
  told.samples = spec.global_batch();
  return told;
}

}  // namespace orrery::explore
