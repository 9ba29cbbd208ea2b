// SPDX-License-Identifier: Apache-2.0
//
// Which ranks delay others. The spans of a timeline are read once, however many ranks share it.
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "orrery/analysis/metrics/metrics.h"

namespace orrery::analysis {

using result::Collective;
using result::kNone;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

constexpr std::size_t kWorstPairs = 10;

/// Waits of a timeline in the collectives of one group number that end with the same last member.
/// Groups that share stored collectives have this member at the same place.
struct CollectiveWaits {
  const Collective* one = nullptr;  ///< one of them
  Time waited{};
  std::vector<std::uint32_t> sequences;  ///< ascending, distinct
};

/// Waits of a timeline for the peer at one distance.
struct PeerWaits {
  std::uint32_t distance = 0;
  Time waited{};
};

/// Sums the waits of one timeline.
struct TimelineWaits {
  Time waited{};  ///< all
  std::vector<PeerWaits> peers;
  std::map<std::uint32_t, std::vector<const Span*>> collectives;  ///< waiting ones, by group number
};

TimelineWaits waits_of(const result::Timeline& timeline) {
  TimelineWaits found;
  std::map<std::uint32_t, Time> peers;
  for (const Span& span : timeline.spans) {
    if (span.wait <= Time{}) continue;
    found.waited = saturating_sum(found.waited, span.wait);
    if (span.kind == SpanKind::collective) {
      found.collectives[span.group].push_back(&span);
    } else if (span.distance != kNone) {
      Time& sum = peers[span.distance];
      sum = saturating_sum(sum, span.wait);
    }
  }
  for (const auto& [distance, waited] : peers) found.peers.push_back({distance, waited});
  return found;
}

/// Adds up who waited for whom. O(spans + ranks × groups per rank × distinct last members).
class Waiting {
 public:
  explicit Waiting(const Run& run) : run_(run), ranks_(run.ranks.size()) {
    for (const result::Timeline& timeline : run.timelines) timelines_.push_back(waits_of(timeline));
  }

