// SPDX-License-Identifier: Apache-2.0
//
// The page's data: a run from its manifest to its timelines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "orrery/analysis/explain.h"
#include "orrery/report/html.h"
#include "orrery/report/html_internal.h"
#include "orrery/report/text.h"

namespace orrery::report {
namespace html {

namespace {

using result::Run;

constexpr std::size_t kMemoryPoints = 40'000;  // over all timelines
constexpr std::size_t kHeldTensors = 4'000;
constexpr std::size_t kStragglers = 50;

std::string group_name(const Run& run, std::uint32_t group) {
  if (group >= run.groups.size()) return "unknown group";
  return run.groups[group].name.empty() ? "all ranks" : run.groups[group].name;
}

/// What a lane is called at `rank`.
std::string lane_title(const Run& run, std::uint32_t rank, const result::Lane& lane) {
  std::string text(result::name(lane.kind));
  const std::vector<std::uint32_t>& groups = run.ranks[rank].groups;
  if (lane.kind == result::LaneKind::communicator) {
    text = group_name(run, lane.group < groups.size() ? groups[lane.group] : result::kNone);
  } else if (lane.kind == result::LaneKind::sends && lane.distance != result::kNone) {
    text = fmt::format("sends to rank {}", run.peer(rank, lane.distance));
  }
  if (lane.kind == result::LaneKind::stream || lane.kind == result::LaneKind::thread)
    text = recorded_name(lane);
  return lane.layer == 0 ? text : fmt::format("{} ({})", text, lane.layer + 1);
}

/// At most `most` points that keep the outline: of every stretch the highest and the last.
std::vector<std::pair<Time, Bytes>> outline(const result::MemoryCurve& curve, std::size_t most) {
  const auto& points = curve.points;
  if (points.size() <= most) return points;
  std::vector<std::pair<Time, Bytes>> kept{points.front()};
  const std::size_t stretches = most / 2;
  for (std::size_t s = 0; s < stretches; ++s) {
    const auto first = points.begin() + static_cast<std::ptrdiff_t>(points.size() * s / stretches);
    const auto last =
        points.begin() + static_cast<std::ptrdiff_t>(points.size() * (s + 1) / stretches);
    const auto highest = std::max_element(
        first, last, [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto at : {highest, last - 1}) {
      if (kept.back().first < at->first) kept.push_back(*at);
    }
  }
  return kept;
}

/// Of an account: how much of each kind is there at the peak.
void write_kinds(JsonWriter& json, const Run& run, const result::MemoryCurve& curve) {
  std::vector<std::pair<std::uint32_t, Bytes>> kinds;
  for (const result::HeldTensor& part : curve.at_peak) {
    auto found = std::find_if(kinds.begin(), kinds.end(),
                              [&](const auto& kind) { return kind.first == part.kind; });
    if (found == kinds.end()) found = kinds.insert(found, {part.kind, Bytes{}});
    found->second += part.size;
  }
  column(json, "kinds", kinds.size(), [&](std::size_t i) {
    json.begin_array().value(run.names[kinds[i].first]).value(kinds[i].second.count()).end_array();
  });
}

void write_memory(JsonWriter& json, const Run& run, const result::MemoryCurve& curve) {
  json.key("memory");
  if (curve.points.empty()) {
    json.null();
    return;
  }
  const std::size_t lines = run.timelines.size();
  const auto points = outline(curve, std::max<std::size_t>(16, kMemoryPoints / lines));
  const std::size_t held =
      std::min(curve.at_peak.size(), std::max<std::size_t>(3, kHeldTensors / lines));
  json.begin_object();
  column(json, "at", points.size(), [&](std::size_t i) { json.value(points[i].first.count()); });
  column(json, "bytes", points.size(),
         [&](std::size_t i) { json.value(points[i].second.count()); });
  json.field("peak", curve.peak.count()).field("peakAt", curve.peak_at.count());
  column(json, "held", held, [&](std::size_t i) {
    const result::HeldTensor& tensor = curve.at_peak[i];
    json.begin_array().value(run.names[tensor.name]).value(tensor.size.count());
    if (tensor.kind != 0) json.value(run.names[tensor.kind]);
    json.end_array();
  });
  if (curve.role != 0) {
    json.field("role", run.names[curve.role]);
    write_kinds(json, run, curve);
  }
  json.end_object();
}

void write_metrics(JsonWriter& json, const std::vector<analysis::Metric>& metrics) {
  column(json, "metrics", metrics.size(), [&](std::size_t i) {
    const analysis::Metric& metric = metrics[i];
    const Result<analysis::Explanation> about = analysis::explain_metric(metric.name);
    const bool told = about && !about->paragraphs.empty();
    json.begin_object().field("name", metric.name).field("title", metric.title);
    json.field("unit", metric.unit)
        .field("value", std::isfinite(metric.value) ? metric.value : 0.0);
    json.field("text", metric.text).field("meaning", told ? about->paragraphs[0] : std::string());
    json.field("moreIsBetter", metric.more_is_better).end_object();
  });
}

void write_machine(JsonWriter& json, const Run& run) {
  column(json, "dims", run.dims.size(), [&](std::size_t i) {
    const result::Dimension& dim = run.dims[i];
    json.begin_object().field("block", dim.block).field("size", dim.size);
    json.field("bandwidth", dim.bandwidth.count()).field("latencyNs", dim.latency_ns).end_object();
  });
  json.key("device").begin_object().field("name", run.device);
  json.field("peakFlops", run.peak_flops)
      .field("peakPrecision", run.peak_precision)
      .field("memoryCapacity", run.memory_capacity.count());
  json.end_object();
}

void write_stragglers(JsonWriter& json, const analysis::Stragglers& found) {
  column(json, "stragglers", std::min(kStragglers, found.ranks.size()), [&](std::size_t i) {
    const analysis::Straggler& one = found.ranks[i];
    json.begin_object().field("rank", one.rank).field("caused", one.caused.count());
    json.field("waited", one.waited.count()).field("timesLast", one.times_last).end_object();
  });
}

void write_run(JsonWriter& json, const RunFacts& facts, std::size_t most_spans) {
  const Run& run = facts.run;
  const PageSpans spans = thin(run, most_spans);
  UsedNames names(run.names);
  json.begin_object().field("title", title(run));
  write_pairs(json, "manifest", run.manifest);
  json.field("step", run.step.count()).field("stalled", run.stalled);
  json.field("ranks", run.ranks.size()).field("spansShown", result::name(run.spans));
  json.field("spansLeftOut", spans.left_out);
  write_metrics(json, facts.metrics);
  write_pairs(json, "summary", summary_lines(facts.digest, run.findings));
  write_machine(json, run);
  write_ranks(json, facts);
  write_timelines(json, facts, spans, names);
  write_groups(json, run);
  write_collectives(json, facts, names);
  write_links(json, run.links);
  write_fabric(json, run);
  write_memory_levels(json, run);
  write_path(json, run, names);
  write_stragglers(json, facts.stragglers);
  write_findings(json, run.findings);
  names.write(json);
  json.end_object();
}

}  // namespace

void write_pairs(JsonWriter& json, std::string_view key,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  column(json, key, pairs.size(), [&](std::size_t i) {
    json.begin_array().value(pairs[i].first).value(pairs[i].second).end_array();
  });
}

void write_findings(JsonWriter& json, const Findings& findings) {
  const std::vector<Finding> list = findings.list();
  column(json, "findings", list.size(), [&](std::size_t i) {
    const FindingInfo info = describe(list[i].code);
    json.begin_object().field("name", info.name).field("severity", name(info.severity));
    json.field("count", list[i].count).field("sentence", info.sentence);
    column(json, "places", list[i].places.size(),
           [&](std::size_t p) { json.value(list[i].places[p]); });
    json.end_object();
  });
}

RunFacts::RunFacts(const Run& of)
    : run(of),
      index(of),
      digest(analysis::digest(of)),
      stragglers(analysis::stragglers(of)),
      classes(analysis::collective_classes(of)),
      metrics(analysis::metrics(of)) {}

void write_timelines(JsonWriter& json, const RunFacts& facts, const PageSpans& spans,
                     UsedNames& names) {
  const Run& run = facts.run;
  column(json, "timelines", run.timelines.size(), [&](std::size_t t) {
    const result::Timeline& timeline = run.timelines[t];
    const auto ranks = facts.index.ranks_of(static_cast<std::uint32_t>(t));
    json.begin_object();
    column(json, "lanes", timeline.lanes.size(), [&](std::size_t i) {
      const result::Lane& lane = timeline.lanes[i];
      json.begin_object().field("kind", static_cast<std::uint32_t>(lane.kind));
      json.field("title", ranks.empty() ? std::string(result::name(lane.kind))
                                        : lane_title(run, ranks.front(), lane));
      // Ranks that did the same did it with others: what the title is at each of them.
      if (lane.kind == result::LaneKind::communicator) json.field("group", lane.group);
      if (lane.kind == result::LaneKind::sends && lane.distance != result::kNone)
        json.field("distance", lane.distance);
      if (lane.layer > 0) json.field("layer", lane.layer);
      json.end_object();
    });
    json.field("count", spans.timelines[t].size());
    json.field("spans", pack(spans.timelines[t], names));
    write_memory(json, run, timeline.memory);
    json.end_object();
  });
}

void write_ranks(JsonWriter& json, const RunFacts& facts) {
  const Run& run = facts.run;
  const std::size_t count = run.ranks.size();
  std::vector<analysis::Shares> shares;
  for (std::uint32_t rank = 0; rank < count; ++rank)
    shares.push_back(analysis::shares_of(run, rank));
  std::vector<Time> waited(count);
  for (const analysis::Straggler& one : facts.stragglers.ranks) waited[one.rank] = one.waited;
  const auto share = [&](std::string_view key, Time analysis::Shares::*part) {
    column(json, key, count, [&](std::size_t i) { json.value((shares[i].*part).count()); });
  };
  json.key("rank").begin_object();
  column(json, "timeline", count, [&](std::size_t i) { json.value(run.ranks[i].timeline); });
  column(json, "groups", count, [&](std::size_t i) {
    json.begin_array();
    for (const std::uint32_t group : run.ranks[i].groups) json.value(group);
    json.end_array();
  });
  column(json, "finish", count, [&](std::size_t i) {
    if (run.ranks[i].finish) {
      json.value(run.ranks[i].finish->count());
    } else {
      json.null();
    }
  });
  share("exposedCompute", &analysis::Shares::exposed_compute);
  share("overlapped", &analysis::Shares::overlapped);
  share("exposedComm", &analysis::Shares::exposed_comm);
  share("exposedMemory", &analysis::Shares::exposed_memory);
  share("idle", &analysis::Shares::idle);
  column(json, "sentBytes", count, [&](std::size_t i) { json.value(run.ranks[i].sent_bytes); });
  column(json, "waited", count, [&](std::size_t i) { json.value(waited[i].count()); });
  json.end_object();
}

void write_groups(JsonWriter& json, const Run& run) {
  column(json, "groups", run.groups.size(), [&](std::size_t i) {
    const result::Group& group = run.groups[i];
    std::vector<std::uint32_t> ranks = group.ranks;
    std::sort(ranks.begin(), ranks.end());
    const std::string all = run.ranks.empty() ? "" : fmt::format("0-{}", run.ranks.size() - 1);
    json.begin_object().field("name", group.name).field("size", group.size);
    json.field("ranks", ranks.empty() ? all : ranges(ranks, 16)).end_object();
  });
}

}  // namespace html

std::string report_data(const std::vector<const result::Run*>& runs, const HtmlOptions& options) {
  std::string out;
  JsonWriter json(out, 0);
  json.begin_object().field("version", 1);
  html::column(json, "runs", runs.size(), [&](std::size_t i) {
    html::write_run(json, html::RunFacts(*runs[i]), options.most_spans / runs.size());
  });
  json.key("comparison");
  if (runs.size() == 2) {
    html::write_comparison(json, *runs[0], *runs[1]);
  } else {
    json.null();
  }
  json.end_object();
  return html::tight(out);
}

}  // namespace orrery::report
