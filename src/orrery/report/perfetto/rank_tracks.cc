// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/perfetto/rank_tracks.h"

#include <fmt/format.h>

namespace orrery::report {

using result::Span;
using result::SpanKind;

void RankWriter::begin(std::uint32_t rank) {
  rank_ = rank;
  timeline_ = &run_.timeline(rank);
  described_ = false;
  process_ = process_name(rank);
  lanes_uuid_ = track_uuid(process_ + "/lanes");
  lane_names_.clear();
  keys_.assign(timeline_->lanes.size(), TrackKey());
  order_.arrange(run_, run_.ranks[rank].timeline, choice_);
}

void RankWriter::describe_process() {
  if (described_) return;
  described_ = true;
  Track process;
  process.uuid = track_uuid(process_);
  process.name = process_title(choice_, rank_);
  process.pid = rank_ + 1;
  process.position = rank_ + 1;
  packets_.describe(process);
  Track lanes;
  lanes.uuid = lanes_uuid_;
  lanes.parent = process.uuid;
  lanes.name = "lanes";
  packets_.describe(lanes);
}

void RankWriter::describe_lane(std::size_t lane) {
  describe_process();
  Track track;
  track.name = lane_name(run_, rank_, timeline_->lanes[lane]);
  // Several groups may have the same name.
  const std::uint32_t before = lane_names_[track.name]++;
  if (before > 0) track.name += fmt::format(" #{}", before + 1);
  track.uuid = track_uuid(process_ + "/lanes/" + track.name);
  track.parent = lanes_uuid_;
  track.position = lane_position(*timeline_, static_cast<std::uint16_t>(lane));
  packets_.describe(track);
  keys_[lane] = TrackKey(track.uuid);
}

void RankWriter::intern(const Span& span) {
  packets_.intern_name(span.name);
  if (span.kind == SpanKind::collective && span.group < run_.ranks[rank_].groups.size())
    packets_.intern_group(run_.ranks[rank_].groups[span.group]);
}

void RankWriter::begin_slice(std::uint32_t index, std::uint64_t ns) {
  const Span& span = timeline_->spans[index];
  intern(span);
  SlicePacket slice(packets_, keys_[span.lane], ns, wire::track_event::slice_begin);
  slice.title(static_cast<std::size_t>(span.kind), packets_.name_iid(span));
  if (span.kind == SpanKind::collective && span.group < run_.ranks[rank_].groups.size())
    slice.correlate(std::uint64_t{run_.collective_of(rank_, span)} + 1);
  const auto visits =
      span.critical && path_ ? flows_.visits(rank_, index) : std::span<const std::uint32_t>();
  visit_span_args(run_, rank_, *timeline_, span, !visits.empty(), slice);
  if (span.kind == SpanKind::send && flows_.receiver(rank_, index))
    slice.flow(SpanFlows::message_id({rank_, index}));
  for (const std::uint32_t hop : visits) {
    if (flows_.is_linked(hop)) slice.flow(SpanFlows::path_id(hop));
  }
  slice.finish();
}

void RankWriter::end_slice(std::uint32_t index, std::uint64_t ns) {
  const Span& span = timeline_->spans[index];
  SlicePacket slice(packets_, keys_[span.lane], ns, wire::track_event::slice_end);
  if (span.kind == SpanKind::receive) {
    if (const auto sender = flows_.sender(rank_, index))
      slice.end_flow(SpanFlows::message_id(*sender));
  }
  if (span.critical && path_) {
    for (const std::uint32_t hop : flows_.visits(rank_, index)) {
      if (hop > 0 && flows_.is_linked(hop - 1)) slice.end_flow(SpanFlows::path_id(hop - 1));
    }
  }
  slice.finish();
}

void RankWriter::write_memory() {
  const auto& points = timeline_->memory.points;
  bool described = false;
  TrackKey key;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool last = i + 1 == points.size();
    const Time until = last ? kTimeMax : points[i + 1].first;
    if (!overlaps(choice_, points[i].first, until)) continue;
    if (!described) {
      describe_process();
      Track track;
      track.name = "memory held";
      track.uuid = track_uuid(process_ + "/" + track.name);
      track.parent = lanes_uuid_;
      track.position = std::uint32_t{0xff} << 16;
      track.counter = true;
      track.description = "Bytes of live tensors, as named in the trace.";
      packets_.describe(track);
      key = TrackKey(track.uuid);
      described = true;
    }
    packets_.count(key, rounded_ns(std::max(points[i].first, choice_.from)),
                   points[i].second.count());
  }
}

void RankWriter::write(std::uint32_t rank) {
  begin(rank);
  for (std::size_t lane = 0; lane < timeline_->lanes.size() && packets_.out().good(); ++lane) {
    const auto order = order_.lane(lane);
    if (order.empty()) continue;
    describe_lane(lane);
    draw_lane(
        *timeline_, order,
        [&](std::uint32_t span, std::uint64_t ns, std::uint64_t) { begin_slice(span, ns); },
        [&](std::uint32_t span, std::uint64_t ns) { end_slice(span, ns); });
  }
  write_memory();
}

}  // namespace orrery::report
