// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/outcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "orrery/model/kernels/silicon_of.h"
#include "orrery/sim/result_difference.h"
#include "orrery/study/collectives/algorithms/group_rings.h"
#include "orrery/study/collectives/collective_bounds.h"
#include "orrery/study/jobs/expanded_cluster.h"
#include "orrery/study/jobs/host_memory.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/jobs/step_errors.h"
#include "orrery/study/jobs/tensor_parallel_hosts.h"
#include "orrery/study/kernels/kernel_deviations.h"
#include "orrery/study/questions/outcome/caller_times.h"
#include "orrery/study/whatif/changes/device_change.h"

namespace orrery::study {

namespace {

sim::Options options_of(const Question& question) {
  const ExecutionOptions& work = question.work;
  sim::Options made;
  made.fold = work.fold == "auto";
  made.closed_forms = work.collectives == "auto";
  made.skip_repeats = work.skip == "auto";
  made.threads = work.threads > 0 ? static_cast<std::uint32_t>(work.threads)
                                  : std::max(1u, std::thread::hardware_concurrency());
  made.record = question.record;
  made.exposed_by_group = question.exposed_by_group;
  return made;
}

void add_cluster_options(const Cluster& cluster, sim::Options& options) {
  options.kernel_models = cluster.kernel_models();
  options.library = cluster.library;
  options.caller = cluster.caller;
  options.network = caller_network(cluster);
  if (!cluster.replay) return;
  options.replay = true;
  options.fold = options.skip_repeats = false;
  options.threads = 1;
}

Result<sim::SimResult> simulate_once(const Inputs& inputs, const graph::Workload& workload,
                                     sim::Options options, Watch& watch) {
  const std::uint32_t ranks = workload.rank_count();
  options.progress = [&](std::uint32_t finished, std::uint64_t messages) {
    watch.simulating(finished, ranks, messages);
  };
  options.estimated = [&](const sim::SimulationEstimate& estimate) {
    watch.estimated(ranks, estimate.bytes, estimate.cpu_seconds);
  };
  auto result = simulate_with_rings(workload, inputs.platform(), options);
  watch.phase_done();
  return result;
}

void look_at_kernel_models(const Inputs& inputs, Findings& findings) {
  const platform::Device& device = inputs.platform().device;
  for (std::size_t i = 0; i < inputs.cluster->kernel_files.size(); ++i) {
    const LoadedKernelFile& file = inputs.cluster->kernel_files[i];
    if (file.model && !predicts_any(*file.model, model::silicon_of(device), inputs.workload()))
      findings.add(FindingCode::key_without_effect,
                   fmt::format("{}: it has no time for any kernel of the workload on this device",
                               device.kernel_files.*kKernelFileTable[i].path));
  }
}

/// Counts changes of links, algorithms and the number of replicas as without effect if ranks do not
/// communicate.
void count_unused_link_changes(const Question& question, const sim::SimResult& result,
                               Findings& findings) {
  const bool any = std::any_of(
      result.collectives.begin(), result.collectives.end(), [](const sim::CollectiveTotal& total) {
        return total.group_size > 1 || total.type == "send" || total.type == "recv";
      });
  if (any || result.stall) return;
  for (const std::string& text : question.changes)
    for (const std::string_view name : {"bandwidth=", "latency=", "algorithm=", "dp="})
      if (text.starts_with(name) && (name != "dp=" || question.replicate))
        findings.add(FindingCode::key_without_effect,
                     fmt::format("--change {}: no ranks communicate over a link", text));
}

/// For `--collective-algorithm auto`: stores the choices in a copy of the cluster, which other
/// questions may share.
Result<std::vector<AlgorithmChoice>> choose_if_asked(const Question& question, Inputs& inputs) {
  if (question.collective_algorithm != kAutoAlgorithm) return {};
  auto cluster = std::make_shared<Cluster>(*inputs.cluster);
  auto made = choose_algorithms(cluster->platform, inputs.workload());
  if (made) inputs.cluster = std::move(cluster);
  return made;
}

/// Summarizes a generated job, and adds the errors of its complete step to `result`.
Result<std::shared_ptr<const JobSummary>> finish_job(const Inputs& inputs, bool record,
                                                     sim::SimResult& result, Findings& findings) {
  const workload::Program& program = *inputs.load->program;
  auto job = summarize_job(program, inputs.platform(), record, findings);
  if (!job) return tl::unexpected(job.error());
  add_step_errors(program.spec, inputs.platform().device, result);
  return std::make_shared<const JobSummary>(*std::move(job));
}

}  // namespace

Result<Outcome> simulate(const Question& question, Inputs inputs, Watch& watch, Findings& findings,
                         sim::Checkpoints checkpoints, double max_cpu_seconds) {
  auto chosen = choose_if_asked(question, inputs);
  if (!chosen) return tl::unexpected(chosen.error());
  inputs.cluster = with_host_memory(*inputs.load, inputs.cluster, findings);
  sim::Options options = options_of(question);
  options.checkpoints = std::move(checkpoints);
  options.max_cpu_seconds = max_cpu_seconds;
  const bool verify = question.work.verify_fold;
  add_cluster_options(*inputs.cluster, options);
  look_at_kernel_models(inputs, findings);
  if (!inputs.cluster->replay && inputs.load->device_conversion.empty() && !inputs.load->program)
    count_other_device(inputs.workload(), question.device, inputs.platform().device, findings);
  options.keep_times = inputs.workload().spilled_bytes() == 0;
  // For --verify-fold, the unfolded run is recorded.
  if (verify && question.record) options.fold = false;
  std::shared_ptr<const graph::Workload> changed;
  if (has_kernel_deviations(inputs.platform())) {
    changed = std::make_shared<const graph::Workload>(
        with_kernel_deviations(inputs.workload(), inputs.platform(), findings));
  }
  const graph::Workload& workload = changed ? *changed : inputs.workload();
  const Inputs held{with_expanded_memory(*inputs.load, inputs.cluster, findings), inputs.load};
  auto result = simulate_once(held, workload, options, watch);
  if (!result) return tl::unexpected(result.error());
  Outcome outcome;
  if (verify) {
    options.record = false;
    options.fold = !options.fold;
    const auto other = simulate_once(held, workload, options, watch);
    if (!other) return tl::unexpected(other.error());
    const sim::SimResult& folded = options.fold ? *other : *result;
    outcome.verified = FoldVerification{
        sim::first_difference(folded, options.fold ? *result : *other), folded.savings};
  }
  findings.merge(result->findings);
  result->findings = {};
  count_unused_link_changes(question, *result, findings);
  count_caller_times(*inputs.cluster, findings);
  check_tensor_groups(workload, inputs.platform(), findings);
  if (inputs.load->program) {
    auto job = finish_job(inputs, question.record, *result, findings);
    if (!job) return tl::unexpected(job.error());
    outcome.job = *std::move(job);
  }
  outcome.question = question;
  outcome.chosen = *std::move(chosen);
  outcome.workload_name = question.workload_name();
  outcome.cluster_name = question.cluster_name();
  outcome.findings = std::move(findings);
  outcome.changed = std::move(changed);
  outcome.inputs = std::move(inputs);
  outcome.result = *std::move(result);
  set_chunk_choice_bounds(outcome.platform(), outcome.result.chunk_choices);
  return outcome;
}

Result<void> try_effects(Outcome& outcome) {
  if (outcome.result.stall) return {};
  Watch ignored_watch;
  for (const Effect& effect : effects()) {
    Question question = outcome.question;
    std::vector<std::string>& without = question.without;
    if (std::find(without.begin(), without.end(), effect.name) != without.end()) continue;
    without.emplace_back(effect.name);
    question.record = false;
    question.work.verify_fold = false;
    question.work.brief_names = true;
    Findings ignored_findings;  // equal to those of the complete step
    const auto without_effect = answer(std::move(question), ignored_watch, ignored_findings, {},
                                       outcome.inputs.cluster->caller);
    if (!without_effect) return tl::unexpected(without_effect.error());
    outcome.effects.push_back({effect.name, without_effect->result.end});
  }
  return {};
}

}  // namespace orrery::study
