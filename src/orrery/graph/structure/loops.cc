// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/loops.h"

#include <algorithm>
#include <map>
#include <set>

#include "orrery/graph/structure/scope_loops.h"

namespace orrery::graph {
namespace {

constexpr std::uint32_t kEnds = 2;       // layers that may differ from the others
constexpr std::uint64_t kWorthOne = 20;  // a layer loop takes at least this part of the longest

/// A repetition, and what stands in one of its periods.
struct Nested {
  const Repeat* repeat = nullptr;
  std::uint64_t weight = 0;  ///< of all periods
  std::uint32_t level = 0;   ///< 0: nothing that repeats takes most of it
  WorkPasses passes;
  std::vector<Nested> inside;  ///< of level 0: none
};

bool is_loop(const Repeat& repeat) {
  return !repeat.body.empty() && (repeat.body.size() > 1 || !repeat.body[0].body.empty());
}

class Finder {
 public:
  Finder(const Graph& graph, const Spine& spine, bool numbered_steps)
      : graph_(graph), spine_(spine), numbered_steps_(numbered_steps) {
    std::uint64_t sum = 0;
    for (const NodeId n : spine.works) sum += static_cast<std::uint64_t>(graph.duration(n).count());
    const bool timed = sum > 0;
    weight_before_.push_back(0);
    for (const NodeId n : spine.works)
      weight_before_.push_back(weight_before_.back() +
                               (timed ? static_cast<std::uint64_t>(graph.duration(n).count()) : 1));
  }

  /// Those of a body that are loops; `passes` gets what is in the whole body.
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
      if (nested.passes.optimizer && !trains) continue;  // one parameter after another
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
    } else if (is_message(repeat.first) ||
               is_message(repeat.first + repeat.length / repeat.times - 1)) {
      made.level = 1;  // a pass of a stage that has one layer; of context parallelism none
      made.inside.clear();
    } else {
      made.inside.clear();
    }
    return made;
  }

  /// Its periods are of different steps.
  [[nodiscard]] bool is_numbered(const Loop& loop) const {
    const std::int32_t step = graph_.scope(spine_.works[loop.first]).step;
    const std::int32_t next = graph_.scope(spine_.works[loop.first + loop.period]).step;
    return step >= 0 && next >= 0 && step != next;
  }

  [[nodiscard]] bool is_message(std::size_t work) const {
    const NodeKind kind = graph_.kind(spine_.works[work]);
    return kind == NodeKind::send || kind == NodeKind::recv;
  }

  const Graph& graph_;
  const Spine& spine_;
  bool numbered_steps_;                       // nothing else tells steps apart
  std::vector<std::uint64_t> weight_before_;  // of so many works
};

/// Whether works [first, end) are some of a loop's, or all.
bool meets(const std::vector<Loop>& loops, std::size_t first, std::size_t end) {
  return std::any_of(loops.begin(), loops.end(),
                     [&](const Loop& loop) { return loop.first < end && first < loop.end(); });
}

void add_others(std::span<const Repeat> folded, std::size_t moved, Loops& made) {
  for (const Repeat& repeat : folded) {
    if (repeat.times < 2) continue;
    const std::size_t first = repeat.first + moved, end = first + repeat.length;
    const std::size_t period = repeat.length / repeat.times;
    if (!meets(made.layers, first, end) && !meets(made.passes, first, end)) {
      made.others.push_back({first, static_cast<std::uint32_t>(period), repeat.times, {}});
    } else if (std::none_of(made.passes.begin(), made.passes.end(), [&](const Loop& loop) {
                 return loop.first <= first && end <= loop.end();
               })) {
      for (std::uint32_t time = 0; time < repeat.times; ++time)
        add_others(repeat.body, moved + time * period, made);
    }
  }
}

bool near(std::uint32_t times, std::uint32_t most) {
  return times + kEnds >= most && times <= most + kEnds;
}

/// Passes that follow each other with nothing in between, each as a loop of its own.
std::vector<Loop> apart(const std::vector<Loop>& loops, std::uint32_t layers) {
  std::vector<Loop> made;
  if (layers == 0) return made;  // there are none
  for (Loop loop : loops) {
    const std::size_t end = loop.end();
    const bool several = !near(loop.times, layers) && loop.times % layers == 0;
    if (several) loop.times = layers;
    do {
      made.push_back(loop);
      loop.first = loop.end();
    } while (loop.first < end);
  }
  return made;
}

