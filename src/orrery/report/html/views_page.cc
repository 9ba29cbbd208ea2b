// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/views_page.h"

#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {

namespace {

/// What people read; of a number also the number, to sort by.
void write_cell(JsonWriter& json, const Value& value) {
  if (value.is_null() && value.text() == Value().text()) {
    json.null();
  } else if (!value.is_number()) {
    json.value(html::page_name(value.text()));
  } else {
    json.begin_array().value(value.text());
    value.write(json);
    json.end_array();
  }
}

void write_view_table(JsonWriter& json, const PageViews::Table& table) {
  json.begin_object().field("key", table.key).field("title", table.title);
  html::column(json, "columns", table.columns.size(), [&](std::size_t i) {
    const PageViews::Column& column = table.columns[i];
    json.begin_object().field("title", column.title).field("key", column.key);
    json.field("about", column.about).end_object();
  });
  html::column(json, "rows", table.rows.size(), [&](std::size_t i) {
    json.begin_array();
    for (const Value& value : table.rows[i]) write_cell(json, value);
    json.end_array();
  });
  json.field("ifEmpty", table.if_empty).end_object();
}

}  // namespace

std::string views_data(const PageViews& views, const Findings& findings) {
  return html::page_data_without_runs("views", [&](JsonWriter& json) {
    json.begin_object().field("title", views.title);
    html::write_pairs(json, "facts", views.facts);
    html::column(json, "views", views.views.size(), [&](std::size_t i) {
      const PageViews::View& view = views.views[i];
      json.begin_object().field("name", view.name).field("title", view.title);
      html::write_pairs(json, "facts", view.facts);
      html::column(json, "tables", view.tables.size(),
                   [&](std::size_t t) { write_view_table(json, view.tables[t]); });
      json.end_object();
    });
    html::write_findings(json, findings);
    json.end_object();
  });
}

Result<std::string> write_views_html(const PageViews& views, const Findings& findings,
                                     std::string_view page) {
  return html::fill_table_page(page, views.title, views.facts, findings,
                               views_data(views, findings));
}

}  // namespace orrery::report
