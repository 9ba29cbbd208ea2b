// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/simulate/run_text.h"

#include <fmt/format.h>

#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"
#include "orrery/present/number_text.h"
#include "orrery/present/simulate/chunk_choice_text.h"
#include "orrery/present/simulate/digest_text.h"
#include "orrery/present/simulate/savings_text.h"
#include "orrery/report/json/digest_json.h"
#include "orrery/report/json/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using report::Sheet;
using report::Style;
using result::Run;
using study::Outcome;

namespace {

/// How little of the work had to be done, and whether that was right.
void add_work(Sheet& sheet, const Outcome& outcome, Style style) {
  const std::size_t ranks = outcome.result.ranks.size();
  const std::string saved = savings_text(outcome.result.savings, ranks);
  if (!saved.empty()) sheet.add("simulated", saved);
  if (!outcome.verified) return;
  const std::string text = verification_text(*outcome.verified, ranks);
  sheet.add("verified", outcome.verified->difference ? style.bad(text) : text);
}

}  // namespace

std::string title_of(const Run& run) {
  const std::string workload = printable(run.fact("workload"));
  const std::string cluster = printable(run.fact("cluster"));
  if (workload.empty()) return cluster.empty() ? "run" : "run on " + cluster;
  return cluster.empty() ? workload : workload + " on " + cluster;
}

namespace {

void add_without(Sheet& sheet, const Outcome& outcome) {
  std::string names;
  for (const std::string& name : outcome.question.without)
    names += (names.empty() ? "" : ", ") + name;
  if (!names.empty()) sheet.add("without", names);
}

/// What each effect is worth; those that change nothing are left out.
std::string effects_text(const Outcome& outcome, Style style) {
  if (outcome.effects.empty()) return "";
  report::Table table({{"effect"}, {"step without it", true}, {"it adds", true}, {"", true}});
  for (const study::EffectCost& one : outcome.effects) {
    const Time adds = outcome.result.end - one.without;
    if (adds != Time{})
      table.row({std::string(one.name), format_time(one.without), signed_time(adds),
                 relative_change(one.without, outcome.result.end)});
  }
  return "\n" + (table.empty() ? "no effect changes the step\n" : table.text(style));
}

/// What crossed remote memories, level by level, and what of it hid behind other things.
std::string memory_text(const Outcome& outcome, Style style) {
  if (outcome.result.memory.empty()) return "";
  report::Table table({{"memory"}, {"loaded", true}, {"stored", true}, {"in use", true}});
  const auto bytes = [](std::uint64_t count) {
    return format_bytes(Bytes(static_cast<std::int64_t>(count)));
  };
  for (const sim::MemoryLevel& level : outcome.result.memory)
    table.row({level.name, bytes(level.loaded), bytes(level.stored),
               report::percent(level.in_use(outcome.result.end))});
  Time all{}, exposed{};
  const auto ranks = static_cast<std::int64_t>(outcome.result.ranks.size());
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const sim::RankResult& one = outcome.result.ranks[static_cast<std::size_t>(rank)];
    all += one.memory;
    exposed += one.memory_only;
  }
  return fmt::format("\n{}{} of each rank's step, on average, accesses are under way: {} exposed\n",
                     table.text(style), format_time(Time(all.count() / ranks)),
                     format_time(Time(exposed.count() / ranks)));
}

/// By what each kind of collective runs, and why not by the next.
std::string chosen_text(const Outcome& outcome, Style style) {
  if (outcome.chosen.empty()) return "";
  Sheet sheet(style);
  for (const study::AlgorithmChoice& one : outcome.chosen) {
    std::string text = fmt::format("{} among {}", format_bytes(one.whole), one.members);
    if (one.groups > 1) text += fmt::format(" ({} groups at once)", one.groups);
    text += ": ";
    if (one.algorithm.empty()) {
      text += "as the cluster's file says, none could be tried";
    } else {
      text += fmt::format("{}, {}", one.brief(one.algorithm), format_time(one.time));
    }
    if (!one.next.empty()) {
      const std::string why =
          one.more_bytes ? one.more_latency ? "bytes and latency" : "bytes" : "latency";
      text += fmt::format("; {} {} for its {}", one.brief(one.next),
                          relative_change(one.time, one.next_time), why);
    }
    sheet.add(std::string(graph::name(one.type)), text);
  }
  return "\n" + sheet.text();
}