/// All passes forward are as long as each other, and all passes backward.
bool equivalent(const std::vector<Loop>& layers) {
  std::map<bool, std::uint32_t> times;  // by direction
  return std::all_of(layers.begin(), layers.end(), [&](const Loop& loop) {
    return times.try_emplace(loop.passes.backward, loop.times).first->second == loop.times;
  });
}

/// Layers of those that fold: of how many most are, and others with nearly as many.
void keep_layers(const Finder& finder, Loops& made) {
  std::map<std::uint32_t, std::uint64_t> weights;  // by how many layers
  for (const Loop& loop : made.layers) weights[loop.times] += finder.weight(loop);
  std::uint32_t most = 0;
  for (const auto& [times, weight] : weights)
    if (most == 0 || weight > weights[most]) most = times;
  made.layers = apart(made.layers, most);
  std::uint64_t longest = 0;
  for (const Loop& loop : made.layers)
    if (loop.times == most) longest = std::max(longest, finder.weight(loop));
  std::uint64_t others = 0, all_layers = 0;
  std::erase_if(made.layers, [&](const Loop& loop) {
    all_layers += finder.weight(loop);
    if (near(loop.times, most) && finder.weight(loop) * kWorthOne >= longest) return false;
    others += finder.weight(loop);
    return true;
  });
  made.uneven = others * kWorthOne > all_layers || !equivalent(made.layers);
}

/// Where layers are named, and repeat as several parts that are alike each.
void join_parts(std::uint32_t named, Loops& made) {
  if (named < 2) return;
  for (Loop& loop : made.layers) {
    if (loop.times <= named || loop.times % named != 0) continue;
    loop.period *= loop.times / named;
    loop.times = named;
  }
}

/// Layers of a model whose phases are known take most of its passes forward, and each pass has the
/// same: what repeats in convolutional networks does not.
bool fill_a_pass(const Graph& graph, const Spine& spine, const Finder& finder,
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
    std::sort(kind.begin(), kind.end());  // wherever a period begins
    kinds.insert(std::move(kind));
  }
  return kinds.size() < 2 && 2 * in_layers >= forward;
}

/// Whether some of a loop's layers are in one of these periods, and some in another or in none.
bool cuts(const Loop& passes, const Loop& layers) {
  if (layers.first >= passes.end() || passes.first >= layers.end()) return false;
  if (layers.first < passes.first || layers.end() > passes.end()) return true;
  const auto period = [&](std::size_t work) { return (work - passes.first) / passes.period; };
  return period(layers.first) != period(layers.end() - 1);
}

/// Those that are named, in place of those that fold.
void take_named(const NamedLoops& said, Loops& made) {
  made.layers = said.loops;
  made.uneven = !equivalent(made.layers);
  std::erase_if(made.passes, [&](const Loop& passes) {
    return std::any_of(made.layers.begin(), made.layers.end(),
                       [&](const Loop& layers) { return cuts(passes, layers); });
  });
}

}  // namespace

Loops find_loops(const Graph& graph, const Spine& spine, std::span<const Repeat> folded) {
  const NamedLoops said = find_named_loops(graph, spine);
  const Finder finder(graph, spine, said.steps > 0 && !said.has_optimizers);
  Loops made;
  WorkPasses all;
  finder.add(finder.of(folded, all), 0, 1, false, made);
  if (said.loops.empty()) {
    keep_layers(finder, made);
    join_parts(said.layers, made);
    if (said.forwards > 0 && !fill_a_pass(graph, spine, finder, made.layers)) {
      made.layers.clear();
      made.uneven = true;
    }
  } else {
    take_named(said, made);
  }
  if (said.steps > 0) made.steps = said.steps;
  for (const Loop& loop : made.layers) {
    made.layer_count = std::max(made.layer_count, loop.times);
    if (!loop.passes.backward) ++made.forwards;
  }
  // Names that nothing bears out are of other things
  const bool borne_out = made.layer_count > 0 && (near(made.layer_count, said.layers) ||
                                                  said.layers % made.layer_count == 0);
  made.named_layers = borne_out ? said.layers : 0;
  // What goes forward and backward, where nothing goes forward alone, are whole passes.
  if (made.forwards == 0 && std::any_of(made.layers.begin(), made.layers.end(),
                                        [](const Loop& loop) { return loop.passes.forward; })) {
    made.passes.insert(made.passes.end(), made.layers.begin(), made.layers.end());
    made.layers.clear();
    made.layer_count = 0;
    made.uneven = false;
  }
  if (made.layers.empty()) made.forwards = said.forwards;
  if (made.forwards > 0) made.forwards = std::max(1u, made.forwards / made.steps);
  add_others(folded, 0, made);
  return made;
}

}  // namespace orrery::graph
