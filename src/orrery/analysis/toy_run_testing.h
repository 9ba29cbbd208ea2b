// SPDX-License-Identifier: Apache-2.0
//
// A toy cluster for the tests of analysis: in each round, all ranks compute, join a collective or
// pass a message to the next rank. It is small enough to recompute with any span delayed.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/result/run.h"

namespace orrery::analysis::testing {

struct Round {
  enum Kind { compute, all_reduce, shift } kind = compute;
  std::vector<std::int64_t> lengths;  ///< by rank, ps; an all_reduce uses the first
};

/// The span that lasts longer, and by how much (ps).
struct Delay {
  std::uint32_t rank = 0, span = 0;
  std::int64_t by = 0;
};

struct ToyRun {
  result::Run run;
  std::vector<graph::Graph> graphs;

  [[nodiscard]] std::vector<const graph::Graph*> graph_of_timeline() const {
    std::vector<const graph::Graph*> all;
    for (const graph::Graph& graph : graphs) all.push_back(&graph);
    return all;
  }
};

namespace toy {

using result::kNone;
using result::Span;
using result::SpanKind;

struct State {
  std::vector<std::vector<std::uint32_t>> last;  ///< by rank: spans that the next round depends on
  std::vector<std::vector<std::vector<std::uint32_t>>> deps;  ///< by rank, by span
};

inline Span& begin(result::Run& run, State& state, std::uint32_t rank, SpanKind kind) {
  auto& spans = run.timelines[rank].spans;
  Span span;
  span.node = spans.size() + 1;
  span.kind = kind;
  span.name = run.names.intern(result::name(kind));
  span.lane = static_cast<std::uint16_t>(kind == SpanKind::collective ? 1
                                         : kind == SpanKind::send     ? 2
                                         : kind == SpanKind::receive  ? 3
                                                                      : 0);
  for (const std::uint32_t before : state.last[rank]) {
    if (span.released_by != kNone && spans[before].end <= span.start) continue;
    span.start = spans[before].end;
    span.released_by = before;
    span.release = result::Release::dependency;
  }
  state.deps[rank].push_back(state.last[rank]);
  spans.push_back(span);
  return spans.back();
}

inline void meet(result::Run& run, State& state, Time duration, const Delay& delay) {
  result::Collective one;
  one.type = "all_reduce";
  one.bytes = Bytes(1000);
  one.joined = true;
  one.members = static_cast<std::uint32_t>(run.ranks.size());
  one.first_start = kTimeMax;
  one.last_start = Time(-1);
  for (std::uint32_t r = 0; r < one.members; ++r) {
    Span& span = begin(run, state, r, SpanKind::collective);
    span.group = 0;
    span.sequence = run.groups[0].count;
    span.bytes = one.bytes;
    one.first_start = std::min(one.first_start, span.start);
    if (span.start <= one.last_start) continue;
    one.last_start = span.start;
    one.last_rank = r;
    one.last_span = static_cast<std::uint32_t>(run.timelines[r].spans.size() - 1);
  }
  one.end = one.last_start + duration;
  for (std::uint32_t r = 0; r < one.members; ++r) {
    auto& spans = run.timelines[r].spans;
    spans.back().wait = one.last_start - spans.back().start;
    spans.back().end = one.last_start + duration;
    if (delay.rank == r && delay.span + 1 == spans.size()) spans.back().end += Time(delay.by);
    state.last[r] = {static_cast<std::uint32_t>(spans.size() - 1)};
  }
  ++run.groups[0].count;
  run.collectives.push_back(one);
}

inline void shift(result::Run& run, State& state, const Round& round, const Delay& delay) {
  const auto n = static_cast<std::uint32_t>(run.ranks.size());
  const auto late = [&](std::uint32_t r, std::size_t span) {
    return Time(delay.rank == r && delay.span == span ? delay.by : 0);
  };
  for (std::uint32_t r = 0; r < n; ++r) {
    Span& send = begin(run, state, r, SpanKind::send);
    send.end = send.start + Time(round.lengths[r]);
    send.end += late(r, run.timelines[r].spans.size() - 1);
    send.distance = 1 % n;
  }
  for (std::uint32_t r = 0; r < n; ++r) {
    const std::uint32_t from = (r + n - 1) % n;
    Span& receive = begin(run, state, r, SpanKind::receive);
    const auto number = static_cast<std::uint32_t>(run.timelines[r].spans.size() - 1);
    // All ranks have the same number of spans.
    receive.peer_span = number - 1;
    run.timelines[r].spans[number - 1].peer_span = number;
    const Span& send = run.timelines[from].spans[number - 1];
    receive.wait = std::max(Time{}, send.start - receive.start);
    receive.end = std::max(receive.start, send.end);
    receive.wait = std::min(receive.wait, receive.end - receive.start);
    receive.end += late(r, number);
    receive.distance = (n - 1) % n;
    state.last[r] = {number - 1, number};
  }
}

inline void compute(result::Run& run, State& state, const Round& round, const Delay& delay) {
  for (std::uint32_t r = 0; r < run.ranks.size(); ++r) {
    Span& span = begin(run, state, r, SpanKind::compute);
    const auto number = static_cast<std::uint32_t>(run.timelines[r].spans.size() - 1);
    span.end = span.start + Time(round.lengths[r]);
    if (delay.rank == r && delay.span == number) span.end += Time(delay.by);
    state.last[r] = {number};
  }
}

inline graph::Graph graph_of(const std::vector<std::vector<std::uint32_t>>& deps) {
  graph::GraphBuilder builder("toy", std::make_shared<StringPool>(), graph::Repair::refuse);
  for (std::size_t i = 0; i < deps.size(); ++i) {
    graph::NodeSpec node;
    node.id = i + 1;
    node.kind = graph::NodeKind::comp;
    for (const std::uint32_t dep : deps[i]) node.deps.push_back(dep + 1);
    builder.add(node);
  }
  Findings findings;
  auto made = std::move(builder).finish(findings);
  ORRERY_CHECK(made.has_value());
  return std::move(*made);
}

}  // namespace toy

/// Computes the rounds. Each rank has its own timeline.
inline ToyRun make_toy(std::uint32_t ranks, const std::vector<Round>& rounds,
                       const Delay& delay = {}) {
  ToyRun made;
  result::Run& run = made.run;
  toy::State state;
  state.last.resize(ranks);
  state.deps.resize(ranks);
  run.ranks.resize(ranks);
  run.timelines.resize(ranks);
  run.groups.push_back({"", {}, ranks, 0, 0});
  for (std::uint32_t r = 0; r < ranks; ++r) {
    run.ranks[r].timeline = r;
    run.ranks[r].groups = {0};
    run.timelines[r].lanes = {{result::LaneKind::compute, result::kNone, result::kNone, 0},
                              {result::LaneKind::communicator, 0, result::kNone, 0},
                              {result::LaneKind::sends, result::kNone, 1, 0},
                              {result::LaneKind::receives, result::kNone, result::kNone, 0}};
  }
  for (const Round& round : rounds) {
    switch (round.kind) {
      case Round::compute:
        toy::compute(run, state, round, delay);
        break;
      case Round::all_reduce:
        toy::meet(run, state, Time(round.lengths[0]), delay);
        break;
      case Round::shift:
        toy::shift(run, state, round, delay);
        break;
    }
  }
  for (std::uint32_t r = 0; r < ranks; ++r) {
    Time finish{};
    for (const result::Span& span : run.timelines[r].spans) finish = std::max(finish, span.end);
    run.ranks[r].finish = finish;
    run.step = std::max(run.step, finish);
    made.graphs.push_back(toy::graph_of(state.deps[r]));
  }
  return made;
}

/// The defect of the critical path; "" if it covers the step exactly once and marks its spans.
inline std::string path_problem(const result::Run& run) {
  Time at{};
  for (const result::PathSegment& segment : run.path) {
    if (segment.start != at) return "a gap or an overlap";
    if (segment.end <= segment.start) return "an empty segment";
    if (segment.span >= run.timeline(segment.rank).spans.size()) return "no span";
    const result::Span& span = run.timeline(segment.rank).spans[segment.span];
    if (!span.critical) return "a span on the path is not marked";
    if (segment.cause != result::PathCause::idle &&
        (segment.start < span.start || segment.end > span.end))
      return "a segment outside its span";
    at = segment.end;
  }
  return at == run.step ? "" : "does not end with the step";
}

}  // namespace orrery::analysis::testing
