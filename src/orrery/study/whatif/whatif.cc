// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/whatif.h"

#include <fmt/format.h>

#include <utility>

#include "orrery/core/text/units.h"
#include "orrery/graph/transform/durations.h"
#include "orrery/platform/catalogue/catalogue.h"
#include "orrery/study/kernels/kernel_estimates.h"
#include "orrery/study/kernels/steps/operation_times.h"
#include "orrery/study/questions/inputs/recorded_traces.h"
#include "orrery/study/questions/outcome/outcome.h"
#include "orrery/study/whatif/whatif_case.h"
#include "orrery/study/whatif/whatif_inference.h"
#include "orrery/study/whatif/whatif_ranking.h"

namespace orrery::study {
namespace {

constexpr std::string_view kReplicasHint =
    "; or one rank's trace with --replicate, where all ranks are replicas";

/// Kernels of the job take what models say of them, times how much longer those of their operation
/// were recorded to take.
void hold_against(const std::vector<OperationTime>& operations, WhatIfCase& read) {
  std::vector<std::string> changes;
  for (const OperationTime& one : operations)
    if (one.factor() <= kMaxChangeFactor)
      changes.push_back(fmt::format("{}={:.4f}", graph::name(one.operation), one.factor()));
  read.set_base_changes(changes);
}

/// Traces that no job is told from, where nothing but dp is asked of one: several ranks' may be of
/// replicas. `error`: why none is told.
Result<void> settle_replicas(Error error, WhatIfCase& read, Findings& findings) {
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

/// A job beside its recordings, or in place of the traces that it is told from.
Result<void> settle_job(const std::optional<RecordedTraces>& recordings, bool must_infer_job,
                        WhatIfCase& read, WhatIf& made, Watch& watch) {
  if (recordings) {
    auto operations = compare_operation_times(*recordings, *made.recorded, *read.program(),
                                              read.cluster(), watch);
    if (!operations) return tl::unexpected(operations.error());
    made.operations = *std::move(operations);
    hold_against(made.operations, read);
  }
  if (read.program() != nullptr || read.replayed()) return {};
  const bool replicas = read.question().replicate;
  if (!must_infer_job && !needs_job(made.changes, replicas) &&
      read.workload().without_trace.empty())
    return {};
  auto traced = become_inferred_job(read, watch, made.findings);
  if (!traced) {
    if (must_infer_job || needs_job(made.changes, true)) return tl::unexpected(traced.error());
    return settle_replicas(traced.error(), read, made.findings);
  }
  made.recorded = traced->recorded;
  made.operations = std::move(traced->operations);
  made.traced = std::move(traced->job);
  hold_against(made.operations, read);
  return {};
}

/// The recorded step times the ratio of the two that were simulated, and times those between which
/// that one lies.
void set_predicted(WhatIf& made) {
  const auto of_recorded = [&](Time whole) {
    return graph::times(*made.recorded,
                        static_cast<double>(std::max(Time{}, whole).count()) /
                            static_cast<double>(std::max(Time(1), made.base.whole).count()));
  };
  made.predicted = of_recorded(made.changed->whole);
  if (made.band)
    made.predicted_band = analysis::StepInterval{of_recorded(made.base.whole + made.band->lower),
                                                 of_recorded(made.base.whole + made.band->upper),
                                                 of_recorded(made.band->unknown)};
}

/// What repeats in traces, where that is changed or to be written down.
void set_found(const WhatIfCase& read, bool wanted, WhatIf& made) {
  for (Change& change : made.changes)
    if (is_structural(change)) {
      change.basis = Basis::recorded;
      wanted = true;
    }
  if (!wanted) return;
  const graph::Shape known = given_structure(read.question());
  made.found = known.layers && known.microbatches ? known : graph::found_shape(read.workload());
  if (known.layers) made.found->layers = known.layers;
  if (known.microbatches) made.found->microbatches = known.microbatches;
}

/// One change alone, after which all that is told is what was told before.
bool changes_nothing(const WhatIf& estimate) {
  if (estimate.changes.size() != 1) return false;
  const Change& change = estimate.changes.front();
  if (change.level != ChangeScope::job && parse_number(change.value) == 1)
    return false;  // times one
  const StepEstimate &was = estimate.base, &is = *estimate.changed;
  return is.whole == was.whole && is.time_by_provenance == was.time_by_provenance &&
         is.memory == was.memory && is.work.tokens == was.work.tokens &&
         is.work.samples == was.work.samples;
}

/// Both are of traces alone; replicas on a cluster; and a device of the catalogue, of recordings.
Result<void> check_asked(const WhatIfQuestion& question) {
  if (!question.device.empty()) {
    if (platform::find_device(question.device) == nullptr)
      return tl::unexpected(unknown_device(question.device));
    if (question.base.job.given())
      return fail(Errc::usage, "--device", "kernels of a job take what models say",
                  "--cluster says what it runs on, gpu=NAME what instead");
  }
  const std::string& chakra = question.base.workload;
  if (question.base.job.given() && !chakra.empty() && !is_recorded_traces({chakra}))
    return fail(Errc::usage, chakra,
                "only recordings have a place beside a plan, not Chakra traces",
                "leave the plan out, and --cluster tells it from them; or leave them out");
  if (!question.base.job.given() && !question.base.cluster.empty()) return {};
  if (question.must_infer_job && question.base.job.given())
    return fail(Errc::usage, "--found", "no job is told from traces",
                "it is told from traces alone on a cluster: --cluster h100-sxm:8, without --model "
                "and --spec");
  if (question.base.replicate)
    return fail(Errc::usage, "--replicate", "there are no ranks that a trace could stand for",
                "it stands for all of a cluster: --cluster h100-sxm:8, without --model and --spec");
  return {};
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
  if (auto fine = check_asked(question); !fine) return tl::unexpected(fine.error());
  std::optional<RecordedTraces> recordings;  // beside a job
  if (base_question.job.given() && !base_question.recorded.traces.empty()) {
    recordings = base_question.recorded;
    RecordedTraces alone;  // what is left of them is how many threads there are
    alone.threads = base_question.recorded.threads;
    const auto step =
        recorded_step(std::exchange(base_question.recorded, alone), made.findings, watch);
    if (!step) return tl::unexpected(step.error());
    made.recorded = *step;
  }
  auto read = WhatIfCase::read(std::move(base_question), question.device, watch, made.findings);
  if (!read) return tl::unexpected(read.error());
  if (!made.recorded) made.recorded = read->workload().recorded;
  if (auto done = settle_job(recordings, question.must_infer_job, *read, made, watch); !done)
    return tl::unexpected(done.error());
  made.workload = read->question().workload_name();
  made.ranks = read->workload().rank_count();
  made.replayed = read->replayed();
  if (read->program() == nullptr) set_found(*read, question.must_infer_job, made);
  Findings of_base = made.findings;
  auto base = read->simulate({}, question.base.record && made.changes.empty(), watch, of_base);
  if (!base) return tl::unexpected(base.error());
  if (base->result.end == Time{})
    return fail(Errc::input_unsupported, made.workload,
                "nothing in it takes any time: it has no times, and no kernels that models know",
                "a trace of the device beside it says what its kernels took");
  made.base = estimate_of(*base);
  const std::uint64_t unheard = base->findings.count(FindingCode::key_without_effect);
  if (made.changes.empty()) {
    made.findings = base->findings;
    made.answer.emplace(std::make_shared<const Outcome>(*std::move(base)));
  } else {
    auto changed = read->simulate(made.changes, question.base.record, watch, made.findings);
    if (!changed) return tl::unexpected(changed.error());
    made.changed = estimate_of(*changed);
    made.band = band_of(made.base, *made.changed, made.changes);
    made.moved = changed->inputs.load->moved;
    if (read->program() != nullptr && made.recorded) set_predicted(made);
    made.findings = changed->findings;
    if (changes_nothing(made) && made.findings.count(FindingCode::key_without_effect) == unheard)
      made.findings.add(
          FindingCode::key_without_effect,
          fmt::format("--change {}: the step stays what it was", made.changes.front().text));
    made.answer.emplace(std::make_shared<const Outcome>(*std::move(changed)));
  }
  if (question.list || question.combine)
    if (auto tried = rank_changes(question, *read, made); !tried)
      return tl::unexpected(tried.error());
  return made;
}

}  // namespace orrery::study
