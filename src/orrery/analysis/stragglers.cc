// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "orrery/analysis/metrics.h"

namespace orrery::analysis {

using result::Collective;
using result::kNone;
using result::Run;
using result::Span;
using result::SpanKind;

namespace {

constexpr std::size_t kWorstPairs = 10;

class Waiting {
 public:
  explicit Waiting(const Run& run)
      : run_(run), ranks_(run.ranks.size()), somebody_(run.collectives.size()) {}

  Stragglers count() {
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      ranks_[r].rank = r;
      for (const Span& span : run_.timeline(r).spans) {
        if (span.wait > Time{}) blame(r, span);
      }
    }
    for (std::size_t c = 0; c < somebody_.size(); ++c) {
      if (somebody_[c]) ++ranks_[run_.collectives[c].last_rank].times_last;
    }
    Stragglers made;
    for (const Straggler& one : ranks_) {
      if (one.caused > Time{} || one.waited > Time{} || one.times_last > 0)
        made.ranks.push_back(one);
    }
    std::stable_sort(made.ranks.begin(), made.ranks.end(),
                     [](const Straggler& a, const Straggler& b) { return a.caused > b.caused; });
    made.worst = worst();
    return made;
  }

 private:
  void blame(std::uint32_t rank, const Span& span) {
    ranks_[rank].waited = saturating_sum(ranks_[rank].waited, span.wait);
    std::uint32_t culprit = kNone;
    if (span.kind == SpanKind::collective) {
      if (span.group >= run_.ranks[rank].groups.size()) return;
      const std::uint32_t c = run_.collective_of(rank, span);
      if (c >= run_.collectives.size() || !run_.collectives[c].joined) return;
      culprit = run_.collectives[c].last_rank;
      if (culprit < ranks_.size() && culprit != rank) somebody_[c] = true;
    } else if (span.distance != kNone) {
      culprit = run_.peer(rank, span.distance);
    }
    if (culprit >= ranks_.size() || culprit == rank) return;
    ranks_[culprit].caused = saturating_sum(ranks_[culprit].caused, span.wait);
    Time& pair = pairs_[std::uint64_t{rank} << 32 | culprit];
    pair = saturating_sum(pair, span.wait);
  }

  [[nodiscard]] std::vector<Stragglers::Pair> worst() const {
    std::vector<Stragglers::Pair> all;
    for (const auto& [key, time] : pairs_) {
      all.push_back({static_cast<std::uint32_t>(key >> 32), static_cast<std::uint32_t>(key), time});
    }
    const std::size_t kept = std::min(kWorstPairs, all.size());
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                      [](const Stragglers::Pair& a, const Stragglers::Pair& b) {
                        return std::tuple(b.time, a.waiter, a.culprit) <
                               std::tuple(a.time, b.waiter, b.culprit);
                      });
    all.resize(kept);
    return all;
  }

  const Run& run_;
  std::vector<Straggler> ranks_;
  std::vector<bool> somebody_;                     // by collective: waited for its last comer
  std::unordered_map<std::uint64_t, Time> pairs_;  // (waiter, culprit)
};

}  // namespace

Stragglers stragglers(const Run& run) { return Waiting(run).count(); }

}  // namespace orrery::analysis
