// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/cut_obfuscate_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using report::JsonWriter;

namespace {

std::string end_of(const intake::CutReport& report) {
  return report.to == kTimeMax ? "the end" : format_time(report.to);
}

}  // namespace

std::string cut_text(const std::vector<intake::CutPiece>& pieces, report::Style style) {
  report::Table table(
      {{"written"}, {"records", true}, {"kept", true}, {"from", true}, {"to", true}});
  for (const intake::CutPiece& piece : pieces) {
    table.row({report::fit(printable(piece.path), 36), count(piece.report.records),
               count(piece.report.retained), format_time(piece.report.from), end_of(piece.report)});
  }
  return table.text(style);
}

std::string cut_json(const std::vector<intake::CutPiece>& pieces, const Findings& findings) {
  return report::envelope("cut", findings, [&](JsonWriter& json) {
    json.begin_object().key("files").begin_array();
    for (const intake::CutPiece& piece : pieces) {
      json.begin_object().field("input", std::string_view(piece.input.name));
      json.field("file", std::string_view(piece.path)).field("records", piece.report.records);
      json.field("kept_records", piece.report.retained).field("cut_edges", piece.report.edges_cut);
      json.end_object();
    }
    json.end_array().end_object();
  });
}

std::string obfuscate_text(const intake::ObfuscateReport& report, const std::string& to,
                           report::Style style) {
  report::Sheet sheet(style, 18);
  sheet.add("written", fmt::format("{} rank{}, {} nodes → {}", report.ranks,
                                   report.ranks == 1 ? "" : "s", count(report.nodes), to));
  sheet.add("names", fmt::format("{} replaced", count(report.names)));
  sheet.add("attributes", fmt::format("{} kept, {} dropped", count(report.attributes_retained),
                                      count(report.attributes_dropped)));
  sheet.add("re-identification",
            fmt::format("{} of {} names ({}) are alone in how often they occur, as what, and how "
                        "long they take: whoever has the trace of the same job could tell them",
                        count(report.reidentification.unique), count(report.reidentification.names),
                        report::percent(report.reidentification.share())));
  return sheet.text();
}

std::string obfuscate_json(const intake::ObfuscateReport& report, const Findings& findings) {
  return report::envelope("obfuscate", findings, [&](JsonWriter& json) {
    json.begin_object().field("ranks", report.ranks).field("nodes", report.nodes);
    json.field("names", report.names).field("kept_attributes", report.attributes_retained);
    json.field("dropped_attributes", report.attributes_dropped);
    json.key("reidentification").begin_object().field("names", report.reidentification.names);
    json.field("unique", report.reidentification.unique).end_object().end_object();
  });
}

}  // namespace orrery::present
