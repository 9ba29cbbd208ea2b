// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/steps/operation_times.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/changes/nccl_variables.h"
#include "orrery/study/whatif/whatif_case.h"
#include "orrery/study/whatif/whatif_consistency.h"
#include "orrery/study/whatif/whatif_inference.h"
#include "orrery/study/whatif/whatif_ranking.h"

namespace orrery::study {
namespace {

constexpr std::string_view kReplicasHint =
    "; or give one trace with --replicate, if all ranks are replicas";

/// Scales predicted kernel times of each operation by the ratio recorded / predicted of that
/// operation.
void scale_to_recorded(const std::vector<OperationTime>& operations, WhatIfCase& read) {
  std::vector<std::string> changes;
  for (const OperationTime& one : operations)
    if (one.factor() <= kMaxChangeFactor)
      changes.push_back(fmt::format("{}={:.4f}", graph::name(one.operation), one.factor()));
  read.set_base_changes(changes);
}

/// Falls back to replicating the traces when no job can be inferred and only dp changes. `error`:
/// why inference failed.
Result<void> complete_with_replicas(Error error, WhatIfCase& read, Findings& findings) {
  const graph::Workload& workload = read.workload();
  if (workload.rank_count() == 1) {
    error.hint += kReplicasHint;
    return tl::unexpected(std::move(error));
  }
  const auto fine = read.become_replicas(findings);
  if (fine) return {};
  error.what += "; and " + fine.error().what;
  return tl::unexpected(std::move(error));
}

/// Compares a job with its recordings, or infers the job of traces.
Result<void> complete_job(const std::optional<RecordedTraces>& recordings, bool must_infer_job,
                          WhatIfCase& read, WhatIf& made, Watch& watch) {
  if (recordings) {
    auto operations = compare_operation_times(*recordings, *made.recorded, *read.program(),
                                              read.cluster(), watch);
    if (!operations) return tl::unexpected(operations.error());
    made.operations = *std::move(operations);
    scale_to_recorded(made.operations, read);
  }
  if (read.program() != nullptr || read.replayed()) return {};
  const bool replicas = read.question().replicate;
  if (!must_infer_job && !needs_job(made.changes, replicas) &&
      read.workload().without_trace.empty())
    return {};
  auto traced = become_inferred_job(read, watch, made.findings);
  if (!traced) {
    if (must_infer_job || needs_job(made.changes, true)) return tl::unexpected(traced.error());
    return complete_with_replicas(traced.error(), read, made.findings);
  }
  made.recorded = traced->recorded;
  made.operations = std::move(traced->operations);
  made.traced = std::move(traced->job);
  scale_to_recorded(made.operations, read);
  return {};
}

/// Sets the prediction: recorded step × changed / base; its interval is scaled equally.
void set_predicted(WhatIf& made) {
  const auto of_recorded = [&](Time whole) {
    return graph::scale_time(*made.recorded,
                             static_cast<double>(std::max(Time{}, whole).count()) /
                                 static_cast<double>(std::max(Time(1), made.base.whole).count()));
  };
  made.predicted = of_recorded(made.changed->whole);
  if (const auto& interval = made.difference.interval)
    made.predicted_interval = analysis::StepInterval{of_recorded(made.base.whole + interval->lower),
                                                     of_recorded(made.base.whole + interval->upper),
                                                     of_recorded(interval->unknown)};
}

/// The errors of NCCL's times are those of its own choices. With other settings they are unknown.
void forget_library_errors(const std::vector<Change>& changes, StepEstimate& estimate) {
  const bool any = std::any_of(changes.begin(), changes.end(),
                               [](const Change& change) { return is_nccl_variable(change.name); });
  for (result::ErrorClass& one : estimate.errors)
    if (any && one.name.starts_with("nccl ")) one.off.reset();
}

/// Sets the numbers of layers and microbatches of traces, if they change or are requested.
void set_structure(const WhatIfCase& read, bool wanted, WhatIf& made) {
  for (Change& change : made.changes)
    if (is_structural(change)) {
      change.basis = Basis::recorded;
      wanted = true;
    }
  if (!wanted) return;
  const graph::Shape known = given_structure(read.question());
  made.found = known.layers && known.microbatches ? known : graph::detect_shape(read.workload());
  if (known.layers) made.found->layers = known.layers;
  if (known.microbatches) made.found->microbatches = known.microbatches;
}

/// Whether a single change leaves the prediction unchanged.
bool changes_nothing(const WhatIf& estimate) {
  if (estimate.changes.size() != 1) return false;
  const Change& change = estimate.changes.front();
  if (change.level != ChangeScope::job && parse_number(change.value) == 1)
    return false;  // a factor of 1
  const StepEstimate &was = estimate.base, &is = *estimate.changed;
  return is.whole == was.whole && is.time_by_provenance == was.time_by_provenance &&
         is.memory == was.memory && is.work.tokens == was.work.tokens &&
         is.work.samples == was.work.samples;
}

/// Checks combinations: inferring a job and replicating need traces on a cluster; --recorded-device
/// needs traces and a catalog name.
Result<void> check_question(const WhatIfQuestion& question) {
  if (!question.device.empty()) {
    if (platform::find_device(question.device) == nullptr) {
      Error error = unknown_device(question.device);
      error.where = "--recorded-device";
      return tl::unexpected(std::move(error));
    }
    if (question.base.job.given())
      return fail(Errc::usage, "--recorded-device",
                  "does not apply to a job, whose kernel times come from models",
                  "give its cluster with --cluster, and another device with --change gpu=NAME");
  }
  const std::string& chakra = question.base.workload;
  if (question.base.job.given() && !chakra.empty() && !is_recorded_traces({chakra}))
    return fail(Errc::usage, chakra,
                "Chakra traces cannot be combined with a plan, only recordings can",
                "omit the plan: --cluster infers it from the traces; or omit the traces");
  if (!question.base.job.given() && !question.base.cluster.empty()) return {};
  if (question.must_infer_job && question.base.job.given())
    return fail(Errc::usage, "--found", "no job is inferred from traces",
                "a job is inferred from traces alone on a cluster: --cluster h100-sxm:8, without "
                "--model and --spec");
  if (question.base.replicate)
    return fail(
        Errc::usage, "--replicate", "there are no ranks to replicate the trace for",
        "the trace is replicated on a cluster: --cluster h100-sxm:8, without --model and --spec");
  return {};
}

Result<void> check_duration(const Outcome& base, const std::string& workload) {
  if (base.result.end != Time{}) return {};
  return fail(Errc::input_unsupported, workload,
              "the step has no duration: the input has no times and no kernels known to models",
              "also give the trace of the device, which contains kernel times");
}

/// Findings on a replayed recording: a table of kernels that has no effect, and a step that does
/// not react to changes.
Result<Findings> replay_findings(const WhatIfQuestion& question, const std::vector<Change>& changes,
                                 const WhatIfCase& replay, const Outcome& base) {
  Findings found;
  if (!replay.replayed()) return found;
  const bool other_device = std::any_of(changes.begin(), changes.end(),
                                        [](const Change& change) { return change.name == "gpu"; });
  if (!other_device && !question.base.kernel_files.kernel_table.empty())
    found.add(FindingCode::key_without_effect,
              fmt::format("--kernel-table {}: recorded kernels keep their times; it applies to "
                          "--change gpu=NAME, and to a cluster",
                          question.base.kernel_files.kernel_table));
  if (auto done = check_consistency(replay, base, found); !done)
    return tl::unexpected(done.error());
  return found;
}

/// A finding if the changes have no effect and nothing else says so. `before`: such findings on the
/// unchanged step.
void note_unchanged(std::uint64_t before, WhatIf& made) {
  if (!changes_nothing(made) || made.findings.count(FindingCode::key_without_effect) != before)
    return;
  made.findings.add(FindingCode::key_without_effect,
                    fmt::format("--change {}: the step is unchanged", made.changes.front().text));
}

}  // namespace

Result<WhatIf> what_if(const WhatIfQuestion& question, Watch& watch) {
  WhatIf made;
  auto changes = parse_changes(question.changes);
  if (!changes) return tl::unexpected(changes.error());
  made.changes = *std::move(changes);
  if (auto fine = check_compatible(made.changes); !fine) return tl::unexpected(fine.error());
  Question base_question = question.base;
  base_question.some_ranks = true;
  if (!question.device_ratios.empty()) base_question.device_ratios = question.device_ratios;
  if (auto fine = check_question(question); !fine) return tl::unexpected(fine.error());
  std::optional<RecordedTraces> recordings;  // recordings of a given job
  if (base_question.job.given() && !base_question.recorded.traces.empty()) {
    recordings = base_question.recorded;
    RecordedTraces alone;  // keeps only the number of threads
    alone.threads = base_question.recorded.threads;
    const auto step =
        recorded_step(std::exchange(base_question.recorded, alone), made.findings, watch);
    if (!step) return tl::unexpected(step.error());
    made.recorded = *step;
  }
  auto read = WhatIfCase::read(std::move(base_question), question.device, watch, made.findings);
  if (!read) return tl::unexpected(read.error());
  if (!made.recorded) made.recorded = read->workload().recorded_duration;
  if (auto done = complete_job(recordings, question.must_infer_job, *read, made, watch); !done)
    return tl::unexpected(done.error());
  made.workload = read->question().workload_name();
  made.ranks = read->workload().rank_count();
  made.replayed = read->replayed();
  if (read->program() == nullptr) set_structure(*read, question.must_infer_job, made);
  Findings of_base = made.findings;
  const bool records_base = made.changes.empty() ? question.base.record : question.record_unchanged;
  auto base = read->simulate({}, records_base, watch, of_base);
  if (!base) return tl::unexpected(base.error());
  if (auto fine = check_duration(*base, made.workload); !fine) return tl::unexpected(fine.error());
  made.base = estimate_of(*base);
  const auto of_replay = replay_findings(question, made.changes, *read, *base);
  if (!of_replay) return tl::unexpected(of_replay.error());
  const std::uint64_t keys_without_effect = base->findings.count(FindingCode::key_without_effect);
  if (made.changes.empty()) {
    made.findings = base->findings;
    made.answer.emplace(std::make_shared<const Outcome>(*std::move(base)));
  } else {
    auto changed = read->simulate(made.changes, question.base.record, watch, made.findings);
    if (!changed) return tl::unexpected(changed.error());
    made.changed = estimate_of(*changed);
    forget_library_errors(made.changes, *made.changed);
    made.difference = difference_of(made.base, *made.changed, made.changes);
    made.device_conversion = changed->inputs.load->device_conversion;
    if (read->program() != nullptr && made.recorded) set_predicted(made);
    made.findings = changed->findings;
    note_unchanged(keys_without_effect, made);
    made.answer.emplace(std::make_shared<const Outcome>(*std::move(changed)));
    if (records_base) made.unchanged.emplace(std::make_shared<const Outcome>(*std::move(base)));
  }
  made.findings.merge(*of_replay);
  if (question.list || question.combine)
    if (auto tried = rank_changes(question, *read, made); !tried)
      return tl::unexpected(tried.error());
  return made;
}

}  // namespace orrery::study
