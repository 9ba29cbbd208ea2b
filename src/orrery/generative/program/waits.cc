// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/program/waits.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery::generative {

Lane LaneNames::intern(std::string_view name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  const auto lane = static_cast<Lane>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(name, lane);
  return lane;
}

std::vector<Lane> LaneNames::lanes_of(const OpShape& shape) {
  std::vector<Lane> lanes;
  const auto add = [&](const std::string& name) { lanes.push_back(intern(name)); };
  const std::string kind(graph::name(shape.kind));
  if (shape.kind == graph::NodeKind::coll) {
    add("coll " + shape.group);
    add(fmt::format("coll {} {}", shape.group, static_cast<unsigned>(shape.type)));
  } else {
    add(kind);
  }
  add("op " + shape.stem);
  return lanes;
}

std::uint32_t LaneHistory::resolve(Wait wait) const {
  if (wait.lane == kAllNodes) return wait.back <= next_ ? next_ - wait.back : kNothing;
  if (wait.lane >= lanes_.size() || wait.back == 0 || wait.back > kRemembered) return kNothing;
  const Recent& recent = lanes_[wait.lane];
  if (wait.back > recent.count) return kNothing;
  return recent.nodes[(recent.count - wait.back) % kRemembered];
}

void LaneHistory::add(std::span<const Lane> lanes) {
  for (const Lane lane : lanes) {
    if (lane >= lanes_.size()) lanes_.resize(lane + 1);
    Recent& recent = lanes_[lane];
    recent.nodes[recent.count % kRemembered] = next_;
    ++recent.count;
  }
  ++next_;
}

namespace {

struct Candidate {
  Wait wait;
  std::uint64_t hits = 0;
  bool safe = true;  ///< never resolves to a node that is no dependency
};

class WaitFinder {
 public:
  explicit WaitFinder(const NodeOrder& order) : order_(order) {
    candidates_.resize(order.lanes_of_shape.size());
    core_.resize(order.lanes_of_shape.size());
  }

  std::vector<Waits> run() {
    for_each_node([&](std::uint32_t n) { collect(n); });
    for_each_node([&](std::uint32_t n) { check(n); });
    for (auto& list : candidates_) {
      std::stable_sort(list.begin(), list.end(), [](const Candidate& a, const Candidate& b) {
        return a.hits != b.hits ? a.hits > b.hits : a.wait < b.wait;
      });
    }
    for_each_node([&](std::uint32_t n) { extend_core(n); });
    std::vector<Waits> waits(order_.shapes.size());
    for_each_node([&](std::uint32_t n) { waits[n] = choose(n); });
    return waits;
  }

 private:
  template <class Visit>
  void for_each_node(const Visit& visit) {
    history_ = {};
    for (std::uint32_t n = 0; n < order_.shapes.size(); ++n) {
      visit(n);
      history_.add(order_.lanes_of_shape[order_.shapes[n]]);
    }
  }

  /// Calls `use` for each reference, within the lanes of `dep`, that resolves to it.
  template <class Use>
  void references_to(std::uint32_t dep, const Use& use) const {
    for (const Lane lane : order_.lanes_of_shape[order_.shapes[dep]]) {
      for (std::uint32_t back = 1; back <= kRemembered; ++back)
        if (history_.resolve({lane, back}) == dep) use(Wait{lane, back});
    }
  }

  [[nodiscard]] bool is_dep(std::uint32_t node, std::uint32_t dep) const {
    return std::binary_search(order_.deps[node].begin(), order_.deps[node].end(), dep);
  }

  void collect(std::uint32_t node) {
    auto& list = candidates_[order_.shapes[node]];
    for (const std::uint32_t dep : order_.deps[node]) {
      references_to(dep, [&](Wait wait) {
        auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Candidate& each) { return each.wait == wait; });
        if (found == list.end()) found = list.insert(list.end(), Candidate{wait});
        ++found->hits;
      });
    }
  }

  void check(std::uint32_t node) {
    for (Candidate& each : candidates_[order_.shapes[node]]) {
      const std::uint32_t target = history_.resolve(each.wait);
      if (target != kNothing && !is_dep(node, target)) each.safe = false;
    }
  }

  [[nodiscard]] bool covers(const Waits& waits, std::uint32_t dep) const {
    return std::any_of(waits.begin(), waits.end(),
                       [&](Wait wait) { return history_.resolve(wait) == dep; });
  }

  void extend_core(std::uint32_t node) {
    const std::uint32_t shape = order_.shapes[node];
    for (const std::uint32_t dep : order_.deps[node]) {
      if (covers(core_[shape], dep)) continue;
      for (const Candidate& each : candidates_[shape]) {
        if (!each.safe || history_.resolve(each.wait) != dep) continue;
        core_[shape].push_back(each.wait);
        break;
      }
    }
  }

  [[nodiscard]] Waits choose(std::uint32_t node) const {
    const std::uint32_t shape = order_.shapes[node];
    Waits waits = core_[shape];
    for (const std::uint32_t dep : order_.deps[node]) {
      if (covers(waits, dep)) continue;
      Wait best{kAllNodes, node - dep};
      for (const Candidate& each : candidates_[shape]) {
        if (history_.resolve(each.wait) != dep) continue;
        best = each.wait;
        break;
      }
      waits.push_back(best);
    }
    std::sort(waits.begin(), waits.end());
    return waits;
  }

  const NodeOrder& order_;
  LaneHistory history_;
  std::vector<std::vector<Candidate>> candidates_;  // by shape
  std::vector<Waits> core_;                         // by shape
};

}  // namespace

std::vector<Waits> find_waits(const NodeOrder& order) { return WaitFinder(order).run(); }

}  // namespace orrery::generative
