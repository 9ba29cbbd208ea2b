// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_recorded_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/answer_parts.h"
#include "orrery/present/number_text.h"
#include "orrery/present/traces/breakdown_columns.h"
#include "orrery/present/traces/convert_link_answer.h"

namespace orrery::present {

using profile::CommSummary;
using profile::Inspection;
using profile::NameSummary;
using report::Answer;
using report::Columns;

namespace {

struct RecordedBreakdown {
  std::string title;
  std::optional<std::int64_t> step;
  profile::Breakdown breakdown;
};

Columns<RecordedBreakdown> breakdown_columns(std::string title) {
  Columns<profile::Breakdown> parts;
  parts.add("length", "length_ns", &profile::Breakdown::length);
  add_shares(parts);
  add_share(parts, "host-bound", "host_bound_ns", &profile::Breakdown::host_bound);
  Columns<RecordedBreakdown> columns;
  columns.field("step_number", &RecordedBreakdown::step).omit_null();
  columns.show(std::move(title), &RecordedBreakdown::title);
  add_part(columns, "", parts, [](const RecordedBreakdown& row) { return &row.breakdown; });
  return columns;
}

Columns<NameSummary> name_columns(std::string title, Time length) {
  Columns<NameSummary> columns;
  columns
      .add(std::move(title), "name", &NameSummary::name,
           [](const auto& use) { return report::fit(printable(use.name), 40); })
      .field("kind", [](const auto& use) { return name(use.kind); })
      .add("count", "count", &NameSummary::count)
      .add("time", "total_ns", &NameSummary::total)
      .add("longest", "max_ns", &NameSummary::longest)
      .show_number("share", [length](const auto& use) { return share(use.total, length); });
  return columns;
}

Columns<CommSummary> comm_summary_columns() {
  const auto group = [](const CommSummary& use) {
    return use.group.empty() ? "?" : report::fit(printable(use.group), 16);
  };
  const auto bytes = [](const CommSummary& use) {
    return use.without_bytes == use.count
               ? "?"
               : format_bytes(Bytes(use.bytes)) + (use.without_bytes > 0 ? "+" : "");
  };
  Columns<CommSummary> columns;
  columns.add("communication", "type", [](const auto& use) { return name(use.kind); })
      .add("group", "group", &CommSummary::group, group)
      .add("count", "count", &CommSummary::count)
      .add("bytes", "bytes", &CommSummary::bytes, bytes)
      .field("unsized", &CommSummary::without_bytes)
      .add("time", "total_ns", &CommSummary::total)
      .add("shortest", "min_ns", &CommSummary::shortest);
  return columns;
}

void state_events(Answer& answer, const Inspection& inspection) {
  std::string text;
  answer.object("events_by_kind", [&] {
    for (std::size_t k = 0; k < profile::kKinds; ++k) {
      const std::string_view kind = name(static_cast<profile::Kind>(k));
      answer.field(kind, inspection.events[k]);
      if (inspection.events[k] > 0)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kind, count(inspection.events[k]));
    }
  });
  answer.line("events", text);
  answer.line("lanes", fmt::format("{} thread{}, {} stream{}", inspection.threads,
                                   inspection.threads == 1 ? "" : "s", inspection.streams,
                                   inspection.streams == 1 ? "" : "s"));
  answer.field("threads", inspection.threads).field("streams", inspection.streams);
}

void state_breakdown(Answer& answer, const Inspection& inspection) {
  const auto columns = breakdown_columns(inspection.on_device ? "device" : "threads");
  std::vector<RecordedBreakdown> rows;
  for (const profile::IterationBreakdown& step : inspection.steps) {
    const std::int64_t number = step.iteration.number;
    rows.push_back({fmt::format("step {}", number), number, step.breakdown});
  }
  answer.rows("per_step", rows, columns);
  rows.push_back({"all", {}, inspection.whole});
  answer.table("", rows, columns);
  answer.object("breakdown", rows.back(), columns);
}

/// What helps against two causes, in the words of a framework.
struct FrameworkAdvice {
  std::string_view format;  ///< of the recording
  std::string_view fewer_launches, faster_copies;
};
constexpr FrameworkAdvice kPyTorchAdvice = {
    "", "CUDA graphs, torch.compile and fused operators need fewer launches",
    "pin_memory=True and non_blocking=True let them overlap"};
constexpr FrameworkAdvice kFrameworkAdvice[] = {
    {"xplane",
     "jax.jit around the complete step (TensorFlow: tf.function(jit_compile=True)) and XLA's "
     "command buffers need fewer launches",
     "jax.device_put of the next batch before the step (TensorFlow: prefetch_to_device) lets them "
     "overlap"},
    {"run_metadata", "tf.function(jit_compile=True) and fused operators need fewer launches",
     "tf.data.experimental.prefetch_to_device lets them overlap"}};

const FrameworkAdvice& framework_advice(std::string_view format) {
  for (const FrameworkAdvice& one : kFrameworkAdvice)
    if (one.format == format) return one;
  return kPyTorchAdvice;
}

/// What a cause costs, and what helps, in words. `format`: of the recording.
std::string advice_text(const profile::Advice& one, std::string_view format) {
  const FrameworkAdvice& helps = framework_advice(format);
  const std::string time = format_time(one.time);
  const std::string example = report::fit(printable(one.example), 40);
  switch (one.cause) {
    case profile::Cause::data_loader:
      return fmt::format(
          "the device is idle for {} while a thread is in {}: more workers, pinned memory and "
          "prefetching shorten it (orrery whatif TRACE --change 'range:DataLoader=0')",
          time, example);
    case profile::Cause::small_kernels:
      return fmt::format(
          "{} kernels last less than the calls that launch them, and the device waits {} for "
          "them: {} (orrery whatif TRACE --change host=0)",
          count(one.count), time, helps.fewer_launches);
    case profile::Cause::synchronizing_operators:
      return fmt::format(
          "operators wait for the device {} times, mostly {}, after which it is idle for {}: read "
          "values less often (orrery whatif TRACE --change syncs=none)",
          count(one.count), example, time);
    case profile::Cause::pageable_copies:
      return fmt::format(
          "{} copies from or to memory that is not pinned take {}: {} (orrery whatif TRACE "
          "--change copies=0)",
          count(one.count), time, helps.faster_copies);
  }
  return {};
}

/// Common causes of lost time. The times are measured.
void state_advice(Answer& answer, const RankInspection& rank) {
  Columns<profile::Advice> columns;
  columns.field("cause", [](const auto& one) { return name(one.cause); })
      .field("count", &profile::Advice::count)
      .field("time_ns", &profile::Advice::time)
      .field("cause_share", [](const auto& one) { return report::Share{one.share}; })
      .field("name", &profile::Advice::example)
      .field("sentence", [&](const auto& one) { return advice_text(one, rank.format); });
  answer.table("advice", rank.advice, columns);
  if (!answer.is_json() && !rank.advice.empty()) answer.end_section();
  for (const profile::Advice& one : rank.advice)
    answer.line("advice", advice_text(one, rank.format));
}

void state_recorded_rank(Answer& answer, const RankInspection& rank) {
  const Inspection& inspection = rank.inspection;
  answer.title(printable(fmt::format("rank {}  {} ({})", rank.rank, rank.file, rank.format)));
  answer.field("rank", rank.rank).field("file", rank.file).field("format", rank.format);
  if (!rank.device.empty()) answer.line("device", printable(rank.device));
  answer.field("device", rank.device);
  state_events(answer, inspection);
  if (inspection.last == inspection.first && !answer.is_json()) {
    answer.note("no times are recorded");
    return;
  }
  state_breakdown(answer, inspection);
  const Time length = inspection.whole.length;
  const report::TableLayout layout{.limit = 10};
  answer.table("device_work", inspection.device, name_columns("device work", length), layout);
  if (answer.is_json() || inspection.device.empty())
    answer.table("host_operators", inspection.host, name_columns("operators, own time", length),
                 layout);
  answer.table("communication_uses", inspection.comms, comm_summary_columns());
  state_advice(answer, rank);
}

/// The first rank for people, compared with the others.
void state_first_rank(Answer& answer, const std::vector<RankInspection>& ranks,
                      const intake::Job& job) {
  const bool several = ranks.size() > 1;
  if (several) {
    std::vector<RecordedBreakdown> rows;
    for (const RankInspection& rank : ranks)
      rows.push_back({std::to_string(rank.rank), {}, rank.inspection.whole});
    answer.first(ranks_of(job)).table("", rows, breakdown_columns("rank"));
  }
  if (!ranks.empty()) state_recorded_rank(answer, ranks.front());
  if (several)
    answer.block("For details of the other ranks, use --json or inspect one file at a time.\n");
}

}  // namespace

void state_recorded(Answer& answer, const std::vector<RankInspection>& ranks,
                    const intake::Job& job, const Findings& findings) {
  if (answer.is_json())
    answer.each("per_rank", ranks, state_recorded_rank);
  else
    state_first_rank(answer, ranks, job);
  state_job(answer, job);
  if (!ranks.empty() && ranks.front().inspection.on_device)
    answer.line("more",
                "--view operators, modules, gemms … (--help lists all); kernels compared with "
                "their predicted times alone: orrery kernels context");
  answer.findings(findings);
}

}  // namespace orrery::present
