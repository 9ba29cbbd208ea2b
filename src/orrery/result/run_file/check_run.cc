// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "orrery/result/run_file/run_database.h"
#include "orrery/result/timeline_peers.h"

namespace orrery::result {

namespace {

tl::unexpected<Error> corrupt(const char* table, std::uint64_t row, const char* what) {
  return fail(Errc::input_corrupt, std::string(table) + " row " + std::to_string(row), what);
}

Result<void> check_groups(const Run& run) {
  std::vector<std::uint32_t> seen_in(run.ranks.size(), kNone);
  std::uint64_t collectives = 0;
  for (std::uint32_t i = 0; i < run.groups.size(); ++i) {
    const Group& group = run.groups[i];
    if (group.size != (group.ranks.empty() ? run.ranks.size() : group.ranks.size()))
      return corrupt("process_group", i, "its size is not the number of its members");
    for (const std::uint32_t rank : group.ranks) {
      if (std::exchange(seen_in[rank], i) == i)
        return corrupt("process_group", i, "a rank is a member twice");
    }
    collectives += group.count;
    if (group.count > 0 && std::uint64_t{group.first} + group.count > run.collectives.size())
      return corrupt("process_group", i, "it has collectives that do not exist");
  }
  if (collectives != run.collectives.size())
    return fail(Errc::input_corrupt, "collective", "the groups do not have all of them");
  for (std::uint32_t i = 0; i < run.collectives.size(); ++i) {
    const Group& group = run.groups[run.collectives[i].group];
    if (i < group.first || i - group.first >= group.count)
      return corrupt("collective", i, "it is not among those of its group");
    if (run.collectives[i].members > group.size)
      return corrupt("collective", i, "it has more members than its group");
  }
  return {};
}

// What lets a span start has ended by then, and nothing waits for itself. `first`: the timeline's
// first span in the file.
Result<void> check_releases(const std::vector<Span>& spans, std::uint64_t first) {
  constexpr std::uint32_t kDone = kNone - 1;
  std::vector<std::uint32_t> walk(spans.size(), kNone);  // which walk came by
  for (std::uint32_t start = 0; start < spans.size(); ++start) {
    std::uint32_t at = start;
    // Only among spans of no length can a chain come back to where it was.
    while (at != kNone && walk[at] == kNone) {
      walk[at] = start;
      const std::uint32_t by = spans[at].released_by;
      if (by != kNone && spans[by].end > spans[at].start)
        return corrupt("span", first + at, "it started before the span that released it ended");
      at = by;
    }
    if (at != kNone && walk[at] == start) return corrupt("span", first + at, "it waits for itself");
    for (at = start; at != kNone && walk[at] == start; at = spans[at].released_by) walk[at] = kDone;
  }
  return {};
}

// Groups that a timeline's spans and lanes name exist at all of its ranks.
Result<void> check_group_numbers(const Run& run, const Timeline& line,
                                 const std::vector<std::uint32_t>& ranks, std::uint64_t first) {
  std::vector<std::uint32_t> issued;  // by the group's number at the rank: how many collectives
  std::size_t most = ranks.empty() ? 0 : run.ranks[ranks.front()].groups.size();
  for (const std::uint32_t rank : ranks) most = std::min(most, run.ranks[rank].groups.size());
  for (const Lane& lane : line.lanes) {
    if (lane.group != kNone && lane.group >= most)
      return fail(Errc::input_corrupt, "lane", "a lane's group does not exist at its ranks");
  }
  issued.assign(most, 0);
  for (std::size_t i = 0; i < line.spans.size(); ++i) {
    const Span& span = line.spans[i];
    if (span.group == kNone) continue;
    if (span.group >= most)
      return corrupt("span", first + i, "its group does not exist at its ranks");
    issued[span.group] = std::max(issued[span.group], span.sequence + 1);
  }
  for (const std::uint32_t rank : ranks) {
    for (std::size_t number = 0; number < most; ++number) {
      if (issued[number] > run.groups[run.ranks[rank].groups[number]].count)
        return corrupt("rank", rank, "it takes part in a collective that does not exist");
    }
  }
  return {};
}

/// What may be looked up about peers.
struct Peers {
  std::uint64_t most;            ///< looks
  std::uint64_t looks = most;    ///< left
  std::size_t least = SIZE_MAX;  ///< spans of the shortest timeline
};

// Peers' spans exist at the peers of all of the timeline's ranks.
Result<void> check_peers(const Run& run, const Timeline& line,
                         const std::vector<std::uint32_t>& ranks, std::uint64_t first,
                         Peers& peers) {
  std::unordered_map<std::uint32_t, std::size_t> least;  // by distance: spans of the peers
  for (std::size_t i = 0; i < line.spans.size(); ++i) {
    const Span& span = line.spans[i];
    if (span.peer_span == kNone || span.peer_span < peers.least) continue;
    const auto [found, added] = least.try_emplace(span.distance, SIZE_MAX);
    if (added) {
      if (peers.looks < ranks.size()) {
        return fail(Errc::limit_exceeded, "span row " + std::to_string(first + i),
                    "there are more than " + std::to_string(peers.most) +
                        " pairs of a rank and the distance of a peer");
      }
      peers.looks -= ranks.size();
      for (const std::uint32_t timeline : peer_timelines(run, ranks, span.distance))
        found->second = std::min(found->second, run.timelines[timeline].spans.size());
    }
    if (span.peer_span >= found->second)
      return corrupt("span", first + i, "its peer has no such span");
  }
  return {};
}

Result<void> check_facts(const Run& run) {
  if (run.fact("representatives").empty() || run.representatives()) return {};
  return fail(Errc::input_corrupt, "manifest",
              "its representatives are no number of ranks from 1 to all");
}

}  // namespace

Result<void> check_run(const Run& run, std::uint64_t peer_pairs) {
  if (Result<void> good = check_facts(run); !good) return good;
  if (Result<void> good = check_groups(run); !good) return good;
  const std::vector<std::vector<std::uint32_t>> ranks = ranks_by_timeline(run);
  Peers peers{peer_pairs};
  for (const Timeline& line : run.timelines) peers.least = std::min(peers.least, line.spans.size());
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < run.timelines.size(); ++i) {
    const Timeline& line = run.timelines[i];
    if (ranks[i].empty()) return corrupt("timeline", i, "no rank did this");
    if (Result<void> good = check_releases(line.spans, first); !good) return good;
    if (Result<void> good = check_group_numbers(run, line, ranks[i], first); !good) return good;
    if (Result<void> good = check_peers(run, line, ranks[i], first, peers); !good) return good;
    first += line.spans.size();
  }
  return {};
}

}  // namespace orrery::result
