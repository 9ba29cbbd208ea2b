// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/cut_obfuscate_answer.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"

namespace orrery::present {

using intake::CutPiece;
using report::Answer;

void state_cut(Answer& answer, const std::vector<CutPiece>& pieces, const Findings& findings) {
  report::Columns<CutPiece> columns;
  columns.field("input", [](const auto& piece) { return piece.input.name; })
      .add("written", "file", &CutPiece::path,
           [](const auto& piece) { return report::fit(printable(piece.path), 36); })
      .add("records", "records", [](const auto& piece) { return piece.report.records; })
      .add("retained", "kept_records", [](const auto& piece) { return piece.report.retained; })
      .field("cut_edges", [](const auto& piece) { return piece.report.edges_cut; })
      .show_number("from", [](const auto& piece) { return format_time(piece.report.from); })
      .show_number("to", [](const auto& piece) {
        return piece.report.to == kTimeMax ? "the end" : format_time(piece.report.to);
      });
  answer.table("files", pieces, columns);
  answer.findings(findings);
}

void state_obfuscate(Answer& answer, const intake::ObfuscateReport& report, const std::string& to,
                     const Findings& findings) {
  const intake::Reidentification& names = report.reidentification;
  answer.label_width(18);
  answer.line("written", fmt::format("{} rank{}, {} nodes → {}", report.ranks,
                                     report.ranks == 1 ? "" : "s", count(report.nodes), to));
  answer.field("ranks", report.ranks).field("nodes", report.nodes);
  answer.row("names", "names", report.names, fmt::format("{} replaced", count(report.names)));
  answer.line("attributes",
              fmt::format("{} retained, {} dropped", count(report.attributes_retained),
                          count(report.attributes_dropped)));
  answer.field("kept_attributes", report.attributes_retained);
  answer.field("dropped_attributes", report.attributes_dropped);
  answer.line("re-identification",
              fmt::format("{} of {} names ({}) have a unique combination of count, kind and "
                          "duration; a reader with another trace of the same job can identify them",
                          count(names.unique), count(names.names), report::percent(names.share())));
  answer.object("reidentification",
                [&] { answer.field("names", names.names).field("unique", names.unique); });
  answer.findings(findings);
}

}  // namespace orrery::present
