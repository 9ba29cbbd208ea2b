// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/whatif/whatif_list_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/answer/digest_answer.h"
#include "orrery/report/charts/nested_bars.h"
#include "orrery/study/whatif/opportunities.h"

namespace orrery::present {

using study::ChangeTrial;
using study::WhatIf;

namespace {

constexpr std::size_t kNameWidth = 44;  // names of template kernels have hundreds of letters

/// "scaled: 1, 3-6; recorded: 2"
std::string list_basis_text(const WhatIf& result) {
  std::string text;
  for (const study::Basis basis :
       {study::Basis::recorded, study::Basis::scaled, study::Basis::modeled, study::Basis::bound}) {
    std::vector<std::uint32_t> lines;
    for (std::size_t i = 0; i < result.list.size(); ++i)
      if (result.list[i].basis == basis) lines.push_back(static_cast<std::uint32_t>(i + 1));
    if (lines.empty()) continue;
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", study::name(basis),
                        rank_numbers_text(lines));
  }
  return text;
}

/// "-45…-41": 80 % prediction interval of the change, in percent of the step.
std::string interval_text(const ChangeTrial& trial, Time base) {
  if (!trial.interval || base <= Time{}) return "-";
  const auto percent = [&](Time time) {
    const double of = 100 * static_cast<double>(time.count()) / static_cast<double>(base.count());
    return fmt::format("{:.{}f}", of, std::abs(of) < 10 ? 1 : 0);
  };
  return percent(trial.interval->lower) + "…" + percent(trial.interval->upper);
}

/// `heading`: of the column of changes. `plans`: whether changes of the plan are among them.
report::Columns<ChangeTrial> trial_columns(const WhatIf& result, std::string_view heading,
                                           bool plans) {
  const Time base = result.base.whole;
  const ChangeTrial* first = result.list.data();
  const bool jobs = plans && result.base.memory > Bytes{};
  const bool intervals = std::any_of(result.list.begin(), result.list.end(),
                                     [](const auto& trial) { return trial.interval.has_value(); });
  report::Columns<ChangeTrial> columns;
  columns
      .show_number("#", [first](const auto& trial) { return std::to_string(&trial - first + 1); })
      .add(std::string(heading), "change", &ChangeTrial::change,
           [](const auto& trial) { return report::fit(printable(trial.change), kNameWidth); });
  plans ? columns.add("kind", "kind", [](const auto& trial) { return trial.kind; })
        : columns.field("kind", [](const auto& trial) { return trial.kind; });
  columns.field("what", [](const auto& trial) { return trial.what; })
      .field("basis", [](const auto& trial) { return study::name(trial.basis); })
      .field("time_ns", [](const auto& trial) { return trial.time; })
      .show_number(jobs ? "memory" : "time",
                   [jobs](const auto& trial) {
                     if (jobs) return trial.fits ? format_bytes(trial.memory) : "does not fit";
                     return trial.time > Time{} ? format_time(trial.time) : "-";
                   })
      .add("new step", "step_ns", [](const auto& trial) { return trial.whole; })
      .field("saved_ns", [base](const auto& trial) { return base - trial.whole; })
      .show_number("by", [base](const auto& trial) { return relative_change(base, trial.whole); });
  if (intervals)
    columns.show_number("80 %", [base](const auto& trial) { return interval_text(trial, base); });
  columns
      .show_number("if free",
                   [base](const auto& trial) { return relative_change(base, trial.free); })
      .field("step_if_free_ns", [](const auto& trial) { return trial.free; })
      .field("saved_if_free_ns", [base](const auto& trial) { return base - trial.free; })
      .members([](report::JsonWriter& json, const auto& trial) {
        if (trial.memory > Bytes{})
          json.field("memory_bytes", trial.memory.count()).field("fits", trial.fits);
        report::write_time_by_provenance(json, "time_by_basis", trial.time_by_provenance);
        if (trial.interval)
          write_difference_interval(json.key("difference_interval"), *trial.interval);
      });
  return columns;
}

/// One table for each group of changes. The numbers of rows continue.
void state_groups(report::Answer& answer, const WhatIf& result) {
  const std::span<const ChangeTrial> list(result.list);
  for (std::size_t from = 0; from < list.size();) {
    const std::size_t group = study::group_of(list[from].kind);
    std::size_t end = from;
    while (end < list.size() && study::group_of(list[end].kind) == group) ++end;
    const study::ChangeGroup& shown = study::kChangeGroups.at(group);
    answer.table("", list.subspan(from, end - from),
                 trial_columns(result, shown.title, !shown.kinds[1].empty()));
    from = end;
  }
}

}  // namespace

