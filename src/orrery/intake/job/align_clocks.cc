// SPDX-License-Identifier: Apache-2.0
//
// Clocks of different hosts differ. A collective ends on all its ranks at nearly the same time. If
// the difference of recorded ends exceeds their scatter, a clock has an offset.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <span>

#include "orrery/core/statistics/statistics.h"
#include "orrery/core/text/units.h"
#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

constexpr std::int64_t kDay = 86'400'000'000'000;  // ns
/// Ends of one collective differ by this much even with equal clocks.
constexpr std::int64_t kNoise = 20'000;  // ns
/// Ranks that start later than the first one by more than this are reported. A barrier releases
/// ranks within less.
constexpr std::int64_t kLateStart = 100'000;  // ns

/// Time of a matched collective, in ns on the rank's own clock.
struct CollectiveEnd {
  std::uint32_t sequence;
  std::int64_t start;
  std::int64_t end;
};

/// Offset of the other clock to agree with the first; empty if no collective shows it.
std::optional<std::int64_t> difference(std::span<const CollectiveEnd> first,
                                       std::span<const CollectiveEnd> other) {
  std::vector<std::int64_t> gaps;
  bool disjoint = false;  // a collective ends at one rank before it begins at the other
  for (std::size_t i = 0, k = 0; i < first.size() && k < other.size();) {
    if (first[i].sequence != other[k].sequence) {
      ++(first[i].sequence < other[k].sequence ? i : k);
      continue;
    }
    gaps.push_back(first[i].end - other[k].end);
    disjoint = disjoint || first[i].end < other[k].start || other[k].end < first[i].start;
    ++i;
    ++k;
  }
  if (gaps.empty()) return std::nullopt;
  const std::int64_t offset = upper_median(gaps);
  for (std::int64_t& gap : gaps) gap = std::abs(gap - offset);
  const std::int64_t spread = upper_median(gaps);
  constexpr std::size_t kFew = 3;
  if (gaps.size() < kFew) return disjoint ? offset : 0;
  return std::abs(offset) > std::max(kNoise, 3 * spread) ? offset : 0;
}

using EndsByPlace = std::map<std::uint32_t, std::vector<CollectiveEnd>>;  // by place

class Clocks {
 public:
  Clocks(const std::vector<RankComms>& ranks, Job& job)
      : job_(job), base_(ranks.size(), 0), shift_(ranks.size()), root_(ranks.size(), 0) {
    if (ranks.empty()) return;
    // The earliest origin is the common one. An origin that is days away is on another clock.
    const auto earlier = [](const RankComms& a, const RankComms& b) {
      return a.origin_ns < b.origin_ns;
    };
    const std::int64_t latest = std::max_element(ranks.begin(), ranks.end(), earlier)->origin_ns;
    std::int64_t first = latest;
    for (const RankComms& rank : ranks) {
      if (latest - kDay < rank.origin_ns) first = std::min(first, rank.origin_ns);
    }
    for (std::size_t p = 0; p < ranks.size(); ++p)
      base_[p] = ranks[p].origin_ns < first ? 0 : ranks[p].origin_ns - first;
  }

  void run(const std::vector<RankComms>& ranks) {
    collect();
    for (std::uint32_t place = 0; place < shift_.size(); ++place) {
      if (!shift_[place]) propagate_from(place);
    }
    for (std::uint32_t place = 0; place < shift_.size(); ++place) {
      constexpr std::int64_t kMost = 100 * kDay;  // limit of Time
      const std::int64_t shift = *shift_[place];
      job_.clock_offset.push_back(ns(std::clamp(shift, -kMost, kMost)));
      job_.common_origin.push_back(ns(std::clamp(base_[place] + shift, -kMost, kMost)));
      if (shift != 0) {
        job_.findings.add(FindingCode::clock_aligned,
                          fmt::format("{}: {:+} ns", label(job_, place), shift));
      }
    }
    job_.clock_root = root_;
    set_begins(ranks);
    report_late_starts();
  }

