// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/collectives/collective_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/calibrate/measurements/collective_names.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/study/collectives/chunk_choice_answer.h"

namespace orrery::present {

using study::CollectiveAlternative;
using study::CollectiveComparison;
using synthesis::Bound;

namespace {

std::string bound_text(const Bound& bound) {
  return fmt::format(
      "{}: {} carries {} at {}; latency adds {}", format_time(bound.total), bound.binding_cut.name,
      format_bytes(Bytes(static_cast<std::int64_t>(bound.binding_cut.bytes))),
      format_bandwidth(Bandwidth(bound.binding_cut.capacity)), format_time(bound.latency));
}

double bound_ratio(const CollectiveComparison& comparison, const CollectiveAlternative& algorithm) {
  const auto bound = static_cast<double>(comparison.lower_bound_of(algorithm).total.count());
  return bound == 0 ? 0 : static_cast<double>(algorithm.time.count()) / bound;
}

/// Bus bandwidth / algorithm bandwidth; 0: not defined.
double bus_factor(const CollectiveComparison& comparison) {
  const calibrate::Collective* known = calibrate::find_collective(graph::name(comparison.type));
  if (known == nullptr) return 0;
  return calibrate::bus_factor(*known, static_cast<std::int32_t>(comparison.ranks.size())).lower;
}

/// The larger of two lower bounds: of chunk orders over dimensions, and of the network. On a
/// network model without contention a time can be below the network's bound; that bound is then
/// ignored.
Time largest_bound(const CollectiveComparison& comparison, const CollectiveAlternative& algorithm) {
  const Time network = comparison.lower_bound_of(algorithm).total;
  return network > algorithm.time ? algorithm.chunks->bound
                                  : std::max(algorithm.chunks->bound, network);
}

/// Dispatch and combine: what each rank sends.
std::string tokens_text(const CollectiveComparison& comparison) {
  if (!comparison.exchange) return "";
  return fmt::format(" in each rank, copies for {} of {} experts,", comparison.exchange.top_k,
                     comparison.exchange.experts);
}

void state_question(report::Answer& answer, const CollectiveComparison& comparison) {
  const std::string_view label = study::collective_label(comparison);
  answer.label_width(12).title(fmt::format("{} of {}{} among {} ranks of {}, network {}", label,
                                           format_bytes(comparison.size), tokens_text(comparison),
                                           comparison.ranks.size(), printable(comparison.cluster),
                                           comparison.network));
  answer.field("collective", label);
  if (comparison.numbers != graph::Format::unsaid)
    answer.field("dtype", graph::name(comparison.numbers));
  if (comparison.exchange)
    answer.field("experts", comparison.exchange.experts).field("top_k", comparison.exchange.top_k);
  answer.field("cluster", comparison.cluster).field("network_model", comparison.network);
  answer.field("ranks", comparison.ranks.size()).field("bytes", comparison.size);
}

void state_algorithms(report::Answer& answer, const CollectiveComparison& comparison) {
  const double factor = bus_factor(comparison);
  const auto bandwidth = [&](const CollectiveAlternative& algorithm) {
    const double duration = seconds(algorithm.time);
    return duration == 0 ? 0 : static_cast<double>(comparison.size.count()) / duration;
  };
  report::Columns<CollectiveAlternative> columns;
  columns.add("algorithm", "name", &CollectiveAlternative::name)
      .field("about", &CollectiveAlternative::about)
      .field("in_switches", &CollectiveAlternative::by_switches)
      .add("time", "time_ns", &CollectiveAlternative::time)
      .add("time / bound", "bound_ratio",
           [&](const auto& algorithm) {
             const double ratio = bound_ratio(comparison, algorithm);
             return report::Value(ratio).shown(fmt::format("{:.2f}", ratio));
           })
      .add("latency", "latency_ns", &CollectiveAlternative::latency)
      .field("algbw_bytes_per_s", bandwidth)
      .add("bus bandwidth", "busbw_bytes_per_s",
           [&](const auto& algorithm) { return Bandwidth(bandwidth(algorithm) * factor); })
      .members([](report::JsonWriter& json, const auto& algorithm) {
        if (!algorithm.chunks) return;
        report::Answer row(json);
        row.object("chunk_choice", [&] { study::state_chunk_choice(row, *algorithm.chunks); });
      });
  answer.table("algorithms", comparison.alternatives, columns);
}

/// Algorithms whose chunks a model chose.
void state_chunks(report::Answer& answer, const CollectiveComparison& comparison) {
  std::vector<const CollectiveAlternative*> chosen;
  for (const CollectiveAlternative& algorithm : comparison.alternatives)
    if (algorithm.chunks) chosen.push_back(&algorithm);
  report::Columns<const CollectiveAlternative*> columns;
  columns.show("algorithm", &CollectiveAlternative::name)
      .show_number("chunks",
                   [](const auto* algorithm) { return std::to_string(algorithm->chunks->chunks); })
      .show_number("above the bound",
                   [&](const auto* algorithm) {
                     return study::above_bound(largest_bound(comparison, *algorithm),
                                               algorithm->time);
                   })
      .show("method", [](const auto* algorithm) { return algorithm->chunks->method; })
      .show("orders",
            [](const auto* algorithm) { return study::chunk_orders_text(*algorithm->chunks); });
  answer.table("", chosen, columns);
}

void state_skipped(report::Answer& answer, const CollectiveComparison& comparison) {
  if (!comparison.skipped.empty()) answer.heading("Skipped:");
  for (const study::SkippedAlternative& one : comparison.skipped)
    answer.note(fmt::format("  {}: {}", printable(one.name), printable(one.why)));
  report::Columns<study::SkippedAlternative> columns;
  columns.field("name", &study::SkippedAlternative::name)
      .field("reason", &study::SkippedAlternative::why);
  answer.table("left_out", comparison.skipped, columns);
}

}  // namespace

void state_bound(report::Answer& answer, const Bound& bound) {
  const synthesis::BindingCut& cut = bound.binding_cut;
  answer.field("total_ns", bound.total).field("bandwidth_ns", bound.bandwidth);
  answer.field("latency_ns", bound.latency).field("exact", bound.exact);
  answer.field("cut", cut.name).field("cut_bytes", cut.bytes);
  answer.field("cut_bytes_per_s", cut.capacity).field("cut_links", cut.links);
}

void state_collective(report::Answer& answer, const CollectiveComparison& comparison,
                      const Findings& findings) {
  state_question(answer, comparison);
  answer.line("lower bound", bound_text(comparison.bound));
  if (!comparison.bound.exact) answer.line("", "over the cuts tried; a tighter bound may exist");
  answer.object("bound", [&] { state_bound(answer, comparison.bound); });
  if (comparison.switch_bound)
    answer.line("switch bound", bound_text(*comparison.switch_bound)).object("switch_bound", [&] {
      state_bound(answer, *comparison.switch_bound);
    });
  answer.row("fastest", "reason", comparison.reason);
  answer.findings(findings);
  state_algorithms(answer, comparison);
  state_chunks(answer, comparison);
  state_skipped(answer, comparison);
}

}  // namespace orrery::present
