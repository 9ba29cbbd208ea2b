// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/html/space_page.h"

#include <fmt/format.h>

#include <iterator>

#include "orrery/core/text/units.h"
#include "orrery/report/html/run_page_internal.h"

namespace orrery::report {

namespace {

/// Rounds to seven digits: full precision would double the size of the page.
double brief(double number) {
  const auto read = parse_number(fmt::format("{:.7g}", number));
  return read ? *read : number;
}

void write_axes(JsonWriter& json, const PageSpace& space) {
  html::column(json, "axes", space.axes.size(), [&](std::size_t i) {
    const PageSpace::Axis& axis = space.axes[i];
    json.begin_object().field("name", axis.name).field("ordered", axis.ordered);
    html::column(json, "labels", axis.labels.size(),
                 [&](std::size_t v) { json.value(html::page_name(axis.labels[v])); });
    html::write_list(json, "at", space.at[i]);
    json.end_object();
  });
}

void write_metrics(JsonWriter& json, const PageSpace& space) {
  html::column(json, "figures", space.metrics.size(), [&](std::size_t i) {
    const PageSpace::Metric& metric = space.metrics[i];
    json.begin_object().field("name", metric.name).field("title", metric.title);
    json.field("about", metric.about).field("more", metric.more);
    if (!metric.long_title.empty()) json.field("long", metric.long_title);
    html::column(json, "values", space.count(),
                 [&](std::size_t p) { json.value(brief(space.values[i][p])); });
    json.end_object();
  });
}

void write_steps(JsonWriter& json, const PageSpace& space) {
  const std::size_t count = space.count();
  html::column(json, "estimated", count,
               [&](std::size_t p) { json.value(space.estimated[p].count()); });
  html::column(json, "simulated", count,
               [&](std::size_t p) { json.value(space.simulated[p].count()); });
  const PageSpace::Parts& parts = space.parts;
  json.key("shares").begin_object();
  html::write_list(json, "point", parts.points);
  html::column(json, "parts", parts.list.size(), [&](std::size_t part) {
    const PageSpace::Parts::Part& about = parts.list[part];
    json.begin_object().field("name", about.name).field("title", about.title);
    json.field("about", about.about).field("more", about.more).field("color", about.color);
    html::column(json, "values", parts.points.size(),
                 [&](std::size_t i) { json.value(brief(parts.shares[part][i])); });
    json.end_object();
  });
  json.end_object();
}

void write_effects(JsonWriter& json, const PageSpace& space) {
  html::column(json, "effects", space.effects.size(), [&](std::size_t i) {
    const PageSpace::Effect& effect = space.effects[i];
    json.begin_object().field("axis", effect.axis).field("explains", effect.explains);
    html::column(json, "values", effect.values.size(), [&](std::size_t v) {
      const PageSpace::Value& value = effect.values[v];
      json.begin_object().field("label", html::page_name(value.label));
      json.field("state", value.state).field("own", value.own).field("allowed", value.allowed);
      json.field("change", value.change).end_object();
    });
    json.end_object();
  });
}

void write_competitors(JsonWriter& json, const PageSpace& space) {
  html::column(json, "rivals", space.competitors.size(), [&](std::size_t i) {
    const PageSpace::Competitor& competitor = space.competitors[i];
    json.begin_object().field("point", competitor.point);
    json.field("with", html::page_name(competitor.with)).field("behind", competitor.behind);
    html::column(json, "needs", competitor.needs.size(),
                 [&](std::size_t n) { json.value(html::page_name(competitor.needs[n])); });
    json.end_object();
  });
}

void write_texts(JsonWriter& json, std::string_view name, const TextEdits& texts) {
  json.key(name).begin_object();
  html::write_list(json, "lines", texts.lines());
  json.field("edits", texts.edits()).end_object();
}

void write_space(JsonWriter& json, const PageSpace& space) {
  json.begin_object().field("title", space.title).field("about", space.about);
  html::write_pairs(json, "facts", space.facts);
  json.field("tokens", space.tokens).field("count", space.count());
  json.field("currency", space.currency);
  write_axes(json, space);
  write_metrics(json, space);
  html::write_list(json, "objectives", space.objectives);
  write_steps(json, space);
  html::write_list(json, "plan", space.plan);
  html::write_list(json, "plans", space.plans);
  html::write_list(json, "front", space.front);
  html::write_list(json, "mayNotFit", space.may_not_fit);
  json.field("best", space.best);
  write_effects(json, space);
  write_competitors(json, space);
  html::column(json, "lost", space.rejected.size(), [&](std::size_t i) {
    json.begin_array().value(space.rejected[i].first).value(space.rejected[i].second).end_array();
  });
  write_texts(json, "command", space.command);
  write_texts(json, "job", space.job);
  write_texts(json, "cluster", space.cluster);
  write_texts(json, "megatron", space.megatron);
  write_texts(json, "without", space.without);
  json.end_object();
}

}  // namespace

std::uint32_t TextEdits::number_of(std::string_view line) {
  if (const auto found = numbers_.find(line); found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(lines_.size());
  numbers_.emplace(line, number);
  lines_.emplace_back(line);
  return number;
}

void TextEdits::add(std::string_view text) {
  std::vector<std::uint32_t> own;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    own.push_back(number_of(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  if (any_) edits_ += ';';
  const auto out = std::back_inserter(edits_);
  if (!any_ || own.size() != last_.size()) {
    edits_ += '=';
    for (std::size_t i = 0; i < own.size(); ++i) fmt::format_to(out, "{}{}", i ? "," : "", own[i]);
  } else {
    const char* between = "";
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i] == last_[i]) continue;
      fmt::format_to(out, "{}{}:{}", between, i, own[i]);
      between = ",";
    }
  }
  any_ = true;
  last_ = std::move(own);
}

std::string space_data(const PageSpace& space) {
  return html::page_data_without_runs("space", [&](JsonWriter& json) { write_space(json, space); });
}

Result<std::string> write_space_html(const PageSpace& space, std::string_view page) {
  std::vector<std::pair<std::string, std::string>> rows = space.facts;
  for (const auto& [number, reason] : space.rejected)
    rows.emplace_back(fmt::format("{} not allowed", number), reason);
  return html::fill_table_page(page, space.title, rows, {}, space_data(space));
}

}  // namespace orrery::report
