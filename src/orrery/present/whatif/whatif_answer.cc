// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/whatif_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "orrery/analysis/value_text.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/core/time_provenance.h"
#include "orrery/present/number_text.h"
#include "orrery/present/whatif/whatif_list_answer.h"
#include "orrery/report/answer/digest_answer.h"

namespace orrery::present {

using study::WhatIf;

namespace {

/// "186,413 tokens/s (+12.3 %)"; empty when a step has neither tokens nor samples.
std::string rate_text(const study::StepEstimate& base, const study::StepEstimate& changed) {
  const bool tokens = base.work.tokens > 0;
  const auto rate = [&](const study::StepEstimate& step) {
    const auto done = static_cast<double>(tokens ? step.work.tokens : step.work.samples);
    return step.whole > Time{} ? done / seconds(step.whole) : 0.0;
  };
  const double before = rate(base), after = rate(changed);
  if (before <= 0 || after <= 0) return "";
  return fmt::format("{} {}/s ({:+.2f} %)", count(static_cast<std::uint64_t>(after)),
                     tokens ? "tokens" : "samples", 100 * (after / before - 1));
}

std::string memory_text(const study::StepEstimate& step) {
  return format_bytes(step.memory) + (step.fits ? "" : ", does not fit");
}

/// "2.204 s (1.986 … 2.69)"
std::string step_text(Time step, const std::optional<analysis::StepInterval>& interval) {
  const std::string text = format_time(step);
  if (!interval) return text;
  return text + " " + analysis::interval_text(step, interval->lower, interval->upper);
}

/// Sources of the times, and which changes are only bounds.
std::string sources_text(const WhatIf& result) {
  std::string text = provenance_text(result.changed.value_or(result.base).time_by_provenance);
  for (const study::Change& change : result.changes)
    if (change.basis == study::Basis::bound)
      text += fmt::format("; {} is a bound", printable(change.text));
  return text;
}

/// Whether the number of layers or microbatches of a recording changes.
bool repeats(const WhatIf& result) {
  return result.found && std::any_of(result.changes.begin(), result.changes.end(),
                                     [](const auto& change) { return is_structural(change); });
}

std::string basis_text(const WhatIf& result) {
  if (!result.replayed) return "models of kernels and collectives, as orrery run";
  return fmt::format("recorded times, {}; waits for other ranks are simulated",
                     repeats(result) ? "repeated as requested" : "scaled as requested");
}

/// Why a change has no interval: "none" or "unknown", and the reason.
std::string no_interval_reason(const WhatIf& result) {
  if (const std::string& reason = result.difference.no_interval_reason; !reason.empty())
    return "none: " + reason;
  if (repeats(result)) return "unknown: repeated parts may have other durations at another size";
  if (result.replayed) return "none: no model is involved, the factors are given";
  return "unknown: no model with a known error predicts the difference";
}

/// "recorded / predicted: gemm 1.12, attention 0.93"
std::string operations_text(const WhatIf& result) {
  std::vector<std::string> texts;
  for (const study::OperationTime& time : result.operations)
    texts.push_back(fmt::format("{} {:.2f}", graph::name(time.operation), time.factor()));
  return fmt::format("recorded / predicted: {}", fmt::join(texts, ", "));
}

/// The 80 % prediction interval of a step.
void state_interval(report::Answer& answer, const std::string& key,
                    const std::optional<analysis::StepInterval>& interval) {
  if (!interval) return;
  answer.object(key, [&] {
    answer.field("low_ns", interval->lower).field("high_ns", interval->upper);
    answer.field("unknown_ns", interval->unknown);
  });
}

/// `which`: "base" or "changed".
void state_step(report::Answer& answer, std::string_view label, const std::string& which,
                const study::StepEstimate& step, const std::string& sentence) {
  answer.row(label, which + "_step_ns", step.whole, sentence);
  state_interval(answer, which + "_interval", step.interval());
  if (const std::string reason = step.no_interval_reason(); !reason.empty())
    answer.row("interval", which + "_no_interval_reason", reason, "none: " + reason);
  answer.members([&](report::JsonWriter& json) {
    report::write_time_by_provenance(json, which + "_time_by_basis", step.time_by_provenance);
  });
  if (step.work.samples == 0) return;
  answer.field(which + "_tokens", step.work.tokens).field(which + "_samples", step.work.samples);
  answer.field(which + "_memory_bytes", step.memory).field(which + "_fits", step.fits);
}

void state_structure(report::Answer& answer, const graph::Shape& structure) {
  const std::uint32_t layers = structure.layers.value_or(0);
  const std::uint32_t microbatches = structure.microbatches.value_or(0);
  answer.line(
      "found",
      fmt::format("{}, {} microbatch{} per step (correct with --layers, --microbatches)",
                  plural(layers, "layer"), count(microbatches), microbatches == 1 ? "" : "es"));
  answer.object("detected_structure",
                [&] { answer.field("layers", layers).field("microbatches", microbatches); });
}

void state_job(report::Answer& answer, const study::InferredJob& job) {
  answer.line("found", printable(fmt::format("{}, {}", job.model_text(), job.plan_words())));
  answer.line("match", job.similarity_text());
  answer.object("inferred_job", [&] {
    answer.field("specification", workload::to_yaml(job.spec)).field("ranks", job.ranks);
    answer.field("nodes", job.nodes).field("unmatched_nodes", job.other);
    answer.field("moved_nodes", job.placed);
  });
}

/// What is compared: the recording, and the step without changes.
void state_base(report::Answer& answer, const WhatIf& result) {
  if (result.recorded) answer.row("recorded", "recorded_ns", *result.recorded);
  std::string base = step_text(result.base.whole, result.base.interval());
  if (result.recorded)
    base += fmt::format(" ({})", relative_change(*result.recorded, result.base.whole));
  answer.field("replayed", result.replayed);
  state_step(answer, result.replayed ? "replayed" : "simulated", "base", result.base, base);
  report::Columns<study::OperationTime> columns;
  columns.field("operation", [](const auto& time) { return graph::name(time.operation); })
      .field("recorded_ns", [](const auto& time) { return time.recorded; })
      .field("predicted_ns", [](const auto& time) { return time.predicted; });
  if (!result.operations.empty())
    answer.line("kernels", operations_text(result))
        .table("operation_times", result.operations, columns);
  if (result.found) state_structure(answer, *result.found);
  if (result.traced) state_job(answer, *result.traced);
}

void state_changed(report::Answer& answer, const WhatIf& result) {
  std::vector<std::string> texts;
  for (const study::Change& change : result.changes) texts.push_back(printable(change.text));
  const study::StepEstimate& changed = *result.changed;
  answer.line("changed", fmt::format("{}", fmt::join(texts, ", ")));
  state_step(answer, "new step", "changed", changed,
             fmt::format("{}, {} ({})", step_text(changed.whole, changed.interval()),
                         signed_time(changed.whole - result.base.whole),
                         relative_change(result.base.whole, changed.whole)));
  if (const auto& interval = result.difference.interval)
    answer.line("interval", difference_interval_text(*interval))
        .json("difference_interval",
              [&](report::JsonWriter& json) { write_difference_interval(json, *interval); });
  else
    answer.row("interval", "no_interval_reason", no_interval_reason(result));
  if (const std::string rate = rate_text(result.base, changed); !rate.empty())
    answer.line("rate", rate);
  if (result.predicted)
    answer.row("recording", "predicted_ns", *result.predicted,
               fmt::format("would be {}: its {} times the ratio of both steps",
                           step_text(*result.predicted, result.predicted_interval),
                           format_time(*result.recorded)));
  state_interval(answer, "predicted_interval", result.predicted_interval);
  if (!result.device_conversion.empty())
    answer.row("moved", "device_change", result.device_conversion);
  if (result.base.memory > Bytes{})
    answer.line("memory",
                fmt::format("{}; before {}", memory_text(changed), memory_text(result.base)));
}

}  // namespace

void state_whatif(report::Answer& answer, const WhatIf& result) {
  answer.title(printable(fmt::format("{}, {}", result.workload, plural(result.ranks, "rank"))));
  answer.field("workload_name", result.workload).field("ranks", result.ranks);
  state_base(answer, result);
  report::Columns<study::Change> changes;
  changes.field("change", [](const auto& change) { return change.text; })
      .field("basis", [](const auto& change) { return study::name(change.basis); });
  answer.table("changes", result.changes, changes);
  if (result.changed) state_changed(answer, result);
  if (result.changed || !result.list.empty()) answer.line("basis", basis_text(result));
  if (const std::string sources = sources_text(result); !sources.empty())
    answer.line("sources", sources);
  state_change_list(answer, result);
  answer.end_section();
  answer.findings(result.findings);
}

}  // namespace orrery::present
