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

/// A node of a simulated rank, and the number of the workload's rank on the path.
struct Place {
  std::uint32_t rank = 0;
  std::uint32_t number = 0;
  NodeId node = 0;
};

/// The arrivals at one collective.
struct CollectiveArrivals {
  std::int64_t first_end = std::numeric_limits<std::int64_t>::max();
  std::vector<std::pair<std::uint32_t, NodeId>> last;  ///< last arrivals, by simulated rank
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
      if (has_arrivals(at_)) {
        if (const auto last = last_arrival()) {
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
    return run_.times_of(rank, node);
  }

  // The last node of the slowest rank; of several, one that is not metadata, then the highest.
  [[nodiscard]] Place end() const {
    const auto rank = static_cast<std::uint32_t>(slowest(run_.shared.results));
    const graph::Graph& graph = run_.graph_of(rank);
    NodeId last = graph::kNoNode;
    const auto key = [&](NodeId node) {
      return std::pair(times(rank, node).end, graph.kind(node) != graph::NodeKind::metadata &&
                                                  graph.kind(node) != graph::NodeKind::invalid);
    };
    for (NodeId node = 0; node < graph.size(); ++node) {
      if (times(rank, node).end < 0) continue;
      if (last == graph::kNoNode || key(node) >= key(last)) last = node;
    }
    // With folding, the path consists of ranks of the workload, not of representatives.
    return {rank, run_.real(rank), last};
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

  /// Whether the arrivals at this collective are known.
  [[nodiscard]] bool has_arrivals(const Place& place) const {
    return run_.graph_of(place.rank).kind(place.node) == graph::NodeKind::coll &&
           times(place.rank, place.node).sender != kNone;
  }

  [[nodiscard]] static std::uint64_t key(std::uint32_t communicator, std::uint32_t collective) {
    return std::uint64_t{communicator} << 32 | collective;
  }

  // The last arrival at the current collective, if it was another rank.
  [[nodiscard]] std::optional<Place> last_arrival() {
    const NodeTimes& ran = times(at_.rank, at_.node);
    const std::uint32_t communicator = collectives_.known_communicator(at_.rank, at_.node);
    const std::int64_t last = run_.shared.arrivals[communicator].last(ran.sender);
    if (ran.start >= last || ran.end < last) return std::nullopt;
    if (arrivals_.empty()) find_arrivals();
    const CollectiveArrivals& arrivals = arrivals_[key(communicator, ran.sender)];
    if (arrivals.first_end < last) return std::nullopt;
    return lowest_of(arrivals);
  }

  // If ranks represent others, each group has its own last arrivals.
  [[nodiscard]] std::optional<Place> lowest_of(const CollectiveArrivals& arrivals) const {
    const graph::Graph& graph = run_.workload.graph(at_.number);
    const std::string_view name = graph.string(graph.collective(at_.node).group);
    const Communicator& group =
        run_.communicators[run_.policy.means_all(name) ? 0
                                                       : run_.communicators.find(name, at_.number)];
    std::optional<Place> lowest;
    for (std::uint32_t member = 0; member < group.members; ++member) {
      const std::uint32_t number = group.rank_at(member);
      if (lowest && lowest->number < number) continue;
      const std::uint32_t rank = run_.folded_workload.rank_for(number);
      const auto found =
          std::lower_bound(arrivals.last.begin(), arrivals.last.end(), std::pair{rank, NodeId{0}});
      if (found != arrivals.last.end() && found->first == rank)
        lowest = Place{rank, number, found->second};
    }
    return lowest;
  }

  void find_arrivals() {
    for (std::uint32_t rank = 0; rank < run_.shared.states.size(); ++rank) {
      for (NodeId node = 0; node < run_.graph_of(rank).size(); ++node) {
        if (!has_arrivals({rank, 0, node})) continue;
        const NodeTimes& ran = times(rank, node);
        if (ran.end < 0) continue;
        const std::uint32_t communicator = collectives_.known_communicator(rank, node);
        CollectiveArrivals& arrivals = arrivals_[key(communicator, ran.sender)];
        arrivals.first_end = std::min(arrivals.first_end, ran.end);
        if (ran.start == run_.shared.arrivals[communicator].last(ran.sender))
          arrivals.last.emplace_back(rank, node);
      }
    }
  }

  EngineRun& run_;
  Nodes& nodes_;
  CollectiveRunner& collectives_;
  const MessageState& messages_;
  Place at_;
  std::vector<bool> settled_;                                       // by simulated rank
  std::unordered_map<std::uint64_t, CollectiveArrivals> arrivals_;  // empty: not requested yet
};

}  // namespace

std::vector<CriticalPathNode> critical_path(EngineRun& run, Nodes& nodes,
                                            CollectiveRunner& collectives,
                                            const MessageState& messages) {
  return PathWalk(run, nodes, collectives, messages).walk();
}

}  // namespace orrery::sim
