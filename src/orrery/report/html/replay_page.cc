// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/replay_page.h"

#include "orrery/core/text/text.h"
#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {

namespace {

constexpr std::size_t kReplayNameBytes = 256;  // longer ones are cut

std::string brief_name(const std::string& name) {
  return orrery::shortened(name, kReplayNameBytes);
}

void write_side(JsonWriter& json, std::string_view name, const PageReplay::Side& side) {
  json.key(name).begin_object().field("count", side.count).field("ns", side.ns);
  json.field("flops", side.flops_rate).field("bytes", side.bytes_rate).end_object();
}

void write_rows(JsonWriter& json, std::string_view name, const std::vector<PageReplay::Row>& rows) {
  html::column(json, name, rows.size(), [&](std::size_t i) {
    const PageReplay::Row& row = rows[i];
    json.begin_object().field("name", brief_name(row.name)).field("kind", row.kind);
    json.field("rule", row.rule).field("kernels", row.kernels);
    write_side(json, "recorded", row.recorded);
    write_side(json, "replayed", row.replayed);
    json.end_object();
  });
}

void write_ran(JsonWriter& json, const std::vector<PageReplay::Ran>& ran) {
  html::column(json, "ran", ran.size(), [&](std::size_t i) {
    json.begin_object().field("name", brief_name(ran[i].name));
    json.field("recorded", ran[i].recorded).field("replayed", ran[i].replayed).end_object();
  });
}

void write_rules(JsonWriter& json, const std::vector<PageReplay::Rule>& rules) {
  html::column(json, "rules", rules.size(), [&](std::size_t i) {
    json.begin_object().field("name", rules[i].name).field("says", rules[i].says);
    json.field("count", rules[i].count).field("ns", rules[i].recorded_ns).end_object();
  });
}

void write_comms(JsonWriter& json, const std::vector<PageReplay::Comm>& comms) {
  html::column(json, "comms", comms.size(), [&](std::size_t i) {
    const PageReplay::Comm& comm = comms[i];
    json.begin_object().field("kind", comm.kind).field("bytes", comm.bytes);
    json.field("recorded", comm.recorded).field("recordedNs", comm.recorded_ns);
    json.field("replayed", comm.replayed).field("replayedNs", comm.replayed_ns).end_object();
  });
}

void write_curve(JsonWriter& json, std::string_view name, const std::vector<std::int64_t>& bytes) {
  html::column(json, name, bytes.size(), [&](std::size_t i) { json.value(bytes[i]); });
}

}  // namespace

std::string replay_data(const PageReplay& replay, const Findings& findings) {
  std::string out;
  JsonWriter json(out, 0);
  json.begin_object().field("version", 1);
  json.key("runs").begin_array().end_array().key("comparison").null().key("replay");
  json.begin_object().field("title", replay.title);
  html::write_pairs(json, "facts", replay.facts);
  json.field("timed", replay.timed).field("onDevice", replay.on_device);
  write_rows(json, "kinds", replay.kinds);
  write_rows(json, "operators", replay.operators);
  write_ran(json, replay.ran);
  write_rules(json, replay.rules);
  write_comms(json, replay.comms);
  json.key("memory").begin_object();
  write_curve(json, "recorded", replay.recorded_memory);
  write_curve(json, "replayed", replay.replayed_memory);
  json.field("profiled", replay.profiled_memory);
  json.end_object();
  html::write_findings(json, findings);
  json.end_object().end_object();
  return html::compact_json(out);
}

Result<std::string> write_replay_html(const PageReplay& replay, const Findings& findings,
                                      std::string_view page) {
  std::string table = html::table_head(replay.title);
  for (const auto& [label, text] : replay.facts) html::add_row(table, label, text);
  html::add_finding_rows(table, findings);
  return html::fill_page(page, {html::escaped(replay.title), table + "</tbody>\n</table>\n",
                                replay_data(replay, findings)});
}

}  // namespace orrery::report
