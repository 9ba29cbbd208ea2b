// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/replay_answer.h"

#include <fmt/format.h>

#include <array>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/answer_parts.h"
#include "orrery/present/number_text.h"
#include "orrery/present/traces/breakdown_columns.h"

namespace orrery::present {

using report::Align;
using report::Answer;
using report::Columns;
using study::ReplayedRank;
using study::ReplayedStep;

namespace {

/// The number of the row of all steps.
constexpr std::int64_t kAllSteps = -1;

/// The rank, and its device if it has one; the table of steps follows.
void state_title(Answer& answer, const ReplayedRank& rank) {
  report::Sheet title(answer.style());
  title.line(answer.style().strong(printable(fmt::format("rank {}  {}", rank.rank, rank.file))));
  if (!rank.device.empty()) title.add("device", printable(rank.device));
  answer.heading(std::string_view(title.text()).substr(0, title.text().size() - 1));
  answer.field("rank", rank.rank).field("file", rank.file).field("device", rank.device);
}

void state_steps(Answer& answer, const ReplayedRank& rank) {
  const auto title = [](const ReplayedStep& step) {
    return step.number == kAllSteps ? "all" : fmt::format("step {}", step.number);
  };
  const auto difference = [](const ReplayedStep& step) {
    return relative_change(step.recorded, step.simulated);
  };
  Columns<ReplayedStep> columns;
  columns.add("", "step_number", &ReplayedStep::number, title)
      .align(Align::left)
      .add("recorded", "recorded_ns", &ReplayedStep::recorded)
      .add("simulated", "simulated_ns", &ReplayedStep::simulated)
      .show_number("difference", difference);
  std::vector<ReplayedStep> rows = rank.steps;
  rows.push_back({kAllSteps, rank.recorded, rank.simulated});
  answer.table("", rows, columns);
  answer.rows("per_step", rank.steps, columns);
  answer.field("recorded_ns", rank.recorded).field("simulated_ns", rank.simulated);
  if (rank.late_start > Time{})
    answer.line("late start", fmt::format("{} after the first rank; the cause is before the "
                                          "recording, so no change of the step removes it",
                                          format_time(rank.late_start)));
  answer.field("late_start_ns", rank.late_start);
}

void state_breakdowns(Answer& answer, const ReplayedRank& rank) {
  struct Row {
    const char* title;
    const char* key;
    const profile::Breakdown* breakdown;
  };
  const std::array rows = {Row{"recorded", "recorded_breakdown", &rank.recorded_parts},
                           Row{"simulated", "simulated_breakdown", &rank.simulated_parts}};
  Columns<profile::Breakdown> parts;
  parts.field("length_ns", &profile::Breakdown::length);
  add_shares(parts);
  Columns<Row> columns;
  columns.add(rank.on_device ? "device" : "threads", "", &Row::title);
  show_part(columns, parts, &Row::breakdown);
  answer.field("on_device", rank.on_device).table("", rows, columns);
  for (const Row& row : rows) answer.object(row.key, *row.breakdown, parts);
}

void state_drift(Answer& answer, const ReplayedRank& rank) {
  const profile::ReplayDrift& drift = rank.drift;
  const auto with_share = [&](Time time) {
    return fmt::format("{} ({})", format_time(time), share(time, rank.recorded));
  };
  if (drift.count > 0) {
    answer.line("drift",
                fmt::format("mean {}, p95 {}, worst {} of {} {}", with_share(drift.mean),
                            with_share(drift.p95), with_share(drift.worst), count(drift.count),
                            rank.on_device ? "device operations" : "operators and calls"));
    if (drift.first_drifted != profile::kNoEvent)
      answer.line("starts at", printable(rank.drift_begins));
  }
  answer.object("drift", [&] {
    answer.field("events", drift.count).field("mean_ns", drift.mean).field("p95_ns", drift.p95);
    answer.field("max_ns", drift.worst).field("mean_delay_ns", drift.signed_mean);
    answer.field("first_drift", rank.drift_begins).field("max_drift_at", rank.drift_farthest);
  });
}

void state_dependencies(Answer& answer, const study::InferenceCounts& counts) {
  answer.line("dependencies",
              fmt::format("{}, {} of them inferred; {} without a known cause, {} in total",
                          count(counts.edges), count(counts.guessed),
                          plural(counts.recorded_waits, "wait"), format_time(counts.waited)));
  if (counts.to_learn > 0)
    answer.line("learned", fmt::format("{} of {} operations and steps repeat the previous step",
                                       count(counts.learned), count(counts.to_learn)));
  answer.object("dependency_sources", [&] {
    answer.field("dependencies", counts.edges).field("inferred", counts.guessed);
    answer.field("recorded_waits", counts.recorded_waits).field("recorded_wait_ns", counts.waited);
    answer.field("learnable", counts.to_learn).field("learned", counts.learned);
  });
}

void state_replayed_rank(Answer& answer, const ReplayedRank& rank) {
  state_title(answer, rank);
  state_steps(answer, rank);
  state_breakdowns(answer, rank);
  state_drift(answer, rank);
  state_dependencies(answer, rank.unknowns);
  answer.field("bin_ns", rank.bin);
  answer.list("recorded_busy_shares", rank.recorded_busy);
  answer.list("simulated_busy_shares", rank.simulated_busy);
}

}  // namespace

void state_replay(Answer& answer, const study::Replay& replay) {
  answer.each("per_rank", replay.ranks, state_replayed_rank);
  answer.findings(replay.findings);
}

}  // namespace orrery::present
