// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/graph/transform/replicate.h"
#include "orrery/record/make_run.h"
#include "orrery/study/jobs/job_summary.h"
#include "orrery/study/kernels/kernel_files.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/recordings/replay_platform.h"
#include "orrery/study/whatif/changes/device_change.h"
#include "orrery/study/whatif/operator_change.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {
namespace {

/// If dp changes, a cluster given as device and number gets as many devices as the job needs; other
/// clusters keep their size.
Result<std::string> cluster_for(std::span<const Change> changes, const workload::Program& program,
                                std::string cluster) {
  const bool dp = std::any_of(changes.begin(), changes.end(),
                              [](const Change& change) { return change.path == "parallel.dp"; });
  const std::size_t colon = cluster.rfind(':');
  if (!dp || colon == std::string::npos) return cluster;
  workload::Spec spec = program.spec;
  for (const Change& change : changes) {
    if (change.level != ChangeScope::job || change.name == "offload") continue;
    if (auto done = workload::set(spec, change.path, change.value); !done)
      return tl::unexpected(done.error());
  }
  return fmt::format("{}:{}", cluster.substr(0, colon), ranks_of(spec.parallel));
}

/// A stall error that names what one rank waits for.
Error stalled(const Outcome& outcome, const std::string& where) {
  std::string what = "the ranks deadlock";
  const auto& nodes = outcome.result.stall->nodes;
  if (!nodes.empty())
    what += fmt::format("; rank {} in '{}', {}", nodes[0].rank,
                        outcome.workload().graph(nodes[0].rank).name(nodes[0].node), nodes[0].why);
  return {Errc::input_mismatch, where, what,
          "orrery trace validate shows more about unmodified traces"};
}

/// Replicates traces to `ranks` ranks.
Load in_turn(const Load& traces, std::uint32_t ranks, Findings& findings) {
  Load made = traces;
  const graph::Workload& read = traces.workload;
  const std::size_t there = read.rank_count() - read.without_trace.size();
  count_replicated_traces(there, ranks, findings);
  graph::replicate(made.workload, ranks);
  if (there != ranks) made.workload.recorded_duration.reset();  // not for this number of ranks
  return made;
}

}  // namespace

StepEstimate estimate_of(const Outcome& outcome) {
  StepEstimate estimate;
  estimate.whole = outcome.result.end;
  estimate.errors = record::error_classes(outcome.result);
  estimate.time_by_provenance = outcome.result.time_by_provenance;
  if (!outcome.job) return estimate;
  estimate.work = outcome.job->work;
  if (outcome.job->fullest() != nullptr) estimate.memory = Bytes(outcome.job->fullest()->total());
  estimate.fits = outcome.findings.count(FindingCode::may_not_fit) == 0;
  return estimate;
}

Result<void> WhatIfCase::become_replicas(Findings& findings) {
  if (auto fine = graph::check_replicas(workload(), question_.workload_name()); !fine) return fine;
  replicas_ = load_;
  load_ = std::make_shared<const Load>(in_turn(*replicas_, cluster_->ranks, findings));
  return {};
}

Result<WhatIfCase> WhatIfCase::read(Question question, const std::string& device, Watch& watch,
                                    Findings& findings) {
  WhatIfCase made;
  question.device = device;
  if (auto fine = settle(question); !fine) return tl::unexpected(fine.error());
  const bool replay = question.cluster.empty() && !question.astra() && !question.job.given();
  made.question_ = std::move(question);
  auto done =
      replay ? made.read_to_replay(watch, findings) : made.read_for_cluster(watch, findings);
  if (!done) return tl::unexpected(done.error());
  return made;
}

Result<Outcome> WhatIfCase::simulate(std::span<const Change> changes, bool record, Watch& watch,
                                     Findings& findings) const {
  Question question = question_;
  question.record = record;
  question.work.brief_names = !record;
  for (const Change& change : changes) question.changes.push_back(change.text);
  auto outcome = replayed() ? replay_changed(question, changes, watch, findings)
                 : question.changes.empty()
                     ? study::simulate(question, {cluster_, load_}, watch, findings)
                     : simulate_changed(std::move(question), changes, watch, findings);
  if (outcome && outcome->result.stall)
    return tl::unexpected(stalled(*outcome, question_.workload_name()));
  return outcome;
}

Result<StepEstimate> WhatIfCase::estimate_step(std::span<const Change> changes) const {
  Watch ignored_watch;
  Findings ignored_findings;
  auto outcome = simulate(changes, false, ignored_watch, ignored_findings);
  if (!outcome) return tl::unexpected(outcome.error());
  return estimate_of(*outcome);
}

Result<Outcome> WhatIfCase::replay_changed(const Question& question,
                                           std::span<const Change> changes, Watch& watch,
                                           Findings& findings) const {
  if (changes.empty()) return study::simulate(question, {cluster_, load_}, watch, findings);
  auto other = changed_work(changes, findings);
  if (!other) return tl::unexpected(other.error());
  return study::simulate(question, {cluster_, std::make_shared<const Load>(*std::move(other))},
                         watch, findings);
}

