// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/reshape.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "orrery/graph/reshape/message_match.h"
#include "orrery/graph/reshape/per_step_work.h"
#include "orrery/graph/reshape/resize.h"
#include "orrery/graph/structure/loop_periods.h"
#include "orrery/graph/structure/pipeline_stages.h"
#include "orrery/graph/transform/message_tags.h"

namespace orrery::graph {
namespace {

constexpr std::uint32_t kMinPasses = 3;  // of which one is neither the first nor the last

/// The structure of one distinct graph.
struct GraphStructure {
  explicit GraphStructure(const Graph& graph)
      : symbols(graph), spine(graph::spine(graph, symbols)) {}
  NodeClasses symbols;
  Spine spine;
  Loops loops;
};

class Reshaper {
 public:
  Reshaper(const Workload& workload, const Shape& known, Findings& findings)
      : workload_(workload), known_(known), findings_(findings) {
    std::map<std::vector<std::uint32_t>, std::size_t> equivalent;  // equal spines have equal loops
    for (const GraphRef& graph : workload.graphs) {
      GraphStructure& structure = structures_.emplace_back(*graph);
      const auto [first, added] =
          equivalent.try_emplace(structure.spine.symbols, structures_.size() - 1);
      structure.loops =
          added ? find_loops(*graph, structure.spine, fold_repeats(structure.spine.symbols))
                : structures_[first->second].loops;
    }
    std::vector<std::vector<NodeId>> messages;
    for (std::size_t i = 0; i < structures_.size(); ++i) {
      const Graph& graph = *workload.graphs[i];
      GraphStructure& structure = structures_[i];
      messages.push_back(sends_outside_layers(
          graph, LoopPeriods(graph, structure.spine, structure.loops.layers, structure.symbols)));
    }
    const std::vector<std::uint32_t> leaders = pipeline_leaders(workload, messages);
    across_stages_ = groups_across_stages(workload, leaders);
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      if (leaders[rank] == leaders[0]) stages_.push_back(workload.graph_of_rank[rank]);
    for (std::size_t i = 0; i < structures_.size(); ++i)
      chunks_ = std::max(chunks_, chunks_of(*workload.graphs[i], structures_[i]));
  }

  Result<Workload> with_layers(std::uint32_t layers) {
    const std::uint32_t found = count_layers();
    if (auto fine = check_one_chunk("layers", layers); !fine) return tl::unexpected(fine.error());
    if (found == 0)
      return fail(Errc::input_unsupported, what("layers", layers),
                  "the trace contains no repeating layers",
                  "orrery trace info --structure shows the repeating parts");
    if (std::any_of(structures_.begin(), structures_.end(),
                    [](const GraphStructure& structure) { return structure.loops.is_uneven; }))
      return fail(Errc::input_unsupported, what("layers", layers),
                  "its layers differ, or differ between passes",
                  "orrery trace info --structure shows the repeating parts; or describe the job with "
                  "--spec or --model and --cluster");
    if (std::any_of(structures_.begin(), structures_.end(), [](const GraphStructure& structure) {
          return structure.loops.layer_count == 0;
        }))
      return fail(Errc::input_unsupported, what("layers", layers),
                  "some ranks have repeating layers, others have none",
                  "describe the job with --spec or --model and --cluster");
    const std::int64_t more = std::int64_t{layers} - known_.layers.value_or(found);
    const auto passes = static_cast<std::int64_t>(stages_.size() * chunks_ * layers_per_period_);
    if (more % passes != 0)
      return fail(
          Errc::usage, what("layers", layers),
          fmt::format("{} layers more or fewer is not a multiple of {}", std::abs(more), passes),
          fmt::format("the trace has {} layers; every stage changes by the same number, and "
                      "alternating layers change together",
                      known_.layers.value_or(found)));
    return transform_graphs(
        workload_, [&](const Graph& graph, GraphStructure& structure) -> Result<Graph> {
          if (auto whole = check_complete_passes(graph, structure); !whole)
            return tl::unexpected(whole.error());
          std::vector<LoopChange> loops;
          for (const Loop& loop : structure.loops.layers) loops.push_back({loop, more / passes});
          const std::vector<Loop> parameters = parameter_loops(graph, structure);
          for (const Loop& loop : parameters) loops.push_back({loop, more / passes});
          auto longer = resize(graph, structure, loops);
          if (!longer) return longer;
          return scale_per_step_work(graph, structure.spine, structure.loops, more / passes,
                                     !parameters.empty(), across_stages_, *std::move(longer));
        });
  }

