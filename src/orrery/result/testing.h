// SPDX-License-Identifier: Apache-2.0
//
// Made-up runs for tests of what comes after a simulation.
#pragma once

#include <algorithm>
#include <string>

#include "orrery/result/run.h"

namespace orrery::result::testing {

/// `ranks` ranks of `layers` layers each: compute, then an all-reduce among all, then a send to the
/// next rank and a receive from the one before. Consistent in every respect that run.h promises.
/// With `distinct`, every rank has a timeline of its own; rank 1 computes 1 us longer per layer and
/// everybody waits for it. Otherwise all ranks share one.
inline Run sample_run(std::uint32_t ranks = 4, std::uint32_t layers = 2, bool distinct = true) {
  Run run;
  run.manifest = {{"orrery", "0.1.0"}, {"workload", "sample"}, {"cluster", "made up"}};
  run.manifest.insert(
      run.manifest.end(),
      {{"rules", "orrery"}, {"network_model", "analytical"}, {"compute_model", "recorded"}});
  run.dims = {{"ring", ranks, Bandwidth(1e9), 500.0}};
  run.device = "made-up";
  run.peak_flops = 1e12;
  run.memory_capacity = Bytes(1 << 20);
  const std::uint32_t matmul = run.names.intern("matmul");
  const std::uint32_t reduce = run.names.intern("all_reduce </script><img src=x onerror=alert(1)>");
  const std::uint32_t send = run.names.intern("send");
  const std::uint32_t receive = run.names.intern("receive");
  const std::uint32_t weight = run.names.intern("weight");
  const Time work = us(10), late = us(1), transfer = us(6), lag = us(1), flight = us(2);
  const Time layer_time = work + late + transfer + flight;
  const bool skew = distinct && ranks > 1;
  const std::uint32_t timelines = distinct ? ranks : 1;
  run.step = layer_time * static_cast<std::int64_t>(layers);
  for (std::uint32_t t = 0; t < timelines; ++t) {
    Timeline line;
    line.lanes = {{LaneKind::compute, kNone, kNone, 0},
                  {LaneKind::communicator, 0, kNone, 0},
                  {LaneKind::sends, kNone, 1, 0},
                  {LaneKind::receives, kNone, kNone, 0}};
    const bool slow = !skew || t == 1;
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      const Time begin = layer_time * static_cast<std::int64_t>(layer);
      const std::uint32_t first = layer * 4;
      const auto add = [&](SpanKind kind, std::uint16_t lane, std::uint32_t name, Time start,
                           Time end, std::uint32_t released_by) -> Span& {
        Span& span = line.spans.emplace_back();
        span.node = line.spans.size();
        span.kind = kind;
        span.lane = lane;
        span.name = name;
        span.start = start;
        span.end = end;
        span.released_by = released_by;
        span.release = released_by == kNone ? Release::beginning : Release::dependency;
        span.slack = Time{};
        return span;
      };
      const Time ready = begin + work + (slow ? late : Time{});
      const Time joined = begin + work + late;
      Span& compute =
          add(SpanKind::compute, 0, matmul, begin, ready, layer == 0 ? kNone : first - 1);
      compute.model = Model::recorded;
      compute.flops = 1'000'000;
      compute.slack = slow ? Time{} : late;
      compute.critical = slow;
      Span& join = add(SpanKind::collective, 1, reduce, ready, joined + transfer, first);
      join.model = Model::analytical;
      join.wait = joined - ready;
      join.latency = lag;
      join.bytes = Bytes(4096);
      join.group = 0;
      join.sequence = layer;
      join.critical = slow;
      Span& out = add(SpanKind::send, 2, send, joined + transfer, begin + layer_time, first + 1);
      out.model = Model::analytical;
      out.latency = lag;
      out.bytes = Bytes(1024);
      out.distance = 1 % ranks;
      out.peer_span = first + 3;
      out.critical = t == 0;
      Span& in =
          add(SpanKind::receive, 3, receive, joined + transfer, begin + layer_time, first + 1);
      in.model = Model::analytical;
      in.latency = lag;
      in.bytes = Bytes(1024);
      in.distance = (ranks - 1) % ranks;
      in.peer_span = first + 2;
    }
    line.memory.points = {{Time{}, Bytes(4096)}, {us(10), Bytes(8192)}, {us(12), Bytes(4096)}};
    line.memory.peak = Bytes(8192);
    line.memory.peak_at = us(10);
    line.memory.at_peak = {{weight, Bytes(8192)}};
    run.timelines.push_back(std::move(line));
  }
  const auto n = static_cast<std::int64_t>(layers);
  for (std::uint32_t r = 0; r < ranks; ++r) {
    const bool slow = !skew || r == 1;
    Rank& rank = run.ranks.emplace_back();
    rank.timeline = distinct ? r : 0;
    rank.groups = {0};
    rank.finish = run.step;
    rank.compute_only = (work + (slow ? late : Time{})) * n;
    rank.comm = rank.comm_only = rank.exposed_comm = run.step - rank.compute_only;
    rank.sent_bytes = 5120 * layers;
  }
  run.groups.push_back({"", {}, ranks, 0, layers});
  for (std::uint32_t layer = 0; layer < layers; ++layer) {
    const Time begin = layer_time * static_cast<std::int64_t>(layer);
    Collective& join = run.collectives.emplace_back();
    join.type = "all_reduce";
    join.name = reduce;
    join.bytes = Bytes(4096);
    join.joined = true;
    join.members = ranks;
    join.first_start = begin + work + (skew ? Time{} : late);
    join.last_start = begin + work + late;
    join.last_rank = skew ? 1 : 0;
    join.last_span = layer * 4 + 1;
    join.end = join.last_start + transfer;
    join.bound = us(3);
    join.bound_by = "dimension 0";
    const std::uint32_t slowest = skew ? 1 : 0;
    const std::uint32_t s = layer * 4;
    run.path.push_back({slowest, s, PathCause::work,
                        layer == 0 ? Release::beginning : Release::dependency, begin,
                        join.last_start});
    run.path.push_back({slowest, s + 1, PathCause::latency, Release::dependency, join.last_start,
                        join.last_start + lag});
    run.path.push_back({slowest, s + 1, PathCause::bandwidth, Release::dependency,
                        join.last_start + lag, *join.end});
    run.path.push_back(
        {0, s + 2, PathCause::latency, Release::dependency, *join.end, *join.end + lag});
    run.path.push_back(
        {0, s + 2, PathCause::bandwidth, Release::dependency, *join.end + lag, begin + layer_time});
  }
  run.links.bin = std::max(Time(1), Time(run.step.count() / 4));
  run.links.curves = {{1000, 2000, 0, 500}};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    run.links.links.push_back({0, r, kNone, false, Bandwidth(2e9), 3500, 0});
  }
  run.findings.add(FindingCode::default_assumed, "made-up.yaml:/device", 2);
  return run;
}

}  // namespace orrery::result::testing
