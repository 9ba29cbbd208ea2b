// SPDX-License-Identifier: Apache-2.0
//
// Random runs that keep what run.h promises: lanes without overlaps (but for spans of no length),
// messages with two ends, a path without gaps. Times are small, so that many of them round to the
// same nanosecond.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "orrery/result/run.h"

namespace orrery::oracle {

class RandomRun {
 public:
  RandomRun(std::uint64_t seed, std::uint32_t ranks, std::uint32_t spans, bool shared)
      : random_(seed), spans_(spans), shared_(shared) {
    run_.ranks.resize(ranks);
  }

  result::Run make() {
    names();
    groups();
    run_.timelines.resize(shared_ ? 1 : run_.ranks.size());
    free_.resize(run_.timelines.size());
    for (std::uint32_t r = 0; r < run_.ranks.size(); ++r) run_.ranks[r].timeline = shared_ ? 0 : r;
    for (std::uint32_t i = 0; i < spans_; ++i) add(number(run_.timelines.size()));
    collectives();
    for (result::Timeline& line : run_.timelines) {
      for (std::size_t i = 0; i < line.spans.size(); ++i) line.spans[i].node = 1000 + i * 3;
      memory(line);
    }
    for (const result::Timeline& line : run_.timelines) {
      for (const result::Span& span : line.spans) run_.step = std::max(run_.step, span.end);
    }
    path();
    links();
    return std::move(run_);
  }

 private:
  using Span = result::Span;
  using SpanKind = result::SpanKind;
  using LaneKind = result::LaneKind;

  std::uint64_t number(std::uint64_t below) { return random_() % below; }
  Time length() { return Time(number(4) == 0 ? 0 : static_cast<std::int64_t>(number(4000))); }

  void names() {
    for (const char* name : {"matmul", "", "</script><img src=x onerror=alert(1)>", "a\x01\x1b[31m",
                             "\xff\xfe", "名前", "\"quoted\"\n"})
      run_.names.intern(name);
    run_.dims = {{"ring", static_cast<std::int64_t>(run_.ranks.size()), Bandwidth(1e9), 1}};
    run_.manifest = {{"orrery", "test"}, {"workload", std::string(3000, 'x')}, {"\xff", "\x01"}};
  }

  void groups() {
    const auto size = static_cast<std::uint32_t>(run_.ranks.size());
    for (const char* name : {"", "tp", "tp"}) run_.groups.push_back({name, {}, size, 0, 0});
    for (result::Rank& rank : run_.ranks) rank.groups = {0, 1, 2};
  }

  std::uint16_t lane(std::size_t line, LaneKind kind, std::uint32_t group, std::uint32_t distance,
                     std::uint32_t layer) {
    const result::Lane wanted{kind, group, distance, layer};
    auto& lanes = run_.timelines[line].lanes;
    const auto found = std::find(lanes.begin(), lanes.end(), wanted);
    const auto index = static_cast<std::uint16_t>(found - lanes.begin());
    if (found == lanes.end()) {
      lanes.push_back(wanted);
      free_[line].emplace_back();
    }
    return index;
  }

  /// A span after what the lane has, or one of no length anywhere before.
  Span& place(std::size_t line, SpanKind kind, std::uint16_t lane, Time at_least) {
    Span& span = run_.timelines[line].spans.emplace_back();
    Time& free = free_[line][lane];
    span.kind = kind;
    span.lane = lane;
    span.name = static_cast<std::uint32_t>(number(run_.names.size()));
    if (number(8) == 0 && at_least == Time{}) {
      span.start = span.end =
          Time(static_cast<std::int64_t>(number(static_cast<std::uint64_t>(free.count()) + 1)));
    } else {
      span.start = free + (number(3) == 0 ? Time{} : length());
      span.end = std::max(span.start + length(), at_least);
      free = span.end;
    }
    span.model = static_cast<TimeSource>(number(6));
    span.release = static_cast<result::Release>(number(3));
    if (number(2) == 0)
      span.released_by = static_cast<std::uint32_t>(number(run_.timelines[line].spans.size()));
    if (number(2) == 0) span.slack = length();
    span.wait = Time(static_cast<std::int64_t>(
        number(static_cast<std::uint64_t>((span.end - span.start).count()) + 1)));
    span.bytes = Bytes(static_cast<std::int64_t>(number(1 << 20)));
    return span;
  }

