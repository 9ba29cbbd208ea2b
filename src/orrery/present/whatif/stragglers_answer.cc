// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/stragglers_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using study::Blame;
using study::StragglerReport;
using study::Suspect;

namespace {

std::string verdict(const StragglerReport& found) {
  const std::string named = printable(found.named);
  switch (found.blame) {
    case Blame::none:
      return "none: identical ranks would save almost nothing";
    case Blame::rank:
      return named + ": slower than its peers in all work";
    case Blame::kernels:
      return named + ": only these kernels are slow";
    case Blame::link:
      return named + ": its communication is slower than that of its peers";
    case Blame::once:
      return named + ", in few steps: possibly chance";
    case Blame::changing_rank:
      return "chance: " + named;
  }
  return "";
}

/// "5 of 6 (0.0012)": how often it was the slowest, and the probability that this is chance.
std::string test_text(const std::optional<study::SlowestTest>& test) {
  if (!test || test->among < 2) return "-";
  const std::string chance = test->p < 1e-4 ? "< 0.0001" : fmt::format("{:.4f}", test->p);
  return fmt::format("{} of {} ({})", test->slowest, test->of, chance);
}

void write_test(report::JsonWriter& json, const Suspect& suspect) {
  if (!suspect.test) return;
  json.key("test").begin_object().field("slowest_count", suspect.test->slowest);
  json.field("trials", suspect.test->of).field("candidates", suspect.test->among);
  json.field("p_value", suspect.test->p).end_object();
}

report::Columns<Suspect> suspect_columns(Time replayed) {
  report::Columns<Suspect> columns;
  columns.add("corrected", "name", [](const auto& suspect) { return suspect.name; })
      .add("kind", "kind", [](const auto& suspect) { return study::name(suspect.kind); })
      .field("rank", [](const auto& suspect) { return suspect.rank; })
      .omit_null()
      .add("above peers", "excess_ns", [](const auto& suspect) { return suspect.excess; })
      .add("new step", "step_without_ns", [](const auto& suspect) { return suspect.without; })
      .show_number(
          "change",
          [replayed](const auto& suspect) { return relative_change(replayed, suspect.without); })
      .field("excess_share", [](const auto& suspect) { return suspect.share; })
      .show_number("slowest (chance)", [](const auto& suspect) { return test_text(suspect.test); })
      .members(write_test);
  return columns;
}

/// The rank that starts last. It is no straggler of the step: the cause is before the recording.
void state_late_start(report::Answer& answer, const StragglerReport& found) {
  const auto latest = std::max_element(found.late_starts.begin(), found.late_starts.end());
  if (latest == found.late_starts.end() || *latest <= Time{}) return;
  const auto rank = static_cast<std::uint32_t>(latest - found.late_starts.begin());
  answer.line("late start", fmt::format("rank {} starts {} after the first rank; the cause is "
                                        "before the recording, so no change of the step removes it",
                                        rank, format_time(*latest)));
  answer.object("late_start", [&] { answer.field("rank", rank).field("late_start_ns", *latest); });
}

}  // namespace

void state_stragglers(report::Answer& answer, const StragglerReport& found) {
  const std::string steps = plural(static_cast<std::uint64_t>(found.steps), "step");
  answer.title(
      printable(fmt::format("{}, {}, {}", found.workload, plural(found.ranks, "rank"), steps)));
  answer.field("workload_name", found.workload)
      .field("ranks", found.ranks)
      .field("steps", found.steps);
  if (found.recorded) answer.row("recorded", "recorded_ns", *found.recorded);
  answer.row("replayed", "replayed_ns", found.replayed);
  const auto change = [&](Time step) { return relative_change(found.replayed, step); };
  answer.row("all identical", "equal_all_ns", found.all_at_peer_level,
             fmt::format("{} ({}): work {}, links {}", format_time(found.all_at_peer_level),
                         change(found.all_at_peer_level), change(found.work_at_peer_level),
                         change(found.links_at_peer_level)));
  answer.field("equal_work_ns", found.work_at_peer_level)
      .field("equal_links_ns", found.links_at_peer_level);
  state_late_start(answer, found);
  answer.row("straggler", "blame", study::name(found.blame), verdict(found))
      .field("blamed", found.named);
  answer.table("suspects", found.suspects, suspect_columns(found.replayed));
  answer.end_section();
  answer.findings(found.findings);
}

}  // namespace orrery::present