  [[nodiscard]] std::uint32_t count_layers() {
    std::uint32_t found = 0, named = 0;
    bool all_named = true;
    for (const std::uint32_t graph : stages_) {
      const Loops& loops = structures_[graph].loops;
      found += loops.layer_count * chunks_;
      named += loops.named_layers;
      all_named = all_named && loops.named_layers > 0;
    }
    if (!all_named) named = 0;
    const std::uint32_t known = known_.layers.value_or(named);
    layers_per_period_ = 1;
    if (found > 0 && known > 0 && known % found == 0) {
      layers_per_period_ = known / found;  // alternating layers repeat as one period
    } else if (named > 0) {
      return named;
    } else {
      for (std::size_t i = 0; i < structures_.size(); ++i)
        layers_per_period_ =
            std::max(layers_per_period_, layers_per_period(*workload_.graphs[i], structures_[i]));
    }
    return found * layers_per_period_;
  }
  [[nodiscard]] std::uint32_t count_microbatches() const {
    std::uint32_t found = 0;
    for (const GraphStructure& structure : structures_)
      found = std::max(found, structure.loops.forwards / chunks_);
    return found;
  }

  Result<Workload> with_microbatches(std::uint32_t microbatches) {
    const std::int64_t more =
        std::int64_t{microbatches} - known_.microbatches.value_or(count_microbatches());
    if (auto fine = check_one_chunk("microbatches", microbatches); !fine)
      return tl::unexpected(fine.error());
    auto untagged = remove_message_tags(workload_);
    if (!untagged) return untagged;
    const Workload& before = *untagged;
    return transform_graphs(before,
                            [&](const Graph& graph, GraphStructure& structure) -> Result<Graph> {
                              auto loops = passes_to_resize(structure, more);
                              if (!loops) return tl::unexpected(loops.error());
                              return resize(graph, structure, *loops);
                            });
  }

 private:
  static std::string what(const char* name, std::uint32_t value) {
    return fmt::format("--change {}={}", name, value);
  }
  /// Fails for several model chunks, because repetitions do not show their order.
  [[nodiscard]] Result<void> check_one_chunk(const char* name, std::uint32_t value) const {
    if (chunks_ == 1) return {};
    return fail(
        Errc::input_unsupported, what(name, value),
        fmt::format("each rank has {} model chunks, and traces do not show their order", chunks_),
        "describe the job with --spec or --model and --cluster");
  }
  [[nodiscard]] const std::string& where() const {
    static const std::string none = "the workload";
    return workload_.files.empty() ? none : workload_.files.front();
  }

  Result<Graph> resize(const Graph& graph, GraphStructure& structure,
                       const std::vector<LoopChange>& loops) {
    for (const LoopChange& one : loops)
      if (one.more != 0 && one.loop.times < 4) findings_.add(FindingCode::repetitions_few, where());
    return resize_loops(graph, structure.spine, loops, structure.symbols, where(), tables_,
                        findings_);
  }

  /// `graphs`: a copy of the workload with the same nodes.
  template <class Make>
  Result<Workload> transform_graphs(const Workload& graphs, Make make) {
    Workload made = graphs;
    for (std::size_t i = 0; i < made.graphs.size(); ++i) {
      auto graph = make(*graphs.graphs[i], structures_[i]);
      if (!graph) return tl::unexpected(graph.error());
      made.graphs[i] = std::make_shared<const Graph>(*std::move(graph));
    }
    return made;
  }

  /// Number of layers per period: of attentions, if layers of several kinds alternate. Attentions
  /// before one MLP belong to one layer (of time and of space, or of a decoder and to its encoder).
  /// With messages among them (context parallelism), one attention is several kernels.
  static std::uint32_t layers_per_period(const Graph& graph, const GraphStructure& structure) {
    std::uint32_t most = 1;
    for (const Loop& loop : structure.loops.layers) {
      if (loop.passes.backward) continue;
      std::uint32_t here = 0, mlps = 0;
      bool messages = false;
      for (std::size_t i = loop.first; i < loop.first + loop.period; ++i) {
        const NodeId n = structure.spine.works[i];
        if (const Kernel* kernel = graph.kernel_of(n); kernel != nullptr) {
          const Operation operation = kernel->operation;
          here += operation == Operation::attention || operation == Operation::softmax ? 1 : 0;
          mlps += operation == Operation::activation ? 1 : 0;
        }
        messages = messages || is_message(graph.kind(n));
      }
      if (!messages) most = std::max(most, mlps > 0 ? std::min(here, mlps) : here);
    }
    return most;
  }

