// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/scope_loops.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace orrery::graph {
namespace {

constexpr std::size_t kIrregularEnds = 2;  // layers that may differ from the others

/// Consecutive works of one layer in one pass.
struct LayerRun {
  std::size_t first = 0, end = 0;  // on the spine
  StepScope scope;
};

class NamedLoopReader {
 public:
  NamedLoopReader(const Graph& graph, const Spine& spine) : graph_(graph), spine_(spine) {}

  NamedLoops read() {
    NamedLoops made;
    count_phases(made);
    const std::vector<LayerRun> runs = layer_runs();
    std::set<std::int32_t> layers;
    for (const LayerRun& run : runs) layers.insert(run.scope.layer);
    made.layers = static_cast<std::uint32_t>(layers.size());
    if (made.layers < 2) return made;
    for (std::size_t at = 0; at < runs.size();) {
      const std::size_t count = pass_length(std::span(runs).subspan(at));
      const auto loop =
          count == made.layers ? loop_of(std::span(runs).subspan(at, count)) : std::nullopt;
      if (!loop) {
        made.loops.clear();
        return made;
      }
      made.loops.push_back(*loop);
      at += count;
    }
    return made;
  }

 private:
  void count_phases(NamedLoops& made) const {
    StepPhase last = StepPhase::unsaid;
    std::uint32_t optimizers = 0;
    std::set<std::int32_t> steps;
    for (const NodeId n : spine_.works) {
      const StepScope scope = graph_.scope(n);
      if (scope.step >= 0) steps.insert(scope.step);
      if (scope.phase == StepPhase::unsaid) continue;
      if (last == StepPhase::forward && scope.phase == StepPhase::backward) ++made.forwards;
      if (last == StepPhase::backward && scope.phase == StepPhase::optimizer) ++optimizers;
      last = scope.phase;
    }
    made.has_optimizers = optimizers > 0;
    made.steps = optimizers > 0 ? optimizers : static_cast<std::uint32_t>(steps.size());
  }

  /// Works between works of one layer also belong to the layer.
  [[nodiscard]] std::vector<LayerRun> layer_runs() const {
    std::vector<LayerRun> made;
    for (std::size_t at = 0; at < spine_.works.size(); ++at) {
      const StepScope scope = graph_.scope(spine_.works[at]);
      if (scope.layer < 0) continue;
      if (made.empty() || made.back().scope != scope) made.push_back({at, at, scope});
      made.back().end = at + 1;
    }
    return made;
  }

  /// Number of runs in one pass: consecutive layers, ascending or descending, in one phase of one
  /// step.
  static std::size_t pass_length(std::span<const LayerRun> runs) {
    std::size_t count = 1;
    std::int32_t by = 0;
    for (; count < runs.size(); ++count) {
      const StepScope &before = runs[count - 1].scope, &now = runs[count].scope;
      const std::int32_t difference = now.layer - before.layer;
      if (now.phase != before.phase || now.step != before.step) break;
      if ((difference != 1 && difference != -1) || (by != 0 && difference != by)) break;
      by = difference;
    }
    return count;
  }

  [[nodiscard]] bool equivalent(std::size_t a, std::size_t b, std::size_t works) const {
    const auto& symbols = spine_.symbols;
    if (std::max(a, b) + works > symbols.size()) return false;
    const auto at = [&](std::size_t place) {
      return symbols.begin() + static_cast<std::ptrdiff_t>(place);
    };
    return std::equal(at(a), at(a + works), at(b));
  }

  /// Works after a layer, before the next one, belong to it. The last layer can have fewer of them.
  [[nodiscard]] std::optional<Loop> loop_of(std::span<const LayerRun> runs) const {
    std::map<std::size_t, std::size_t> lengths;  // length → count
    for (std::size_t i = 0; i + 1 < runs.size(); ++i) ++lengths[runs[i + 1].first - runs[i].first];
    const std::size_t period =
        std::max_element(lengths.begin(), lengths.end(), [](const auto& a, const auto& b) {
          return a.second < b.second;
        })->first;
    const std::size_t middle = runs[(runs.size() - 1) / 2].first;
    std::size_t begin = 0, end = 0;  // range of equal runs
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!equivalent(runs[i].first, middle, period)) continue;
      if (end == 0) begin = i;
      if (end != 0 && (end != i || runs[i].first != runs[begin].first + (i - begin) * period))
        return std::nullopt;
      end = i + 1;
    }
    if (end < begin + 2 || begin + (runs.size() - end) > kIrregularEnds) return std::nullopt;
    Loop made{runs[begin].first,
              static_cast<std::uint32_t>(period),
              static_cast<std::uint32_t>(end - begin),
              {}};
    for (std::size_t i = 0; i < period; ++i)
      made.passes.add(passes_of(graph_, spine_.works[made.first + i]));
    return made;
  }

  const Graph& graph_;
  const Spine& spine_;
};

}  // namespace

NamedLoops find_named_loops(const Graph& graph, const Spine& spine) {
  return graph.has_scopes() ? NamedLoopReader(graph, spine).read() : NamedLoops{};
}

}  // namespace orrery::graph
