// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/cycles.h"

#include <algorithm>

namespace orrery::graph {
namespace {

constexpr std::uint64_t kSearchBudget = 1u
                                        << 24;  // edges visited in the search for a shorter cycle

/// Repeatedly removes nodes without remaining predecessors.
void remove_sources(const AdjacencyList& forward, const AdjacencyList& backward,
                    std::vector<bool>& removed) {
  std::vector<std::uint32_t> waiting(forward.size(), 0);
  std::vector<NodeId> ready;
  for (NodeId n = 0; n < forward.size(); ++n) {
    if (removed[n]) continue;
    for (const NodeId p : backward.of(n)) waiting[n] += removed[p] ? 0 : 1;
    if (waiting[n] == 0) ready.push_back(n);
  }
  while (!ready.empty()) {
    const NodeId n = ready.back();
    ready.pop_back();
    removed[n] = true;
    for (const NodeId s : forward.of(n)) {
      if (!removed[s] && --waiting[s] == 0) ready.push_back(s);
    }
  }
}

/// Follows predecessors inside the core until a node repeats, which always happens. The result is a
/// cycle.
std::vector<NodeId> find_cycle(const AdjacencyList& predecessors, std::span<const NodeId> core,
                               const std::vector<bool>& inside) {
  std::vector<NodeId> path;
  std::vector<NodeId> seen_at(predecessors.size(), kNoNode);
  NodeId n = core.front();
  while (seen_at[n] == kNoNode) {
    seen_at[n] = static_cast<NodeId>(path.size());
    path.push_back(n);
    for (const NodeId p : predecessors.of(n)) {
      if (inside[p]) {
        n = p;
        break;
      }
    }
  }
  path.erase(path.begin(), path.begin() + seen_at[n]);
  std::reverse(path.begin(), path.end());
  return path;
}

/// Breadth-first search for the shortest path from a node back to itself.
class CycleSearch {
 public:
  CycleSearch(const AdjacencyList& successors, const std::vector<bool>& inside)
      : successors_(successors),
        inside_(inside),
        round_(successors.size(), 0),
        from_(successors.size(), kNoNode) {}

  [[nodiscard]] bool is_exhausted() const { return budget_ == 0; }

  /// The shortest cycle through `start` with fewer than `limit` nodes, or nothing.
  std::vector<NodeId> shortest_through(NodeId start, std::size_t limit) {
    ++current_;
    std::vector<NodeId> level{start};
    std::vector<NodeId> next;
    for (std::size_t length = 1; length < limit && !level.empty(); ++length) {
      next.clear();
      for (const NodeId n : level) {
        for (const NodeId s : successors_.of(n)) {
          if (budget_ == 0) return {};
          --budget_;
          if (s == start) return path_to(n, start);
          if (!inside_[s] || round_[s] == current_) continue;
          round_[s] = current_;
          from_[s] = n;
          next.push_back(s);
        }
      }
      std::swap(level, next);
    }
    return {};
  }

 private:
  [[nodiscard]] std::vector<NodeId> path_to(NodeId n, NodeId start) const {
    std::vector<NodeId> path{n};
    while (path.back() != start) path.push_back(from_[path.back()]);
    std::reverse(path.begin(), path.end());
    return path;
  }

  const AdjacencyList& successors_;
  const std::vector<bool>& inside_;
  std::vector<std::uint32_t> round_;
  std::vector<NodeId> from_;
  std::uint32_t current_ = 0;
  std::uint64_t budget_ = kSearchBudget;
};

std::vector<bool> marks_of(NodeId size, std::span<const NodeId> core) {
  std::vector<bool> inside(size, false);
  for (const NodeId n : core) inside[n] = true;
  return inside;
}

}  // namespace

std::vector<NodeId> cyclic_core(const AdjacencyList& successors,
                                const AdjacencyList& predecessors) {
  std::vector<bool> removed(successors.size(), false);
  remove_sources(successors, predecessors, removed);
  remove_sources(predecessors, successors, removed);
  std::vector<NodeId> core;
  for (NodeId n = 0; n < successors.size(); ++n) {
    if (!removed[n]) core.push_back(n);
  }
  return core;
}

std::vector<NodeId> short_cycle(const AdjacencyList& successors, const AdjacencyList& predecessors,
                                std::span<const NodeId> core) {
  if (core.empty()) return {};
  const std::vector<bool> inside = marks_of(successors.size(), core);
  std::vector<NodeId> best = find_cycle(predecessors, core, inside);
  CycleSearch search(successors, inside);
  for (const NodeId start : core) {
    if (best.size() <= 2 || search.is_exhausted()) break;
    std::vector<NodeId> found = search.shortest_through(start, best.size());
    if (!found.empty()) best = std::move(found);
  }
  std::rotate(best.begin(), std::min_element(best.begin(), best.end()), best.end());
  return best;
}

std::vector<std::pair<NodeId, NodeId>> closing_edges(const AdjacencyList& successors,
                                                     std::span<const NodeId> core) {
  enum class Mark : std::uint8_t { outside, fresh, open, done };
  std::vector<Mark> marks(successors.size(), Mark::outside);
  for (const NodeId n : core) marks[n] = Mark::fresh;
  struct Step {
    NodeId node;
    std::uint32_t next;
  };
  std::vector<std::pair<NodeId, NodeId>> closing;
  std::vector<Step> walk;
  for (const NodeId root : core) {
    if (marks[root] != Mark::fresh) continue;
    marks[root] = Mark::open;
    walk.push_back({root, 0});
    while (!walk.empty()) {
      Step& top = walk.back();
      const auto edges = successors.of(top.node);
      if (top.next == edges.size()) {
        marks[top.node] = Mark::done;
        walk.pop_back();
        continue;
      }
      const NodeId to = edges[top.next++];
      if (marks[to] == Mark::open) {
        closing.emplace_back(top.node, to);
      } else if (marks[to] == Mark::fresh) {
        marks[to] = Mark::open;
        walk.push_back({to, 0});
      }
    }
  }
  return closing;
}

}  // namespace orrery::graph
