// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "orrery/graph/structure/scope_loops.h"

namespace orrery::graph {
namespace {

constexpr std::uint32_t kIrregularEndLayers = 2;  // layers that may differ from the others
constexpr std::uint64_t kMinimumWeightShare =
    20;  // a layer loop takes at least 1 / this of the longest one

/// A repetition and the loops in one of its periods.
struct Nested {
  const Repeat* repeat = nullptr;
  std::uint64_t weight = 0;  ///< of all periods
  std::uint32_t level = 0;   ///< 0: no nested loop takes most of its time
  WorkPasses passes;
  std::vector<Nested> inside;  ///< empty for level 0
};

bool is_loop(const Repeat& repeat) {
  return !repeat.body.empty() && (repeat.body.size() > 1 || !repeat.body[0].body.empty());
}

class LoopFinder {
 public:
  LoopFinder(const Graph& graph, const Spine& spine, bool numbered_steps)
      : graph_(graph), spine_(spine), numbered_steps_(numbered_steps) {
    std::uint64_t sum = 0;
    for (const NodeId n : spine.works) sum += static_cast<std::uint64_t>(graph.duration(n).count());
    const bool timed = sum > 0;
    weight_before_.push_back(0);
    for (const NodeId n : spine.works)
      weight_before_.push_back(weight_before_.back() +
                               (timed ? static_cast<std::uint64_t>(graph.duration(n).count()) : 1));
  }

  /// The loops in a body; adds the passes of the entire body to `passes`.
  std::vector<Nested> of(std::span<const Repeat> body, WorkPasses& passes) const {
    std::vector<Nested> made;
    for (const Repeat& repeat : body) {
      if (is_loop(repeat)) {
        made.push_back(loop(repeat));
        passes.add(made.back().passes);
      } else {
        passes.add(passes_of(graph_, spine_.works[repeat.first]));
      }
    }
    return made;
  }

  void add(const std::vector<Nested>& body, std::size_t moved, std::uint32_t steps, bool in_passes,
           Loops& made) const {
    for (const Nested& nested : body) {
      const Repeat& repeat = *nested.repeat;
      const Loop loop{repeat.first + moved,
                      static_cast<std::uint32_t>(repeat.length / repeat.times), repeat.times,
                      nested.passes};
      const bool trains = nested.passes.forward || nested.passes.backward;
      if (nested.passes.optimizer && !trains) continue;  // a loop over parameters
      const bool is_step = nested.passes.optimizer || (numbered_steps_ && is_numbered(loop));
      if (is_step) {
        steps *= repeat.times;
        made.steps = std::max(made.steps, steps);
      } else if (nested.level == 0) {
        made.layers.push_back(loop);
      } else if (!in_passes) {
        made.passes.push_back(loop);
      }
      for (std::uint32_t time = 0; time < repeat.times; ++time)
        add(nested.inside, moved + std::size_t{time} * loop.period, steps, in_passes || !is_step,
            made);
    }
  }

  [[nodiscard]] std::uint64_t weight(const Loop& loop) const {
    return weight_before_[loop.end()] - weight_before_[loop.first];
  }

 private:
  [[nodiscard]] Nested loop(const Repeat& repeat) const {
    Nested made;
    made.repeat = &repeat;
    made.weight = weight_before_[repeat.first + repeat.length] - weight_before_[repeat.first];
    made.inside = of(repeat.body, made.passes);
    std::uint64_t repeated = 0;
    std::uint32_t deepest = 0;
    for (const Nested& nested : made.inside) {
      repeated += nested.weight;
      deepest = std::max(deepest, nested.level);
    }
    if (2 * repeated * repeat.times >= made.weight && repeated > 0) {
      made.level = deepest + 1;
    } else if (is_message_at(repeat.first) ||
               is_message_at(repeat.first + repeat.length / repeat.times - 1)) {
      made.level = 1;  // passes of a stage with one layer; context parallelism does not have this
      made.inside.clear();
    } else {
      made.inside.clear();
    }
    return made;
  }

