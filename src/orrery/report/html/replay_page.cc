// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/replay_page.h"

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {

namespace {

void write_side(JsonWriter& json, std::string_view name, const PageReplay::Side& side) {
  json.key(name).begin_object().field("count", side.count).field("ns", side.ns);
  json.field("flops", side.flops_rate).field("bytes", side.bytes_rate).end_object();
}

void write_rows(JsonWriter& json, std::string_view name, const std::vector<PageReplay::Row>& rows) {
  html::column(json, name, rows.size(), [&](std::size_t i) {
    const PageReplay::Row& row = rows[i];
    json.begin_object().field("name", html::page_name(row.name)).field("kind", row.kind);
    json.field("rule", row.rule).field("kernels", row.kernels);
    write_side(json, "recorded", row.recorded);
    write_side(json, "replayed", row.replayed);
    json.end_object();
  });
}

void write_operator_counts(JsonWriter& json, const std::vector<PageReplay::OperatorCount>& ran) {
  html::column(json, "ran", ran.size(), [&](std::size_t i) {
    json.begin_object().field("name", html::page_name(ran[i].name));
    json.field("recorded", ran[i].recorded).field("replayed", ran[i].replayed).end_object();
  });
}

void write_rules(JsonWriter& json, const std::vector<PageReplay::Rule>& rules) {
  html::column(json, "rules", rules.size(), [&](std::size_t i) {
    json.begin_object().field("name", rules[i].name).field("says", rules[i].about);
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

}  // namespace

std::string replay_data(const PageReplay& replay, const Findings& findings) {
  return html::page_data_without_runs("replay", [&](JsonWriter& json) {
    json.begin_object().field("title", replay.title);
    html::write_pairs(json, "facts", replay.facts);
    json.field("timed", replay.timed).field("onDevice", replay.on_device);
    write_rows(json, "kinds", replay.kinds);
    write_rows(json, "operators", replay.operators);
    write_operator_counts(json, replay.operator_counts);
    write_rules(json, replay.rules);
    write_comms(json, replay.comms);
    json.key("memory").begin_object();
    html::write_list(json, "recorded", replay.recorded_memory);
    html::write_list(json, "replayed", replay.replayed_memory);
    json.field("profiled", replay.profiled_memory);
    json.end_object();
    html::write_findings(json, findings);
    json.end_object();
  });
}

Result<std::string> write_replay_html(const PageReplay& replay, const Findings& findings,
                                      std::string_view page) {
  return html::fill_table_page(page, replay.title, replay.facts, findings,
                               replay_data(replay, findings));
}

}  // namespace orrery::report
