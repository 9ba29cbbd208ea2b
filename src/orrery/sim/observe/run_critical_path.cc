// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/run_critical_path.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace orrery::sim {

using graph::NodeId;

namespace {

/// A node of a rank that is simulated, and the rank of the workload that it is run as.
struct Place {
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  NodeId node = 0;
};

/// Who came when to one collective.
struct Meeting {
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::vector<std::pair<std::uint32_t, NodeId>> last;  ///< who came last, by simulated rank
};

class PathWalk {
 public:
  PathWalk(EngineRun& run, Nodes& nodes, CollectiveRunner& collectives,
           const MessageState& messages)
      : run_(run),
        nodes_(nodes),
        collectives_(collectives),
        messages_(messages),
        settled_(run.shared.states.size()) {}

  std::vector<CriticalPathNode> walk() {
    std::vector<CriticalPathNode> links;
    at_ = end();
    while (at_.node != graph::kNoNode && links.size() < run_.shared.times.size()) {
      const NodeTimes& ran = times(at_.rank, at_.node);
      links.push_back({at_.number, at_.node, Time(ran.start), Time(ran.end)});
      if (joined(at_)) {
        if (const auto last = last_comer()) {
          links.back().start = Time(times(last->rank, last->node).start);
          at_ = *last;
        }
        at_.node = released_by(at_);
      } else if (ran.sender != kNone) {
        links.back().start = links.back().end;
        go_to_sender(ran.sender);
      } else {
        at_.node = released_by(at_);
      }
    }
    std::reverse(links.begin(), links.end());
    return links;
  }

 private:
  [[nodiscard]] const NodeTimes& times(std::uint32_t rank, NodeId node) const {
    return run_.shared.times[run_.shared.first_times[rank] + node];
  }

  // The slowest rank's node that ended last: of several one that is not metadata, then the latest.
  [[nodiscard]] Place end() const {
    const auto& results = run_.shared.results;
    std::uint32_t slowest = 0;
    for (std::uint32_t rank = 1; rank < results.size(); ++rank) {
      if (results[rank].finish.value_or(Time{}) > results[slowest].finish.value_or(Time{}))
        slowest = rank;
    }
    const graph::Graph& graph = run_.graph_of(slowest);
    NodeId last = graph::kNoNode;
    const auto key = [&](NodeId node) {
      return std::pair(times(slowest, node).end, graph.kind(node) != graph::NodeKind::metadata &&
                                                     graph.kind(node) != graph::NodeKind::invalid);
    };
    for (NodeId node = 0; node < graph.size(); ++node) {
      if (times(slowest, node).end < 0) continue;
      if (last == graph::kNoNode || key(node) >= key(last)) last = node;
    }
    // With folding the path goes through the ranks themselves, whoever was simulated for them.
    return {slowest, run_.real(slowest), last};
  }

  [[nodiscard]] NodeId released_by(const Place& place) {
    if (!run_.policy.first_come && !settled_[place.rank]) {
      nodes_.settle_releases(place.rank);
      settled_[place.rank] = true;
    }
    return times(place.rank, place.node).released_by;
  }

  void go_to_sender(std::uint32_t sender) {
    at_.number = static_cast<std::uint32_t>(
        run_.workload.graph(at_.number).message(at_.node, at_.number).src);
    const std::size_t before = messages_.first_senders.empty()
                                   ? 0
                                   : messages_.first_senders[run_.shared.parts.part_of[at_.rank]];
    std::tie(at_.rank, at_.node) = messages_.senders[before + sender];
  }

  /// A collective of which it is known when its members came.
  [[nodiscard]] bool joined(const Place& place) const {
    return run_.graph_of(place.rank).kind(place.node) == graph::NodeKind::coll &&
           times(place.rank, place.node).sender != kNone;
  }

  [[nodiscard]] static std::uint64_t key(std::uint32_t communicator, std::uint32_t collective) {
    return std::uint64_t{communicator} << 32 | collective;
  }

  // Who came last to the collective here, if that was another.
  [[nodiscard]] std::optional<Place> last_comer() {
    const NodeTimes& ran = times(at_.rank, at_.node);
    const std::uint32_t communicator = collectives_.known_communicator(at_.rank, at_.node);
    const std::int64_t last = run_.shared.arrivals[communicator].last(ran.sender);
    if (ran.start >= last || ran.end < last) return std::nullopt;
    if (meetings_.empty()) find_meetings();
    const Meeting& meeting = meetings_[key(communicator, ran.sender)];
    if (meeting.first_end < last) return std::nullopt;
    return lowest_of(meeting);
  }

  // When ranks stand for others, each group has last comers of its own.
  [[nodiscard]] std::optional<Place> lowest_of(const Meeting& meeting) const {
    const graph::Graph& graph = run_.workload.graph(at_.number);
    const std::string_view name = graph.string(graph.collective(at_.node).group);
    const Communicator& group =
        run_.communicators[run_.policy.means_all(name) ? 0
                                                       : run_.communicators.find(name, at_.number)];
    std::optional<Place> lowest;
    for (std::uint32_t member = 0; member < group.members; ++member) {
      const std::uint32_t number = group.ranks.empty() ? member : group.ranks[member];
      if (lowest && lowest->number < number) continue;
      const std::uint32_t rank = run_.folded_workload.rank_for(number);
      const auto found =
          std::lower_bound(meeting.last.begin(), meeting.last.end(), std::pair{rank, NodeId{0}});
      if (found != meeting.last.end() && found->first == rank)
        lowest = Place{rank, number, found->second};
    }
    return lowest;
  }

  void find_meetings() {
    for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
      for (NodeId node = 0; node < run_.graph_of(rank).size(); ++node) {
        if (!joined({rank, 0, node})) continue;
        const NodeTimes& ran = times(rank, node);
        if (ran.end < 0) continue;
        const std::uint32_t communicator = collectives_.known_communicator(rank, node);
        Meeting& meeting = meetings_[key(communicator, ran.sender)];
        meeting.first_end = std::min(meeting.first_end, ran.end);
        if (ran.start == run_.shared.arrivals[communicator].last(ran.sender))
          meeting.last.emplace_back(rank, node);
      }
    }
  }

  EngineRun& run_;
  Nodes& nodes_;
  CollectiveRunner& collectives_;
  const MessageState& messages_;
  Place at_;
  std::vector<bool> settled_;                            // by simulated rank
  std::unordered_map<std::uint64_t, Meeting> meetings_;  // empty: nobody has asked yet
};

}  // namespace

std::vector<CriticalPathNode> critical_path(EngineRun& run, Nodes& nodes,
                                            CollectiveRunner& collectives,
                                            const MessageState& messages) {
  return PathWalk(run, nodes, collectives, messages).walk();
}

}  // namespace orrery::sim
