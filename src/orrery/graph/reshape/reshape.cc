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

constexpr std::uint32_t kLeastPasses = 3;  // of which one is neither the first nor the last

/// One distinct graph, taken apart.
struct Taken {
  explicit Taken(const Graph& graph) : symbols(graph), spine(graph::spine(graph, symbols)) {}
  NodeClasses symbols;
  Spine spine;
  Loops loops;
};

class Reshaper {
 public:
  Reshaper(const Workload& workload, const Shape& known, Findings& findings)
      : workload_(workload), known_(known), findings_(findings) {
    std::map<std::vector<std::uint32_t>, std::size_t>
        equivalent;  // ranks that do the same have the same
    for (const GraphRef& graph : workload.graphs) {
      Taken& taken = taken_.emplace_back(*graph);
      const auto [first, added] = equivalent.try_emplace(taken.spine.symbols, taken_.size() - 1);
      taken.loops = added ? find_loops(*graph, taken.spine, fold_repeats(taken.spine.symbols))
                          : taken_[first->second].loops;
    }
    std::vector<std::vector<NodeId>> messages;
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      const Graph& graph = *workload.graphs[i];
      Taken& taken = taken_[i];
      messages.push_back(messages_outside_layers(
          graph, LoopPeriods(graph, taken.spine, taken.loops.layers, taken.symbols)));
    }
    const std::vector<std::uint32_t> leaders = pipeline_leaders(workload, messages);
    across_stages_ = groups_across_stages(workload, leaders);
    for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank)
      if (leaders[rank] == leaders[0]) stages_.push_back(workload.graph_of_rank[rank]);
    for (std::size_t i = 0; i < taken_.size(); ++i)
      chunks_ = std::max(chunks_, chunks_of(*workload.graphs[i], taken_[i]));
  }

  Result<Workload> with_layers(std::uint32_t layers) {
    const std::uint32_t found = layers_found();
    if (auto fine = has_one_part("layers", layers); !fine) return tl::unexpected(fine.error());
    if (found == 0)
      return fail(Errc::input_unsupported, what("layers", layers),
                  "nothing in it repeats as layers do",
                  "orrery inspect --structure shows what repeats");
    if (std::any_of(taken_.begin(), taken_.end(),
                    [](const Taken& taken) { return taken.loops.uneven; }))
      return fail(Errc::input_unsupported, what("layers", layers),
                  "its layers are not all alike, or not in all passes",
                  "orrery inspect --structure shows what repeats; --spec or --model with --cluster "
                  "says what they are of");
    if (std::any_of(taken_.begin(), taken_.end(),
                    [](const Taken& taken) { return taken.loops.layer_count == 0; }))
      return fail(Errc::input_unsupported, what("layers", layers),
                  "some ranks have layers that repeat, others none",
                  "--spec or --model with --cluster says what they are of");
    const std::int64_t more = std::int64_t{layers} - known_.layers.value_or(found);
    const auto passes = static_cast<std::int64_t>(stages_.size() * chunks_ * at_once_);
    if (more % passes != 0)
      return fail(Errc::usage, what("layers", layers),
                  fmt::format("{} layers more or fewer cannot be made of groups of {}",
                              std::abs(more), passes),
                  fmt::format("now {} layers; each stage gets as many more, and layers that take "
                              "turns come together",
                              known_.layers.value_or(found)));
    return with_each([&](const Graph& graph, Taken& taken) -> Result<Graph> {
      if (auto whole = has_whole_passes(graph, taken); !whole) return tl::unexpected(whole.error());
      std::vector<Resize> loops;
      for (const Loop& loop : taken.loops.layers) loops.push_back({loop, more / passes});
      const std::vector<Loop> parameters = parameters_by_layer(graph, taken);
      for (const Loop& loop : parameters) loops.push_back({loop, more / passes});
      auto longer = resize(graph, taken, loops);
      if (!longer) return longer;
      return scale_per_step_work(graph, taken.spine, taken.loops, more / passes,
                                 !parameters.empty(), across_stages_, *std::move(longer));
    });
  }

  [[nodiscard]] std::uint32_t layers_found() {
    std::uint32_t found = 0, named = 0;
    bool all_named = true;
    for (const std::uint32_t graph : stages_) {
      const Loops& loops = taken_[graph].loops;
      found += loops.layer_count * chunks_;
      named += loops.named_layers;
      all_named = all_named && loops.named_layers > 0;
    }
    if (!all_named) named = 0;
    const std::uint32_t known = known_.layers.value_or(named);
    at_once_ = 1;
    if (found > 0 && known > 0 && known % found == 0) {
      at_once_ = known / found;  // layers that take turns repeat together
    } else if (named > 0) {
      return named;
    } else {
      for (std::size_t i = 0; i < taken_.size(); ++i)
        at_once_ = std::max(at_once_, layers_at_once(*workload_.graphs[i], taken_[i]));
    }
    return found * at_once_;
  }
  [[nodiscard]] std::uint32_t microbatches_found() const {
    std::uint32_t found = 0;
    for (const Taken& taken : taken_) found = std::max(found, taken.loops.forwards / chunks_);
    return found;
  }

  Result<Workload> with_microbatches(std::uint32_t microbatches) {
    const std::int64_t more =
        std::int64_t{microbatches} - known_.microbatches.value_or(microbatches_found());
    if (auto fine = has_one_part("microbatches", microbatches); !fine)
      return tl::unexpected(fine.error());
    auto untagged = remove_message_tags(workload_);
    if (!untagged) return untagged;
    const Workload& before = *untagged;
    return with_each(before, [&](const Graph& graph, Taken& taken) -> Result<Graph> {
      auto loops = passes_to_resize(taken, more);
      if (!loops) return tl::unexpected(loops.error());
      return resize(graph, taken, *loops);
    });
  }

 private:
  static std::string what(const char* name, std::uint32_t value) {
    return fmt::format("--change {}={}", name, value);
  }
  /// Whose turn a part of the model has, no repetition says.
  [[nodiscard]] Result<void> has_one_part(const char* name, std::uint32_t value) const {
    if (chunks_ == 1) return {};
    return fail(Errc::input_unsupported, what(name, value),
                fmt::format("ranks have {} parts of the model each, whose turns traces do not say",
                            chunks_),
                "--spec or --model with --cluster says what they are of");
  }
  [[nodiscard]] const std::string& where() const {
    static const std::string none = "the workload";
    return workload_.files.empty() ? none : workload_.files.front();
  }

  Result<Graph> resize(const Graph& graph, Taken& taken, const std::vector<Resize>& loops) {
    for (const Resize& one : loops)
      if (one.more != 0 && one.loop.times < 4) findings_.add(FindingCode::repetitions_few, where());
    return resized(graph, taken.spine, loops, taken.symbols, where(), tables_, findings_);
  }

  template <class Make>
  Result<Workload> with_each(Make make) {
    return with_each(workload_, make);
  }
  /// `graphs`: of the workload, with the same nodes.
  template <class Make>
  Result<Workload> with_each(const Workload& graphs, Make make) {
    Workload made = graphs;
    for (std::size_t i = 0; i < made.graphs.size(); ++i) {
      auto graph = make(*graphs.graphs[i], taken_[i]);
      if (!graph) return tl::unexpected(graph.error());
      made.graphs[i] = std::make_shared<const Graph>(*std::move(graph));
    }
    return made;
  }

  /// Attentions in a period: layers of several kinds that take turns; but those before one MLP are
  /// one layer's (of time and of space, or of a decoder and to its encoder). Where messages are
  /// among them (context parallelism), one attention is several kernels.
  static std::uint32_t layers_at_once(const Graph& graph, const Taken& taken) {
    std::uint32_t most = 1;
    for (const Loop& loop : taken.loops.layers) {
      if (loop.passes.backward) continue;
      std::uint32_t here = 0, mlps = 0;
      bool messages = false;
      for (std::size_t i = loop.first; i < loop.first + loop.period; ++i) {
        const NodeId n = taken.spine.works[i];
        const KernelId id = graph.kernel(n);
        if (id != kNoKernel) {
          const Operation operation = (*graph.kernels())[id].operation;
          here += operation == Operation::attention || operation == Operation::softmax ? 1 : 0;
          mlps += operation == Operation::activation ? 1 : 0;
        }
        messages = messages || graph.kind(n) == NodeKind::send || graph.kind(n) == NodeKind::recv;
      }
      if (!messages) most = std::max(most, mlps > 0 ? std::min(here, mlps) : here);
    }
    return most;
  }

  /// As many passes backward through layers as forward, if there are any gradients.
  [[nodiscard]] Result<void> has_whole_passes(const Graph& graph, const Taken& taken) const {
    std::uint32_t forward = 0, backward = 0;
    for (const Loop& loop : taken.loops.layers) ++(loop.passes.backward ? backward : forward);
    const bool trains = std::any_of(taken.spine.works.begin(), taken.spine.works.end(),
                                    [&](NodeId n) { return passes_of(graph, n).backward; });
    if (!trains || backward >= forward) return {};
    return fail(Errc::input_unsupported, where(),
                fmt::format("layers repeat in {} passes forward, and in {} passes backward",
                            forward, backward),
                "a recording of more layers tells the first and the last from the others");
  }

  /// Parts of the model that a rank goes through in a microbatch: how many passes forward there are
  /// for each time that tokens are looked up.
  [[nodiscard]] std::uint32_t chunks_of(const Graph& graph, const Taken& taken) const {
    if (known_.microbatches)
      return std::max(1u, taken.loops.forwards / std::max(1u, *known_.microbatches));
    std::map<KernelId, std::uint32_t> lookups;
    for (const NodeId n : taken.spine.works) {
      const KernelId id = graph.kernel(n);
      if (id == kNoKernel) continue;
      const Kernel& kernel = (*graph.kernels())[id];
      if (kernel.operation == Operation::embedding && kernel.pass == Pass::forward) ++lookups[id];
    }
    std::uint32_t least = 0;
    for (const auto& [id, count] : lookups) least = least == 0 ? count : std::min(least, count);
    least /= taken.loops.steps;
    return least == 0 ? 1 : std::max(1u, taken.loops.forwards / least);
  }

  /// What an optimizer does for one parameter after another, layer by layer. As many parameters as
  /// gradients that a layer's pass backward leaves.
  static std::vector<Loop> parameters_by_layer(const Graph& graph, Taken& taken) {
    const Loops& loops = taken.loops;
    std::size_t end = 0;
    std::uint32_t gradients = 0;
    const LoopPeriods periods(graph, taken.spine, loops.layers, taken.symbols);
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

  /// Passes forward through layers in one period.
  static std::uint32_t forwards_in(const Loops& loops, const Loop& passes) {
    std::uint32_t made = 0;
    for (const Loop& layers : loops.layers)
      if (!layers.passes.backward && layers.first >= passes.first &&
          layers.first < passes.first + passes.period)
        ++made;
    return made;
  }

  /// The steady state, where there is one; else all passes forward and all passes backward.
  Result<std::vector<Resize>> passes_to_resize(const Taken& taken, std::int64_t more) const {
    const Loop* longest = nullptr;
    for (const Loop& loop : taken.loops.passes)
      if (is_steady(taken, loop) &&
          (longest == nullptr || loop.end() - loop.first > longest->end() - longest->first))
        longest = &loop;
    const auto in = loops_with_passes(taken, taken.loops.passes);
    const bool apart = std::all_of(in.begin(), in.end(), [&](std::size_t loops) {
      return loops == taken.loops.steps;  // first all forward, then all backward
    });
    std::vector<Resize> made;
    for (const Loop& loop : taken.loops.passes) {
      if (longest == nullptr && !apart) break;
      // Of several steps the steady states are alike
      if (longest != nullptr && (loop.period != longest->period || loop.times != longest->times ||
                                 !is_steady(taken, loop)))
        continue;
      if (loop.times < kLeastPasses)
        return fail(Errc::input_unsupported, where(),
                    fmt::format("what a rank does for a microbatch is repeated {} times only, and "
                                "the first and the last are like no other",
                                loop.times),
                    "a recording of more microbatches tells them apart");
      const std::uint32_t each = std::max(1u, forwards_in(taken.loops, loop));
      if (!has_whole_microbatches(taken, loop, each)) continue;
      if (more % each != 0)
        return fail(Errc::usage, where(), fmt::format("microbatches come in groups of {}", each),
                    fmt::format("{} more or fewer cannot be made of them", std::abs(more)));
      made.push_back({loop, more / each});
    }
    if (made.empty())
      return fail(Errc::input_unsupported, where(),
                  "a rank does not repeat what it does for a microbatch, once all of it has begun",
                  "a recording of more microbatches does; orrery inspect --structure shows what "
                  "repeats");
    return made;
  }

  /// Every pass through layers that is in its periods is there as often as each microbatch has it.
  [[nodiscard]] bool has_whole_microbatches(const Taken& taken, const Loop& loop,
                                            std::uint32_t each) const {
    const std::uint32_t all = microbatches_found() * taken.loops.steps;
    if (all == 0) return false;
    std::map<std::vector<std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> passes;
    for (const Loop& layers : taken.loops.layers) {
      auto& [total, inside] = passes[layer_of(taken, layers)];
      ++total;
      inside += layers.first >= loop.first && layers.first < loop.first + loop.period ? 1 : 0;
    }
    return std::all_of(passes.begin(), passes.end(), [&](const auto& pass) {
      const auto [total, inside] = pass.second;
      return inside == 0 || inside == (total + all / 2) / all * each;
    });
  }

  /// Works of one layer.
  static std::vector<std::uint32_t> layer_of(const Taken& taken, const Loop& layers) {
    const auto first = taken.spine.symbols.begin() + static_cast<std::ptrdiff_t>(layers.first);
    return {first, first + layers.period};
  }

  /// Of all passes through layers that there are more than once: in how many of these loops each
  /// is.
  static std::vector<std::size_t> loops_with_passes(const Taken& taken,
                                                    std::span<const Loop> loops) {
    std::map<std::vector<std::uint32_t>, std::pair<std::uint32_t, std::set<std::size_t>>> passes;
    for (const Loop& layers : taken.loops.layers) {
      auto& [count, in] = passes[layer_of(taken, layers)];
      ++count;
      for (std::size_t i = 0; i < loops.size(); ++i)
        if (layers.first >= loops[i].first && layers.first < loops[i].end()) in.insert(i);
    }
    std::vector<std::size_t> made;
    for (const auto& [layer, pass] : passes)
      if (pass.first > 1) made.push_back(pass.second.size());
    return made;
  }

  /// Every pass is in it.
  static bool is_steady(const Taken& taken, const Loop& loop) {
    const auto loops = loops_with_passes(taken, std::span(&loop, 1));
    return !loops.empty() &&
           std::all_of(loops.begin(), loops.end(), [](auto in) { return in == 1; });
  }

  const Workload& workload_;
  const Shape& known_;
  Findings& findings_;
  DraftTables tables_;
  std::vector<Taken> taken_;                          // by graph
  std::vector<std::uint32_t> stages_;                 // graphs of the first rank's pipeline
  std::set<std::string, std::less<>> across_stages_;  // groups
  std::uint32_t chunks_ = 1, at_once_ = 1;
};

}  // namespace

Shape found_shape(const Workload& workload) {
  Findings unheard;
  const Shape nothing;
  Reshaper reshaper(workload, nothing, unheard);
  return {reshaper.layers_found(), reshaper.microbatches_found()};
}

Result<Workload> reshaped(const Workload& workload, const Shape& shape, const Shape& known,
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