 private:
  void collect() {
    groups_of_.resize(shift_.size());
    std::map<std::uint32_t, EndsByPlace> by_group;
    for (std::uint32_t place = 0; place < job_.comms.size(); ++place) {
      for (const JobComm& use : job_.comms[place]) {
        if (use.match != Match::matched || !is_symmetric(use.kind) || use.end <= Time{}) continue;
        by_group[use.group][place].push_back({use.sequence, base_[place] + use.start.count() / 1000,
                                              base_[place] + use.end.count() / 1000});
      }
    }
    for (auto& [group, ends] : by_group) {
      if (ends.size() < 2) continue;
      for (auto& [place, list] : ends) {
        std::sort(list.begin(), list.end(), [](const CollectiveEnd& a, const CollectiveEnd& b) {
          return a.sequence < b.sequence;
        });
        groups_of_[place].push_back(ends_of_groups_.size());
      }
      ends_of_groups_.push_back(std::move(ends));
    }
    for (auto& groups : groups_of_) {
      std::stable_sort(groups.begin(), groups.end(), [&](std::size_t a, std::size_t b) {
        return ends_of_groups_[a].size() > ends_of_groups_[b].size();
      });
    }
  }

  /// Sets the clocks of all ranks that collectives connect with this one, breadth first.
  void propagate_from(std::uint32_t root) {
    shift_[root] = 0;
    root_[root] = root;
    std::deque<std::uint32_t> next = {root};
    std::vector<bool> done(ends_of_groups_.size(), false);
    while (!next.empty()) {
      const std::uint32_t place = next.front();
      next.pop_front();
      for (const std::size_t group : groups_of_[place]) {
        if (done[group]) continue;
        done[group] = true;
        for (const auto& [other, list] : ends_of_groups_[group]) {
          if (shift_[other]) continue;
          const auto offset = difference(ends_of_groups_[group].at(place), list);
          if (!offset) continue;
          shift_[other] = *shift_[place] + *offset;
          root_[other] = root;
          next.push_back(other);
        }
      }
    }
  }

  /// Sets Job::begin among ranks that collectives connect.
  void set_begins(const std::vector<RankComms>& ranks) {
    const auto at = [&](std::size_t place) {
      return base_[place] + *shift_[place] + ranks[place].first.count() / 1000;
    };
    std::map<std::uint32_t, std::int64_t> first;  // by root
    for (std::size_t place = 0; place < ranks.size(); ++place) {
      const auto [found, added] = first.try_emplace(root_[place], at(place));
      if (!added) found->second = std::min(found->second, at(place));
    }
    for (std::size_t place = 0; place < ranks.size(); ++place)
      job_.begin.push_back(ns(std::min(at(place) - first[root_[place]], kDay)));
  }

  /// Reports late ranks, the latest one first.
  void report_late_starts() const {
    std::vector<std::size_t> late;
    for (std::size_t place = 0; place < job_.begin.size(); ++place)
      if (job_.begin[place] > ns(kLateStart)) late.push_back(place);
    std::stable_sort(late.begin(), late.end(),
                     [&](std::size_t a, std::size_t b) { return job_.begin[a] > job_.begin[b]; });
    for (const std::size_t place : late)
      job_.findings.add(FindingCode::late_start,
                        fmt::format("{}: {} after rank {}", label(job_, place),
                                    format_time(job_.begin[place]), first_rank(place)));
  }

  /// The rank that starts first, among those whose clocks are related to this one's.
  [[nodiscard]] std::uint32_t first_rank(std::size_t place) const {
    for (std::size_t other = 0; other < job_.begin.size(); ++other)
      if (root_[other] == root_[place] && job_.begin[other] == Time{})
        return job_.ranks[other].rank;
    return job_.ranks[place].rank;
  }

  Job& job_;
  std::vector<std::int64_t> base_;                  // per place: its origin since the common origin
  std::vector<std::optional<std::int64_t>> shift_;  // per place; empty until known
  std::vector<std::uint32_t> root_;          // per place: the rank from which its clock was set
  std::vector<EndsByPlace> ends_of_groups_;  // per group with at least two ranks
  std::vector<std::vector<std::size_t>> groups_of_;  // per place: by number of ranks, descending
};

}  // namespace

void align_clocks(const std::vector<RankComms>& ranks, Job& job) {
  job.clock_offset.clear();
  job.common_origin.clear();
  job.begin.clear();
  Clocks(ranks, job).run(ranks);
}

}  // namespace orrery::intake
