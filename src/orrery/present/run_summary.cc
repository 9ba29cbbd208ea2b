// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/run_summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/critical_path.h"
#include "orrery/analysis/words.h"
#include "orrery/core/text.h"
#include "orrery/core/units.h"
#include "orrery/platform/networks.h"
#include "orrery/present/memory_text.h"
#include "orrery/present/run_text.h"
#include "orrery/present/words.h"
#include "orrery/present/work_text.h"
#include "orrery/report/envelope.h"

namespace orrery::present {

using report::JsonWriter;
using report::percent;
using report::Sheet;
using report::Style;
using result::Run;

namespace {

struct Finishes {
  std::vector<std::uint32_t> order;  ///< ranks that finished, latest first, ties by rank
  Time first{}, median{};
};

Finishes finishes_of(const Run& run) {
  Finishes finishes;
  for (std::uint32_t rank = 0; rank < run.ranks.size(); ++rank) {
    if (run.ranks[rank].finish) finishes.order.push_back(rank);
  }
  std::stable_sort(finishes.order.begin(), finishes.order.end(),
                   [&](auto a, auto b) { return *run.ranks[a].finish > *run.ranks[b].finish; });
  if (finishes.order.empty()) return finishes;
  finishes.first = *run.ranks[finishes.order.back()].finish;
  finishes.median = *run.ranks[finishes.order[finishes.order.size() / 2]].finish;
  return finishes;
}

void add_times(Sheet& sheet, const Run& run, const Finishes& finishes, Style style) {
  const auto part = [&](std::string_view label, Time time) {
    sheet.add(label,
              fmt::format("{:>7}  {:>9}", percent(share_of_step(run, time)), format_time(time)));
  };
  const std::size_t ranks = run.ranks.size();
  std::string more = fmt::format("{} rank{}", count(ranks), ranks == 1 ? "" : "s");
  if (run.timelines.size() < ranks) more += fmt::format(", {} distinct", run.timelines.size());
  if (finishes.order.size() < ranks) {
    more += fmt::format(", {} never finish", count(ranks - finishes.order.size()));
  } else if (ranks > 1 && finishes.first != run.step) {
    more += fmt::format(", the first done after {}", format_time(finishes.first));
  }
  sheet.add(run.stalled ? style.bad("stalled") : "step time",
            fmt::format("{}  {}", style.strong(format_time(run.step)), more));
  const analysis::Shares shares = analysis::mean_shares(run);
  part("compute", shares.exposed_compute + shares.overlapped);
  part("  overlapped", shares.overlapped);
  part("exposed comm", shares.exposed_comm);
  part("exposed memory", shares.exposed_memory);
  part("idle", shares.idle);
}

void add_throughput(Sheet& sheet, const Run& run) {
  if (!run.work || run.stalled) return;
  const auto speed = analysis::throughput(*run.work, run.step, run.ranks.size(), run.peak_flops);
  if (!speed) return;
  for (const auto& [label, text] :
       throughput_lines(*speed, run.ranks.size(), FlopRate(run.peak_flops), run.peak_precision))
    sheet.add(label, text);
}

void add_collectives(Sheet& sheet, const Run& run, bool all) {
  const auto classes = analysis::collective_classes(run);
  const std::size_t lines = all ? classes.size() : 4;
  for (std::size_t i = 0; i < classes.size() && i < lines; ++i) {
    const analysis::CollectiveClass& one = classes[i];
    std::string text =
        fmt::format("{} {} among {}, {} each: {} each", count(one.count), printable(one.type),
                    count(one.members), format_bytes(one.bytes),
                    format_time(one.count > 0 ? Time(one.time.count() / one.count) : Time{}));
    if (one.busbw > 0) text += fmt::format(", busbw {}", format_bandwidth(Bandwidth(one.busbw)));
    if (one.of_bound) text += fmt::format(" ({} of the bound)", percent(*one.of_bound));
    sheet.add(i == 0 ? "collectives" : "", text);
  }
  if (classes.size() > lines)
    sheet.add("", fmt::format("and {} kinds more (--all)", classes.size() - lines));
  if (classes.empty()) sheet.add("collectives", "none");
}

/// Ranks that finish together stand together.
void add_slowest(Sheet& sheet, const Run& run, const Finishes& finishes) {
  const auto& order = finishes.order;
  if (order.empty()) return;
  if (order.size() == run.ranks.size() && finishes.first == *run.ranks[order.front()].finish) {
    sheet.add("slowest ranks", order.size() == 1 ? "one rank only" : "none: all finish together");
    return;
  }
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < order.size() && shown < 3; ++shown) {
    std::vector<std::uint32_t> together;
    const Time finish = *run.ranks[order[i]].finish;
    for (; i < order.size() && *run.ranks[order[i]].finish == finish; ++i)
      together.push_back(order[i]);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", report::ranges(together, 3),
                        format_time(finish));
  }
  sheet.add("slowest ranks", fmt::format("{} (median {})", text, format_time(finishes.median)));
}

