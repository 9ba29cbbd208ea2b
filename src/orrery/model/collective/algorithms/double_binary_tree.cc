// SPDX-License-Identifier: Apache-2.0
//
// Sums go up a binary tree, the result comes down. Chunks alternate between two trees
// (tree_place.h).
#include <algorithm>
#include <bit>

#include "orrery/model/collective/algorithms/collective_algorithm.h"
#include "orrery/model/collective/algorithms/message_times.h"
#include "orrery/model/collective/algorithms/tree_place.h"

namespace orrery::model::algorithms {

namespace {

/// One double binary tree: sums go up, the result comes down.
class TreeEnds {
 public:
  TreeEnds(const PhaseSpec& spec, std::span<const std::int64_t> begins,
           std::span<std::int64_t> ends, const MessageTimes& times)
      : spec_(spec),
        begins_(begins),
        ends_(ends),
        times_(times),
        summed_(later(spec.endpoint, spec.step.front().reduce)) {}

  void run() {
    const auto n = static_cast<std::uint32_t>(begins_.size());
    const std::uint32_t root = spec_.request.min_tree ? 0 : n - 1;
    go_up(root);
    go_down(root);
  }

 private:
  [[nodiscard]] TreePlace place(std::uint32_t position) const {
    return tree_place(position, static_cast<std::uint32_t>(begins_.size()),
                      !spec_.request.min_tree);
  }

  // Sets ends_[position]: the time at which it has received from all below and sends up (unless it
  // is the root).
  void go_up(std::uint32_t position) {
    const TreePlace here = place(position);
    const std::int64_t begin = begins_[position];
    std::int64_t ready = here.is_leaf() ? later(begin, spec_.endpoint) : 0;
    for (const std::uint32_t child : {here.left, here.right}) {
      if (child == TreePlace::kNone) continue;
      go_up(child);
      const std::int64_t arrival = later(ends_[child], times_(child, position, 0));
      ready = std::max(ready, later(std::max(arrival, begin), summed_));
    }
    ends_[position] = ready;
  }

  // Sets ends_[position]: the time at which it has the result and sends it down.
  void go_down(std::uint32_t position) {
    const TreePlace here = place(position);
    for (const std::uint32_t child : {here.left, here.right}) {
      if (child == TreePlace::kNone) continue;
      const std::int64_t arrival = later(ends_[position], times_(position, child, 0));
      const bool leaf = place(child).is_leaf();
      ends_[child] = later(std::max(arrival, ends_[child]), leaf ? spec_.endpoint : summed_);
      go_down(child);
    }
  }

  const PhaseSpec& spec_;
  std::span<const std::int64_t> begins_;
  std::span<std::int64_t> ends_;
  const MessageTimes& times_;
  std::int64_t summed_;
};

class DoubleBinaryTree final : public CollectiveAlgorithm {
 public:
  constexpr DoubleBinaryTree() : CollectiveAlgorithm(Peers::tree, false) {}

  void fill(PhaseSpec& spec, const MessageSizes& sizes) const override {
    spec.step = {sizes.step(spec.request.data)};
  }

  [[nodiscard]] std::int32_t messages(const PhaseSpec& spec,
                                      std::uint32_t position) const override {
    const TreePlace place = tree_place(position, spec.request.ring.size, !spec.request.min_tree);
    const auto there = [](std::uint32_t one) { return one != TreePlace::kNone ? 1 : 0; };
    return there(place.parent) + there(place.left) + there(place.right);
  }

  [[nodiscard]] bool has_closed_form(const PhaseSpec& spec) const override {
    return std::has_single_bit(spec.request.ring.size);
  }
  void phase_ends(const PhaseSpec& spec, std::span<const std::int64_t> begins,
                  std::span<std::int64_t> ends, const MessageTimes& times) const override {
    TreeEnds(spec, begins, ends, times).run();
  }
};

}  // namespace

const CollectiveAlgorithm& double_binary_tree() {
  static constexpr DoubleBinaryTree made;
  return made;
}

}  // namespace orrery::model::algorithms
