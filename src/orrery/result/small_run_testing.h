// SPDX-License-Identifier: Apache-2.0
//
// Invented runs for tests of code that uses results.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/result/run.h"

namespace orrery::result::testing {

/// Builds sample_run.
class SampleRun {
 public:
  SampleRun(std::uint32_t ranks, std::uint32_t layers, bool distinct)
      : ranks_(ranks), layers_(layers), distinct_(distinct), skew_(distinct && ranks > 1) {}

  [[nodiscard]] Run make() {
    describe();
    for (std::uint32_t t = 0; t < (distinct_ ? ranks_ : 1); ++t) add_timeline(t);
    for (std::uint32_t r = 0; r < ranks_; ++r) add_rank(r);
    run_.groups.push_back({"", {}, ranks_, 0, layers_});
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      add_collective(layer);
      add_path(layer);
    }
    run_.links.bin = std::max(Time(1), Time(run_.step.count() / 4));
    run_.remote_memory.bin = run_.links.bin;
    run_.remote_memory.levels = {
        {"memory", Bandwidth(4e9), true, 3000, 500, {1000, 2000}, {500, 0}},
        {"3 links", Bandwidth(3e9), false, 3000, 500, {1000, 2000}, {500, 0}}};
    run_.links.curves = {{1000, 2000, 0, 500}};
    for (std::uint32_t r = 0; r < ranks_; ++r)
      run_.links.links.push_back({0, r, kNone, false, Bandwidth(2e9), 3500, 0});
    run_.findings.add(FindingCode::default_assumed, "made-up.yaml:/device", 2);
    return std::move(run_);
  }

 private:
  static constexpr Time kWork = us(10), kLate = us(1), kTransfer = us(6), kLag = us(1),
                        kFlight = us(2), kLayer = kWork + kLate + kTransfer + kFlight;

  [[nodiscard]] static Time begin_of(std::uint32_t layer) { return kLayer * std::int64_t{layer}; }
  [[nodiscard]] bool slow(std::uint32_t rank) const { return !skew_ || rank == 1; }

  void describe() {
    run_.manifest = {
        {"orrery", "0.1.0"}, {"workload", "sample"},          {"cluster", "made up"},
        {"rules", "orrery"}, {"network_model", "analytical"}, {"compute_model", "recorded"}};
    run_.dims = {{"ring", ranks_, Bandwidth(1e9), 500.0}};
    run_.device = "made-up";
    run_.peak_flops = 1e12;
    run_.memory_capacity = Bytes(1 << 20);
    run_.step = begin_of(layers_);
    matmul_ = run_.names.intern("matmul");
    reduce_ = run_.names.intern("all_reduce </script><img src=x onerror=alert(1)>");
    send_ = run_.names.intern("send");
    receive_ = run_.names.intern("receive");
    weight_ = run_.names.intern("weight");
  }