/// Into how many pieces each kind of collective is cut, and where they go.
std::string chunks_text(const Outcome& outcome, Style style) {
  if (outcome.result.chunk_choices.empty()) return "";
  Sheet sheet(style);
  for (const sim::ChunkChoice& one : outcome.result.chunk_choices) {
    const std::string by = one.dims.size() < 2 ? "" : fmt::format(" ({})", one.from);
    sheet.add(one.type, fmt::format("{} among {}: {} chunk{}, {}{}, {} alone; {}",
                                    format_bytes(one.bytes), one.members, one.chunks,
                                    one.chunks == 1 ? "" : "s", chunk_orders_text(one), by,
                                    format_time(one.time), chunk_order_bound_text(one)));
  }
  return "\n" + sheet.text();
}

}  // namespace

std::string summary_text(const Outcome& outcome, Style style, bool all) {
  Sheet sheet(style);
  add_digest(sheet, digest(outcome), style, all);
  add_work(sheet, outcome, style);
  add_without(sheet, outcome);
  report::add_findings(sheet, outcome.findings, style);
  return sheet.text() + memory_text(outcome, style) + chosen_text(outcome, style) +
         chunks_text(outcome, style) + effects_text(outcome, style);
}

std::string summary_text(const Run& run, Style style, bool all) {
  const analysis::Digest digest = analysis::digest(run);
  Sheet sheet(style);
  sheet.add("run", title_of(run));
  add_digest(sheet, digest, style, all);
  if (digest.simulated > 0 && digest.simulated < digest.ranks)
    sheet.add("simulated", representatives_text(digest.simulated, digest.ranks));
  if (digest.spans != result::SpanChoice::all) {
    const bool none = digest.spans == result::SpanChoice::none;
    sheet.add("spans", none ? "none is in the file"
                            : "only critical ones are in the file, and who came last");
  }
  report::add_findings(sheet, run.findings, style);
  return sheet.text();
}

std::string summary_json(const Run& run) {
  return report::envelope("report", run.findings, [&](JsonWriter& json) {
    json.begin_object().nanoseconds("step", run.step).field("stalled", run.stalled);
    json.field("ranks", run.ranks.size()).field("distinct_ranks", run.timelines.size());
    json.field("stored_spans", name(run.spans));
    report::write_digest(json, analysis::digest(run));
    report::write_remote_memory(json, run);
    json.key("manifest").begin_object();
    for (const auto& [key, value] : run.manifest) json.field(key, value);
    json.end_object().key("metrics").begin_array();
    for (const analysis::Metric& metric : analysis::metrics(run)) {
      json.begin_object().field("name", metric.name).field("title", metric.title);
      json.field("unit", metric.unit).field("value", metric.value).field("text", metric.text);
      json.end_object();
    }
    json.end_array().key("collectives").begin_array();
    for (const analysis::CollectiveClass& one : analysis::collective_classes(run)) {
      json.begin_object().field("type", one.type).field("group_size", one.members);
      json.field("bytes", one.bytes.count())
          .field("operations", one.count)
          .field("sent_bytes", one.sent);
      json.nanoseconds("time", one.time).nanoseconds("wait", one.waited);
      json.field("algbw_bytes_per_s", one.algbw).field("busbw_bytes_per_s", one.busbw);
      if (one.of_bound) json.field("bound_efficiency", *one.of_bound);
      json.end_object();
    }
    json.end_array().key("stragglers").begin_array();
    for (const analysis::Straggler& one : analysis::stragglers(run).ranks) {
      json.begin_object().field("rank", one.rank).nanoseconds("caused_wait", one.caused);
      json.nanoseconds("wait", one.waited).field("times_last", one.times_last).end_object();
    }
    json.end_array().end_object();
  });
}

std::string stall_text(const Outcome& outcome, Style style) {
  const sim::StallReport& stall = *outcome.result.stall;
  Sheet sheet(style);
  sheet.add(style.bad("stalled"), fmt::format("after {}: {} of {} never finish",
                                              format_time(stall.at), count(stall.unfinished_ranks),
                                              plural(outcome.result.ranks.size(), "rank")));
  if (!stall.circle.empty()) {
    std::string text;
    for (const std::string& rank : stall.circle)
      text += (text.empty() ? "" : " → ") + printable(rank);
    sheet.add("circle", text);
  }
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < stall.nodes.size() && i < kShown; ++i) {
    const sim::StalledNode& stalled = stall.nodes[i];
    const graph::Graph& graph = outcome.workload().graph(stalled.rank);
    const std::string label(graph.name(stalled.node));
    sheet.add(
        fmt::format("rank {}", stalled.rank),
        fmt::format("node {}{}: {}", graph.id(stalled.node),
                    label.empty() ? "" : fmt::format(" ({})", report::fit(printable(label), 40)),
                    printable(stalled.why)));
  }
  if (stall.nodes.size() > kShown)
    sheet.add("", fmt::format("and {} more (--json)", stall.nodes.size() - kShown));
  add_work(sheet, outcome, style);
  report::add_findings(sheet, outcome.findings, style);
  return sheet.text();
}

}  // namespace orrery::present
