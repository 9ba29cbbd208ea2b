// SPDX-License-Identifier: Apache-2.0
//
// Explains when a node ran, and for how long.
#include <fmt/format.h>

#include <algorithm>

#include "orrery/analysis/explanation/explain_internal.h"
#include "orrery/analysis/value_text.h"
#include "orrery/core/models/time_source_table.h"
#include "orrery/core/text/units.h"

namespace orrery::analysis {

using result::Collective;
using result::kNone;
using result::LaneKind;
using result::Release;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

std::string lane_words(const Run& run, std::uint32_t rank, const Span& span) {
  const auto& lanes = run.timeline(rank).lanes;
  if (span.lane >= lanes.size()) return "lane";
  switch (lanes[span.lane].kind) {
    case LaneKind::compute:
      return "compute lane";
    case LaneKind::cpu:
      return "CPU lane";
    case LaneKind::memory:
      return "memory lane";
    case LaneKind::communicator: {
      const auto& groups = run.ranks[rank].groups;
      if (lanes[span.lane].group >= groups.size()) return "communicator";
      return "communicator of " + group_label(run, groups[lanes[span.lane].group]);
    }
    case LaneKind::sends:
      return "lane of sends to this receiver";
    case LaneKind::stream:
    case LaneKind::thread:
      return recorded_name(lanes[span.lane]);
    default:
      return "lane";
  }
}

/// Why the recorded work waited for other work.
std::string_view reason_words(DependencyKind reason) {
  switch (reason) {
    case DependencyKind::unsaid:
    case DependencyKind::thread:
    case DependencyKind::tensor:
    case DependencyKind::start:
      break;
    case DependencyKind::inter_thread:
      return ", which another thread passed to it";
    case DependencyKind::launch:
      return ", which launched it";
    case DependencyKind::sync:
      return ", which it waited for in a synchronizing call";
    case DependencyKind::stream:
      return ", the previous work on its stream";
    case DependencyKind::stream_wait:
      return ", which its stream waited for";
    case DependencyKind::learned:
      return ", which ended just before it in the recording";
    case DependencyKind::recorded_wait:
      return "; the reason for the remaining wait is unknown";
    case DependencyKind::poll:
      return "; it then waited for a value that the following device work writes before its end";
  }
  return "";
}

std::string release_words(const Run& run, std::uint32_t rank, const Span& span) {
  const auto& spans = run.timeline(rank).spans;
  if (span.released_by >= spans.size()) {
    return span.start == Time{} ? "It waited for nothing: it started with the step."
                                : "The reason for its start time is not recorded.";
  }
  const std::string other = node_label(run, spans[span.released_by]);
  const std::string at = format_time(spans[span.released_by].end);
  if (span.release == Release::resource) {
    return fmt::format(
        "Its dependencies ended earlier. It started when its {} became free: {} ended at {}.",
        lane_words(run, rank, span), other, at);
  }
  const std::string_view why = reason_words(span.reason);
  const Time late = span.start - spans[span.released_by].end;
  if (late > Time{}) {
    return fmt::format("It started {} after the end of the last node it depends on: {}, at {}{}.",
                       format_time(late), other, at, why);
  }
  return fmt::format("It started when the last node it depends on ended: {}, at {}{}.", other, at,
                     why);
}

const Collective* collective_at(const Run& run, std::uint32_t rank, const Span& span) {
  return span.kind == SpanKind::collective ? run.stored_collective_of(rank, span) : nullptr;
}

std::string wait_words(const Run& run, std::uint32_t rank, const Span& span) {
  if (const Collective* one = collective_at(run, rank, span))
    return fmt::format("until rank {}, the last member, arrived",
                       run.last_rank(*one, run.ranks[rank].groups[span.group]));
  if (span.distance == kNone) return "for peers";
  const std::uint32_t peer = run.peer(rank, span.distance);
  if (span.kind == SpanKind::receive) return fmt::format("until rank {} sent it", peer);
  return fmt::format("until rank {} was ready to receive it", peer);
}

std::string length_words(const Run& run, std::uint32_t rank, const Span& span) {
  const Time length = span.end - span.start;
  if (length == Time{}) return "Its duration is 0.";
  std::vector<std::string> parts;
  if (span.wait > Time{})
    parts.push_back(
        fmt::format("{} waiting {}", format_time(span.wait), wait_words(run, rank, span)));
  if (span.queue > Time{})
    parts.push_back(fmt::format("{} in queues for busy {}", format_time(span.queue),
                                communicates(span.kind) ? "links" : "memory"));
  if (span.latency > Time{})
    parts.push_back(fmt::format("{} for hops and end points", format_time(span.latency)));
  if (span.rest() > Time{}) {
    const std::string_view what = span.model == TimeSource::recorded ? "of recorded work"
                                  : communicates(span.kind)          ? "transferring bytes"
                                  : span.kind == SpanKind::load || span.kind == SpanKind::store
                                      ? "accessing memory"
                                      : "working";
    parts.push_back(fmt::format("{} {}", format_time(span.rest()), what));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return fmt::format("It lasted {}: {}.", format_time(length), text);
}

std::string model_words(const Run& run, const Span& span) {
  const std::string device = run.device.empty() ? "the device" : quoted(run.device);
  return fmt::format(fmt::runtime(entry(span.model).explanation), device);
}

std::string slack_words(const Run& run, const Span& span) {
  if (span.critical)
    return "It is on the critical path: a shorter duration shortens the step, until another path "
           "becomes critical.";
  if (!span.slack) {
    return run.stalled ? "The run stalled, so its slack is unknown." : "Its slack is unknown.";
  }
  if (*span.slack == Time{})
    return "It is not on the reported critical path, but has no slack: a longer duration lengthens "
           "the step.";
  return fmt::format(
      "It is not on the critical path: it can end up to {} later without a later end of the step.",
      format_time(*span.slack));
}

void add_figures(Explanation& made, const Run& run, std::uint32_t rank, const Span& span) {
  const Time length = span.end - span.start;
  figure(made, "kind", std::string(result::name(span.kind)));
  figure(made, "start", format_time(span.start));
  figure(made, "end", format_time(span.end));
  figure(made, "length", time_and_share(length, run.step));
  if (span.wait > Time{}) figure(made, "waiting", format_time(span.wait));
  if (span.queue > Time{}) figure(made, "queues", format_time(span.queue));
  if (span.latency > Time{}) figure(made, "latency", format_time(span.latency));
  if (span.rest() > Time{})
    figure(made, communicates(span.kind) ? "bandwidth" : "work", format_time(span.rest()));
  figure(made, "lane", lane_words(run, rank, span));
  if (span.bytes > Bytes{}) {
    figure(made, "bytes", format_bytes(span.bytes));
    if (span.rest() > Time{})
      figure(made, "bytes per second",
             format_bandwidth(
                 Bandwidth(static_cast<double>(span.bytes.count()) / seconds(span.rest()))));
  }
  if (span.flops > 0) {
    figure(made, "operations", format_count(span.flops));
    if (span.rest() > Time{}) {
      const double rate = static_cast<double>(span.flops) / seconds(span.rest());
      figure(made, "speed", format_flops(FlopRate(rate)));
      if (run.peak_flops > 0) figure(made, "of peak", share_text(rate / run.peak_flops));
    }
  }
  if (span.distance != kNone) {
    const std::uint32_t peer = run.peer(rank, span.distance);
    std::string text = fmt::format("rank {}", peer);
    const auto& spans = run.timeline(peer).spans;
    if (span.peer_span < spans.size()) text += " " + node_label(run, spans[span.peer_span]);
    figure(made, "peer", std::move(text));
  }
  if (collective_at(run, rank, span) != nullptr)
    figure(made, "collective", std::to_string(run.collective_of(rank, span)));
  figure(made, "model", std::string(name(span.model)));
  if (span.slack) figure(made, "slack", format_time(*span.slack));
  figure(made, "critical", span.critical ? "yes" : "no");
}

}  // namespace

Explanation explain_node(const Run& run, std::uint32_t rank, std::uint32_t number) {
  const Span& span = run.timeline(rank).spans[number];
  Explanation made;
  made.title = fmt::format("Rank {} {}", rank, node_label(run, span));
  made.paragraphs.push_back(fmt::format("A {} node. It ran from {} to {}, {} of the step.",
                                        result::name(span.kind), format_time(span.start),
                                        format_time(span.end),
                                        share_text(ratio(span.end - span.start, run.step))));
  made.paragraphs.push_back(release_words(run, rank, span));
  made.paragraphs.push_back(length_words(run, rank, span));
  made.paragraphs.push_back(model_words(run, span));
  made.paragraphs.push_back(slack_words(run, span));
  add_figures(made, run, rank, span);
  return made;
}

Explanation explain_name(const Run& run, std::uint32_t name) {
  std::vector<std::uint32_t> ranks(run.timelines.size()), lowest(run.timelines.size(), kNone);
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    const std::uint32_t t = run.ranks[r].timeline;
    if (ranks[t]++ == 0) lowest[t] = r;
  }
  std::uint64_t count = 0;
  Time total{};
  std::uint32_t at_rank = kNone, at_span = kNone;
  std::vector<std::uint64_t> ids;
  for (std::uint32_t t = 0; t < run.timelines.size(); ++t) {
    const auto& spans = run.timelines[t].spans;
    for (std::uint32_t i = 0; i < spans.size() && ranks[t] > 0; ++i) {
      if (spans[i].name != name) continue;
      count += ranks[t];
      total = saturating_sum(total, spans[i].end - spans[i].start, ranks[t]);
      if (ids.empty() || ids.back() != spans[i].node) ids.push_back(spans[i].node);
      const Span* longest = at_rank == kNone ? nullptr : &run.timeline(at_rank).spans[at_span];
      if (longest != nullptr && spans[i].end - spans[i].start <= longest->end - longest->start)
        continue;
      at_rank = lowest[t];
      at_span = i;
    }
  }
  if (count == 0) return {};
  Explanation made = explain_node(run, at_rank, at_span);
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  if (count == 1) return made;
  const Span& longest = run.timeline(at_rank).spans[at_span];
  Time on_path{};
  for (const result::PathSegment& segment : run.path) {
    const auto& spans = run.timeline(segment.rank).spans;
    if (segment.span < spans.size() && spans[segment.span].name == name)
      on_path += segment.end - segment.start;
  }
  made.paragraphs.insert(
      made.paragraphs.begin(),
      fmt::format("{} ran with the name {}, {} in total; {} on the critical path. The longest is "
                  "node {} at rank {}:",
                  plural(count, "node"), quoted(run.names[name]), format_time(total),
                  time_and_share(on_path, run.step), longest.node, at_rank));
  made.title = fmt::format("Nodes named {}", quoted(run.names[name]));
  made.figures.insert(made.figures.begin(),
                      {{"nodes", format_count(static_cast<std::int64_t>(count))},
                       {"different ids", format_count(static_cast<std::int64_t>(ids.size()))},
                       {"total", format_time(total)},
                       {"on the critical path", time_and_share(on_path, run.step)}});
  return made;
}

}  // namespace orrery::analysis
