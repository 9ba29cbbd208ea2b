// SPDX-License-Identifier: Apache-2.0
//
// Finding identical ranks: a million ranks with one collective, and the pipeline of a large
// training step, with and without a slow rank.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "orrery/graph/builder.h"
#include "orrery/sim/shortcuts/folding/folding.h"

namespace {

using namespace orrery;
using graph::CollectiveType;
using platform::Algorithm;
using platform::Block;

platform::Platform network(std::vector<platform::Dimension> dims,
                           const std::vector<Algorithm>& algorithms) {
  platform::Platform made;
  made.dims = std::move(dims);
  auto& config = made.collectives;
  for (auto* plan : config.plans()) {
    for (const Algorithm algorithm : algorithms) plan->per_dim.push_back({algorithm, -1});
  }
  return made;
}

/// Graph of one rank: every node depends on the previous one.
class Chain {
 public:
  void collective(CollectiveType type, const std::string& group) {
    graph::NodeSpec node;
    node.kind = graph::NodeKind::coll;
    node.flags = graph::kHasCommType | graph::kHasCommSize;
    node.collective.type = type;
    node.collective.size = Bytes(1 << 20);
    node.collective.group = builder_.strings().intern(group);
    add(std::move(node));
  }
  void message(bool sends, std::int32_t distance, std::uint32_t tag) {
    graph::NodeSpec node;
    node.kind = sends ? graph::NodeKind::send : graph::NodeKind::recv;
    node.flags = graph::kHasCommSize | graph::kHasTag | graph::kPeerRelative |
                 (sends ? graph::kHasDst : graph::kHasSrc);
    node.message.size = Bytes(1 << 20);
    (sends ? node.message.dst : node.message.src) = distance;
    node.message.tag = tag;
    add(std::move(node));
  }
  graph::GraphRef finish() {
    Findings findings;
    auto made = std::move(builder_).finish(findings);
    if (!made) std::abort();
    return std::make_shared<const graph::Graph>(*std::move(made));
  }

 private:
  void add(graph::NodeSpec node) {
    node.id = ++last_;
    if (last_ > 1) node.deps = {last_ - 1};
    builder_.add(node);
  }
  graph::GraphBuilder builder_{"benchmark", std::make_shared<StringPool>(), graph::Repair::refuse};
  std::uint64_t last_ = 0;
};

void fold_all(benchmark::State& state, const graph::Workload& workload,
              const platform::Platform& platform) {
  const model::MultiDimFabric fabric(platform);
  const auto network = model::make_network(platform);
  sim::Communicators communicators;
  if (!communicators.make(workload, platform.rules)) std::abort();
  std::size_t classes = 0;
  for (auto _ : state) {
    sim::CollectivePlanner planner(platform, fabric, *network);
    classes = sim::fold(workload, platform, fabric, *network, communicators, planner)->classes();
  }
  state.counters["classes"] = static_cast<double>(classes);
}

void MillionAlike(benchmark::State& state) {
  const platform::Platform platform =
      network({{Block::ring, 16, Bandwidth(50e9), 500.0},
               {Block::fully_connected, 256, Bandwidth(50e9), 500.0},
               {Block::switched, 256, Bandwidth(50e9), 500.0}},
              {Algorithm::ring, Algorithm::direct, Algorithm::halving_doubling});
  Chain chain;
  chain.collective(CollectiveType::all_reduce, "");
  graph::Workload workload;
  workload.graphs = {chain.finish()};
  workload.graph_of_rank.assign(1 << 20, 0);
  fold_all(state, workload, platform);
}
BENCHMARK(MillionAlike)->Unit(benchmark::kMillisecond);

/// Tensor parallel 8, data parallel 1,024, 16 stages: 131,072 ranks. `slow`: number of slow ranks.
void Pipeline(benchmark::State& state) {
  constexpr std::int32_t kStage = 8 * 1024;
  platform::Platform platform = network({{Block::switched, 8, Bandwidth(450e9), 500.0},
                                         {Block::switched, 1024, Bandwidth(50e9), 500.0},
                                         {Block::switched, 16, Bandwidth(50e9), 1000.0}},
                                        {Algorithm::ring, Algorithm::ring, Algorithm::ring});
  graph::Workload workload;
  workload.axes["tp"] = {"tp", {{1, 8}}};
  workload.axes["dp"] = {"dp", {{8, 1024}}};
  workload.axes["dp-cp"] = {"dp-cp", {{8, 1024}}};
  workload.axes["pp"] = {"pp", {{kStage, 16}}};
  workload.axes["ends"] = {"ends", {{kStage, 2, 15}}};
  for (std::int32_t stage = 0; stage < 16; ++stage) {
    Chain chain;
    if (stage > 0) chain.message(false, -kStage, 0);
    chain.collective(CollectiveType::all_gather, "tp");
    chain.collective(CollectiveType::reduce_scatter, "tp");
    if (stage < 15) chain.message(true, kStage, 0);
    if (stage < 15) chain.message(false, kStage, 1);
    if (stage > 0) chain.message(true, -kStage, 1);
    chain.collective(CollectiveType::reduce_scatter, "dp");
    chain.collective(CollectiveType::all_reduce, "dp-cp");
    chain.collective(CollectiveType::all_reduce, "pp");
    if (stage % 15 == 0) chain.collective(CollectiveType::all_reduce, "ends");
    workload.graphs.push_back(chain.finish());
  }
  for (std::int32_t rank = 0; rank < 16 * kStage; ++rank)
    workload.graph_of_rank.push_back(static_cast<std::uint32_t>(rank / kStage));
  platform::Deviation slow;
  slow.compute_time = 2;
  for (std::uint32_t i = 0; i < state.range(0); ++i) slow.ranks.push_back(i * 1001);
  platform.deviations.push_back(slow);
  fold_all(state, workload, platform);
}
BENCHMARK(Pipeline)->ArgName("slow")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