  void add(std::size_t line) {
    switch (number(6)) {
      case 0:
        place(line, SpanKind::cpu, lane(line, LaneKind::cpu, result::kNone, result::kNone, 0), {});
        break;
      case 1: {
        const auto group = static_cast<std::uint32_t>(number(3));
        const auto where = lane(line, LaneKind::communicator, group, result::kNone, 0);
        Span& span = place(line, SpanKind::collective, where, {});
        span.group = group;
        break;
      }
      case 2:
        message(line);
        break;
      case 3:
        place(line, SpanKind::load, lane(line, LaneKind::memory, result::kNone, result::kNone, 0),
              {});
        break;
      default:
        place(line, SpanKind::compute,
              lane(line, LaneKind::compute, result::kNone, result::kNone, 0), {});
    }
  }

  void message(std::size_t line) {
    const auto ranks = static_cast<std::uint32_t>(run_.ranks.size());
    const auto distance = static_cast<std::uint32_t>(number(ranks));
    const std::size_t there = shared_ ? 0 : (line + distance) % ranks;
    const auto out_lane = lane(line, LaneKind::sends, result::kNone, distance, 0);
    const auto in_lane = lane(there, LaneKind::receives, result::kNone, result::kNone,
                              static_cast<std::uint32_t>(number(2)));
    const auto out = static_cast<std::uint32_t>(run_.timelines[line].spans.size());
    const Span sent = place(line, SpanKind::send, out_lane, Time(1));
    const auto in = static_cast<std::uint32_t>(run_.timelines[there].spans.size());
    Span& received = place(there, SpanKind::receive, in_lane, std::max(sent.end, Time(1)));
    received.distance = (ranks - distance) % ranks;
    received.peer_span = out;
    run_.timelines[line].spans[out].distance = distance;
    run_.timelines[line].spans[out].peer_span = in;
  }

  void collectives() {
    std::vector<std::uint32_t> count(run_.groups.size());
    for (result::Timeline& line : run_.timelines) {
      std::vector<std::uint32_t> next(run_.groups.size());
      for (Span& span : line.spans) {
        if (span.kind != SpanKind::collective) continue;
        span.sequence = next[span.group]++;
        count[span.group] = std::max(count[span.group], next[span.group]);
      }
    }
    for (std::uint32_t group = 0; group < run_.groups.size(); ++group) {
      run_.groups[group].first = static_cast<std::uint32_t>(run_.collectives.size());
      run_.groups[group].stored = run_.groups[group].first;
      run_.groups[group].count = count[group];
      for (std::uint32_t i = 0; i < count[group]; ++i) {
        result::Collective& one = run_.collectives.emplace_back();
        one.group = group;
        one.type = number(2) == 0 ? "all_reduce" : "all_gather";
        one.bytes = Bytes(4096);
        one.joined = number(3) > 0;
        one.last_start = Time(static_cast<std::int64_t>(number(3000)));
        if (number(4) > 0) one.end = one.last_start + length();
        if (number(2) == 0) one.bound = Time(17);
      }
    }
  }

  void memory(result::Timeline& line) {
    Time at{};
    for (std::uint64_t i = number(5); i > 0; --i) {
      line.memory.points.emplace_back(at, Bytes(static_cast<std::int64_t>(number(1 << 30))));
      at += Time(1 + static_cast<std::int64_t>(number(3000)));
    }
  }

  void path() {
    for (Time at{}; at < run_.step;) {
      std::vector<std::pair<std::uint32_t, std::uint32_t>> running;
      Time next = run_.step;
      for (std::uint32_t r = 0; r < run_.ranks.size(); ++r) {
        const auto& spans = run_.timeline(r).spans;
        for (std::uint32_t i = 0; i < spans.size(); ++i) {
          if (spans[i].start <= at && spans[i].end > at) running.emplace_back(r, i);
          if (spans[i].start > at) next = std::min(next, spans[i].start);
        }
      }
      result::PathSegment segment;
      segment.start = at;
      segment.end = next;
      if (!running.empty()) {
        std::tie(segment.rank, segment.span) = running[number(running.size())];
        Span& span = run_.timelines[run_.ranks[segment.rank].timeline].spans[segment.span];
        span.critical = true;
        const auto left = static_cast<std::uint64_t>((span.end - at).count());
        segment.end = number(2) == 0 ? span.end : at + Time(1 + std::int64_t(number(left)));
        segment.cause = static_cast<result::PathCause>(number(5));
      }
      run_.path.push_back(segment);
      at = segment.end;
    }
  }

  void links() {
    run_.links.bin = Time(700);
    run_.links.curves = {{0, 10, 10, 5}, {3}};
    for (std::uint32_t r = 0; r < run_.ranks.size(); ++r)
      run_.links.links.push_back({0, r, result::kNone, false, Bandwidth(1e9), 25, r % 2});
  }

  std::mt19937_64 random_;
  std::uint32_t spans_;
  bool shared_;
  result::Run run_;
  std::vector<std::vector<Time>> free_;  // by timeline and lane
};

}  // namespace orrery::oracle
