// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/replay_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"

namespace orrery::present {

using report::JsonWriter;
using study::ReplayedRank;

namespace {

std::string steps_table(const ReplayedRank& rank, report::Style style) {
  report::Table table({{""}, {"recorded", true}, {"simulated", true}, {"difference", true}});
  for (const study::ReplayedStep& step : rank.steps) {
    table.row({fmt::format("step {}", step.number), format_time(step.recorded),
               format_time(step.simulated), relative_change(step.recorded, step.simulated)});
  }
  table.row({"all", format_time(rank.recorded), format_time(rank.simulated),
             relative_change(rank.recorded, rank.simulated)});
  return table.text(style);
}

std::string parts_table(const ReplayedRank& rank, report::Style style) {
  report::Table table({{rank.on_device ? "device" : "threads"},
                       {"compute", true},
                       {"overlap", true},
                       {"exposed", true},
                       {"copies", true},
                       {"idle", true}});
  const auto row = [&](const char* title, const profile::Breakdown& b) {
    table.row({title, share(b.compute_only, b.length), share(b.overlapped, b.length),
               share(b.comm_only, b.length), share(b.copy_only, b.length),
               share(b.idle, b.length)});
  };
  row("recorded", rank.recorded_parts);
  row("simulated", rank.simulated_parts);
  return table.text(style);
}

std::string rank_text(const ReplayedRank& rank, report::Style style) {
  report::Sheet sheet(style);
  sheet.line(style.strong(printable(fmt::format("rank {}  {}", rank.rank, rank.file))));
  if (!rank.device.empty()) sheet.add("device", printable(rank.device));
  std::string text = sheet.text() + steps_table(rank, style) + "\n" + parts_table(rank, style);
  report::Sheet more(style);
  const profile::ReplayDrift& drift = rank.drift;
  if (drift.count > 0) {
    const auto of_all = [&](Time t) {
      return fmt::format("{} ({})", format_time(t), share(t, rank.recorded));
    };
    more.add("drift", fmt::format("mean {}, p95 {}, worst {} of {} {}", of_all(drift.mean),
                                  of_all(drift.p95), of_all(drift.worst), count(drift.count),
                                  rank.on_device ? "works of the device" : "operators and calls"));
    if (drift.begins != profile::kNoEvent) more.add("begins at", printable(rank.drift_begins));
  }
  const study::InferenceCounts& unknowns = rank.unknowns;
  more.add("known",
           fmt::format("{} dependencies, {} of them inferred; {} that nothing "
                       "explains, {} in all",
                       count(unknowns.edges), count(unknowns.guessed),
                       plural(unknowns.recorded_waits, "wait"), format_time(unknowns.waited)));
  if (unknowns.to_learn > 0) {
    more.add("learned", fmt::format("{} of {} works and steps take what they took a step before",
                                    count(unknowns.learned), count(unknowns.to_learn)));
  }
  return text + "\n" + more.text();
}

void write_parts(JsonWriter& json, std::string_view key, const profile::Breakdown& b) {
  json.key(key).begin_object().nanoseconds("length", b.length);
  json.nanoseconds("compute_only", b.compute_only).nanoseconds("overlapped", b.overlapped);
  json.nanoseconds("comm_only", b.comm_only).nanoseconds("copy_only", b.copy_only);
  json.nanoseconds("idle", b.idle).end_object();
}

void write_drift(JsonWriter& json, const ReplayedRank& rank) {
  const profile::ReplayDrift& drift = rank.drift;
  json.key("drift").begin_object().field("events", drift.count);
  json.nanoseconds("mean", drift.mean).nanoseconds("p95", drift.p95);
  json.nanoseconds("max", drift.worst).nanoseconds("mean_delay", drift.later);
  json.field("first_drift", std::string_view(rank.drift_begins));
  json.field("max_drift_at", std::string_view(rank.drift_farthest)).end_object();
}

void write_curve(JsonWriter& json, std::string_view key, const std::vector<double>& curve) {
  json.key(key).begin_array();
  for (const double busy : curve) json.value(busy);
  json.end_array();
}

void write_rank(JsonWriter& json, const ReplayedRank& rank) {
  json.begin_object().field("rank", rank.rank).field("file", std::string_view(rank.file));
  json.field("device", std::string_view(rank.device));
  json.nanoseconds("recorded", rank.recorded).nanoseconds("simulated", rank.simulated);
  json.key("per_step").begin_array();
  for (const study::ReplayedStep& step : rank.steps) {
    json.begin_object().field("step_number", step.number).nanoseconds("recorded", step.recorded);
    json.nanoseconds("simulated", step.simulated).end_object();
  }
  json.end_array().field("on_device", rank.on_device);
  write_parts(json, "recorded_breakdown", rank.recorded_parts);
  write_parts(json, "simulated_breakdown", rank.simulated_parts);
  write_drift(json, rank);
  json.key("dependency_sources").begin_object().field("dependencies", rank.unknowns.edges);
  json.field("inferred", rank.unknowns.guessed);
  json.field("recorded_waits", rank.unknowns.recorded_waits);
  json.nanoseconds("recorded_wait", rank.unknowns.waited);
  json.field("learnable", rank.unknowns.to_learn).field("learned", rank.unknowns.learned);
  json.end_object();
  json.nanoseconds("bin", rank.bin);
  write_curve(json, "recorded_busy_shares", rank.recorded_busy);
  write_curve(json, "simulated_busy_shares", rank.simulated_busy);
  json.end_object();
}

}  // namespace

std::string replay_text(const study::Replay& replay, report::Style style) {
  std::string text;
  for (const ReplayedRank& rank : replay.ranks) {
    if (!text.empty()) text += "\n";
    text += rank_text(rank, style);
  }
  report::Sheet sheet(style);
  report::add_findings(sheet, replay.findings, style);
  return text + sheet.text();
}

std::string replay_json(const study::Replay& replay) {
  return report::envelope("replay", replay.findings, [&](JsonWriter& json) {
    json.begin_object().key("per_rank").begin_array();
    for (const ReplayedRank& rank : replay.ranks) write_rank(json, rank);
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
