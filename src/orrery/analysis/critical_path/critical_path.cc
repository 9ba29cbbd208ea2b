// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/critical_path/critical_path.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "orrery/analysis/run_index.h"
#include "orrery/core/recorded_waits.h"

namespace orrery::analysis {

using result::kNone;
using result::PathCause;
using result::PathSegment;
using result::Release;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

/// One walk from the end to the beginning. The time before `at_` is not yet explained.
class Walk {
 public:
  explicit Walk(Run& run) : run_(run) {}

  void walk() {
    for (result::Timeline& line : run_.timelines) {
      for (Span& span : line.spans) span.critical = false;
    }
    run_.path.clear();
    if (!begin()) return;
    while (rank_ != kNone && at_ > Time{}) step();
    std::reverse(segments_.begin(), segments_.end());
    run_.path = std::move(segments_);
  }

 private:
  [[nodiscard]] Span& span_at(std::uint32_t rank, std::uint32_t span) {
    return run_.timelines[run_.ranks[rank].timeline].spans[span];
  }
  [[nodiscard]] bool exists(std::uint32_t rank, std::uint32_t span) const {
    return rank < run_.ranks.size() && span < run_.timeline(rank).spans.size();
  }

  // The span of `rank` that ended last; ties: one that is not metadata, then the latest.
  [[nodiscard]] std::uint32_t last_of(std::uint32_t rank) const {
    const auto& spans = run_.timeline(rank).spans;
    std::uint32_t best = kNone;
    const auto key = [&](std::uint32_t i) {
      return std::pair(spans[i].end, spans[i].kind != SpanKind::metadata);
    };
    for (std::uint32_t i = 0; i < spans.size(); ++i) {
      if (!has_ended(spans[i])) continue;
      if (best == kNone || key(i) >= key(best)) best = i;
    }
    return best;
  }

  bool begin() {
    for (std::uint32_t r = 0; r < run_.ranks.size(); ++r) {
      const std::uint32_t last = last_of_timeline(run_.ranks[r].timeline, r);
      if (last == kNone) continue;
      const Time end = span_at(r, last).end;
      if (rank_ == kNone || end > at_) go(r, last, end);
    }
    if (rank_ == kNone) return false;
    const Time finish = run_.ranks[rank_].finish.value_or(at_);
    if (!run_.stalled && finish > at_) {
      segments_.push_back({rank_, span_, PathCause::idle, Release::dependency, at_, finish});
    }
    return true;
  }

  [[nodiscard]] std::uint32_t last_of_timeline(std::uint32_t timeline, std::uint32_t rank) {
    const auto [found, added] = last_.try_emplace(timeline, kNone);
    if (added) found->second = last_of(rank);
    return found->second;
  }

  void go(std::uint32_t rank, std::uint32_t span, Time at) {
    rank_ = rank;
    span_ = span;
    at_ = at;
  }

  void step() {
    const std::uint32_t rank = rank_, number = span_;
    if (!visited_.insert(std::uint64_t{rank} << 32 | number).second)
      return unexplained(rank, number);
    Span& span = span_at(rank, number);
    span.critical = true;
    release_ = span.release;
    switch (span.kind) {
      case SpanKind::collective:
        if (follow_last_comer(rank, number, span)) return;
        break;
      case SpanKind::receive:
        if (follow_sender(rank, number, span)) return;
        break;
      case SpanKind::send:
        if (follow_receiver(rank, number, span)) return;
        break;
      default:
        break;
    }
    cut(rank, number, span.start);
    before(rank, number);
  }

  // A member that arrived early waited for the last one: the path follows the last member until its
  // arrival.
  bool follow_last_comer(std::uint32_t rank, std::uint32_t number, const Span& span) {
    const result::Collective* stored = run_.stored_collective_of(rank, span);
    if (stored == nullptr) return false;
    const result::Collective& collective = *stored;
    const std::uint32_t last_rank = run_.last_rank(collective, run_.ranks[rank].groups[span.group]);
    const Time joined = collective.last_start;
    if (!collective.joined || span.start >= joined || at_ < joined) return false;
    if (last_rank == rank || !exists(last_rank, collective.last_span)) return false;
    Span& last = span_at(last_rank, collective.last_span);
    if (last.start != joined) return false;
    release_ = Release::dependency;
    cut(rank, number, joined);
    last.critical = true;
    release_ = last.release;
    before(last_rank, collective.last_span);
    return true;
  }

  // A receive with a duration ended because its message arrived.
  bool follow_sender(std::uint32_t rank, std::uint32_t number, const Span& span) {
    if (span.start == span.end || span.distance == kNone) return false;
    const std::uint32_t peer = run_.peer(rank, span.distance);
    if (!exists(peer, span.peer_span)) return false;
    const Span& send = span_at(peer, span.peer_span);
    if (send.kind != SpanKind::send || send.start > at_) return false;
    release_ = Release::dependency;
    cut(rank, number, std::min(send.end, at_));
    go(peer, span.peer_span, at_);
    return true;
  }

  // A send that waited (rendezvous) waited until its receive was posted.
  bool follow_receiver(std::uint32_t rank, std::uint32_t number, const Span& span) {
    if (span.wait == Time{} || span.distance == kNone) return false;
    const std::uint32_t peer = run_.peer(rank, span.distance);
    const Time announced = span.start + span.wait;
    if (!exists(peer, span.peer_span) || announced > at_) return false;
    Span& receive = span_at(peer, span.peer_span);
    if (receive.kind != SpanKind::receive || receive.start > announced) return false;
    release_ = Release::dependency;
    cut(rank, number, announced);
    receive.critical = true;
    release_ = receive.release;
    add(peer, span.peer_span, PathCause::latency, announced - receive.start);
    before(peer, span.peer_span);
    return true;
  }

