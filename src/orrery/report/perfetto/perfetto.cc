// SPDX-License-Identifier: Apache-2.0
#include "orrery/report/perfetto/perfetto.h"

#include <algorithm>
#include <map>

#include "orrery/report/perfetto/cluster_tracks.h"
#include "orrery/report/perfetto/drawn_spans.h"
#include "orrery/report/perfetto/rank_tracks.h"
#include "orrery/report/perfetto/trace_packets.h"

namespace orrery::report {

bool write_perfetto(const result::Run& run, const TimelineChoice& choice, const ByteSink& sink) {
  const SpanFlows flows(run, choice);
  TracePackets packets(run, sink);
  packets.begin();
  write_cluster(packets, run, flows, choice);
  RankWriter writer(packets, run, flows, choice);
  for_each_rank(run, choice, [&](std::uint32_t rank) {
    writer.write(rank);
    return packets.out().good();
  });
  packets.out().flush();
  return packets.out().good();
}

// Estimates the size of a timeline without writing all of it, and splits it.

using result::Run;

namespace {

constexpr std::size_t kSampledSpans = 1024;  // spans measured per timeline
// Bytes of a flow's two ends and of the mark "on the critical path".
constexpr std::uint64_t kHopBytes = 26;

/// Measures by discarding the output: each distinct timeline once, long ones by a sample.
class SizeEstimator {
 public:
  SizeEstimator(const Run& run, const TimelineChoice& choice)
      : run_(run), choice_(choice), flows_(run, choice), packets_(run, kDiscard) {
    // Ranks that share a timeline differ in the critical path: it is measured per rank.
    rank_bytes_.resize(run.ranks.size());
    packets_.begin();
    write_cluster(packets_, run, flows_, choice, &rank_bytes_);
    base_ = packets_.out().total();
    for (const std::uint64_t bytes : rank_bytes_) base_ -= bytes;
    for (const PathHop& hop : flows_.hops()) {
      if (hop.place.rank < rank_bytes_.size() && is_chosen(choice, hop.place.rank) &&
          overlaps(choice, run.path[hop.first].start, run.path[hop.last].end))
        rank_bytes_[hop.place.rank] += kHopBytes;
    }
  }

  /// The size that each file has, whatever its ranks.
  [[nodiscard]] std::uint64_t base() const { return base_; }

  /// The size of a rank, with its part of the path and its links, but without names.
  std::uint64_t rank(std::uint32_t rank) {
    const auto [known, added] = timeline_bytes_.try_emplace(run_.ranks[rank].timeline, 0);
    if (added) known->second = measure(rank);
    return known->second + rank_bytes_[rank];
  }

  /// The size of the names of all ranks measured so far.
  [[nodiscard]] std::uint64_t names() const { return names_; }

 private:
  std::uint64_t measure(std::uint32_t rank) {
    RankWriter writer(packets_, run_, flows_, choice_);
    writer.skip_path();
    const result::Timeline& timeline = run_.timeline(rank);
    const std::uint64_t start = packets_.out().total();
    writer.begin(rank);
    std::vector<std::uint32_t> all;
    for (std::size_t lane = 0; lane < timeline.lanes.size(); ++lane) {
      const auto order = writer.order().lane(lane);
      if (order.empty()) continue;
      writer.describe_lane(lane);
      all.insert(all.end(), order.begin(), order.end());
    }
    writer.write_memory();
    const std::uint64_t fixed = packets_.out().total() - start;
    for (const std::uint32_t span : all) writer.intern(timeline.spans[span]);
    const std::uint64_t sampled_from = packets_.out().total();
    names_ += sampled_from - start - fixed;
    if (all.empty()) return fixed;
    // Evenly spaced, without aliasing with periodic patterns.
    const std::size_t samples = std::min(all.size(), kSampledSpans);
    for (std::size_t i = 0; i < samples; ++i) {
      const std::uint32_t span = all[i * all.size() / samples];
      writer.begin_slice(span, rounded_ns(timeline.spans[span].start));
      writer.end_slice(span, rounded_ns(timeline.spans[span].end));
    }
    const double each =
        static_cast<double>(packets_.out().total() - sampled_from) / static_cast<double>(samples);
    return fixed + static_cast<std::uint64_t>(each * static_cast<double>(all.size()));
  }

  inline static const ByteSink kDiscard = [](std::string_view) { return true; };

  const Run& run_;
  TimelineChoice choice_;
  SpanFlows flows_;
  TracePackets packets_;
  std::uint64_t base_ = 0;
  std::uint64_t names_ = 0;
  std::vector<std::uint64_t> rank_bytes_;                  // by rank, without its timeline
  std::map<std::uint32_t, std::uint64_t> timeline_bytes_;  // by timeline
};

/// Splits one rank into windows with about the same number of spans.
void split_by_time(const Run& run, std::uint32_t rank, const TimelineChoice& choice,
                   std::uint64_t parts, std::vector<TimelineChoice>& pieces) {
  std::vector<Time> starts;
  for (const result::Span& span : run.timeline(rank).spans) {
    if (overlaps(choice, span)) starts.push_back(span.start);
  }
  std::sort(starts.begin(), starts.end());
  TimelineChoice piece = choice;
  piece.is_continuation = choice.is_continuation || rank > choice.first_rank;
  piece.first_rank = piece.last_rank = rank;
  parts = std::min<std::uint64_t>(parts, starts.size());
  for (std::uint64_t i = 1; i < parts; ++i) {
    const Time cut = starts[static_cast<std::size_t>(i * starts.size() / parts)];
    if (cut <= piece.from) continue;
    piece.until = cut;
    pieces.push_back(piece);
    piece.from = cut;
  }
  piece.until = choice.until;
  pieces.push_back(piece);
}

}  // namespace

std::uint64_t estimate_perfetto_bytes(const Run& run, const TimelineChoice& choice) {
  SizeEstimator measure(run, choice);
  std::uint64_t bytes = measure.base();
  for_each_rank(run, choice, [&](std::uint32_t rank) {
    bytes += measure.rank(rank);
    return true;
  });
  return bytes + measure.names();
}

std::vector<TimelineChoice> split_timeline(const Run& run, const TimelineChoice& choice,
                                           std::uint64_t limit) {
  const std::uint32_t end = end_rank(run, choice);
  std::vector<TimelineChoice> pieces;
  if (choice.first_rank >= end) return {choice};
  SizeEstimator measure(run, choice);
  for_each_rank(run, choice, [&](std::uint32_t rank) {
    (void)measure.rank(rank);
    return true;
  });
  const std::uint64_t base = measure.base() + measure.names();
  const std::uint64_t room =
      std::max<std::uint64_t>(limit > 2 * base ? limit - base : limit / 2, 1);
  TimelineChoice piece = choice;
  std::uint64_t bytes = 0;  // of the ranks from piece.first_rank
  const auto close = [&](std::uint32_t next) {
    if (next > piece.first_rank) {
      piece.is_continuation = choice.is_continuation || piece.first_rank > choice.first_rank;
      piece.last_rank = next - 1;
      pieces.push_back(piece);
    }
    piece.first_rank = next;
    bytes = 0;
  };
  for_each_rank(run, choice, [&](std::uint32_t rank) {
    const std::uint64_t more = measure.rank(rank);
    if (bytes > 0 && bytes + more > room) close(rank);
    if (more > room) {
      split_by_time(run, rank, choice, (more + room - 1) / room, pieces);
      piece.first_rank = rank + 1;
    } else {
      bytes += more;
    }
    return true;
  });
  close(end);
  if (pieces.size() == 1) return {choice};
  return pieces;
}

}  // namespace orrery::report
