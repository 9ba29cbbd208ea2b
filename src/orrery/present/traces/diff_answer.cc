// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/diff_answer.h"

#include <fmt/format.h>

#include <array>

#include "orrery/core/text/text.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using profile::NameDifference;
using profile::ProfileDifference;
using report::Answer;
using report::Columns;

namespace {

struct BreakdownPart {
  const char* title;
  Time first, second;
};

std::string breakdown_ratio(const BreakdownPart& part) {
  return part.first.count() <= 0
             ? "-"
             : fmt::format("{:.2f}x", static_cast<double>(part.second.count()) /
                                          static_cast<double>(part.first.count()));
}

void state_breakdown(Answer& answer, const ProfileDifference& d) {
  const auto part = [&](const char* title, Time profile::Breakdown::*time) {
    return BreakdownPart{title, d.a.*time, d.b.*time};
  };
  const std::array parts = {part("length", &profile::Breakdown::length),
                            part("compute", &profile::Breakdown::compute_only),
                            part("overlapped", &profile::Breakdown::overlapped),
                            part("exposed comm", &profile::Breakdown::comm_only),
                            part("copies", &profile::Breakdown::copy_only),
                            part("idle", &profile::Breakdown::idle),
                            part("host-bound", &profile::Breakdown::host_bound)};
  Columns<BreakdownPart> columns;
  columns.add(d.per_iteration ? "mean iteration" : "complete trace", "", &BreakdownPart::title)
      .add("first", "", &BreakdownPart::first)
      .add("second", "", &BreakdownPart::second)
      .show_number("difference",
                   [](const auto& row) { return signed_time(row.second - row.first); })
      .show_number("ratio", breakdown_ratio);
  answer.table("", parts, columns);
}

void state_changes(Answer& answer, std::string title, std::string_view key,
                   const std::vector<NameDifference>& changes) {
  const auto counts = [](const NameDifference& change) {
    return change.count_a == change.count_b
               ? fmt::format("{:.4g}", change.count_a)
               : fmt::format("{:.4g}→{:.4g}", change.count_a, change.count_b);
  };
  Columns<NameDifference> columns;
  columns
      .add(std::move(title), "name", &NameDifference::name,
           [](const auto& change) {
             return change.name.empty() ? "(no operator)" : report::fit(printable(change.name), 26);
           })
      .add("kind", "kind", [](const auto& change) { return name(change.kind); })
      .field("first_count", &NameDifference::count_a)
      .field("second_count", &NameDifference::count_b)
      .show_number("count", counts)
      .add("first", "first_ns", &NameDifference::time_a)
      .add("second", "second_ns", &NameDifference::time_b)
      .show_number("difference",
                   [](const auto& change) { return signed_time(change.difference()); });
  answer.table(key, changes, columns, {.limit = 12});
}

}  // namespace

void state_diff(Answer& answer, const ProfileDifference& d, const Findings& findings) {
  answer.field("per_iteration", d.per_iteration).field("same", d.same);
  state_breakdown(answer, d);
  state_changes(answer, "device time by operator", "launched", d.launched);
  state_changes(answer, "slower or faster", "changed", d.changed);
  state_changes(answer, "new", "added", d.added);
  state_changes(answer, "gone", "removed", d.gone);
  answer.block(fmt::format("{} name{} the same count and time in both\n", d.same,
                           d.same == 1 ? " has" : "s have"));
  answer.findings(findings);
}

}  // namespace orrery::present
