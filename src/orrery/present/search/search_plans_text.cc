// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/search/search_plans_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using explore::PlanAnswer;
using explore::PlanSearch;

namespace {

std::string plan_gigabytes(std::int64_t bytes) {
  return fmt::format("{:.1f} GB", static_cast<double>(bytes) / 1e9);
}

/// "+3.1 %"
std::string slower(Time step, Time best) {
  if (best.count() <= 0) return "";
  return fmt::format(
      "{:+.1f} %",
      (static_cast<double>(step.count()) / static_cast<double>(best.count()) - 1) * 100);
}

/// What it has more of than the best: "computes 120 ms more, exposes 80 ms less"
std::string why(const PlanAnswer& answer, const PlanAnswer& best) {
  if (!answer.parts || !best.parts || &answer == &best) return "";
  std::size_t most = 0;
  explore::PartTimes more{};
  for (std::size_t i = 0; i < more.size(); ++i) {
    more[i] = (*answer.parts)[i] - (*best.parts)[i];
    if (more[most] < more[i]) most = i;
  }
  if (more[most].count() <= 0) return "";
  return fmt::format("{} {}", explore::kStepParts[most].more, signed_time(more[most]));
}

std::string part_text(Time part, Time step) {
  return step.count() > 0 ? report::percent(static_cast<double>(part.count()) /
                                            static_cast<double>(step.count()))
                          : "-";
}

std::string plans_table(const PlanSearch& search, report::Style style) {
  std::vector<report::Table::Column> columns{
      {"step", true}, {"", true}, {"MFU", true}, {"memory", true}};
  for (const explore::StepPart& part : explore::kStepParts)
    columns.push_back({std::string(part.name), true});
  columns.insert(columns.end(), {{"plan"}, {"loses by"}});
  report::Table table(std::move(columns));
  const PlanAnswer& best = search.best.front();
  for (const PlanAnswer& one : search.best) {
    const Time step = one.step();
    std::vector<std::string> row{format_time(step) + (one.simulated ? "" : " *"),
                                 &one == &best ? "" : slower(step, best.step()),
                                 report::percent(search.mfu(one)), plan_gigabytes(one.memory)};
    for (std::size_t i = 0; i < explore::kStepParts.size(); ++i)
      row.push_back(one.parts ? part_text((*one.parts)[i], step) : "");
    row.push_back(explore::plan_label(one.spec));
    row.push_back(why(one, best));
    table.row(std::move(row));
  }
  return table.text(style, 0, 150);
}

std::string lost_table(const PlanSearch& search, report::Style style) {
  std::vector<std::pair<std::uint64_t, std::string>> rows;
  if (search.too_large > 0)
    rows.emplace_back(search.too_large, fmt::format("needs more than the {} of a device",
                                                    plan_gigabytes(search.memory)));
  if (search.needs_simulation > 0)
    rows.emplace_back(search.needs_simulation, "only a simulation tells (--gear auto)");
  for (const auto& [rule, count] : search.illegal) rows.emplace_back(count, "rule " + rule);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  report::Table table({{"plans", true}, {"not looked at, because"}});
  for (const auto& [number, reason] : rows) table.row({count(number), printable(reason)});
  return table.empty() ? "" : "\n" + table.text(style);
}

void write_plan(report::JsonWriter& json, const PlanSearch& search, const PlanAnswer& one) {
  const workload::Spec& spec = one.spec;
  json.begin_object()
      .field("tp", spec.parallel.tp)
      .field("sp", spec.parallel.sp)
      .field("pp", spec.parallel.pp)
      .field("cp", spec.parallel.cp)
      .field("dp", spec.parallel.dp)
      .field("ep", spec.parallel.ep)
      .field("micro_batch", spec.batch.micro)
      .field("chunks", spec.schedule.chunks)
      .field("plan", explore::plan_label(spec))
      .field("memory_bytes", one.memory)
      .field("mfu", search.mfu(one));
  if (one.estimate) json.nanoseconds("estimate", *one.estimate);
  if (one.simulated) json.nanoseconds("simulated", *one.simulated);
  for (std::size_t i = 0; one.parts && i < explore::kStepParts.size(); ++i)
    json.nanoseconds(explore::kStepParts[i].time_key, (*one.parts)[i]);
  json.field("specification", workload::to_json(spec)).end_object();
}

}  // namespace