  /// Checks that there are as many backward as forward passes through layers, if the graph has
  /// gradients.
  [[nodiscard]] Result<void> check_complete_passes(const Graph& graph,
                                                   const GraphStructure& structure) const {
    std::uint32_t forward = 0, backward = 0;
    for (const Loop& loop : structure.loops.layers) ++(loop.passes.backward ? backward : forward);
    const bool trains = std::any_of(structure.spine.works.begin(), structure.spine.works.end(),
                                    [&](NodeId n) { return passes_of(graph, n).backward; });
    if (!trains || backward >= forward) return {};
    return fail(Errc::input_unsupported, where(),
                fmt::format("layers repeat in {} forward passes, but in {} backward passes",
                            forward, backward),
                "record more layers to separate the first and the last from the others");
  }

  /// Number of model chunks of a rank: forward passes per lookup of tokens.
  [[nodiscard]] std::uint32_t chunks_of(const Graph& graph, const GraphStructure& structure) const {
    if (known_.microbatches)
      return std::max(1u, structure.loops.forwards / std::max(1u, *known_.microbatches));
    std::map<KernelId, std::uint32_t> lookups;
    for (const NodeId n : structure.spine.works) {
      const Kernel* kernel = graph.kernel_of(n);
      if (kernel != nullptr && kernel->operation == Operation::embedding &&
          kernel->pass == Pass::forward)
        ++lookups[graph.kernel(n)];
    }
    std::uint32_t least = 0;
    for (const auto& [id, count] : lookups) least = least == 0 ? count : std::min(least, count);
    least /= structure.loops.steps;
    return least == 0 ? 1 : std::max(1u, structure.loops.forwards / least);
  }

  /// The loops of an optimizer over parameters, with one layer per period. The number of parameters
  /// per layer is the number of gradients that the backward pass of a layer accumulates.
  static std::vector<Loop> parameter_loops(const Graph& graph, GraphStructure& structure) {
    const Loops& loops = structure.loops;
    std::size_t end = 0;
    std::uint32_t gradients = 0;
    const LoopPeriods periods(graph, structure.spine, loops.layers, structure.symbols);
    for (std::uint32_t loop = 0; loop < periods.loops().size(); ++loop) {
      if (!periods.loops()[loop].passes.backward) continue;
      end = std::max(end, periods.loops()[loop].end());
      std::uint32_t here = 0, around = 0;
      for (const NodeId n : periods.nodes(loop, periods.times(loop) / 2)) {
        here += graph.name(n).starts_with("torch::autograd::AccumulateGrad") ? 1 : 0;
        around += graph.name(n).ends_with(": torch::autograd::AccumulateGrad") ? 1 : 0;
      }
      gradients = std::max({gradients, here, around});
    }
    std::vector<Loop> made;
    if (gradients == 0) return made;
    for (const Loop& loop : loops.others) {
      const std::uint32_t layers = loop.times / gradients;
      if (loop.first < end || layers + 1 < loops.layer_count || layers < 2) continue;
      made.push_back({loop.first, loop.period * gradients, layers, {}});
    }
    return made;
  }

  /// Forward passes through layers in one period.
  static std::uint32_t forwards_in(const Loops& loops, const Loop& passes) {
    std::uint32_t made = 0;
    for (const Loop& layers : loops.layers)
      if (!layers.passes.backward && layers.first >= passes.first &&
          layers.first < passes.first + passes.period)
        ++made;
    return made;
  }

  /// The steady state if there is one; else all forward passes and all backward passes.
  Result<std::vector<LoopChange>> passes_to_resize(const GraphStructure& structure,
                                                   std::int64_t more) const {
    const Loop* longest = nullptr;
    for (const Loop& loop : structure.loops.passes)
      if (is_steady(structure, loop) &&
          (longest == nullptr || loop.end() - loop.first > longest->end() - longest->first))
        longest = &loop;
    const auto in = loops_with_passes(structure, structure.loops.passes);
    const bool all_forward_first = std::all_of(in.begin(), in.end(), [&](std::size_t loops) {
      return loops == structure.loops.steps;  // first all forward, then all backward
    });
    std::vector<LoopChange> made;
    for (const Loop& loop : structure.loops.passes) {
      if (longest == nullptr && !all_forward_first) break;
      // The steady states of several steps are equal.
      if (longest != nullptr && (loop.period != longest->period || loop.times != longest->times ||
                                 !is_steady(structure, loop)))
        continue;
      if (loop.times < kMinPasses)
        return fail(Errc::input_unsupported, where(),
                    fmt::format("the work for a microbatch repeats only {} times, and the first "
                                "and the last repetition differ from the others",
                                loop.times),
                    "record more microbatches to separate them");
      const std::uint32_t each = std::max(1u, forwards_in(structure.loops, loop));
      if (!has_complete_microbatches(structure, loop, each)) continue;
      if (more % each != 0)
        return fail(
            Errc::usage, where(), fmt::format("microbatches come in groups of {}", each),
            fmt::format("change their number by a multiple of it, not by {}", std::abs(more)));
      made.push_back({loop, more / each});
    }
    if (made.empty())
      return fail(Errc::input_unsupported, where(),
                  "a rank has no steady state that repeats for each microbatch",
                  "record more microbatches; orrery trace info --structure shows the repeating parts");
    return made;
  }

