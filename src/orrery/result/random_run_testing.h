// SPDX-License-Identifier: Apache-2.0
//
// Random runs with any structure that run.h allows, for tests.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "orrery/result/run.h"

namespace orrery::result::testing {

class RandomRun {
 public:
  /// With `repeats`, spans, names, collectives and the critical path repeat.
  explicit RandomRun(std::uint64_t seed, bool repeats = false) : random_(seed), repeats_(repeats) {}

  [[nodiscard]] Run make() {
    const auto ranks = static_cast<std::uint32_t>(1 + below(6));
    run_.manifest = {{"workload", text()}, {text(), text()}, {text(), ""}};
    run_.spans = static_cast<SpanChoice>(below(kSpanChoices));
    run_.step = Time(static_cast<std::int64_t>(below(1'000'000'000'000)));
    run_.stalled = flip();
    run_.device = text();
    run_.peak_flops = static_cast<double>(below(1'000'000)) * 1e9;
    run_.peak_precision = text();
    if (flip()) {
      const auto flops = static_cast<double>(below(1'000'000)) * 1e12;
      run_.work = StepWork{1 + below(1'000), below(1'000'000), flops, flops * 1.5};
    }
    run_.memory_capacity = Bytes(large());
    if (flip()) run_.memory_need = MemoryNeed{Bytes(1 + large()), Bytes(large()), Bytes(large())};
    run_.messages = random_();
    run_.events = below(3);
    for (std::uint64_t i = below(4); i > 0; --i) {
      run_.dims.push_back({text(), large() + 1, Bandwidth(static_cast<double>(large())),
                           static_cast<double>(below(1000)) / 7});
    }
    for (std::uint64_t i = below(20); i > 0; --i) run_.names.intern(text());
    make_groups(ranks);
    make_timelines(ranks);
    if (repeats_) repeat_spans();
    make_ranks(ranks);
    make_collectives();
    make_links();
    make_remote_memory();
    make_packets();
    make_path();
    for (std::uint64_t i = below(4); i > 0; --i)
      run_.findings.add(static_cast<FindingCode>(below(10)), text(), 1 + below(100));
    return std::move(run_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool flip() { return below(2) == 0; }
  std::uint32_t index(std::size_t count) { return static_cast<std::uint32_t>(below(count)); }
  std::uint32_t maybe_index(std::size_t count) {
    return count == 0 || below(3) == 0 ? kNone : index(count);
  }
  /// Numbers of all magnitudes.
  std::int64_t large() { return static_cast<std::int64_t>(random_() >> (2 + below(62))); }
  Time time() { return Time(large()); }

  std::string text() {
    const std::uint64_t shape = below(40);
    std::string made(shape == 0 ? below(20'000) : below(12), 'x');
    for (char& c : made)
      c = static_cast<char>(below(shape < 20 ? 256 : 26) + (shape < 20 ? 0 : 'a'));
    return made;
  }

  void make_groups(std::uint32_t ranks) {
    std::uint32_t first = 0;
    for (std::uint64_t i = below(4); i > 0; --i) {
      Group& group = run_.groups.emplace_back();
      group.name = text();
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        if (flip()) group.ranks.push_back(rank);
      }
      std::shuffle(group.ranks.begin(), group.ranks.end(), random_);
      group.size = group.ranks.empty() ? ranks : static_cast<std::uint32_t>(group.ranks.size());
      group.first = group.stored = first;
      group.count = static_cast<std::uint32_t>(below(repeats_ && flip() ? 120 : 4));
      first += group.count;
    }
  }

  Span make_span(std::uint32_t ranks, std::uint32_t groups, std::size_t lanes) {
    Span span;
    span.node = random_() >> below(64);
    span.start = time();
    const std::int64_t length = flip() ? large() : 0;
    span.end = span.start + Time(length);
    span.name = index(run_.names.size());
    span.lane = static_cast<std::uint16_t>(below(lanes));
    span.kind = static_cast<SpanKind>(below(kSpanKinds));
    span.model = static_cast<TimeSource>(below(kTimeSources));
    span.release = static_cast<Release>(below(kReleases));
    span.critical = flip();
    if (flip()) span.slack = flip() ? Time{} : time();
    span.bytes = Bytes(large());
    span.flops = flip() ? large() : 0;
    if (flip()) {
      span.wait = Time(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(length))));
      span.queue = Time(static_cast<std::int64_t>(
          below(static_cast<std::uint64_t>((Time(length) - span.wait).count()))));
      span.latency = span.end - span.start - span.wait - span.queue;
    }
    if (span.kind == SpanKind::collective) {
      span.group = index(groups);
      std::uint32_t count = 0;
      for (const Group& group : run_.groups) count = std::max(count, group.count);
      for (const Group& group : run_.groups) count = std::min(count, group.count);
      if (groups == 0 || count == 0) {
        span.kind = SpanKind::compute;
        span.group = kNone;
      } else {
        span.sequence = index(count);
      }
    }
    if (span.kind == SpanKind::send || span.kind == SpanKind::receive) span.distance = index(ranks);
    return span;
  }

  void make_timelines(std::uint32_t ranks) {
    std::vector<std::size_t> spans;
    local_groups_ = run_.groups.empty() ? 0 : static_cast<std::uint32_t>(below(3));
    for (std::uint64_t i = 1 + below(ranks); i > 0; --i) {
      Timeline& line = run_.timelines.emplace_back();
      for (std::uint64_t lane = 1 + below(3); lane > 0; --lane) {
        line.lanes.push_back({static_cast<LaneKind>(below(kLaneKinds)), maybe_index(local_groups_),
                              maybe_index(ranks), index(9)});
      }
      for (std::uint64_t n = below(below(8) == 0 ? 300 : 8); n > 0; --n)
        line.spans.push_back(make_span(ranks, local_groups_, line.lanes.size()));
      for (std::size_t n = 1; n < line.spans.size(); ++n) {
        const std::uint32_t by = index(n);
        if (line.spans[by].end <= line.spans[n].start) line.spans[n].released_by = by;
      }
      Time at{};
      for (std::uint64_t n = below(5); n > 0; --n) {
        at += Time(1 + static_cast<std::int64_t>(below(1000)));
        line.memory.points.emplace_back(at, Bytes(large()));
      }
      line.memory.peak = Bytes(large());
      line.memory.peak_at = time();
      line.memory.role = index(run_.names.size());
      for (std::uint64_t n = below(4); n > 0; --n)
        line.memory.at_peak.push_back(
            {index(run_.names.size()), Bytes(large()), index(run_.names.size())});
      spans.push_back(line.spans.size());
    }
    const std::size_t least = *std::min_element(spans.begin(), spans.end());
    for (Timeline& line : run_.timelines) {
      for (Span& span : line.spans) {
        if (span.distance != kNone) span.peer_span = maybe_index(least);
      }
    }
  }

  // Appends copies of the last spans of each timeline: later, with other names, and sometimes with
  // a difference.
  void repeat_spans() {
    for (std::size_t i = 0; i < run_.timelines.size(); ++i) {
      for (std::uint64_t block = 1 + below(3); block > 0; --block) repeat_spans(i);
    }
  }

  void repeat_spans(std::size_t timeline) {
    std::vector<Span>& spans = run_.timelines[timeline].spans;
    if (spans.empty()) return;
    const std::size_t period = 1 + below(std::min<std::size_t>(spans.size(), 40));
    const std::string first = "op " + std::to_string(spans.size() - period) + "." +
                              std::to_string(timeline) + (flip() ? " L" : " mb1 L2.");
    const std::uint64_t later = below(std::uint64_t{1} << below(50)), nodes = below(50),
                        slack = below(2), peer = below(2);
    const bool named = flip(), down = flip();
    const std::uint64_t copies = below(12);
    for (std::uint64_t k = 1; k <= copies; ++k) {
      const std::string name = first + std::to_string(down ? copies - k : 3 * k) + " ";
      for (std::size_t place = 0; place < period; ++place) {
        Span span = spans[spans.size() - period];
        span.node += nodes;
        if (span.start < kFar) move(span, Time(static_cast<std::int64_t>(later)));
        if (span.released_by != kNone) {
          span.released_by += static_cast<std::uint32_t>(period);
          if (spans[span.released_by].end > span.start) span.released_by = kNone;
        }
        if (span.slack && *span.slack < kFar)
          *span.slack += Time(static_cast<std::int64_t>(slack * place));
        if (span.peer_span != kNone && span.peer_span >= peer)
          span.peer_span -= static_cast<std::uint32_t>(peer);
        if (named) span.name = run_.names.intern(name + std::to_string(place));
        if (below(500) == 0) span.critical = !span.critical;
        spans.push_back(span);
      }
    }
  }

  static void move(Span& span, Time later) {
    span.start += later;
    span.end += later;
  }

  void make_ranks(std::uint32_t ranks) {
    for (std::uint32_t i = 0; i < ranks; ++i) {
      Rank& rank = run_.ranks.emplace_back();
      const auto timelines = static_cast<std::uint32_t>(run_.timelines.size());
      rank.timeline = i < timelines ? i : index(timelines);
      for (std::uint32_t n = 0; n < local_groups_; ++n)
        rank.groups.push_back(index(run_.groups.size()));
      rank.exposed_comm = Time(flip() ? large() : -large());
      rank.comm = time();
      rank.memory = time();
      rank.sent_bytes = random_() >> below(64);
      Time left(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(run_.step.count()))));
      if (flip()) rank.finish = left;
      for (Time* part :
           {&rank.compute_only, &rank.overlapped, &rank.comm_only, &rank.memory_only}) {
        *part = Time(static_cast<std::int64_t>(below(static_cast<std::uint64_t>(left.count()))));
        left -= *part;
      }
      rank.idle = left;
    }
  }

  std::uint32_t span_of(std::uint32_t rank) {
    return maybe_index(run_.timeline(rank).spans.size());
  }

  std::optional<ErrorInterval> off() {
    if (flip()) return std::nullopt;
    return ErrorInterval{Time{} - time(), time()};
  }

  void make_predictions() {
    for (std::uint64_t i = below(4); i > 0; --i)
      run_.predicted.push_back(
          {text(), Bytes(large()), index(kNone), index(kNone), time(), text(), text(), off()});
    for (std::uint64_t i = below(4); i > 0; --i)
      run_.error_classes.push_back({text(), time(), off()});
    for (Time& provenance : run_.time_by_provenance) provenance = flip() ? time() : Time{};
  }

  void make_collectives() {
    make_predictions();
    for (std::uint32_t i = 0; i < run_.groups.size(); ++i) {
      const std::uint32_t period = 1 + index(10), spans = index(3), names = index(3);
      const Time later(static_cast<std::int64_t>(below(std::uint64_t{1} << below(50))));
      for (std::uint32_t n = 0; n < run_.groups[i].count; ++n) {
        if (repeats_ && n >= period && below(60) != 0) {
          run_.collectives.push_back(run_.collectives[run_.collectives.size() - period]);
          repeat(run_.collectives.back(), later, spans, names);
          continue;
        }
        Collective& each = run_.collectives.emplace_back();
        each.group = i;
        each.type = text();
        each.name = index(run_.names.size());
        each.bytes = Bytes(large());
        each.sent = random_() >> below(64);
        each.joined = flip();
        each.members = index(run_.groups[i].size + 1);
        each.first_start = Time(static_cast<std::int64_t>(below(1000)));
        each.last_start = each.first_start + Time(static_cast<std::int64_t>(below(1000)));
        each.last_rank = index(run_.ranks.size());
        each.last_span = span_of(each.last_rank);
        if (flip()) each.end = each.last_start + Time(static_cast<std::int64_t>(below(1000)));
        if (flip()) each.bound = time();
        each.bound_by = text();
        each.predicted = maybe_index(run_.predicted.size());
      }
    }
  }

  void repeat(Collective& each, Time later, std::uint32_t spans, std::uint32_t names) {
    each.first_start += later;
    each.last_start += later;
    if (each.end) *each.end += later;
    if (each.last_span != kNone) each.last_span += spans;
    if (each.last_span >= run_.timeline(each.last_rank).spans.size()) each.last_span = kNone;
    if (each.name + names < run_.names.size()) each.name += names;
  }

  void make_links() {
    if (run_.dims.empty()) return;
    run_.links.bin = time();
    for (std::uint64_t i = flip() ? below(5) : 0; i > 0; --i) {
      FabricNode& node = run_.fabric.emplace_back();
      node.name = text();
      node.kind = text();
      node.host = maybe_index(9);
      node.rank = maybe_index(run_.ranks.size());
    }
    for (std::uint64_t i = run_.fabric.empty() ? 0 : below(4); i > 0; --i) {
      FabricFault& fault = run_.faults.emplace_back();
      fault.from = index(run_.fabric.size());
      fault.to = index(run_.fabric.size());
      fault.links = index(9);
      fault.bandwidth = static_cast<double>(below(3)) / 2;
      fault.start = time();
      if (flip()) fault.end = time();
      fault.every = time();
      fault.lasts = time();
    }
    for (std::uint64_t i = below(3); i > 0; --i) {
      auto& curve = run_.links.curves.emplace_back();
      for (std::uint64_t n = below(5); n > 0; --n) curve.push_back(random_() >> below(64));
    }
    for (std::uint64_t i = below(5); i > 0; --i) {
      Link& link = run_.links.links.emplace_back();
      link.dim = index(run_.dims.size());
      link.from = maybe_index(run_.ranks.size());
      link.to = maybe_index(run_.ranks.size());
      link.down = flip();
      link.capacity = Bandwidth(static_cast<double>(large()));
      link.bytes = random_();
      link.use = index(run_.links.curves.size());
      if (flip()) link.name = text();
      if (flip()) link.kind = text();
    }
  }

  void make_remote_memory() {
    if (flip()) return;
    run_.remote_memory.bin = Time(1) + time();
    for (std::uint64_t i = 1 + below(3); i > 0; --i) {
      MemoryLevel& level = run_.remote_memory.levels.emplace_back();
      level.name = text();
      level.capacity = Bandwidth(static_cast<double>(large()));
      level.half_duplex = flip();
      level.loaded = random_();
      level.stored = random_();
      for (std::uint64_t n = below(5); n > 0; --n) {
        level.loads.push_back(random_() >> below(64));
        level.stores.push_back(random_() >> below(64));
      }
    }
  }

  PortPackets port_packets() {
    PortPackets made;
    for (const PortPacketColumn& one : kPortPacketColumns) made.*one.value = flip() ? random_() : 0;
    return made;
  }

  void make_packets() {
    if (flip()) return;
    PacketRecord& packets = run_.packets.emplace();
    for (const PacketTotal& one : kPacketTotals) packets.totals.*one.value = random_();
    packets.bin = Time(1) + time();
    packets.messages = random_();
    packets.message_step = 1 + below(100);
    for (std::uint32_t link = 0; link < run_.links.links.size(); ++link) {
      if (flip()) continue;
      PortPacketSeries& port = packets.ports.emplace_back();
      port.link = link;
      port.total = port_packets();
      for (std::uint32_t bin = index(3); flip(); bin += 1 + index(5))
        port.bins.push_back({bin, port_packets()});
    }
    for (std::uint64_t i = below(20); i > 0; --i) {
      PacketMessageTime& one = packets.message_times.emplace_back();
      one.from = maybe_index(run_.ranks.size());
      one.to = maybe_index(run_.ranks.size());
      one.bytes = large();
      one.start = static_cast<std::int64_t>(below(1'000'000));
      if (flip()) one.end = one.start + static_cast<std::int64_t>(below(1'000'000));
      one.ideal = static_cast<std::int64_t>(below(1'000'000));
      one.retransmitted = random_();
    }
  }

  void make_path() {
    if (flip()) return;
    Time at{};
    for (bool last = false; !last;) {
      PathSegment& segment = run_.path.emplace_back();
      segment.rank = index(run_.ranks.size());
      segment.span = span_of(segment.rank);
      segment.cause = static_cast<PathCause>(below(kPathCauses));
      segment.release = static_cast<Release>(below(kReleases));
      segment.start = at;
      last = below(4) == 0;
      const auto left = static_cast<std::uint64_t>((run_.step - at).count());
      at = last ? run_.step : at + Time(static_cast<std::int64_t>(below(left)));
      segment.end = at;
      if (repeats_ && !last && flip()) at = repeat_path(at);
    }
  }

  /// Appends copies of the last segments, which end at `at`; returns their end.
  Time repeat_path(Time at) {
    std::vector<PathSegment>& path = run_.path;
    const std::size_t period = 1 + below(path.size());
    const Time later = at - path[path.size() - period].start;
    const std::uint32_t spans = index(3);
    for (std::uint64_t copies = below(12); copies > 0 && at + later <= run_.step; --copies) {
      for (std::size_t place = 0; place < period; ++place) {
        PathSegment segment = path[path.size() - period];
        segment.start += later;
        segment.end += later;
        if (segment.span != kNone) segment.span += spans;
        if (segment.span >= run_.timeline(segment.rank).spans.size()) segment.span = kNone;
        path.push_back(segment);
      }
      at += later;
    }
    return at;
  }

  static constexpr Time kFar{std::int64_t{1} << 60};

  std::mt19937_64 random_;
  bool repeats_;
  Run run_;
  std::uint32_t local_groups_ = 0;
};

/// The first part in which the runs differ; empty: identical.
inline std::string difference(const Run& a, const Run& b) {
  if (a.manifest != b.manifest) return "manifest";
  if (a.spans != b.spans || a.step != b.step || a.stalled != b.stalled) return "run";
  if (a.device != b.device || a.peak_flops != b.peak_flops) return "device";
  if (a.peak_precision != b.peak_precision) return "peak_precision";
  if (a.memory_capacity != b.memory_capacity) return "memory_capacity";
  if (a.memory_need != b.memory_need) return "memory_need";
  if (a.work != b.work) return "work";
  if (a.messages != b.messages || a.events != b.events) return "counts";
  if (!(a.names == b.names)) return "names";
  if (a.dims != b.dims) return "dims";
  if (a.timelines != b.timelines) return "timelines";
  if (a.ranks != b.ranks) return "ranks";
  if (a.groups != b.groups) return "groups";
  if (a.collectives != b.collectives) return "collectives";
  if (!(a.links == b.links)) return "links";
  if (!(a.remote_memory == b.remote_memory)) return "remote memory";
  if (a.packets != b.packets) return "packets";
  if (a.path != b.path) return "path";
  const std::vector<Finding> x = a.findings.list(), y = b.findings.list();
  const auto same = [](const Finding& f, const Finding& g) {
    return f.code == g.code && f.count == g.count && f.places == g.places;
  };
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), same) ? "" : "findings";
}

}  // namespace orrery::result::testing
