// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/perfetto/cluster_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "orrery/report/perfetto/trace_packets.h"

namespace orrery::report {

using result::kNone;
using result::Link;
using result::Run;

namespace {

using Wide = unsigned __int128;

std::int64_t per_second(Wide bytes, Time bin) {
  const Wide rate = bytes * Wide{kPsPerSecond} / static_cast<Wide>(bin.count());
  constexpr auto most = static_cast<Wide>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(rate, most));
}

/// Points only where the value changes, and 0 after the last bin.
std::vector<std::pair<std::uint64_t, std::int64_t>> points(const std::vector<Wide>& bins, Time bin,
                                                           const TimelineChoice& choice) {
  std::vector<std::pair<std::uint64_t, std::int64_t>> curve;
  Time start{};
  for (const Wide bytes : bins) {
    if (start > kTimeMax - bin) break;
    const Time end = start + bin;
    if (overlaps(choice, start, end)) {
      const std::int64_t value = per_second(bytes, bin);
      if (curve.empty() || curve.back().second != value)
        curve.emplace_back(rounded_ns(std::max(start, choice.from)), value);
    }
    start = end;
  }
  if (!curve.empty() && curve.back().second != 0 && start < choice.until)
    curve.emplace_back(rounded_ns(start), 0);
  return curve;
}

bool has_curve(const Run& run, const Link& link) {
  return link.bytes > 0 && link.use < run.links.curves.size();
}

void add_curve(std::vector<Wide>& bins, const std::vector<std::uint64_t>& curve) {
  if (bins.size() < curve.size()) bins.resize(curve.size());
  for (std::size_t i = 0; i < curve.size(); ++i) bins[i] += curve[i];
}

std::string capacity_text(double capacity) {
  return fmt::format("Bytes per second. Capacity: {:.6g} GB/s.", capacity / 1e9);
}

LinkCurve dimension_curve(const Run& run, std::uint32_t dim, const TimelineChoice& choice) {
  std::vector<Wide> bins;
  double capacity = 0;
  std::size_t links = 0;
  for (const Link& link : run.links.links) {
    if (link.dim != dim) continue;
    ++links;
    capacity += link.capacity.count();
    if (has_curve(run, link)) add_curve(bins, run.links.curves[link.use]);
  }
  Link all;
  all.dim = dim;
  all.from = kNone;
  return {link_name(run, all), fmt::format("{} links. {}", links, capacity_text(capacity)),
          points(bins, run.links.bin, choice), choice.first_rank};
}

void write_step(TracePackets& packets, const Run& run, const TimelineChoice& choice,
                std::uint64_t parent) {
  const Time from = std::max(Time{}, choice.from), until = std::min(run.step, choice.until);
  if (until < from) return;
  Track track;
  track.name = "step";
  track.uuid = track_uuid("cluster/step");
  track.parent = parent;
  packets.describe(track);
  const TrackKey key(track.uuid);
  SlicePacket begin(packets, key, rounded_ns(from), wire::track_event::slice_begin);
  begin.title(static_cast<std::size_t>(Category::step), packets.step_iid());
  begin.number(SpanArg::start_ps, 0);
  begin.number(SpanArg::duration_ps, run.step.count());
  for (const auto& [fact, value] : run.manifest) {
    if (fact != "cluster_config") begin.text(fact, value);
  }
  if (run.stalled) begin.text("stalled", "some ranks never finished");
  begin.finish();
  SlicePacket(packets, key, rounded_ns(until), wire::track_event::slice_end).finish();
}

/// Assigns all bytes written since the total was `before` to `rank`.
using RecordCounts = std::function<void(std::uint32_t rank, std::uint64_t before)>;

/// Writes a slice per hop, and within it one per cause, for hops at chosen ranks. Slices do not
/// overlap; there are no gaps if all ranks are chosen.
class PathWriter {
 public:
  PathWriter(TracePackets& packets, const Run& run, const TimelineChoice& choice,
             std::uint64_t parent, const RecordCounts& account)
      : packets_(packets), run_(run), choice_(choice), parent_(parent), account_(account) {}

