// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/goodput/goodput.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/study/questions/device_price.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/study/questions/job_description.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/workload/memory/checkpoint_size.h"
#include "orrery/workload/program/step_count.h"

namespace orrery::study {

namespace {

constexpr std::uint64_t kFailures = 500'000;        // of the long run
constexpr std::uint64_t kSearchFailures = 100'000;  // of each interval that is tried
constexpr std::uint64_t kRuns = 200, kFewestRuns = 20;
constexpr double kMostFailures = 2e6;  // of all runs of a budget

/// What failures happen to: a job of known step time.
struct SteppedJob {
  platform::Platform platform;
  std::int64_t devices = 0;
  SourcedValue checkpoint;
};

Result<void> check_goodput_question(const GoodputQuestion& question) {
  if (question.cluster.empty())
    return fail(Errc::usage, "--cluster", "is missing",
                "a cluster file, or a name of the catalog: --cluster h100-sxm:1024");
  if (!question.job.given() && !question.step)
    return fail(Errc::usage, "--model", "is missing",
                "a model of the catalog, or the step time and the checkpoint: --step 4.5s "
                "--step-tokens 16777216 --checkpoint-size 5.7TB");
  if (question.job.given() && question.step_tokens > 0)
    return fail(Errc::usage, "--step-tokens", "is for --step without a job",
                "leave it out: the job has its tokens");
  if (!question.job.given() && !question.checkpoint_size)
    return fail(Errc::usage, "--checkpoint-size", "is missing",
                "without a job, its size is not known: --checkpoint-size 5.7TB");
  if (question.step && !(question.step->seconds > 0))
    return fail(Errc::usage, "--step", "must be above 0", "--step 4.5s");
  if (!(question.tokens >= 0 && question.tokens < 1e18))
    return fail(Errc::usage, "--tokens", "must be above 0 and below 1e18", "--tokens 15e12");
  if (question.deadline && !(question.tokens > 0))
    return fail(Errc::usage, "--deadline", "needs a token budget", "--tokens 15e12 --deadline 90d");
  if (question.tokens > 0 && !question.job.given() && question.step_tokens == 0)
    return fail(Errc::usage, "--step-tokens", "is missing",
                "the tokens of a step: --step-tokens 16777216");
  return {};
}

Result<void> take_program(const workload::Program& program, SteppedJob& job, Goodput& made) {
  const auto counted = workload::count(program);
  if (!counted) return tl::unexpected(counted.error());
  made.tokens = workload::has_tokens(program.spec);
  made.step_items = counted->tokens;
  const auto size = workload::checkpoint_size(program);
  if (!size) return tl::unexpected(size.error());
  job.checkpoint = {static_cast<double>(size->total()), "predicted"};
  return {};
}

/// The step time is measured: nothing is simulated.
Result<SteppedJob> measured_job(const GoodputQuestion& question, Goodput& made,
                                Findings& findings) {
  SteppedJob job;
  made.step = {question.step->seconds, "configured"};
  if (question.job.given()) {
    auto assembled = assemble_on(question.job, question.cluster, findings);
    if (!assembled) return tl::unexpected(assembled.error());
    job.platform = std::move(assembled->platform);
    job.devices = static_cast<std::int64_t>(assembled->program.mesh.world());
    if (auto fine = take_program(assembled->program, job, made); !fine)
      return tl::unexpected(fine.error());
    return job;
  }
  Question asked;
  asked.cluster = question.cluster;
  auto cluster = read_cluster(asked, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  job.platform = std::move(cluster->platform);
  job.devices = cluster->ranks;
  made.step_items = question.step_tokens;
  return job;
}

Result<SteppedJob> simulated_job(const GoodputQuestion& question, Watch& watch, Goodput& made,
                                 Findings& findings) {
  Question asked;
  asked.job = question.job;
  asked.cluster = question.cluster;
  asked.work.brief_names = true;
  const auto outcome = answer(asked, watch, findings);
  if (!outcome) return tl::unexpected(outcome.error());
  if (outcome->result.stall)
    return fail(Errc::stall, question.job.name(), "the simulation cannot finish",
                "'orrery run' shows what the ranks wait for");
  findings = outcome->findings;
  made.step = {seconds(outcome->result.end), "predicted"};
  SteppedJob job;
  job.platform = outcome->platform();
  job.devices = outcome->workload().rank_count();
  if (auto fine = take_program(*outcome->inputs.load->program, job, made); !fine)
    return tl::unexpected(fine.error());
  return job;
}

/// Between which times 80 % of simulated runs of the budget last.
void simulate_runs(const FailureModel& failures, double work, std::uint64_t seed,
                   BudgetPrediction& budget) {
  if (!std::isfinite(failures.job.mtbf) || !std::isfinite(failures.job.interval)) return;
  const double each = budget.elapsed / failures.job.mtbf + 1;
  budget.runs =
      static_cast<std::uint64_t>(std::clamp(kMostFailures / each, 0.0, static_cast<double>(kRuns)));
  if (budget.runs < kFewestRuns) return;
  std::vector<double> elapsed;
  for (std::uint64_t run = 0; run < budget.runs; ++run)
    elapsed.push_back(model::simulate_failures(failures.job, failures.nodes_to_spare,
                                               {static_cast<std::uint64_t>(kMostFailures), work},
                                               seed, run + 1)
                          .elapsed);
  std::sort(elapsed.begin(), elapsed.end());
  const std::size_t tenth = elapsed.size() / 10;
  budget.range = {elapsed[tenth], elapsed[elapsed.size() - 1 - tenth]};
}

BudgetPrediction predict_budget(const GoodputQuestion& question, const Goodput& made) {
  BudgetPrediction budget;
  budget.tokens = question.tokens;
  budget.without_failures = question.tokens / made.rate();
  budget.elapsed = budget.without_failures / made.failures.shares.training;
  if (question.deadline) budget.deadline = question.deadline->seconds;
  simulate_runs(made.failures, budget.without_failures, question.seed, budget);
  if (made.price) {
    const std::int64_t spare =
        made.failures.nodes_to_spare.always_free ? 0 : made.failures.nodes_to_spare.spares;
    const auto paid =
        static_cast<double>(made.failures.devices + spare * made.failures.devices_per_node);
    budget.cost = *made.price * paid * budget.elapsed / kSecondsPerHour;
  }
  return budget;
}

}  // namespace

Result<Goodput> predict_goodput(const GoodputQuestion& question, Watch& watch, Findings& findings) {
  if (auto fine = check_goodput_question(question); !fine) return tl::unexpected(fine.error());
  Goodput made;
  auto job = question.step ? measured_job(question, made, findings)
                           : simulated_job(question, watch, made, findings);
  if (!job) return tl::unexpected(job.error());
  if (question.job.given()) made.name = question.job.name();
  made.cluster = job->platform.name.empty() ? question.cluster : job->platform.name;
  if (question.checkpoint_size)
    job->checkpoint = {static_cast<double>(question.checkpoint_size->count()), "configured"};
  if (!question.price.empty()) {
    const auto price = price_of(question.price, job->platform.device.entry);
    if (!price) return tl::unexpected(price.error());
    made.price = *price;
  }
  auto failures = failure_model(question.failures, job->platform, job->devices, job->checkpoint,
                                made.step.value);
  if (!failures) return tl::unexpected(failures.error());
  made.failures = *std::move(failures);
  const model::CheckpointedJob& failing = made.failures.job;
  if (std::isfinite(failing.mtbf)) {
    made.simulation = model::simulate_failures(failing, made.failures.nodes_to_spare,
                                               {kFailures, std::numeric_limits<double>::infinity()},
                                               question.seed);
    if (failing.write > 0)
      made.simulated_interval =
          model::simulated_best_interval(failing, kSearchFailures, question.seed);
  }
  if (question.tokens > 0) made.budget = predict_budget(question, made);
  made.findings = findings;
  return made;
}

}  // namespace orrery::study
