// SPDX-License-Identifier: Apache-2.0
#include "orrery/analysis/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>

#include "orrery/graph/structure/fold.h"
#include "orrery/graph/transform/selection.h"

namespace orrery::analysis {
namespace {

using graph::Graph;
using graph::NodeId;
using graph::Repeat;

/// What kernels of a stretch are for.
struct Content {
  bool forward = false, backward = false, optimizer = false;

  void add(const Content& other) {
    forward = forward || other.forward;
    backward = backward || other.backward;
    optimizer = optimizer || other.optimizer;
  }
};

bool is_device_work(const Graph& graph, NodeId n) {
  const auto of = graph::time_of(graph, n);
  return of == graph::TimeOf::kernels || of == graph::TimeOf::copies;
}

/// The lane on which most works stand; kNoLane where there are no lanes.
std::uint32_t busiest_lane(const Graph& graph) {
  std::vector<std::size_t> works(graph.lanes().size());
  for (NodeId n = 0; n < graph.size(); ++n)
    if (const std::uint32_t lane = graph.lane(n);
        lane != graph::kNoLane && is_device_work(graph, n))
      ++works[lane];
  const auto most = std::max_element(works.begin(), works.end());
  return most == works.end() ? graph::kNoLane : static_cast<std::uint32_t>(most - works.begin());
}

std::string without_numbers(std::string_view name) {
  std::string made;
  for (const char c : name)
    if (c < '0' || c > '9') made += c;
  return made;
}

/// Numbers for what works are.
class Kinds {
 public:
  explicit Kinds(const Graph& graph) : graph_(graph) {}

  std::uint32_t of(NodeId n) {
    const std::string_view name = graph_.name(n);
    const auto [known, added] = names_.try_emplace(name, 0u);
    if (added) known->second = number_of(without_numbers(name), bare_);
    return number_of(std::pair(known->second, graph_.kernel(n)), kinds_);
  }

 private:
  template <class Key>
  static std::uint32_t number_of(Key key, std::map<Key, std::uint32_t>& numbers) {
    const auto next = static_cast<std::uint32_t>(numbers.size());
    return numbers.try_emplace(std::move(key), next).first->second;
  }

  const Graph& graph_;
  std::unordered_map<std::string_view, std::uint32_t> names_;
  std::map<std::string, std::uint32_t> bare_;
  std::map<std::pair<std::uint32_t, graph::KernelId>, std::uint32_t> kinds_;
};

/// Blocks of folded works.
class Describer {
 public:
  Describer(const Graph& graph, std::span<const NodeId> works) : graph_(graph), works_(works) {}

  std::vector<Block> of(std::span<const Repeat> folded, Content& content) const {
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
  /// One work over and over is no more than so many works.
  static bool is_one_work(const Repeat& repeat) {
    return repeat.body.size() == 1 && repeat.body[0].body.empty();
  }

  void add_works(const Repeat& repeat, std::vector<Block>& made, Content& content) const {
    const NodeId n = works_[repeat.first];
    if (made.empty() || made.back().role != BlockRole::works) {
      made.emplace_back();
      made.back().begins = graph_.name(n);
    }
    Block& block = made.back();
    block.works += static_cast<std::uint32_t>(repeat.length);
    for (std::size_t i = 0; i < repeat.length; ++i)
      block.time += graph_.duration(works_[repeat.first + i]);
    block.ends = graph_.name(works_[repeat.first + repeat.length - 1]);
    content.add(content_of(n));
  }

  [[nodiscard]] Block repeated(const Repeat& repeat, Content& outer) const {
    Block block;
    Content content;
    block.parts = of(repeat.body, content);
    block.times = repeat.times;
    block.begins = graph_.name(works_[repeat.first]);
    block.works = static_cast<std::uint32_t>(repeat.length / repeat.times);
    block.ends = graph_.name(works_[repeat.first + block.works - 1]);
    for (std::size_t i = 0; i < repeat.length; ++i)
      block.time += graph_.duration(works_[repeat.first + i]);
    block.role = content.optimizer && (content.forward || content.backward) ? BlockRole::step
                 : content.forward && content.backward                      ? BlockRole::microbatch
                 : content.forward                                          ? BlockRole::forward
                 : content.backward                                         ? BlockRole::backward
                                                                            : BlockRole::repetition;
    outer.add(content);
    return block;
  }

  [[nodiscard]] Content content_of(NodeId n) const {
    const graph::KernelId id = graph_.kernel(n);
    if (id == graph::kNoKernel) return {};
    const graph::Kernel& kernel = (*graph_.kernels())[id];
    Content made;
    made.optimizer = kernel.operation == graph::Operation::optimizer;
    // Casts and copies are in every pass, and none of them says so.
    const bool says = kernel.operation != graph::Operation::cast &&
                      kernel.operation != graph::Operation::copy && !made.optimizer;
    made.forward = says && kernel.pass == graph::Pass::forward;
    made.backward = says && kernel.pass != graph::Pass::forward;
    return made;
  }

  const Graph& graph_;
  std::span<const NodeId> works_;
};

/// Forward layers in which nothing repeats forward, by works of a layer and how many: how often.
using LayerCounts = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;

void count_layers(const std::vector<Block>& parts, std::uint64_t often, LayerCounts& counts) {
  for (const Block& block : parts) {
    const bool deeper = std::any_of(block.parts.begin(), block.parts.end(), [](const Block& part) {
      return part.role == BlockRole::forward || part.role == BlockRole::microbatch;
    });
    if (block.role == BlockRole::forward && !deeper) {
      counts[{block.works, block.times}] += often;
    } else {
      count_layers(block.parts, often * block.times, counts);
    }
  }
}

std::uint64_t steps_in(const std::vector<Block>& parts) {
  for (const Block& block : parts)
    if (block.role == BlockRole::step) return block.times * steps_in(block.parts);
  return 1;
}

void add_facts(RankStructure& made) {
  LayerCounts counts;
  count_layers(made.parts, 1, counts);
  made.steps = static_cast<std::uint32_t>(steps_in(made.parts));
  std::uint64_t most = 0;
  for (const auto& [layer, often] : counts) {
    const std::uint64_t works = often * layer.first * layer.second;
    if (works <= most) continue;
    most = works;
    made.layers = layer.second;
    made.forwards = static_cast<std::uint32_t>(often / made.steps);
  }
}

}  // namespace

std::string_view name(BlockRole role) {
  constexpr std::array<std::string_view, 6> names = {"works",    "repetition", "forward",
                                                     "backward", "microbatch", "step"};
  return names[static_cast<std::size_t>(role)];
}

RankStructure structure(const Graph& graph) {
  RankStructure made;
  const std::uint32_t lane = busiest_lane(graph);
  if (lane != graph::kNoLane) {
    const graph::Lane& of = graph.lanes()[lane];
    made.lane = of.host ? fmt::format("thread {}", of.id) : fmt::format("stream {}", of.id);
  }
  std::vector<NodeId> works;
  std::vector<std::uint32_t> sequence;
  Kinds kinds(graph);
  for (NodeId n = 0; n < graph.size(); ++n) {
    if (!is_device_work(graph, n) || graph.lane(n) != lane) continue;
    works.push_back(n);
    sequence.push_back(kinds.of(n));
  }
  made.works = static_cast<std::uint32_t>(works.size());
  Content content;
  made.parts = Describer(graph, works).of(graph::fold_repeats(sequence), content);
  add_facts(made);
  return made;
}

}  // namespace orrery::analysis