  /// Whether its periods have different step numbers.
  [[nodiscard]] bool is_numbered(const Loop& loop) const {
    const std::int32_t step = graph_.scope(spine_.works[loop.first]).step;
    const std::int32_t next = graph_.scope(spine_.works[loop.first + loop.period]).step;
    return step >= 0 && next >= 0 && step != next;
  }

  [[nodiscard]] bool is_message_at(std::size_t work) const {
    return is_message(graph_.kind(spine_.works[work]));
  }

  const Graph& graph_;
  const Spine& spine_;
  bool numbered_steps_;                       // only step numbers separate steps
  std::vector<std::uint64_t> weight_before_;  // weight of the first n works
};

/// Whether works [first, end) overlap a loop.
bool overlaps_any(const std::vector<Loop>& loops, std::size_t first, std::size_t end) {
  return std::any_of(loops.begin(), loops.end(),
                     [&](const Loop& loop) { return loop.first < end && first < loop.end(); });
}

void add_others(std::span<const Repeat> folded, std::size_t moved, Loops& made) {
  for (const Repeat& repeat : folded) {
    if (repeat.times < 2) continue;
    const std::size_t first = repeat.first + moved, end = first + repeat.length;
    const std::size_t period = repeat.length / repeat.times;
    if (!overlaps_any(made.layers, first, end) && !overlaps_any(made.passes, first, end)) {
      made.others.push_back({first, static_cast<std::uint32_t>(period), repeat.times, {}});
    } else if (std::none_of(made.passes.begin(), made.passes.end(), [&](const Loop& loop) {
                 return loop.first <= first && end <= loop.end();
               })) {
      for (std::uint32_t time = 0; time < repeat.times; ++time)
        add_others(repeat.body, moved + time * period, made);
    }
  }
}

bool is_close(std::uint32_t times, std::uint32_t most) {
  return times + kIrregularEndLayers >= most && times <= most + kIrregularEndLayers;
}

/// Splits loops that contain several consecutive passes into one loop per pass.
std::vector<Loop> split_passes(const std::vector<Loop>& loops, std::uint32_t layers) {
  std::vector<Loop> made;
  if (layers == 0) return made;  // no layers
  for (Loop loop : loops) {
    const std::size_t end = loop.end();
    const bool several = !is_close(loop.times, layers) && loop.times % layers == 0;
    if (several) loop.times = layers;
    do {
      made.push_back(loop);
      loop.first = loop.end();
    } while (loop.first < end);
  }
  return made;
}

/// Whether all forward passes have equal layer counts, and all backward passes.
bool have_equal_counts(const std::vector<Loop>& layers) {
  std::map<bool, std::uint32_t> times;  // by direction
  return std::all_of(layers.begin(), layers.end(), [&](const Loop& loop) {
    return times.try_emplace(loop.passes.backward, loop.times).first->second == loop.times;
  });
}

/// Keeps the layer loops with the layer count of most weight, and those with nearly as many layers.
void keep_layers(const LoopFinder& finder, Loops& made) {
  std::map<std::uint32_t, std::uint64_t> weights;  // by number of layers
  for (const Loop& loop : made.layers) weights[loop.times] += finder.weight(loop);
  std::uint32_t most = 0;
  for (const auto& [times, weight] : weights)
    if (most == 0 || weight > weights[most]) most = times;
  made.layers = split_passes(made.layers, most);
  std::uint64_t longest = 0;
  for (const Loop& loop : made.layers)
    if (loop.times == most) longest = std::max(longest, finder.weight(loop));
  std::uint64_t others = 0, all_layers = 0;
  std::erase_if(made.layers, [&](const Loop& loop) {
    all_layers += finder.weight(loop);
    if (is_close(loop.times, most) && finder.weight(loop) * kMinimumWeightShare >= longest)
      return false;
    others += finder.weight(loop);
    return true;
  });
  made.is_uneven = others * kMinimumWeightShare > all_layers || !have_equal_counts(made.layers);
}

/// If a named layer repeats as several equal parts, makes it one period.
void merge_layer_parts(std::uint32_t named, Loops& made) {
  if (named < 2) return;
  for (Loop& loop : made.layers) {
    if (loop.times <= named || loop.times % named != 0) continue;
    loop.period *= loop.times / named;
    loop.times = named;
  }
}

/// Whether the layers take most of the forward passes, and all passes have the same layers.
/// Repetitions in convolutional networks do not.
bool fill_forward_passes(const Graph& graph, const Spine& spine, const LoopFinder& finder,
                         const std::vector<Loop>& layers) {
  std::uint64_t forward = 0, in_layers = 0;
  for (std::size_t i = 0; i < spine.works.size(); ++i)
    if (passes_of(graph, spine.works[i]).forward) forward += finder.weight({i, 1, 1, {}});
  std::set<std::vector<std::uint32_t>> kinds;
  for (const Loop& loop : layers) {
    if (loop.passes.backward) continue;
    in_layers += finder.weight(loop);
    const auto first = spine.symbols.begin() + static_cast<std::ptrdiff_t>(loop.first);
    std::vector<std::uint32_t> kind(first, first + loop.period);
    std::sort(kind.begin(), kind.end());  // independent of where a period begins
    kinds.insert(std::move(kind));
  }
  return kinds.size() < 2 && 2 * in_layers >= forward;
}

/// Whether the loop `layers` extends beyond one period of `passes`.
bool crosses_period(const Loop& passes, const Loop& layers) {
  if (layers.first >= passes.end() || passes.first >= layers.end()) return false;
  if (layers.first < passes.first || layers.end() > passes.end()) return true;
  const auto period = [&](std::size_t work) { return (work - passes.first) / passes.period; };
  return period(layers.first) != period(layers.end() - 1);
}

/// Replaces the folded layers by the named ones.
void use_named_layers(const NamedLoops& named, Loops& made) {
  made.layers = named.loops;
  made.is_uneven = !have_equal_counts(made.layers);
  std::erase_if(made.passes, [&](const Loop& passes) {
    return std::any_of(made.layers.begin(), made.layers.end(),
                       [&](const Loop& layers) { return crosses_period(passes, layers); });
  });
}

}  // namespace

Loops find_loops(const Graph& graph, const Spine& spine, std::span<const Repeat> folded) {
  const NamedLoops named = find_named_loops(graph, spine);
  const LoopFinder finder(graph, spine, named.steps > 0 && !named.has_optimizers);
  Loops made;
  WorkPasses all;
  finder.add(finder.of(folded, all), 0, 1, false, made);
  if (named.loops.empty()) {
    keep_layers(finder, made);
    merge_layer_parts(named.layers, made);
    if (named.forwards > 0 && !fill_forward_passes(graph, spine, finder, made.layers)) {
      made.layers.clear();
      made.is_uneven = true;
    }
  } else {
    use_named_layers(named, made);
  }
  if (named.steps > 0) made.steps = named.steps;
  for (const Loop& loop : made.layers) {
    made.layer_count = std::max(made.layer_count, loop.times);
    if (!loop.passes.backward) ++made.forwards;
  }
  // Names that do not fit the repetitions belong to something else.
  const bool are_plausible = made.layer_count > 0 && (is_close(made.layer_count, named.layers) ||
                                                      named.layers % made.layer_count == 0);
  made.named_layers = are_plausible ? named.layers : 0;
  // If no loop is forward only, loops with forward and backward work are complete passes.
  if (made.forwards == 0 && std::any_of(made.layers.begin(), made.layers.end(),
                                        [](const Loop& loop) { return loop.passes.forward; })) {
    made.passes.insert(made.passes.end(), made.layers.begin(), made.layers.end());
    made.layers.clear();
    made.layer_count = 0;
    made.is_uneven = false;
  }
  if (made.layers.empty()) made.forwards = named.forwards;
  if (made.forwards > 0) made.forwards = std::max(1u, made.forwards / made.steps);
  add_others(folded, 0, made);
  return made;
}

}  // namespace orrery::graph