  void write(const std::vector<PathHop>& hops) {
    std::size_t next = 0;  // index of the next segment
    for (const PathHop& hop : hops) {
      for (; next < hop.first; ++next) write_single(next);
      write(hop);
      next = hop.last + 1;
    }
    for (; next < run_.path.size(); ++next) write_single(next);
  }

 private:
  void describe() {
    if (described_) return;
    described_ = true;
    Track track;
    track.name = "critical path";
    track.uuid = track_uuid("cluster/critical path");
    track.parent = parent_;
    track.position = 1;
    const bool all = choice_.first_rank == 0 && end_rank(run_, choice_) == run_.ranks.size();
    track.description =
        all ? "The segments that determine the step time, without gaps from 0 to its end."
            : "The segments that determine the step time; gaps are at ranks not shown.";
    packets_.describe(track);
    key_ = TrackKey(track.uuid);
  }

  void write(const PathHop& hop) {
    const Time start = run_.path[hop.first].start, end = run_.path[hop.last].end;
    const result::Span* span = span_at(hop.place);
    if (!shown(hop.place.rank, start, end) || span == nullptr) return;
    describe();
    const std::uint64_t before = packets_.out().total();
    packets_.intern_name(span->name);
    SlicePacket slice(packets_, key_, rounded_ns(start), wire::track_event::slice_begin);
    slice.title(static_cast<std::size_t>(Category::path), packets_.name_iid(*span));
    slice.number(SpanArg::rank, hop.place.rank);
    slice.number(SpanArg::node, static_cast<std::int64_t>(span->node));
    slice.number(SpanArg::start_ps, start.count());
    slice.number(SpanArg::duration_ps, (end - start).count());
    slice.finish();
    for (std::size_t i = hop.first; i <= hop.last; ++i) segment(i);
    SlicePacket(packets_, key_, rounded_ns(end), wire::track_event::slice_end).finish();
    account_(hop.place.rank, before);
  }

  void write_single(std::size_t i) {
    const result::PathSegment& one = run_.path[i];
    if (!shown(one.rank, one.start, one.end)) return;
    describe();
    const std::uint64_t before = packets_.out().total();
    segment(i);
    account_(one.rank, before);
  }

  [[nodiscard]] bool shown(std::uint32_t rank, Time start, Time end) const {
    return is_chosen(choice_, rank) && overlaps(choice_, start, end);
  }

  void segment(std::size_t i) {
    const result::PathSegment& segment = run_.path[i];
    SlicePacket slice(packets_, key_, rounded_ns(segment.start), wire::track_event::slice_begin);
    slice.title(static_cast<std::size_t>(Category::path), packets_.name_iid(segment.cause));
    slice.number(SpanArg::rank, segment.rank);
    slice.number(SpanArg::start_ps, segment.start.count());
    slice.number(SpanArg::duration_ps, (segment.end - segment.start).count());
    slice.cause(segment.cause);
    slice.release(segment.release);
    slice.finish();
    SlicePacket(packets_, key_, rounded_ns(segment.end), wire::track_event::slice_end).finish();
  }

  [[nodiscard]] const result::Span* span_at(const SpanPlace& place) const {
    if (place.rank >= run_.ranks.size()) return nullptr;
    const auto& spans = run_.timeline(place.rank).spans;
    return place.span < spans.size() ? &spans[place.span] : nullptr;
  }

