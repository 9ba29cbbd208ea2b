// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/inspect_recorded_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/traces/convert_link_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using profile::Inspection;
using report::JsonWriter;

namespace {

void add_breakdown(report::Table& table, std::string first, const profile::Breakdown& b) {
  table.row({std::move(first), format_time(b.length), share(b.compute_only, b.length),
             share(b.overlapped, b.length), share(b.comm_only, b.length),
             share(b.copy_only, b.length), share(b.idle, b.length), share(b.host_bound, b.length)});
}

report::Table breakdown_columns(std::string first) {
  return report::Table({{std::move(first)},
                        {"length", true},
                        {"compute", true},
                        {"overlap", true},
                        {"exposed", true},
                        {"copies", true},
                        {"idle", true},
                        {"host-bound", true}});
}

std::string uses_table(const std::vector<profile::NameSummary>& uses, std::string title, Time whole,
                       report::Style style) {
  constexpr std::size_t kShown = 10;
  report::Table table(
      {{std::move(title)}, {"count", true}, {"time", true}, {"longest", true}, {"share", true}});
  for (std::size_t i = 0; i < uses.size() && i < kShown; ++i) {
    table.row({report::fit(printable(uses[i].name), 40), count(uses[i].count),
               format_time(uses[i].total), format_time(uses[i].longest),
               share(uses[i].total, whole)});
  }
  if (table.empty()) return "";
  std::string text = "\n" + table.text(style);
  if (uses.size() > kShown)
    text += fmt::format("and {} more (--json)\n", count(uses.size() - kShown));
  return text;
}

std::string comms_table(const Inspection& inspection, report::Style style) {
  report::Table table({{"communication"},
                       {"group"},
                       {"count", true},
                       {"bytes", true},
                       {"time", true},
                       {"shortest", true}});
  for (const profile::CommSummary& use : inspection.comms) {
    const std::string bytes = use.without_bytes == use.count ? "?" : format_bytes(Bytes(use.bytes));
    table.row({std::string(name(use.kind)),
               use.group.empty() ? "?" : report::fit(printable(use.group), 16), count(use.count),
               bytes + (use.without_bytes > 0 && bytes != "?" ? "+" : ""), format_time(use.total),
               format_time(use.shortest)});
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

std::string events_of(const Inspection& inspection) {
  std::string text;
  for (std::size_t k = 0; k < profile::kKinds; ++k) {
    if (inspection.events[k] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        profile::name(static_cast<profile::Kind>(k)), count(inspection.events[k]));
  }
  return text;
}

std::string rank_text(const RankInspection& one, report::Style style) {
  const Inspection& inspection = one.inspection;
  report::Sheet sheet(style);
  sheet.line(
      style.strong(printable(fmt::format("rank {}  {} ({})", one.rank, one.file, one.format))));
  if (!one.device.empty()) sheet.add("device", printable(one.device));
  sheet.add("events", events_of(inspection));
  sheet.add("lanes", fmt::format("{} thread{}, {} stream{}", inspection.threads,
                                 inspection.threads == 1 ? "" : "s", inspection.streams,
                                 inspection.streams == 1 ? "" : "s"));
  std::string text = sheet.text();
  if (inspection.last == inspection.first) return text + "no times are recorded\n";
  report::Table table = breakdown_columns(inspection.on_device ? "device" : "threads");
  for (const profile::IterationBreakdown& step : inspection.steps)
    add_breakdown(table, fmt::format("step {}", step.iteration.number), step.breakdown);
  add_breakdown(table, "all", inspection.whole);
  text += "\n" + table.text(style);
  const Time whole = inspection.whole.length;
  text += uses_table(inspection.device, "device work", whole, style);
  if (inspection.device.empty())
    text += uses_table(inspection.host, "operators, own time", whole, style);
  return text + comms_table(inspection, style);
}

void write_breakdown(JsonWriter& json, const profile::Breakdown& b) {
  json.nanoseconds("length", b.length).nanoseconds("compute_only", b.compute_only);
  json.nanoseconds("overlapped", b.overlapped).nanoseconds("comm_only", b.comm_only);
  json.nanoseconds("copy_only", b.copy_only).nanoseconds("idle", b.idle);
  json.nanoseconds("host_bound", b.host_bound);
}

void write_uses(JsonWriter& json, std::string_view key,
                const std::vector<profile::NameSummary>& uses) {
  json.key(key).begin_array();
  for (const profile::NameSummary& use : uses) {
    json.begin_object().field("name", std::string_view(use.name)).field("kind", name(use.kind));
    json.field("count", use.count).nanoseconds("total", use.total);
    json.nanoseconds("max", use.longest).end_object();
  }
  json.end_array();
}

void write_rank(JsonWriter& json, const RankInspection& one) {
  const Inspection& inspection = one.inspection;
  json.begin_object().field("rank", one.rank).field("file", std::string_view(one.file));
  json.field("format", std::string_view(one.format));
  json.field("device", std::string_view(one.device)).key("events_by_kind").begin_object();
  for (std::size_t k = 0; k < profile::kKinds; ++k)
    json.field(profile::name(static_cast<profile::Kind>(k)), inspection.events[k]);
  json.end_object().field("threads", inspection.threads).field("streams", inspection.streams);
  json.key("breakdown").begin_object();
  write_breakdown(json, inspection.whole);
  json.end_object().key("per_step").begin_array();
  for (const profile::IterationBreakdown& step : inspection.steps) {
    json.begin_object().field("step_number", step.iteration.number);
    write_breakdown(json, step.breakdown);
    json.end_object();
  }
  json.end_array();
  write_uses(json, "device_work", inspection.device);
  write_uses(json, "host_operators", inspection.host);
  json.key("communication_uses").begin_array();
  for (const profile::CommSummary& use : inspection.comms) {
    json.begin_object().field("type", name(use.kind)).field("group", std::string_view(use.group));
    json.field("count", use.count).field("bytes", use.bytes);
    json.field("unsized", use.without_bytes).nanoseconds("total", use.total);
    json.nanoseconds("min", use.shortest).end_object();
  }
  json.end_array().end_object();
}

/// Ranks side by side, when there are several.
std::string ranks_table(const std::vector<RankInspection>& ranks, report::Style style) {
  report::Table table = breakdown_columns("rank");
  for (const RankInspection& one : ranks)
    add_breakdown(table, fmt::format("{}", one.rank), one.inspection.whole);
  return table.text(style) + "\n";
}

}  // namespace

std::string inspect_recorded_text(const std::vector<RankInspection>& ranks, const intake::Job& job,
                                  const Findings& findings, report::Style style) {
  std::string text;
  if (ranks.size() > 1) text = fmt::format("{}\n\n", ranks_of(job)) + ranks_table(ranks, style);
  if (!ranks.empty()) text += rank_text(ranks.front(), style);
  if (ranks.size() > 1) text += "\nThe other ranks in full: --json, or one file at a time.\n";
  text += "\n" + job_text(job, style);
  report::Sheet sheet(style);
  report::add_findings(sheet, findings, style);
  return text + sheet.text();
}

std::string inspect_recorded_json(const std::vector<RankInspection>& ranks,
                                  const Findings& findings) {
  return report::envelope("inspect", findings, [&](JsonWriter& json) {
    json.begin_object().key("per_rank").begin_array();
    for (const RankInspection& one : ranks) write_rank(json, one);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
