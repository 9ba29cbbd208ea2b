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

// Whether ranks at the same places in two groups have the same timelines.
bool shares_collectives(const Run& run, const Group& owner, const Group& group) {
  return group.stored == owner.stored && group.count == owner.count && !group.ranks.empty() &&
         std::equal(group.ranks.begin(), group.ranks.end(), owner.ranks.begin(), owner.ranks.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      return run.ranks[a].timeline == run.ranks[b].timeline;
                    });
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
        return corrupt("process_group", i, "lists a rank twice");
    }
    if (group.first != collectives)
      return corrupt("process_group", i, "first_collective is not the sum of those before");
    collectives += group.count;
    if (group.count > 0 && std::uint64_t{group.stored} + group.count > run.collectives.size())
      return corrupt("process_group", i, "it lists collectives that do not exist");
  }
  if (collectives >= kNone)
    return fail(Errc::input_corrupt, "process_group", "there are too many collectives");
  std::uint64_t stored = 0;
  for (std::uint32_t i = 0; i < run.groups.size(); ++i) {
    const Group& group = run.groups[i];
    if (group.count == 0) continue;
    const std::uint32_t owner = run.collectives[group.stored].group;
    if (owner != i) {
      if (owner > i || !shares_collectives(run, run.groups[owner], group))
        return corrupt("process_group", i, "it cannot share the collectives of another group");
      continue;
    }
    if (group.stored != stored)
      return corrupt("process_group", i, "stored_collective is not the sum of those before");
    stored += group.count;
    for (std::uint32_t c = group.stored; c < stored; ++c) {
      if (run.collectives[c].group != i)
        return corrupt("collective", c, "it is not one of the collectives of its group");
      if (run.collectives[c].members > group.size)
        return corrupt("collective", c, "it has more members than its group");
    }
  }
  if (stored != run.collectives.size())
    return fail(Errc::input_corrupt, "collective", "some collectives belong to no group");
  return {};
}

// Checks that each span starts after the end of the span that released it, and that no span waits
// for itself. `first`: the row of the timeline's first span.
Result<void> check_releases(const std::vector<Span>& spans, std::uint64_t first) {
  constexpr std::uint32_t kDone = kNone - 1;
  // By span: start of the walk that visited it.
  std::vector<std::uint32_t> walk(spans.size(), kNone);
  for (std::uint32_t start = 0; start < spans.size(); ++start) {
    std::uint32_t at = start;
    // A cycle is possible only among spans of zero duration.
    while (at != kNone && walk[at] == kNone) {
      walk[at] = start;
      const std::uint32_t by = spans[at].released_by;
      if (by != kNone && spans[by].end > spans[at].start)
        return corrupt("span", first + at, "it starts before the end of the span that released it");
      at = by;
    }
    if (at != kNone && walk[at] == start) return corrupt("span", first + at, "it waits for itself");
    for (at = start; at != kNone && walk[at] == start; at = spans[at].released_by) walk[at] = kDone;
  }
  return {};
}

// Checks that the groups of a timeline's spans and lanes exist at all of its ranks.
Result<void> check_group_numbers(const Run& run, const Timeline& line,
                                 const std::vector<std::uint32_t>& ranks, std::uint64_t first) {
  std::vector<std::uint32_t> issued;  // by group number at the rank: number of collectives
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

/// The budget for looking up peers.
struct PeerBudget {
  std::uint64_t limit;              ///< all lookups
  std::uint64_t remaining = limit;  ///< remaining lookups
  std::size_t shortest = SIZE_MAX;  ///< number of spans in the shortest timeline
};

// Checks that peer spans exist at the peers of all ranks of the timeline.
Result<void> check_peers(const Run& run, const Timeline& line,
                         const std::vector<std::uint32_t>& ranks, std::uint64_t first,
                         PeerBudget& peers) {
  // By distance: spans in the shortest timeline of the peers.
  std::unordered_map<std::uint32_t, std::size_t> least;
  for (std::size_t i = 0; i < line.spans.size(); ++i) {
    const Span& span = line.spans[i];
    if (span.peer_span == kNone || span.peer_span < peers.shortest) continue;
    const auto [found, added] = least.try_emplace(span.distance, SIZE_MAX);
    if (added) {
      if (peers.remaining < ranks.size()) {
        return fail(Errc::limit_exceeded, "span row " + std::to_string(first + i),
                    "has more than " + std::to_string(peers.limit) +
                        " pairs of a rank and a distance to a peer");
      }
      peers.remaining -= ranks.size();
      for (const std::uint32_t timeline : peer_timelines(run, ranks, span.distance))
        found->second = std::min(found->second, run.timelines[timeline].spans.size());
    }
    if (span.peer_span >= found->second)
      return corrupt("span", first + i, "its peer has no such span");
  }
  return {};
}

Result<void> check_manifest(const Run& run) {
  if (run.fact("representatives").empty() || run.representatives()) return {};
  return fail(Errc::input_corrupt, "manifest",
              "representatives must be a number from 1 to the number of ranks");
}

}  // namespace

Result<void> check_run(const Run& run, std::uint64_t peer_pairs) {
  if (Result<void> valid = check_manifest(run); !valid) return valid;
  if (Result<void> valid = check_groups(run); !valid) return valid;
  const std::vector<std::vector<std::uint32_t>> ranks = ranks_by_timeline(run);
  PeerBudget peers{peer_pairs};
  for (const Timeline& line : run.timelines)
    peers.shortest = std::min(peers.shortest, line.spans.size());
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < run.timelines.size(); ++i) {
    const Timeline& line = run.timelines[i];
    if (ranks[i].empty()) return corrupt("timeline", i, "belongs to no rank");
    if (Result<void> valid = check_releases(line.spans, first); !valid) return valid;
    if (Result<void> valid = check_group_numbers(run, line, ranks[i], first); !valid) return valid;
    if (Result<void> valid = check_peers(run, line, ranks[i], first, peers); !valid) return valid;
    first += line.spans.size();
  }
  return {};
}

}  // namespace orrery::result