  Stragglers count() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) add_rank(r);
    count_last();
    Stragglers made;
    for (const Straggler& one : ranks_) {
      if (one.caused_wait > Time{} || one.waited > Time{} || one.times_last > 0)
        made.ranks.push_back(one);
    }
    std::stable_sort(
        made.ranks.begin(), made.ranks.end(),
        [](const Straggler& a, const Straggler& b) { return a.caused_wait > b.caused_wait; });
    made.worst = std::move(worst_);
    return made;
  }

 private:
  /// That a rank waited in the collectives `waits` (in waits_) of a group.
  struct Delay {
    std::uint32_t group, straggler, waits;
    friend auto operator<=>(const Delay&, const Delay&) = default;
  };

  void add_rank(std::uint32_t rank) {
    const TimelineWaits& timeline = timelines_[run_.ranks[rank].timeline];
    ranks_[rank].rank = rank;
    ranks_[rank].waited = timeline.waited;
    blamed_.clear();
    for (const PeerWaits& peer : timeline.peers)
      blame(rank, run_.peer(rank, peer.distance), peer.waited);
    for (const auto& [number, spans] : timeline.collectives) {
      if (number >= run_.ranks[rank].groups.size()) continue;
      const std::uint32_t group = run_.ranks[rank].groups[number];
      const auto [first, end] = collective_waits(run_.ranks[rank].timeline, number, group);
      for (std::uint32_t w = first; w < end; ++w) {
        const std::uint32_t straggler = last_rank(*waits_[w].one, group);
        if (blame(rank, straggler, waits_[w].waited)) delays_.push_back({group, straggler, w});
      }
    }
    add_pairs(rank);
  }

  /// Whether `straggler` is another rank.
  bool blame(std::uint32_t rank, std::uint32_t straggler, Time waited) {
    if (straggler >= ranks_.size() || straggler == rank) return false;
    ranks_[straggler].caused_wait = saturating_sum(ranks_[straggler].caused_wait, waited);
    blamed_.emplace_back(straggler, waited);
    return true;
  }

  /// The waits of a timeline in the collectives of a group number: a range in waits_. Groups that
  /// share stored collectives have the same range.
  std::pair<std::uint32_t, std::uint32_t> collective_waits(std::uint32_t timeline,
                                                           std::uint32_t number,
                                                           std::uint32_t group) {
    const result::Group& of = run_.groups[group];
    const auto [known, added] =
        ranges_.try_emplace(std::tuple(timeline, number, of.stored, of.count));
    if (!added) return known->second;
    std::map<std::uint32_t, CollectiveWaits> by_last;
    for (const Span* span : timelines_[timeline].collectives.at(number)) {
      if (span->sequence >= of.count) continue;
      const Collective& one = run_.collectives[of.stored + span->sequence];
      if (!one.joined) continue;
      CollectiveWaits& waits = by_last[one.last_rank];
      waits.one = &one;
      waits.waited = saturating_sum(waits.waited, span->wait);
      waits.sequences.push_back(span->sequence);
    }
    known->second.first = static_cast<std::uint32_t>(waits_.size());
    for (auto& [last, waits] : by_last) {
      std::sort(waits.sequences.begin(), waits.sequences.end());
      waits.sequences.erase(std::unique(waits.sequences.begin(), waits.sequences.end()),
                            waits.sequences.end());
      waits_.push_back(std::move(waits));
    }
    known->second.second = static_cast<std::uint32_t>(waits_.size());
    return known->second;
  }

  /// Run::last_rank(), which searches among the members, once per group and last member.
  std::uint32_t last_rank(const Collective& one, std::uint32_t group) {
    const auto [known, added] =
        last_ranks_.try_emplace(std::uint64_t{group} << 32 | one.last_rank, kNone);
    if (added) known->second = run_.last_rank(one, group);
    return known->second;
  }

  /// Retains the longest waits of a pair of ranks; each rank is added once.
  void add_pairs(std::uint32_t rank) {
    std::sort(blamed_.begin(), blamed_.end());
    for (std::size_t i = 0; i < blamed_.size();) {
      Stragglers::Pair pair{rank, blamed_[i].first, {}};
      for (; i < blamed_.size() && blamed_[i].first == pair.straggler; ++i)
        pair.time = saturating_sum(pair.time, blamed_[i].second);
      const auto place = std::upper_bound(worst_.begin(), worst_.end(), pair,
                                          [](const Stragglers::Pair& a, const Stragglers::Pair& b) {
                                            return std::tuple(b.time, a.waiter, a.straggler) <
                                                   std::tuple(a.time, b.waiter, b.straggler);
                                          });
      worst_.insert(place, pair);
      if (worst_.size() > kWorstPairs) worst_.pop_back();
    }
  }

  /// Sets times_last: collectives of a group in which another member waited for the last one.
  void count_last() {
    std::sort(delays_.begin(), delays_.end());
    delays_.erase(std::unique(delays_.begin(), delays_.end()), delays_.end());
    std::vector<std::uint32_t> sequences;
    for (std::size_t i = 0; i < delays_.size();) {
      const Delay first = delays_[i];
      std::size_t end = i;
      while (end < delays_.size() && delays_[end].group == first.group &&
             delays_[end].straggler == first.straggler)
        ++end;
      std::size_t count = waits_[first.waits].sequences.size();
      if (end - i > 1) {
        sequences.clear();
        for (; i < end; ++i) {
          const std::vector<std::uint32_t>& more = waits_[delays_[i].waits].sequences;
          sequences.insert(sequences.end(), more.begin(), more.end());
        }
        std::sort(sequences.begin(), sequences.end());
        count = static_cast<std::size_t>(std::unique(sequences.begin(), sequences.end()) -
                                         sequences.begin());
      }
      ranks_[first.straggler].times_last += static_cast<std::uint32_t>(count);
      i = end;
    }
  }

  const Run& run_;
  std::vector<Straggler> ranks_;
  std::vector<TimelineWaits> timelines_;
  std::vector<CollectiveWaits> waits_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>,
           std::pair<std::uint32_t, std::uint32_t>>
      ranges_;  // by timeline, group number, first stored collective and count: in waits_
  std::unordered_map<std::uint64_t, std::uint32_t> last_ranks_;  // by group and stored last rank
  std::vector<std::pair<std::uint32_t, Time>> blamed_;           // by the rank that is added
  std::vector<Delay> delays_;
  std::vector<Stragglers::Pair> worst_;
};

}  // namespace

Stragglers stragglers(const Run& run) { return Waiting(run).count(); }

}  // namespace orrery::analysis