/// Applies changes of layers and microbatches first, then of the device, then the rest in order.
Result<Load> WhatIfCase::changed_work(std::span<const Change> changes, Findings& findings) const {
  Load made;
  auto reshaped = with_structure(workload(), changes, given_structure(question_), findings);
  if (!reshaped) return tl::unexpected(reshaped.error());
  made.workload = *std::move(reshaped);
  for (const Change& change : changes) {
    if (change.level == ChangeScope::work || is_structural(change)) continue;
    if (change.name != "gpu")
      return fail(Errc::config_conflict, "--change " + change.text,
                  "a replayed recording has nothing to change here",
                  changes_replica_count(change)
                      ? "give its cluster with --cluster, and --replicate if all ranks are "
                        "replicas; or its job with --spec or --model"
                      : "give its cluster with --cluster, or its job with --spec or --model");
    const auto ratios = read_device_ratios(question_.device_ratios);
    if (!ratios) return tl::unexpected(ratios.error());
    auto moved = change_device(made.workload, question_.device, change.value, measured_, *ratios);
    if (!moved) return tl::unexpected(moved.error());
    const std::string& table = question_.kernel_files.kernel_table;
    if (!table.empty() && moved->by_table == Time{})
      findings.add(
          FindingCode::key_without_effect,
          fmt::format("{}: it has no time for any kernel of the workload on {}", table, moved->to));
    made.device_conversion = moved->description();
    made.workload = std::move(moved->workload);
  }
  auto changed = with_changes(made.workload, changes, false, findings);
  if (!changed) return tl::unexpected(changed.error());
  made.workload = *std::move(changed);
  return made;
}

/// Reads the inputs again, since the changes may affect them.
Result<Outcome> WhatIfCase::simulate_changed(Question question, std::span<const Change> changes,
                                             Watch& watch, Findings& findings) const {
  if (program() != nullptr) {
    auto grown = cluster_for(changes, *program(), question.cluster);
    if (!grown) return tl::unexpected(grown.error());
    question.cluster = *std::move(grown);
  }
  question.replicate = question.replicate || replicas_ != nullptr;
  if (auto fine = settle(question); !fine) return tl::unexpected(fine.error());
  Findings anew;
  auto cluster = read_cluster(question, anew);
  if (!cluster) {
    Error error = cluster.error();  // the user did not give this cluster
    if (question.cluster != question_.cluster && error.where == question.cluster)
      error.where = fmt::format("{} (as changed)", question.cluster);
    return tl::unexpected(std::move(error));
  }
  question.recorded_on = moved_from(changes, cluster->platform.device);
  auto load = load_for(question, *cluster, watch, anew);
  if (!load) return tl::unexpected(load.error());
  if (load->program != nullptr)
    if (auto done = change_operators(changes, *load->program, cluster->platform); !done)
      return tl::unexpected(done.error());
  auto outcome = study::simulate(question,
                                 {std::make_shared<const Cluster>(*std::move(cluster)),
                                  std::make_shared<const Load>(*std::move(load))},
                                 watch, anew);
  if (outcome) outcome->findings.merge_maximum(findings);
  return outcome;
}

/// Reads the workload again, except for traces that replicate.
Result<Load> WhatIfCase::load_for(const Question& question, const Cluster& cluster, Watch& watch,
                                  Findings& findings) const {
  if (!replicas_) return read_load(question, cluster, watch, findings);
  Load load = in_turn(*replicas_, cluster.ranks, findings);
  if (auto done = apply_changes(question, cluster, load, findings); !done)
    return tl::unexpected(done.error());
  return load;
}

/// The device from which recorded kernel times must be converted; empty: no conversion. Chakra
/// traces do not contain their device: it is that of the original cluster.
std::optional<std::string> WhatIfCase::moved_from(std::span<const Change> changes,
                                                  const platform::Device& to) const {
  const std::string& before = cluster_->platform.device.entry;
  const bool recorded = to.compute == TimeSource::automatic || to.compute == TimeSource::recorded;
  const bool asked = std::any_of(changes.begin(), changes.end(),
                                 [](const Change& change) { return change.name == "gpu"; });
  if (program() != nullptr || !recorded || to.entry.empty() || (to.entry == before && !asked))
    return std::nullopt;
  const std::string& device = question_.device;
  return device.empty() && question_.recorded.traces.empty() ? before : device;
}

Result<void> WhatIfCase::read_to_replay(Watch& watch, Findings& findings) {
  auto measured = read_kernel_models(question_.kernel_files, findings);
  if (!measured) return tl::unexpected(measured.error());
  measured_ = *std::move(measured);
  auto workload = read_workload(question_, 0, watch);
  if (!workload) return tl::unexpected(workload.error());
  const auto has_times = [](const graph::GraphRef& graph) {
    for (graph::NodeId n = 0; n < graph->size(); ++n)
      if (graph->duration(n) > Time{}) return true;
    return false;
  };
  if (std::none_of(workload->graphs.begin(), workload->graphs.end(), has_times))
    return fail(Errc::input_unsupported, question_.workload_name(), "contains no times",
                "give a cluster with --cluster");
  auto load = std::make_shared<Load>();
  load->workload = *std::move(workload);
  findings.merge(load->workload.findings);
  load->workload.findings = {};
  cluster_ = std::make_shared<const Cluster>(replay_cluster(load->workload.rank_count()));
  load_ = std::move(load);
  return {};
}

Result<void> WhatIfCase::read_for_cluster(Watch& watch, Findings& findings) {
  auto cluster = read_cluster(question_, findings);
  if (!cluster) return tl::unexpected(cluster.error());
  cluster_ = std::make_shared<const Cluster>(*std::move(cluster));
  auto load = read_load(question_, *cluster_, watch, findings);
  if (!load) return tl::unexpected(load.error());
  load_ = std::make_shared<const Load>(*std::move(load));
  return {};
}

}  // namespace orrery::study