  /// Whether each period contains every kind of pass as often as its microbatches do.
  [[nodiscard]] bool has_complete_microbatches(const GraphStructure& structure, const Loop& loop,
                                               std::uint32_t each) const {
    const std::uint32_t all = count_microbatches() * structure.loops.steps;
    if (all == 0) return false;
    std::map<std::vector<std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> passes;
    for (const Loop& layers : structure.loops.layers) {
      auto& [total, inside] = passes[layer_of(structure, layers)];
      ++total;
      inside += layers.first >= loop.first && layers.first < loop.first + loop.period ? 1 : 0;
    }
    return std::all_of(passes.begin(), passes.end(), [&](const auto& pass) {
      const auto [total, inside] = pass.second;
      return inside == 0 || inside == (total + all / 2) / all * each;
    });
  }

  /// Symbols of one layer.
  static std::vector<std::uint32_t> layer_of(const GraphStructure& structure, const Loop& layers) {
    const auto first = structure.spine.symbols.begin() + static_cast<std::ptrdiff_t>(layers.first);
    return {first, first + layers.period};
  }

  /// For each kind of pass that occurs more than once: the number of these loops that contain it.
  static std::vector<std::size_t> loops_with_passes(const GraphStructure& structure,
                                                    std::span<const Loop> loops) {
    std::map<std::vector<std::uint32_t>, std::pair<std::uint32_t, std::set<std::size_t>>> passes;
    for (const Loop& layers : structure.loops.layers) {
      auto& [count, in] = passes[layer_of(structure, layers)];
      ++count;
      for (std::size_t i = 0; i < loops.size(); ++i)
        if (layers.first >= loops[i].first && layers.first < loops[i].end()) in.insert(i);
    }
    std::vector<std::size_t> made;
    for (const auto& [layer, pass] : passes)
      if (pass.first > 1) made.push_back(pass.second.size());
    return made;
  }

  /// Whether the loop contains every kind of pass.
  static bool is_steady(const GraphStructure& structure, const Loop& loop) {
    const auto loops = loops_with_passes(structure, std::span(&loop, 1));
    return !loops.empty() &&
           std::all_of(loops.begin(), loops.end(), [](auto in) { return in == 1; });
  }

  const Workload& workload_;
  const Shape& known_;
  Findings& findings_;
  DraftTables tables_;
  std::vector<GraphStructure> structures_;            // by graph
  std::vector<std::uint32_t> stages_;                 // graphs of the first rank's pipeline
  std::set<std::string, std::less<>> across_stages_;  // groups
  std::uint32_t chunks_ = 1, layers_per_period_ = 1;
};

}  // namespace

Shape detect_shape(const Workload& workload) {
  Findings ignored;
  const Shape nothing;
  Reshaper reshaper(workload, nothing, ignored);
  return {reshaper.count_layers(), reshaper.count_microbatches()};
}

Result<Workload> reshape(const Workload& workload, const Shape& shape, const Shape& known,
                         Findings& findings) {
  Workload made = workload;
  if (shape.layers) {
    auto other = Reshaper(made, known, findings).with_layers(*shape.layers);
    if (!other) return other;
    made = *std::move(other);
  }
  if (shape.microbatches) {
    auto other = Reshaper(made, known, findings).with_microbatches(*shape.microbatches);
    if (!other) return other;
    made = *std::move(other);
  }
  const char* const changed = shape.layers ? "--change layers" : "--change microbatches";
  if (auto fine = check_messages_match(workload, made, changed); !fine)
    return tl::unexpected(fine.error());
  return made;
}

}  // namespace orrery::graph