  TracePackets& packets_;
  const Run& run_;
  const TimelineChoice& choice_;
  std::uint64_t parent_;
  const RecordCounts& account_;
  bool described_ = false;
  TrackKey key_;
};

/// Adds curves of the loads and stores of each level of remote memory.
void add_memory_levels(const Run& run, const TimelineChoice& choice,
                       std::vector<LinkCurve>& curves) {
  if (run.remote_memory.bin <= Time{} || choice.is_continuation) return;
  for (const result::MemoryLevel& level : run.remote_memory.levels) {
    const auto add = [&](std::string_view what, const std::vector<std::uint64_t>& bins) {
      std::vector<Wide> wider;
      add_curve(wider, bins);
      curves.push_back({fmt::format("{}, {}", level.name, what),
                        capacity_text(level.capacity.count()) +
                            (level.half_duplex ? " Loads and stores share it." : ""),
                        points(wider, run.remote_memory.bin, choice), choice.first_rank});
    };
    add("loaded", level.loads);
    add("stored", level.stores);
  }
}

}  // namespace

std::vector<LinkCurve> link_curves(const Run& run, const TimelineChoice& choice) {
  std::vector<LinkCurve> curves;
  add_memory_levels(run, choice, curves);
  if (run.links.bin <= Time{}) return curves;
  std::vector<std::uint32_t> dims;
  std::size_t used = 0;
  for (const Link& link : run.links.links) {
    if (!has_curve(run, link)) continue;
    ++used;
    dims.push_back(link.dim);
  }
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  for (std::size_t i = 0; i < dims.size() && !choice.is_continuation; ++i)
    curves.push_back(dimension_curve(run, dims[i], choice));
  if (used <= kMaxLinks) {
    for (const Link& link : run.links.links) {
      const bool near = is_chosen(choice, link.from) ||
                        (!choice.is_continuation && link.to != kNone && is_chosen(choice, link.to));
      if (!has_curve(run, link) || link.from == kNone || !near) continue;
      std::vector<Wide> bins;
      add_curve(bins, run.links.curves[link.use]);
      curves.push_back({link_name(run, link), capacity_text(link.capacity.count()),
                        points(bins, run.links.bin, choice),
                        is_chosen(choice, link.from) ? link.from : choice.first_rank});
    }
  }
  return curves;
}

namespace {

void write_links(TracePackets& packets, const Run& run, const TimelineChoice& choice,
                 const RecordCounts& account) {
  const std::vector<LinkCurve> curves = link_curves(run, choice);
  if (curves.empty()) return;
  Track links;
  links.name = "link use";
  links.uuid = track_uuid("cluster/link use");
  links.parent = track_uuid("cluster");
  links.position = 1;
  packets.describe(links);
  for (std::size_t i = 0; i < curves.size() && packets.out().good(); ++i) {
    const std::uint64_t before = packets.out().total();
    Track track;
    track.name = curves[i].name;
    track.uuid = track_uuid("cluster/link use/" + track.name);
    track.parent = links.uuid;
    track.position = static_cast<std::uint32_t>(i);
    track.description = curves[i].description;
    track.counter = true;
    track.unit = "B/s";
    packets.describe(track);
    const TrackKey key(track.uuid);
    for (const auto& [ns, value] : curves[i].points) packets.count(key, ns, value);
    account(curves[i].rank, before);
  }
}

}  // namespace

void write_cluster(TracePackets& packets, const Run& run, const SpanFlows& flows,
                   const TimelineChoice& choice, std::vector<std::uint64_t>* bytes) {
  const RecordCounts account = [&](std::uint32_t rank, std::uint64_t before) {
    if (bytes != nullptr && rank < bytes->size()) (*bytes)[rank] += packets.out().total() - before;
  };
  Track process;
  process.name = "Cluster";
  process.uuid = track_uuid("cluster");
  process.pid = cluster_pid(run);
  packets.describe(process);
  Track whole;
  whole.name = "run";
  whole.uuid = track_uuid("cluster/run");
  whole.parent = process.uuid;
  packets.describe(whole);
  write_step(packets, run, choice, whole.uuid);
  PathWriter(packets, run, choice, whole.uuid, account).write(flows.hops());
  write_links(packets, run, choice, account);
}

}  // namespace orrery::report
