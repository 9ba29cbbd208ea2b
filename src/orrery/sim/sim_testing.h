// SPDX-License-Identifier: Apache-2.0
//
// Small workloads and platforms for tests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/core/check.h"
#include "orrery/graph/builder.h"
#include "orrery/platform/platform.h"
#include "orrery/sim/simulate.h"

namespace orrery::sim::testing {

using Deps = std::vector<std::uint64_t>;

/// One rank's graph, node by node; ids are 1, 2, 3 …
class Rank {
 public:
  std::uint64_t comp(Time duration, Deps deps = {}, bool cpu = false) {
    graph::NodeSpec node = next(graph::NodeKind::comp, std::move(deps));
    node.duration = duration;
    if (cpu) node.flags |= graph::kIsCpu;
    return add(node);
  }
  std::uint64_t work(std::int64_t ops, std::int64_t bytes, Deps deps = {}) {
    graph::NodeSpec node = next(graph::NodeKind::comp, std::move(deps));
    node.flags = graph::kHasNumOps | graph::kHasTensorSize;
    node.work = {ops, Bytes(bytes)};
    return add(node);
  }
  /// An element-wise kernel that is limited by memory.
  std::uint64_t pass(std::int64_t bytes, Deps deps = {}) {
    graph::NodeSpec node = next(graph::NodeKind::comp, std::move(deps));
    node.flags = graph::kHasNumOps | graph::kHasTensorSize;
    node.work = {1, Bytes(bytes)};
    graph::Kernel kernel;
    kernel.operation = graph::Operation::elementwise;
    node.kernel = builder_->kernels().intern(kernel);
    return add(node);
  }
  /// A kernel with this duration and number of launches; see hosts().
  /// `host_waits`: the host waits for its end.
  std::uint64_t kernel(Time duration, std::uint32_t launches = 1, Deps deps = {},
                       bool host_waits = false) {
    graph::NodeSpec node = next(graph::NodeKind::comp, std::move(deps));
    node.duration = duration;
    graph::Kernel kernel;
    kernel.operation = graph::Operation::elementwise;
    kernel.launches = launches;
    kernel.host_waits = host_waits;
    node.kernel = builder_->kernels().intern(kernel);
    return add(node);
  }
  /// Each launch costs the host `launch`; the host is at most `ahead` launches ahead.
  void hosts(Time launch, std::uint32_t ahead = 1024) {
    builder_->kernels().set_launch_times(
        {.forward = launch, .backward = launch, .optimizer = launch, .max_queued = ahead});
  }
  std::uint64_t load(std::int64_t bytes, Deps deps = {}) {
    graph::NodeSpec node = next(graph::NodeKind::mem_load, std::move(deps));
    node.flags = graph::kHasTensorSize;
    node.work = {0, Bytes(bytes)};
    return add(node);
  }
  std::uint64_t store(std::int64_t bytes, Deps deps = {}) {
    graph::NodeSpec node = next(graph::NodeKind::mem_store, std::move(deps));
    node.flags = graph::kHasTensorSize;
    node.work = {0, Bytes(bytes)};
    return add(node);
  }
  std::uint64_t coll(graph::CollectiveType type, std::int64_t bytes, Deps deps = {},
                     const std::string& group = "", Time duration = {},
                     const graph::ExpertExchange& exchange = {},
                     graph::Format format = graph::Format::unsaid) {
    graph::NodeSpec node = next(graph::NodeKind::coll, std::move(deps));
    node.collective.exchange = exchange;
    node.collective.format = format;
    node.duration = duration;
    node.flags = graph::kHasCommType | graph::kHasCommSize;
    node.collective.type = type;
    node.collective.size = Bytes(bytes);
    node.collective.group = strings_->intern(group);
    return add(node);
  }
  std::uint64_t silent_coll(Time duration, bool cpu = false) {
    graph::NodeSpec node = next(graph::NodeKind::coll, {});
    if (cpu) node.flags |= graph::kIsCpu;
    node.duration = duration;
    return add(node);
  }
  std::uint64_t send(std::int32_t dst, std::int64_t bytes, std::uint32_t tag = 0, Deps deps = {},
                     bool relative = false, std::optional<std::int32_t> src = std::nullopt) {
    graph::NodeSpec node = next(graph::NodeKind::send, std::move(deps));
    node.flags = graph::kHasCommSize | graph::kHasDst | graph::kHasTag;
    if (relative) node.flags |= graph::kPeerRelative;
    if (src) node.flags |= graph::kHasSrc;
    node.message = {Bytes(bytes), src.value_or(0), dst, tag};
    return add(node);
  }
  std::uint64_t recv(std::int32_t src, std::int64_t bytes, std::uint32_t tag = 0, Deps deps = {},
                     bool relative = false) {
    graph::NodeSpec node = next(graph::NodeKind::recv, std::move(deps));
    node.flags = graph::kHasCommSize | graph::kHasSrc | graph::kHasTag;
    if (relative) node.flags |= graph::kPeerRelative;
    node.message = {Bytes(bytes), src, 0, tag};
    return add(node);
  }
  std::uint64_t metadata(Deps deps = {}) {
    return add(next(graph::NodeKind::metadata, std::move(deps)));
  }
  std::uint64_t tensors(std::vector<std::pair<std::string, std::int64_t>> reads,
                        std::vector<std::pair<std::string, std::int64_t>> writes, Time duration,
                        Deps deps = {}) {
    graph::NodeSpec node = next(graph::NodeKind::comp, std::move(deps));
    node.duration = duration;
    node.flags |= graph::kHasTensors;
    for (const auto& [name, size] : reads) node.tensors.push_back(use(name, size, false));
    for (const auto& [name, size] : writes) node.tensors.push_back(use(name, size, true));
    return add(node);
  }

