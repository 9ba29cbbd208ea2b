// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/diff_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using profile::NameDifference;
using profile::ProfileDifference;

namespace {

constexpr std::size_t kChangesShown = 12;

std::string ratio(Time a, Time b) {
  return a.count() <= 0 ? "-"
                        : fmt::format("{:.2f}x", static_cast<double>(b.count()) /
                                                     static_cast<double>(a.count()));
}

std::string breakdown_table(const ProfileDifference& d, report::Style style) {
  report::Table table({{d.per_iteration ? "mean iteration" : "whole trace"},
                       {"first", true},
                       {"second", true},
                       {"difference", true},
                       {"ratio", true}});
  const auto row = [&](const char* title, Time profile::Breakdown::*member) {
    const Time a = d.a.*member, b = d.b.*member;
    table.row({title, format_time(a), format_time(b), signed_time(b - a), ratio(a, b)});
  };
  row("length", &profile::Breakdown::length);
  row("compute", &profile::Breakdown::compute_only);
  row("overlapped", &profile::Breakdown::overlapped);
  row("exposed comm", &profile::Breakdown::comm_only);
  row("copies", &profile::Breakdown::copy_only);
  row("idle", &profile::Breakdown::idle);
  row("host-bound", &profile::Breakdown::host_bound);
  return table.text(style);
}

std::string changes_table(std::string title, const std::vector<NameDifference>& changes,
                          report::Style style) {
  if (changes.empty()) return "";
  report::Table table({{std::move(title)},
                       {"kind"},
                       {"count", true},
                       {"first", true},
                       {"second", true},
                       {"difference", true}});
  for (std::size_t i = 0; i < changes.size() && i < kChangesShown; ++i) {
    const NameDifference& c = changes[i];
    const std::string counts = c.count_a == c.count_b
                                   ? fmt::format("{:.4g}", c.count_a)
                                   : fmt::format("{:.4g}→{:.4g}", c.count_a, c.count_b);
    table.row({report::fit(printable(c.name), 26), std::string(name(c.kind)), counts,
               format_time(c.time_a), format_time(c.time_b), signed_time(c.difference())});
  }
  std::string text = "\n" + table.text(style);
  if (changes.size() > kChangesShown)
    text += fmt::format("and {} more (--json)\n", changes.size() - kChangesShown);
  return text;
}

void write_changes(report::JsonWriter& json, std::string_view key,
                   const std::vector<NameDifference>& changes) {
  json.key(key).begin_array();
  for (const NameDifference& c : changes) {
    json.begin_object().field("name", std::string_view(c.name)).field("kind", name(c.kind));
    json.field("first_count", c.count_a).field("second_count", c.count_b);
    json.nanoseconds("first", c.time_a).nanoseconds("second", c.time_b).end_object();
  }
  json.end_array();
}

}  // namespace

std::string diff_text(const ProfileDifference& d, report::Style style) {
  std::string text = breakdown_table(d, style);
  text += changes_table("slower or faster", d.changed, style);
  text += changes_table("new", d.added, style) + changes_table("gone", d.gone, style);
  return text + fmt::format("\n{} name{} the same count and time in both\n", d.same,
                            d.same == 1 ? " has" : "s have");
}

std::string diff_json(const ProfileDifference& d, const Findings& findings) {
  return report::envelope("diff", findings, [&](report::JsonWriter& json) {
    json.begin_object().field("per_iteration", d.per_iteration).field("same", d.same);
    write_changes(json, "changed", d.changed);
    write_changes(json, "added", d.added);
    write_changes(json, "removed", d.gone);
    json.end_object();
  });
}

}  // namespace orrery::present
