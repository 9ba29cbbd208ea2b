// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/views_page.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/present/traces/convert_link_answer.h"

namespace orrery::present {

namespace {

std::string file_of(const intake::RankFiles& rank) {
  if (rank.device) return rank.device->name;
  return rank.host ? rank.host->name : std::string();
}

report::PageViews::Table page_table(const study::ViewTable& table, bool several_ranks) {
  const std::size_t first = table.by_rank && !several_ranks ? 1 : 0;
  report::PageViews::Table made{table.key, table.title, {}, {}, table.if_empty};
  for (std::size_t c = first; c < table.columns.size(); ++c)
    made.columns.push_back({table.columns[c].title, table.columns[c].key, table.columns[c].about});
  for (const auto& row : table.rows)
    made.rows.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(first), row.end());
  return made;
}

}  // namespace

report::PageViews views_page(const std::vector<study::View>& views, const intake::Job& job) {
  report::PageViews page;
  const std::string file = job.ranks.empty() ? "" : printable(file_of(job.ranks.front()));
  const std::string more =
      job.ranks.size() > 1 ? fmt::format(" and {} more", job.ranks.size() - 1) : "";
  page.title = fmt::format("{}{}", file.substr(file.rfind('/') + 1), more);
  page.facts = {{"recording", file + more}, {"ranks", ranks_of(job)}};
  for (const study::View& view : views) {
    const study::TraceViewEntry& entry = study::entry(view.kind);
    report::PageViews::View made{std::string(entry.name), std::string(entry.title), {}, {}};
    for (const study::ViewFact& fact : view.facts)
      made.facts.emplace_back(fact.label, fact.value.text());
    for (const study::ViewTable& table : view.tables)
      made.tables.push_back(page_table(table, job.ranks.size() > 1));
    page.views.push_back(std::move(made));
  }
  return page;
}

}  // namespace orrery::present
