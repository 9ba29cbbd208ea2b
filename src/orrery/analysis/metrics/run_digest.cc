// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/metrics/run_digest.h"

#include <algorithm>
#include <set>
#include <utility>

#include "orrery/analysis/critical_path/critical_path.h"

namespace orrery::analysis {

using result::PathSegment;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

Breakdown breakdown_of(const Run& run) {
  std::vector<RankTimes> times;
  times.reserve(run.ranks.size());
  for (const result::Rank& one : run.ranks)
    times.push_back(
        {one.finish, one.compute_only + one.overlapped, one.comm, one.comm_only, one.memory_only});
  return break_down(times, run.step, kMaxSlowestRanks);
}

std::vector<CommKind> comm_of(const Run& run) {
  std::vector<CommKind> kinds;
  for (const CollectiveClass& one : collective_classes(run)) {
    const Time each = one.count > 0 ? Time(one.time.count() / one.count) : Time{};
    kinds.push_back(
        {one.type, one.members, one.count, true, one.bytes, each, false, one.busbw, one.of_bound});
  }
  return kinds;
}

std::optional<MemoryPeak> memory_of(const Run& run) {
  const auto rank = peak_memory_rank(run);
  if (!rank) return std::nullopt;
  const result::MemoryCurve& memory = run.timeline(*rank).memory;
  return MemoryPeak{memory.peak,    run.memory_capacity, rank, run.names[memory.role],
                    memory.peak_at, run.memory_need};
}

const Span* span_of(const Run& run, const PathSegment& segment) {
  const auto& spans = run.timeline(segment.rank).spans;
  return segment.span < spans.size() ? &spans[segment.span] : nullptr;
}

Time& part_of(PathDigest& path, const PathSegment& segment, const Span* span) {
  if (segment.cause == result::PathCause::idle || span == nullptr) return path.wait;
  switch (span->kind) {
    case SpanKind::compute:
    case SpanKind::cpu:
      return path.compute;
    case SpanKind::load:
    case SpanKind::store:
      return path.memory;
    case SpanKind::collective:
    case SpanKind::send:
    case SpanKind::receive:
      return path.comm;
    case SpanKind::metadata:
      break;
  }
  return path.wait;
}

PathNode piece_of(const Run& run, const PathSegment& segment) {
  PathNode piece{segment.rank, 0, "", "", segment.start, segment.start, segment.cause};
  if (const Span* span = span_of(run, segment)) {
    piece.node = span->node;
    piece.name = run.names[span->name];
    piece.kind = name(span->kind);
  }
  return piece;
}

/// Consecutive segments at one node are one piece, whatever their causes.
void add_pieces(const Run& run, PathDigest& path) {
  for (std::size_t i = 0; i < run.path.size();) {
    const PathSegment& first = run.path[i];
    if (first.cause == result::PathCause::idle) {
      ++i;
      continue;
    }
    PathNode piece = piece_of(run, first);
    Time most{};
    for (; i < run.path.size() && run.path[i].rank == first.rank &&
           run.path[i].span == first.span && run.path[i].cause != result::PathCause::idle;
         ++i) {
      const Time length = run.path[i].end - run.path[i].start;
      piece.end = run.path[i].end;
      if (length > most) piece.cause = run.path[i].cause;
      most = std::max(most, length);
    }
    path.add(std::move(piece));
  }
}

std::optional<PathDigest> path_of(const Run& run) {
  if (run.path.empty()) return std::nullopt;
  const PathSummary summary = summarize_path(run, 0);
  PathDigest path;
  path.by_cause = summary.by_cause;
  std::set<std::pair<std::uint32_t, std::uint32_t>> nodes;
  std::set<std::uint32_t> ranks;
  for (const PathSegment& segment : run.path) {
    part_of(path, segment, span_of(run, segment)) += segment.end - segment.start;
    if (segment.cause == result::PathCause::idle) continue;
    nodes.emplace(segment.rank, segment.span);
    ranks.insert(segment.rank);
  }
  path.nodes = nodes.size();
  path.ranks = static_cast<std::uint32_t>(ranks.size());
  add_pieces(run, path);
  return path;
}

}  // namespace

void PathDigest::add(PathNode piece) {
  longest.push_back(std::move(piece));
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto& a, const auto& b) { return a.end - a.start > b.end - b.start; });
  if (longest.size() > 2) longest.pop_back();
}

Digest digest(const Run& run) {
  Digest all;
  all.ranks = static_cast<std::uint32_t>(run.ranks.size());
  all.distinct = static_cast<std::uint32_t>(run.timelines.size());
  all.simulated = run.representatives().value_or(0);
  all.stalled = run.stalled;
  all.step = breakdown_of(run);
  if (!run.stalled) all.interval = step_interval(run.error_classes, run.step);
  all.errors = run.error_classes;
  all.time_by_provenance = run.time_by_provenance;
  all.predicted = run.predicted;
  all.peak_flops = run.peak_flops;
  all.peak_precision = run.peak_precision;
  all.by_format = format_utilization(run);
  if (run.work && !run.stalled) {
    if (const auto speed = throughput(*run.work, run.step, run.ranks.size(), run.peak_flops))
      all.throughput = StepThroughput{*run.work, *speed};
  }
  const Utilization use = utilization(run);
  all.mfu = use.mfu;
  all.hfu = use.hfu;
  all.bubble = bubble(run);
  all.comm = comm_of(run);
  const Stragglers waits = stragglers(run);
  if (!waits.ranks.empty() && waits.ranks.front().caused_wait > Time{})
    all.worst_straggler = waits.ranks.front();
  all.memory = memory_of(run);
  all.remote_memory = memory_level_use(run);
  all.path = path_of(run);
  all.network = run.fact("network_model");
  all.compute = run.fact("compute_model");
  all.device = run.device;
  all.rules = run.fact("rules");
  all.in_step = run.fact("in_step");
  all.collectives = run.fact("collective_model");
  all.spans = run.spans;
  return all;
}

}  // namespace orrery::analysis
