// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/workload/rank_structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "orrery/graph/structure/loop_periods.h"
#include "orrery/graph/structure/loops.h"
#include "orrery/graph/structure/repeat_folding.h"
#include "orrery/graph/structure/spine.h"

namespace orrery::analysis {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Repeat;

/// Describes folded operations as blocks.
class Describer {
 public:
  Describer(const Graph& graph, std::span<const NodeId> operations,
            std::span<const graph::Loop> layers)
      : graph_(graph), operations_(operations), layers_(layers) {}

  std::vector<Block> of(std::span<const Repeat> folded, graph::WorkPasses& content) const {
    std::vector<Block> made;
    for (const Repeat& repeat : folded) {
      if (repeat.body.empty() || is_one_work(repeat)) {
        add_works(repeat, made, content);
      } else {
        made.push_back(repeated(repeat, content));
      }
    }
    return made;
  }

 private:
  /// A repeated single operation is not a block: it counts as part of a sequence.
  static bool is_one_work(const Repeat& repeat) {
    return repeat.body.size() == 1 && repeat.body[0].body.empty();
  }

  void add_works(const Repeat& repeat, std::vector<Block>& made, graph::WorkPasses& content) const {
    const NodeId n = operations_[repeat.first];
    if (made.empty() || made.back().role != BlockRole::sequence) {
      made.emplace_back();
      made.back().begins = graph_.name(n);
    }
    Block& block = made.back();
    block.operations += static_cast<std::uint32_t>(repeat.length);
    for (std::size_t i = 0; i < repeat.length; ++i)
      block.time += graph_.duration(operations_[repeat.first + i]);
    block.ends = graph_.name(operations_[repeat.first + repeat.length - 1]);
    content.add(graph::passes_of(graph_, n));
  }

  [[nodiscard]] Block repeated(const Repeat& repeat, graph::WorkPasses& outer) const {
    Block block;
    graph::WorkPasses content;
    block.parts = of(repeat.body, content);
    block.times = repeat.times;
    block.begins = graph_.name(operations_[repeat.first]);
    block.operations = static_cast<std::uint32_t>(repeat.length / repeat.times);
    block.ends = graph_.name(operations_[repeat.first + block.operations - 1]);
    for (std::size_t i = 0; i < repeat.length; ++i)
      block.time += graph_.duration(operations_[repeat.first + i]);
    block.role = content.optimizer && (content.forward || content.backward) ? BlockRole::step
                 : content.forward && content.backward                      ? BlockRole::microbatch
                 : !is_layers(repeat)                                       ? BlockRole::repetition
                 : content.forward                                          ? BlockRole::forward
                 : content.backward                                         ? BlockRole::backward
                                                                            : BlockRole::repetition;
    outer.add(content);
    return block;
  }

  /// Whether the repetition contains layers or repeats them; false for a part of a layer.
  [[nodiscard]] bool is_layers(const Repeat& repeat) const {
    const std::size_t end = repeat.first + repeat.length, period = repeat.length / repeat.times;
    return std::any_of(layers_.begin(), layers_.end(), [&](const graph::Loop& loop) {
      return loop.first < end && repeat.first < loop.end() && period >= loop.period;
    });
  }

  const Graph& graph_;
  std::span<const NodeId> operations_;
  std::span<const graph::Loop> layers_;
};

StepPhase phase_of(const Graph& graph, NodeId n) {
  const graph::WorkPasses passes = graph::passes_of(graph, n);
  return passes.optimizer  ? StepPhase::optimizer
         : passes.backward ? StepPhase::backward
         : passes.forward  ? StepPhase::forward
                           : StepPhase::unsaid;
}

}  // namespace

std::string_view name(BlockRole role) {
  constexpr std::array<std::string_view, 6> names = {"works",    "repetition", "forward",
                                                     "backward", "microbatch", "step"};
  return names[static_cast<std::size_t>(role)];
}

RankStructure structure(const Graph& graph) {
  RankStructure made;
  graph::NodeClasses symbols(graph);
  const graph::Spine spine = graph::spine(graph, symbols);
  if (spine.lane != graph::kNoLane) {
    const graph::Lane& of = graph.lanes()[spine.lane];
    made.lane = of.host ? fmt::format("thread {}", of.id) : fmt::format("stream {}", of.id);
  }
  made.operations = static_cast<std::uint32_t>(spine.works.size());
  const std::vector<Repeat> folded = graph::fold_repeats(spine.symbols);
  const graph::Loops loops = graph::find_loops(graph, spine, folded);
  graph::WorkPasses content;
  made.parts = Describer(graph, spine.works, loops.layers).of(folded, content);
  made.named = loops.named_layers > 0;
  made.layers = made.named ? loops.named_layers : loops.layer_count;
  made.forwards = loops.forwards;
  made.steps = loops.steps;
  for (std::size_t i = 0; i < kStepPhases; ++i) made.phases[i].phase = static_cast<StepPhase>(i);
  for (const NodeId n : spine.works) {
    const StepPhase phase = phase_of(graph, n);
    if (made.passes.empty() || made.passes.back().phase != phase) made.passes.push_back({phase});
    for (PhaseShare* share : {&made.phases[static_cast<std::size_t>(phase)], &made.passes.back()}) {
      ++share->operations;
      share->time += graph.duration(n);
    }
  }
  return made;
}

namespace {

/// Whether the loop period at the offset `further` has such a node, too.
bool again(const graph::LoopPeriods& periods, const graph::LoopPlace& place, std::int64_t further) {
  return periods.at(place.loop, place.period + further, place.slot) != graph::kNoNode;
}

}  // namespace

std::vector<Communication> communications(const Graph& graph) {
  graph::NodeClasses symbols(graph);
  const graph::Spine spine = graph::spine(graph, symbols);
  const graph::Loops loops = graph::find_loops(graph, spine, graph::fold_repeats(spine.symbols));
  const graph::LoopPeriods periods(graph, spine, loops.layers, symbols);
  std::vector<Communication> made;
  for (NodeId n = 0; n < graph.size(); ++n) {
    const graph::NodeKind kind = graph.kind(n);
    if (kind != graph::NodeKind::coll && kind != graph::NodeKind::send &&
        kind != graph::NodeKind::recv)
      continue;
    const graph::LoopPlace& place = periods.of(n);
    // Nodes after the last layer have a place in its period, but in no other period.
    const bool repeated =
        place.in_loop() && (again(periods, place, 1) || again(periods, place, -1));
    made.push_back({n, !repeated                                     ? LoopPosition::outside
                       : periods.loops()[place.loop].passes.backward ? LoopPosition::backward
                                                                     : LoopPosition::forward});
  }
  return made;
}

}  // namespace orrery::analysis
