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
  for (std::uint32_t rank = choice.first_rank; rank < end_rank(run, choice) && packets.out().good();
       ++rank)
    writer.write(rank);
  packets.out().flush();
  return packets.out().good();
}

// How large a timeline will be, without writing all of it, and how to cut it.

using result::Run;

namespace {

constexpr std::size_t kSample = 1024;  // spans measured per timeline
constexpr std::uint64_t kHop = 26;     // a flow in, a flow out, and that a span is on the path

/// Measures by writing into nothing: every distinct timeline once, of long ones a sample.
class Measure {
 public:
  Measure(const Run& run, const TimelineChoice& choice)
      : run_(run), choice_(choice), flows_(run, choice), packets_(run, kNowhere) {
    // Where ranks share a timeline, the path may be at one of them only.
    own_.resize(run.ranks.size());
    packets_.begin();
    write_cluster(packets_, run, flows_, choice, &own_);
    base_ = packets_.out().total();
    for (const std::uint64_t bytes : own_) base_ -= bytes;
    for (const PathHop& hop : flows_.hops()) {
      if (hop.place.rank < own_.size() && is_chosen(choice, hop.place.rank) &&
          touches(choice, run.path[hop.first].start, run.path[hop.last].end))
        own_[hop.place.rank] += kHop;
    }
  }

  /// What every file has, whichever ranks it holds.
  [[nodiscard]] std::uint64_t base() const { return base_; }

  /// What a rank adds, with its part of the path and its links, but for names.
  std::uint64_t rank(std::uint32_t rank) {
    const auto [known, added] = known_.try_emplace(run_.ranks[rank].timeline, 0);
    if (added) known->second = measure(rank);
    return known->second + own_[rank];
  }

  /// The names of all ranks measured so far.
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
    // Spread evenly, and never in step with a pattern that repeats.
    const std::size_t samples = std::min(all.size(), kSample);
    for (std::size_t i = 0; i < samples; ++i) {
      const std::uint32_t span = all[i * all.size() / samples];
      writer.begin_slice(span, rounded_ns(timeline.spans[span].start));
      writer.end_slice(span, rounded_ns(timeline.spans[span].end));
    }
    const double each =
        static_cast<double>(packets_.out().total() - sampled_from) / static_cast<double>(samples);
    return fixed + static_cast<std::uint64_t>(each * static_cast<double>(all.size()));
  }

  inline static const ByteSink kNowhere = [](std::string_view) { return true; };

  const Run& run_;
  TimelineChoice choice_;
  SpanFlows flows_;
  TracePackets packets_;
  std::uint64_t base_ = 0;
  std::uint64_t names_ = 0;
  std::vector<std::uint64_t> own_;                // by rank, apart from its timeline
  std::map<std::uint32_t, std::uint64_t> known_;  // by timeline
};

/// Windows of one rank with about equally many spans each.
void split_by_time(const Run& run, std::uint32_t rank, const TimelineChoice& choice,
                   std::uint64_t parts, std::vector<TimelineChoice>& pieces) {
  std::vector<Time> starts;
  for (const result::Span& span : run.timeline(rank).spans) {
    if (touches(choice, span)) starts.push_back(span.start);
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
  Measure measure(run, choice);
  std::uint64_t bytes = measure.base();
  for (std::uint32_t rank = choice.first_rank; rank < end_rank(run, choice); ++rank)
    bytes += measure.rank(rank);
  return bytes + measure.names();
}

std::vector<TimelineChoice> split_timeline(const Run& run, const TimelineChoice& choice,
                                           std::uint64_t limit) {
  const std::uint32_t end = end_rank(run, choice);
  std::vector<TimelineChoice> pieces;
  if (choice.first_rank >= end) return {choice};
  Measure measure(run, choice);
  for (std::uint32_t rank = choice.first_rank; rank < end; ++rank) (void)measure.rank(rank);
  const std::uint64_t base = measure.base() + measure.names();
  const std::uint64_t room =
      std::max<std::uint64_t>(limit > 2 * base ? limit - base : limit / 2, 1);
  TimelineChoice piece = choice;
  std::uint64_t bytes = 0;  // of the ranks from piece.first_rank on
  const auto close = [&](std::uint32_t next) {
    if (next > piece.first_rank) {
      piece.is_continuation = choice.is_continuation || piece.first_rank > choice.first_rank;
      piece.last_rank = next - 1;
      pieces.push_back(piece);
    }
    piece.first_rank = next;
    bytes = 0;
  };
  for (std::uint32_t rank = choice.first_rank; rank < end; ++rank) {
    const std::uint64_t more = measure.rank(rank);
    if (bytes > 0 && bytes + more > room) close(rank);
    if (more > room) {
      split_by_time(run, rank, choice, (more + room - 1) / room, pieces);
      piece.first_rank = rank + 1;
    } else {
      bytes += more;
    }
  }
  close(end);
  if (pieces.size() == 1) return {choice};
  return pieces;
}

}  // namespace orrery::report
