// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/collective_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/calibrate/measurements/measured_collectives.h"
#include "orrery/core/text/rank_list.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/simulate/chunk_choice_text.h"
#include "orrery/report/json/envelope.h"
#include "orrery/report/json/json_writer.h"
#include "orrery/study/collectives/chunk_choice_json.h"

namespace orrery::present {

using report::JsonWriter;
using study::CollectiveAlternative;
using study::CollectiveComparison;
using synthesis::Bound;

namespace {

std::string bound_text(const Bound& bound) {
  return fmt::format("{}: {} carries {} at {}, and {} is latency", format_time(bound.total),
                     bound.binding_cut.name,
                     format_bytes(Bytes(static_cast<std::int64_t>(bound.binding_cut.bytes))),
                     format_bandwidth(Bandwidth(bound.binding_cut.capacity)),
                     format_time(bound.latency));
}

double times_bound(const CollectiveComparison& answer, const CollectiveAlternative& way) {
  const Time least = answer.lower_bound_of(way).total;
  return least.count() == 0
             ? 0
             : static_cast<double>(way.time.count()) / static_cast<double>(least.count());
}

double algorithm_bandwidth(const CollectiveComparison& answer, const CollectiveAlternative& way) {
  if (way.time.count() == 0) return 0;
  return static_cast<double>(answer.size.count()) / (static_cast<double>(way.time.count()) * 1e-12);
}

double bus_bandwidth(const CollectiveComparison& answer, const CollectiveAlternative& way) {
  const calibrate::Collective* one = calibrate::find_collective(graph::name(answer.type));
  if (one == nullptr) return 0;
  return algorithm_bandwidth(answer, way) *
         calibrate::bus_factor(*one, static_cast<std::int32_t>(answer.ranks.size())).lower;
}

/// Both are bounds: of orders over dimensions, and of the network; but where nobody is in anybody's
/// way, ways are told that no network has.
Time largest_bound(const CollectiveComparison& answer, const CollectiveAlternative& way) {
  const Time network = answer.lower_bound_of(way).total;
  return network > way.time ? way.chunks->bound : std::max(way.chunks->bound, network);
}

/// Of dispatch and combine: what is sent.
std::string tokens_text(const CollectiveComparison& answer) {
  if (!answer.exchange) return "";
  return fmt::format(" in each rank, copies for {} of {} experts,", answer.exchange.top_k,
                     answer.exchange.experts);
}

/// Of the ways whose chunks a model chose.
std::string chunks_text(const CollectiveComparison& answer, report::Style style) {
  report::Table table(
      {{"way"}, {"chunks", true}, {"above the bound", true}, {"found by"}, {"orders"}});
  for (const CollectiveAlternative& way : answer.alternatives) {
    if (!way.chunks) continue;
    table.row({way.name, fmt::format("{}", way.chunks->chunks),
               above_bound(largest_bound(answer, way), way.time), way.chunks->from,
               chunk_orders_text(*way.chunks)});
  }
  return table.empty() ? "" : "\n" + table.text(style);
}

}  // namespace

std::string collective_text(const CollectiveComparison& answer, const Findings& findings,
                            report::Style style) {
  report::Sheet sheet(style, 12);
  sheet.line(style.strong(fmt::format("{} of {}{} among {} ranks of {}, network {}",
                                      study::collective_label(answer), format_bytes(answer.size),
                                      tokens_text(answer), answer.ranks.size(),
                                      printable(answer.cluster), answer.network)));
  sheet.add("at best", bound_text(answer.bound));
  if (!answer.bound.exact) sheet.add("", "of the cuts that were tried: a tighter one may exist");
  if (answer.switch_bound) sheet.add("by switches", bound_text(*answer.switch_bound));
  sheet.add("first", answer.reason);
  report::add_findings(sheet, findings, style);
  report::Table table({{"way"},
                       {"time", true},
                       {"of the bound", true},
                       {"latency", true},
                       {"bus bandwidth", true}});
  for (const CollectiveAlternative& way : answer.alternatives) {
    table.row({way.name, format_time(way.time), fmt::format("{:.2f}", times_bound(answer, way)),
               format_time(way.latency), format_bandwidth(Bandwidth(bus_bandwidth(answer, way)))});
  }
  std::string text = sheet.text() + "\n" + table.text(style) + chunks_text(answer, style);
  if (!answer.skipped.empty()) text += "\nNot tried:\n";
  for (const study::SkippedAlternative& one : answer.skipped)
    text += fmt::format("  {}: {}\n", printable(one.name), printable(one.why));
  return text;
}

namespace {

void write_bound(JsonWriter& json, const Bound& bound) {
  json.begin_object().nanoseconds("total", bound.total);
  json.nanoseconds("bandwidth", bound.bandwidth).nanoseconds("latency", bound.latency);
  json.field("cut", std::string_view(bound.binding_cut.name))
      .field("cut_bytes", bound.binding_cut.bytes);
  json.field("cut_bytes_per_s", bound.binding_cut.capacity)
      .field("cut_links", std::uint64_t{bound.binding_cut.links});
  json.field("exact", bound.exact).end_object();
}

}  // namespace

std::string collective_json(const CollectiveComparison& answer, const Findings& findings) {
  return report::envelope("collective", findings, [&](JsonWriter& json) {
    json.begin_object().field("collective", study::collective_label(answer));
    if (answer.numbers != graph::Format::unsaid) json.field("dtype", graph::name(answer.numbers));
    if (answer.exchange)
      json.field("experts", std::uint64_t{answer.exchange.experts})
          .field("top_k", std::uint64_t{answer.exchange.top_k});
    json.field("cluster", std::string_view(answer.cluster));
    json.field("network_model", std::string_view(answer.network));
    json.field("ranks", std::uint64_t{answer.ranks.size()}).field("bytes", answer.size.count());
    json.key("bound");
    write_bound(json, answer.bound);
    if (answer.switch_bound) {
      json.key("switch_bound");
      write_bound(json, *answer.switch_bound);
    }
    json.key("algorithms").begin_array();
    for (const CollectiveAlternative& way : answer.alternatives) {
      json.begin_object().field("name", std::string_view(way.name));
      json.field("about", std::string_view(way.about)).field("in_switches", way.by_switches);
      json.nanoseconds("time", way.time).nanoseconds("latency", way.latency);
      json.field("bound_ratio", times_bound(answer, way));
      json.field("algbw_bytes_per_s", algorithm_bandwidth(answer, way));
      json.field("busbw_bytes_per_s", bus_bandwidth(answer, way));
      if (way.chunks) {
        json.key("chunk_choice");
        study::write_chunk_choice(json, *way.chunks);
      }
      json.end_object();
    }
    json.end_array().key("left_out").begin_array();
    for (const study::SkippedAlternative& one : answer.skipped) {
      json.begin_object().field("name", std::string_view(one.name));
      json.field("reason", std::string_view(one.why)).end_object();
    }
    json.end_array().field("reason", std::string_view(answer.reason)).end_object();
  });
}

}  // namespace orrery::present