  [[nodiscard]] graph::GraphRef finish() {
    Findings findings;
    auto graph = std::move(*builder_).finish(findings);
    ORRERY_CHECK(graph.has_value());
    return std::make_shared<const graph::Graph>(std::move(*graph));
  }

 private:
  graph::TensorUse use(const std::string& name, std::int64_t size, bool output) {
    return {.size = Bytes(size), .name = strings_->intern(name), .is_output = output};
  }
  graph::NodeSpec next(graph::NodeKind kind, Deps deps) {
    graph::NodeSpec node;
    node.id = ++last_;
    node.kind = kind;
    node.deps = std::move(deps);
    return node;
  }
  std::uint64_t add(const graph::NodeSpec& node) {
    builder_->add(node);
    return node.id;
  }

  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  std::unique_ptr<graph::GraphBuilder> builder_ =
      std::make_unique<graph::GraphBuilder>("test", strings_, graph::Repair::refuse);
  std::uint64_t last_ = 0;
};

inline graph::Workload workload(std::vector<Rank>& ranks) {
  graph::Workload made;
  for (Rank& rank : ranks) {
    made.graph_of_rank.push_back(static_cast<std::uint32_t>(made.graphs.size()));
    made.graphs.push_back(rank.finish());
  }
  return made;
}

/// `count` ranks with the same graph.
inline graph::Workload replicated(Rank& rank, std::uint32_t count) {
  graph::Workload made;
  made.graphs.push_back(rank.finish());
  made.graph_of_rank.assign(count, 0);
  return made;
}

/// One dimension of 1 GB/s (one byte per ns) and 1 us per hop; ring and direct everywhere, one
/// chunk, no endpoint delay.
inline platform::Platform line(platform::Block block, std::int64_t size,
                               platform::Algorithm algorithm = platform::Algorithm::ring) {
  platform::Platform made;
  made.dims = {{block, size, Bandwidth(1e9), 1000.0}};
  auto& config = made.collectives;
  for (auto* plan : config.plans()) {
    plan->per_dim = {{algorithm, -1}};
  }
  made.device.memory = Bandwidth(0);  // reductions take no time
  return made;
}

}  // namespace orrery::sim::testing