  void add_timeline(std::uint32_t rank) {
    Timeline line;
    line.lanes = {{LaneKind::compute, kNone, kNone, 0},
                  {LaneKind::communicator, 0, kNone, 0},
                  {LaneKind::sends, kNone, 1, 0},
                  {LaneKind::receives, kNone, kNone, 0}};
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      add_work(line, rank, layer);
      add_messages(line, rank, layer);
    }
    line.memory.points = {{Time{}, Bytes(4096)}, {us(10), Bytes(8192)}, {us(12), Bytes(4096)}};
    line.memory.peak = Bytes(8192);
    line.memory.peak_at = us(10);
    line.memory.at_peak = {{weight_, Bytes(8192)}};
    run_.timelines.push_back(std::move(line));
  }

  static Span& add_span(Timeline& line, SpanKind kind, std::uint16_t lane, std::uint32_t name,
                        Time start, Time end, std::uint32_t released_by) {
    Span& span = line.spans.emplace_back();
    span.node = line.spans.size();
    span.kind = kind;
    span.model = kind == SpanKind::compute ? TimeSource::recorded : TimeSource::analytical;
    span.lane = lane;
    span.name = name;
    span.start = start;
    span.end = end;
    span.released_by = released_by;
    span.release = released_by == kNone ? Release::beginning : Release::dependency;
    span.slack = Time{};
    return span;
  }

  void add_work(Timeline& line, std::uint32_t rank, std::uint32_t layer) const {
    const std::uint32_t first = layer * 4;
    const Time begin = begin_of(layer);
    const Time ready = begin + kWork + (slow(rank) ? kLate : Time{});
    const Time joined = begin + kWork + kLate;
    Span& compute =
        add_span(line, SpanKind::compute, 0, matmul_, begin, ready, layer == 0 ? kNone : first - 1);
    compute.flops = 1'000'000;
    compute.slack = slow(rank) ? Time{} : kLate;
    compute.critical = slow(rank);
    Span& join = add_span(line, SpanKind::collective, 1, reduce_, ready, joined + kTransfer, first);
    join.wait = joined - ready;
    join.latency = kLag;
    join.bytes = Bytes(4096);
    join.group = 0;
    join.sequence = layer;
    join.critical = slow(rank);
  }

  void add_messages(Timeline& line, std::uint32_t rank, std::uint32_t layer) const {
    const std::uint32_t first = layer * 4;
    const Time end = begin_of(layer + 1), start = end - kFlight;
    Span& out = add_span(line, SpanKind::send, 2, send_, start, end, first + 1);
    out.distance = 1 % ranks_;
    out.peer_span = first + 3;
    out.critical = rank == 0;
    Span& in = add_span(line, SpanKind::receive, 3, receive_, start, end, first + 1);
    in.distance = (ranks_ - 1) % ranks_;
    in.peer_span = first + 2;
    for (Span* message : {&line.spans[first + 2], &line.spans[first + 3]}) {
      message->latency = kLag;
      message->bytes = Bytes(1024);
    }
  }

  void add_rank(std::uint32_t number) {
    Rank& rank = run_.ranks.emplace_back();
    rank.timeline = distinct_ ? number : 0;
    rank.groups = {0};
    rank.finish = run_.step;
    rank.compute_only = (kWork + (slow(number) ? kLate : Time{})) * std::int64_t{layers_};
    rank.comm = rank.comm_only = rank.exposed_comm = run_.step - rank.compute_only;
    rank.sent_bytes = std::uint64_t{5120} * layers_;
  }

  void add_collective(std::uint32_t layer) {
    Collective& join = run_.collectives.emplace_back();
    join.type = "all_reduce";
    join.name = reduce_;
    join.bytes = Bytes(4096);
    join.joined = true;
    join.members = ranks_;
    join.first_start = begin_of(layer) + kWork + (skew_ ? Time{} : kLate);
    join.last_start = begin_of(layer) + kWork + kLate;
    join.last_rank = skew_ ? 1 : 0;
    join.last_span = layer * 4 + 1;
    join.end = join.last_start + kTransfer;
    join.bound = us(3);
    join.bound_by = "dimension 0";
  }

  void add_path(std::uint32_t layer) {
    Time at = begin_of(layer);
    const auto add = [&](std::uint32_t rank, std::uint32_t span, PathCause cause, Time length) {
      const Release release = at == Time{} ? Release::beginning : Release::dependency;
      run_.path.push_back({rank, layer * 4 + span, cause, release, at, at + length});
      at += length;
    };
    const std::uint32_t slowest = skew_ ? 1 : 0;
    add(slowest, 0, PathCause::work, kWork + kLate);
    add(slowest, 1, PathCause::latency, kLag);
    add(slowest, 1, PathCause::bandwidth, kTransfer - kLag);
    add(0, 2, PathCause::latency, kLag);
    add(0, 2, PathCause::bandwidth, kFlight - kLag);
  }

  std::uint32_t ranks_, layers_;
  bool distinct_, skew_;
  Run run_;
  std::uint32_t matmul_ = 0, reduce_ = 0, send_ = 0, receive_ = 0, weight_ = 0;  // names
};

/// `ranks` ranks with `layers` layers each: compute, then an all-reduce over all ranks, then a send
/// to the next rank and a receive from the previous one. Consistent with all promises of run.h.
/// With `distinct`, each rank has its own timeline; rank 1 computes 1 us longer per layer and all
/// others wait for it. Otherwise all ranks share one timeline.
inline Run sample_run(std::uint32_t ranks = 4, std::uint32_t layers = 2, bool distinct = true) {
  return SampleRun(ranks, layers, distinct).make();
}

}  // namespace orrery::result::testing