void add_stragglers(Sheet& sheet, const Run& run) {
  const analysis::Stragglers waits = analysis::stragglers(run);
  if (waits.ranks.empty() || waits.ranks.front().caused.count() == 0) return;
  const analysis::Straggler& worst = waits.ranks.front();
  sheet.add("waited for", fmt::format("rank {} most: others waited {} for it, summed over them",
                                      worst.rank, format_time(worst.caused)));
}

void add_memory(Sheet& sheet, const Run& run) {
  const auto rank = analysis::fullest_rank(run);
  if (!rank) return;
  const result::MemoryCurve& memory = run.timeline(*rank).memory;
  const bool accounted = memory.role != 0;
  const auto size = [&](Bytes bytes) {
    return accounted ? gigabytes(bytes.count()) : format_bytes(bytes);
  };
  std::string text = size(memory.peak);
  if (run.memory_capacity.count() > 0) text += fmt::format(" of {}", size(run.memory_capacity));
  text += accounted ? fmt::format(" (rank {}, {})", *rank, printable(run.names[memory.role]))
                    : fmt::format(" (rank {})", *rank);
  sheet.add("peak memory", text);
}

void add_path(Sheet& sheet, const Run& run) {
  if (run.path.empty()) return;
  const analysis::PathSummary path = analysis::summarize_path(run, 2);
  std::string text;
  for (std::size_t cause = 0; cause < result::kPathCauses; ++cause) {
    if (path.by_cause[cause].count() == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        name(static_cast<result::PathCause>(cause)),
                        percent(share_of_step(run, path.by_cause[cause])));
  }
  sheet.add("critical path", fmt::format("{} (on {} of {} ranks)", text, count(path.ranks),
                                         count(run.ranks.size())));
  text.clear();
  for (const std::uint32_t index : path.longest) {
    const result::PathSegment& segment = run.path[index];
    text += fmt::format("{}{} {} (rank {})", text.empty() ? "its longest: " : ", ",
                        report::fit(label_of(run, segment.rank, segment.span), 28),
                        format_time(segment.end - segment.start), segment.rank);
  }
  sheet.add("", text);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> throughput_lines(const analysis::Throughput& speed,
                                                                  std::size_t devices,
                                                                  FlopRate peak,
                                                                  std::string_view precision) {
  const bool tokens = speed.tokens > 0;
  std::string text =
      analysis::rate_text(tokens ? speed.tokens : speed.samples, tokens ? "tokens" : "samples");
  if (tokens) {
    const double each = speed.tokens / static_cast<double>(devices);
    const std::string rate = analysis::rate_text(each, "tokens");
    text += fmt::format(", {} per device", rate.substr(0, rate.find(' ')));
  }
  text += fmt::format("; {} per device", format_flops(FlopRate(speed.flops)));
  std::vector<std::pair<std::string, std::string>> lines{{"throughput", std::move(text)}};
  if (!speed.mfu || !speed.hfu) return lines;
  text = fmt::format("MFU {}, HFU {} of {}", percent(*speed.mfu), percent(*speed.hfu),
                     format_flops(peak));
  if (!precision.empty()) text += fmt::format(" ({})", printable(precision));
  lines.emplace_back("utilisation", std::move(text));
  return lines;
}

std::string title_of(const Run& run) {
  const std::string workload = printable(run.fact("workload"));
  const std::string cluster = printable(run.fact("cluster"));
  if (workload.empty()) return cluster.empty() ? "run" : "run on " + cluster;
  return cluster.empty() ? workload : workload + " on " + cluster;
}

double share_of_step(const Run& run, Time part) {
  return run.step.count() > 0 ? seconds(part) / seconds(run.step) : 0.0;
}

std::string label_of(const Run& run, std::uint32_t rank, std::uint32_t span) {
  if (span == result::kNone) return "-";
  const result::Span& one = run.timeline(rank).spans[span];
  const std::string label = printable(run.names[one.name]);
  return label.empty() ? fmt::format("node {}", one.node) : label;
}

std::string models_of(const Run& run) {
  const std::string_view compute = run.fact("compute_model");
  std::string network(run.fact("network_model"));
  if (const platform::NetworkEntry* entry = platform::find_network(network))
    network += fmt::format(" ({})", entry->model);
  const std::string roofline =
      run.device.empty() ? "roofline" : fmt::format("roofline on {}", printable(run.device));
  const std::string how = compute == "replay"     ? "every node takes its recorded duration"
                          : compute == "roofline" ? roofline
                          : compute == "recorded_or_roofline"
                              ? fmt::format("recorded durations, else {}", roofline)
                          : compute == "recorded" ? "recorded durations"
                                                  : printable(compute);
  return fmt::format("network {}; compute: {}; {} rules", printable(network), how,
                     printable(run.fact("rules")));
}

std::string summary_text(const Run& run, Style style, bool all) {
  const Finishes finishes = finishes_of(run);
  Sheet sheet(style);
  sheet.add("run", title_of(run));
  add_times(sheet, run, finishes, style);
  add_throughput(sheet, run);
  add_collectives(sheet, run, all);
  add_slowest(sheet, run, finishes);
  add_stragglers(sheet, run);
  add_memory(sheet, run);
  add_path(sheet, run);
  sheet.add("models", models_of(run));
  const auto simulated = run.representatives();
  if (simulated && *simulated < run.ranks.size())
    sheet.add("simulated", folded_text(*simulated, run.ranks.size()));
  if (run.spans != result::SpanChoice::all) {
    const bool none = run.spans == result::SpanChoice::none;
    sheet.add("spans", none ? "none is in the file"
                            : "only critical ones are in the file, and who came last");
  }
  report::add_findings(sheet, run.findings, style);
  return sheet.text();
}

void write_summary(JsonWriter& json, const Run& run) {
  json.begin_object().field("step_ps", run.step.count()).field("stalled", run.stalled);
  json.field("ranks", run.ranks.size()).field("distinct_ranks", run.timelines.size());
  json.field("spans", name(run.spans)).key("manifest").begin_object();
  for (const auto& [key, value] : run.manifest) json.field(key, value);
  json.end_object().key("metrics").begin_array();
  for (const analysis::Metric& metric : analysis::metrics(run)) {
    json.begin_object().field("name", metric.name).field("title", metric.title);
    json.field("unit", metric.unit).field("value", metric.value).field("text", metric.text);
    json.end_object();
  }
  json.end_array().key("collectives").begin_array();
  for (const analysis::CollectiveClass& one : analysis::collective_classes(run)) {
    json.begin_object().field("type", one.type).field("members", one.members);
    json.field("bytes", one.bytes.count()).field("count", one.count).field("sent_bytes", one.sent);
    json.field("time_ps", one.time.count()).field("waited_ps", one.waited.count());
    json.field("algbw_bytes_per_s", one.algbw).field("busbw_bytes_per_s", one.busbw);
    if (one.of_bound) json.field("of_bound", *one.of_bound);
    json.end_object();
  }
  json.end_array().key("stragglers").begin_array();
  for (const analysis::Straggler& one : analysis::stragglers(run).ranks) {
    json.begin_object().field("rank", one.rank).field("caused_ps", one.caused.count());
    json.field("waited_ps", one.waited.count()).field("times_last", one.times_last).end_object();
  }
  json.end_array().end_object();
}

}  // namespace orrery::present
