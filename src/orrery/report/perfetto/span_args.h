// SPDX-License-Identifier: Apache-2.0
//
// Arguments of a span in a timeline, shared by both formats: an enumeration, and a function that
// visits the arguments that a span has.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "orrery/analysis/metrics/metrics.h"
#include "orrery/result/run.h"

namespace orrery::report {

/// Arguments of slices. Picoseconds are exact; zero and unknown values are omitted.
enum class SpanArg : std::uint8_t {
  node,         ///< id in the trace
  start_ps,     ///< exact, not rounded
  duration_ps,  ///< wait + queue + latency + rest
  wait_ps,
  queue_ps,
  latency_ps,
  slack_ps,
  critical,     ///< on the critical path at this rank
  model,        ///< model that produced the duration
  release,      ///< why it did not start earlier
  released_by,  ///< node whose end released it
  bytes,
  flops,
  group,
  collective,  ///< number in the run, equal at all its ranks
  algbw_GBps,  ///< 1e9 bytes/s
  busbw_GBps,
  of_bound,  ///< lower bound / time; 1: as fast as its links allow
  peer,      ///< the rank at the other end
  rank,      ///< rank of a step of the critical path
  cause      ///< cause of the time on the critical path
};
inline constexpr std::array<std::string_view, 21> kSpanArgNames = {
    "node",       "start_ps",   "duration_ps", "wait_ps",     "queue_ps", "latency_ps", "slack_ps",
    "critical",   "model",      "release",     "released_by", "bytes",    "flops",      "group",
    "collective", "algbw_GBps", "busbw_GBps",  "of_bound",    "peer",     "rank",       "cause"};

/// Passes the arguments of a span to `sink`: sink.number(Arg, int64), sink.real(Arg, double),
/// sink.truth(Arg), sink.model(), sink.release() and sink.group(Arg, group of the run).
template <class Sink>
void visit_span_args(const result::Run& run, std::uint32_t rank, const result::Timeline& timeline,
                     const result::Span& span, bool critical, Sink& sink) {
  using result::kNone;
  const auto number = [&](SpanArg arg, std::int64_t value) {
    if (value != 0) sink.number(arg, value);
  };
  sink.number(SpanArg::node, static_cast<std::int64_t>(span.node));
  sink.number(SpanArg::start_ps, span.start.count());
  sink.number(SpanArg::duration_ps, std::max(span.end - span.start, Time{}).count());
  number(SpanArg::wait_ps, span.wait.count());
  number(SpanArg::queue_ps, span.queue.count());
  number(SpanArg::latency_ps, span.latency.count());
  if (span.slack) sink.number(SpanArg::slack_ps, span.slack->count());
  if (critical) sink.truth(SpanArg::critical);
  if (span.model != TimeSource::none) sink.model(span.model);
  sink.release(span.release);
  if (span.released_by < timeline.spans.size())
    sink.number(SpanArg::released_by,
                static_cast<std::int64_t>(timeline.spans[span.released_by].node));
  number(SpanArg::bytes, span.bytes.count());
  number(SpanArg::flops, span.flops);
  if (span.kind == result::SpanKind::collective && span.group < run.ranks[rank].groups.size()) {
    const std::uint32_t group = run.ranks[rank].groups[span.group];
    sink.group(group);
    sink.number(SpanArg::collective, run.collective_of(rank, span));
    if (const result::Collective* one = run.stored_collective_of(rank, span)) {
      if (const auto speed = analysis::speed_of(run, *one)) {
        if (speed->algbw > 0) sink.real(SpanArg::algbw_GBps, speed->algbw / 1e9);
        if (speed->busbw > 0) sink.real(SpanArg::busbw_GBps, speed->busbw / 1e9);
        if (speed->of_bound) sink.real(SpanArg::of_bound, *speed->of_bound);
      }
    }
  }
  if (span.distance != kNone) sink.number(SpanArg::peer, run.peer(rank, span.distance));
}

}  // namespace orrery::report