  // Follows the span that released this one.
  void before(std::uint32_t rank, std::uint32_t number) {
    const Span& span = span_at(rank, number);
    if (at_ == Time{}) return;
    if (span.released_by != kNone && exists(rank, span.released_by)) {
      const Time end = span_at(rank, span.released_by).end;
      if (end <= at_) {
        add(rank, number, PathCause::idle, at_ - end);
        return go(rank, span.released_by, end);
      }
    }
    unexplained(rank, number);
  }

  // No release is recorded: continue at the span that ended last before.
  void unexplained(std::uint32_t rank, std::uint32_t number) {
    const std::uint32_t earlier = latest_before(rank);
    const Time end = earlier == kNone ? Time{} : span_at(rank, earlier).end;
    add(rank, number, PathCause::idle, at_ - end);
    go(earlier == kNone ? kNone : rank, earlier, end);
  }

  [[nodiscard]] std::uint32_t latest_before(std::uint32_t rank) {
    const std::uint32_t timeline = run_.ranks[rank].timeline;
    const auto& spans = run_.timelines[timeline].spans;
    auto [found, added] = by_end_.try_emplace(timeline);
    std::vector<std::uint32_t>& order = found->second;
    if (added) {
      order.resize(spans.size());
      std::iota(order.begin(), order.end(), 0u);
      std::erase_if(order, [&](std::uint32_t i) { return !has_ended(spans[i]); });
      std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return spans[a].end < spans[b].end;
      });
    }
    auto last = std::upper_bound(order.begin(), order.end(), at_,
                                 [&](Time at, std::uint32_t i) { return at < spans[i].end; });
    while (last != order.begin()) {
      --last;
      // A span of zero duration at this moment is no explanation: it started at the same time.
      if (spans[*last].start == at_) continue;
      if (visited_.count(std::uint64_t{rank} << 32 | *last) == 0) return *last;
    }
    return kNone;
  }

  // Adds the span's part of the path from `from` to at_, by cause. A wait before `from` belongs to
  // another segment.
  void cut(std::uint32_t rank, std::uint32_t number, Time from) {
    const Span& span = span_at(rank, number);
    const bool works = span.kind == SpanKind::compute || span.kind == SpanKind::cpu ||
                       span.kind == SpanKind::load || span.kind == SpanKind::store ||
                       span.model == TimeSource::recorded;
    Time left = at_ - from;
    const auto take = [&left](Time part) {
      const Time taken = std::max(Time{}, std::min(part, left));
      left -= taken;
      return taken;
    };
    const Time queue = take(span.queue);
    const Time latency = take(span.latency);
    const Time wait = take(span.wait - (from - span.start));
    if (is_recorded_wait(run_.names[span.name])) return add(rank, number, PathCause::idle, left);
    add(rank, number, works ? PathCause::work : PathCause::bandwidth, left);
    add(rank, number, PathCause::latency, latency);
    add(rank, number, PathCause::queue, queue);
    add(rank, number, PathCause::peer, wait);
  }

  // Adds the segment of this length that ends at at_.
  void add(std::uint32_t rank, std::uint32_t number, PathCause cause, Time length) {
    if (length <= Time{}) return;
    segments_.push_back({rank, number, cause, release_, at_ - length, at_});
    at_ -= length;
  }

  Run& run_;
  std::uint32_t rank_ = kNone, span_ = kNone;
  Time at_{};
  Release release_ = Release::beginning;  // why the path's current span started
  std::vector<PathSegment> segments_;     // latest first
  std::unordered_set<std::uint64_t> visited_;
  std::unordered_map<std::uint32_t, std::uint32_t> last_;  // by timeline
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> by_end_;
};

}  // namespace

void find_critical_path(Run& run) { Walk(run).walk(); }

PathSummary summarize_path(const Run& run, std::size_t limit) {
  PathSummary summary;
  std::unordered_set<std::uint32_t> ranks;
  for (const PathSegment& segment : run.path) {
    const Time length = segment.end - segment.start;
    summary.by_cause[static_cast<std::size_t>(segment.cause)] += length;
    ranks.insert(segment.rank);
    const auto& spans = run.timeline(segment.rank).spans;
    const SpanKind kind =
        segment.span < spans.size() ? spans[segment.span].kind : SpanKind::metadata;
    summary.by_kind[static_cast<std::size_t>(kind)] += length;
  }
  summary.ranks = static_cast<std::uint32_t>(ranks.size());
  summary.longest.resize(run.path.size());
  std::iota(summary.longest.begin(), summary.longest.end(), 0u);
  const auto length = [&](std::uint32_t i) { return run.path[i].end - run.path[i].start; };
  const std::size_t retained = std::min(limit, run.path.size());
  std::partial_sort(summary.longest.begin(),
                    summary.longest.begin() + static_cast<std::ptrdiff_t>(retained),
                    summary.longest.end(), [&](std::uint32_t a, std::uint32_t b) {
                      return std::pair(length(b), a) < std::pair(length(a), b);
                    });
  summary.longest.resize(retained);
  return summary;
}

}  // namespace orrery::analysis