void state_change_list(report::Answer& answer, const WhatIf& result) {
  if (!result.list.empty()) answer.heading("factors: half the time; if free: no time");
  answer.rows("tried_changes", result.list, trial_columns(result, "change", true));
  if (!answer.is_json()) state_groups(answer, result);
  if (!result.list.empty()) answer.note(list_basis_text(result));
  answer.field("skipped_changes", result.left_out);
  if (!result.list.empty() && result.left_out > 0)
    answer.note(fmt::format("and {} that save less (--top 0 shows all)", result.left_out));

  const Time base = result.base.whole;
  report::Columns<study::ChangePair> pairs;
  pairs
      .show(
          "pair",
          [](const auto& pair) { return fmt::format("{} + {}", pair.first + 1, pair.second + 1); })
      .field("first_change", [&](const auto& pair) { return result.list[pair.first].change; })
      .field("second_change", [&](const auto& pair) { return result.list[pair.second].change; })
      .add("new step", "step_ns", [](const auto& pair) { return pair.whole; })
      .field("saved_ns", [base](const auto& pair) { return base - pair.whole; })
      .show_number("by", [base](const auto& pair) { return relative_change(base, pair.whole); })
      .add("interaction", "interaction",
           [](const auto& pair) { return study::name(pair.together); });
  answer.table("pairs", result.pairs, pairs);
}

std::string whatif_svg(const WhatIf& result) {
  const auto share = [&](Time with) {
    return result.base.whole > Time{} ? static_cast<double>((result.base.whole - with).count()) /
                                            static_cast<double>(result.base.whole.count())
                                      : 0.0;
  };
  report::NestedBars bars{
      fmt::format("{}, {}", result.workload, format_time(result.base.whole)),
      "step time saved at half the time or with the given change (front), and at no time (back)",
      {}};
  for (const ChangeTrial& trial : result.list)
    bars.bars.push_back({trial.change + (trial.fits ? "" : ", does not fit"), share(trial.whole),
                         share(trial.free), trial.kind});
  return report::nested_bars_svg(bars);
}

void state_change_kinds(report::Answer& answer) {
  const auto known = study::change_kinds();
  std::vector<study::ChangeKind> kinds(known.begin(), known.end());
  // Patterns of names: only for people.
  using study::Basis;
  if (!answer.is_json())
    kinds.insert(
        kinds.end(),
        {{"operator:NAME", "FACTOR", "kernels of an operator of the model: qkv, mlp_up",
          Basis::scaled},
         {"kernel:TEXT", "FACTOR", "kernels whose names contain TEXT", Basis::scaled},
         {"named:NAME", "FACTOR", "kernels with exactly this name", Basis::scaled},
         {"range:TEXT", "FACTOR", "host work in annotated ranges whose names contain TEXT",
          Basis::scaled},
         {"OPERATION", "FACTOR", "kernels classified as gemm, attention, softmax …", Basis::scaled},
         {"group:NAME", "FACTOR", "collectives of a process group", Basis::scaled},
         {"rank:N", "FACTOR", "all work of rank N itself", Basis::scaled}});
  report::Columns<study::ChangeKind> columns;
  columns
      .show("change", [](const auto& kind) { return fmt::format("{}={}", kind.name, kind.value); })
      .field("name", [](const auto& kind) { return kind.name; })
      .field("argument", [](const auto& kind) { return kind.value; })
      .add("basis", "basis", [](const auto& kind) { return study::name(kind.basis); })
      .add("applies to", "about", [](const auto& kind) { return kind.about; });
  answer.table("change_kinds", kinds, columns);
}

}  // namespace orrery::present
