// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/views_answer.h"

#include "orrery/present/traces/convert_link_answer.h"

namespace orrery::present {

namespace {

using Row = std::vector<report::Value>;

report::Columns<Row> columns_of(const study::ViewTable& table, bool several_ranks) {
  report::Columns<Row> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const study::ViewColumn& column = table.columns[c];
    const auto cell = [c](const Row& row) { return row[c]; };
    const bool shown = !column.title.empty() && (several_ranks || c > 0 || !table.by_rank);
    if (shown)
      columns.add(column.title, column.key, cell);
    else
      columns.field(column.key, cell);
  }
  return columns;
}

void state_view(report::Answer& answer, const study::View& view, bool several_ranks) {
  answer.heading(study::entry(view.kind).title);
  answer.object(study::entry(view.kind).name, [&] {
    for (const study::ViewFact& fact : view.facts) answer.row(fact.label, fact.key, fact.value);
    for (const study::ViewTable& table : view.tables)
      answer.table(table.key, table.rows, columns_of(table, several_ranks),
                   {.limit = table.first, .if_empty = table.if_empty, .width = table.width});
  });
}

}  // namespace

void state_views(report::Answer& answer, const std::vector<study::View>& views,
                 const intake::Job& job, const Findings& findings) {
  if (!answer.is_json()) answer.first(ranks_of(job));
  answer.object("views", [&] {
    for (const study::View& view : views) state_view(answer, view, job.ranks.size() > 1);
  });
  answer.findings(findings);
}

}  // namespace orrery::present