std::string search_plans_text(const PlanSearch& search, report::Style style) {
  report::Sheet sheet(style);
  sheet.add("cluster", fmt::format("{}: {}", printable(search.cluster),
                                   plural(static_cast<std::uint64_t>(search.devices), "device")));
  sheet.add("step", search.tokens > 0
                        ? fmt::format("{} samples, {} tokens", format_count(search.samples),
                                      format_count(search.tokens))
                        : fmt::format("{} samples", format_count(search.samples)));
  sheet.add("plans",
            fmt::format("{}, of which {} fit", count(search.plans), count(search.fitting)));
  for (const Finding& finding : search.findings.list()) {
    const FindingInfo about = describe(finding.code);
    sheet.add("finding", fmt::format("{}: {}", about.name,
                                     finding.places.empty() ? std::string(about.sentence)
                                                            : printable(finding.places.front())));
  }
  std::string text = sheet.text();
  if (search.best.empty()) {
    text += "\nno plan fits";
    if (search.smallest)
      text +=
          fmt::format(": {} of {} at least ({})", plan_gigabytes(search.smallest->memory),
                      plan_gigabytes(search.memory), explore::plan_label(search.smallest->spec));
    return text + "\n" + lost_table(search, style);
  }
  text += "\n" + plans_table(search, style);
  const bool all = std::all_of(search.best.begin(), search.best.end(),
                               [](const PlanAnswer& one) { return one.simulated.has_value(); });
  if (!all)
    text += "* estimated: ops one after another as a simulation has them alone (docs/search.md)\n";
  const bool both = std::any_of(search.best.begin(), search.best.end(), [](const PlanAnswer& one) {
    return one.simulated.has_value() && one.estimate.has_value();
  });
  if (both)
    text += "Estimates were " + estimate_error_text(search.max_estimate_error,
                                                    all && search.fitting <= search.best.size());
  if (search.in_columns > 0)
    text += fmt::format(
        "{} of the {} plans that fit were told in closed form, up to {:.1f} % off; {} played.\n",
        search.in_columns, search.fitting, std::abs(search.columns_error) * 100, search.played);
  return text + lost_table(search, style);
}

std::string search_plans_json(const PlanSearch& search) {
  return report::envelope("search", search.findings, [&](report::JsonWriter& json) {
    json.begin_object()
        .field("cluster", search.cluster)
        .field("devices", search.devices)
        .field("capacity_bytes", search.memory)
        .field("samples", search.samples)
        .field("tokens", search.tokens)
        .field("plans", static_cast<std::int64_t>(search.plans))
        .field("fitting", static_cast<std::int64_t>(search.fitting))
        .field("too_large", static_cast<std::int64_t>(search.too_large))
        .field("not_estimated", static_cast<std::int64_t>(search.needs_simulation))
        .field("closed_form", static_cast<std::int64_t>(search.in_columns))
        .field("estimated", static_cast<std::int64_t>(search.played))
        .field("max_closed_form_error", search.columns_error)
        .field("max_estimate_error", search.max_estimate_error)
        .key("illegal_by_rule")
        .begin_object();
    for (const auto& [rule, number] : search.illegal)
      json.field(rule, static_cast<std::int64_t>(number));
    json.end_object().key("best").begin_array();
    for (const PlanAnswer& one : search.best) write_plan(json, search, one);
    json.end_array().end_object();
  });
}

std::string search_clusters_text(const std::vector<explore::ClusterAnswer>& answers, bool priced,
                                 report::Style style) {
  const PlanSearch& any = answers.front().search;
  report::Sheet sheet(style);
  sheet.add("step", any.tokens > 0 ? fmt::format("{} samples, {} tokens", format_count(any.samples),
                                                 format_count(any.tokens))
                                   : fmt::format("{} samples", format_count(any.samples)));
  const bool tokens = any.tokens > 0;
  report::Table table({{"cluster"},
                       {"devices", true},
                       {"step", true},
                       {tokens ? "tokens/s" : "samples/s", true},
                       {"MFU", true},
                       {priced ? "cost of a step" : "device hours", true},
                       {priced ? "of 1e9" : "for 1e9", true},
                       {"front"},
                       {"best plan"}});
  for (const explore::ClusterAnswer& one : answers) {
    const std::string name = printable(one.search.cluster);
    const std::string devices = count(static_cast<std::uint64_t>(one.search.devices));
    if (!one.fits()) {
      table.row({name, devices, "-", "-", "-", "-", "-", "", "none fits"});
      continue;
    }
    const PlanAnswer& best = one.search.best.front();
    const double seconds = static_cast<double>(best.step().count()) * 1e-12;
    table.row({name, devices, format_time(best.step()) + (best.simulated ? "" : " *"),
               count(static_cast<std::uint64_t>(one.rate())), report::percent(one.search.mfu(best)),
               fmt::format("{:.4g}", one.cost()),
               fmt::format("{:.4g}", one.cost() / (one.rate() * seconds) * 1e9),
               one.front ? "yes" : "", explore::plan_label(best.spec)});
  }
  return sheet.text() + "\n" + table.text(style, 0, 150) +
         "front: no other is as fast and as cheap, and better in one of both\n";
}

std::string search_clusters_json(const std::vector<explore::ClusterAnswer>& answers, bool priced) {
  return report::envelope("search", {}, [&](report::JsonWriter& json) {
    json.begin_object().field("priced", priced).key("clusters").begin_array();
    for (const explore::ClusterAnswer& one : answers) {
      json.begin_object()
          .field("cluster", one.search.cluster)
          .field("devices", one.search.devices)
          .field("samples", one.search.samples)
          .field("tokens", one.search.tokens)
          .field("device_hour_price", one.price)
          .field("front", one.front);
      if (one.fits()) {
        json.field("step_cost", one.cost()).field("items_per_s", one.rate()).key("best_plan");
        write_plan(json, one.search, one.search.best.front());
      }
      json.end_object();
    }
    json.end_array().end_object();
  });
}

}  // namespace orrery::present
