// SPDX-License-Identifier: Apache-2.0
//
// Synthesizing collectives: duration of the search, and distance of the result to the lower bound.
// Grids have links of 50 GiB/s and 0.5 us, as in the measurements of TACOS. Hosts have eight
// devices behind an NVSwitch (450 GB/s each), and rails of 50 GB/s.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "orrery/platform/topology/generators/topology_generator.h"
#include "orrery/synthesis/bounds/bounds.h"
#include "orrery/synthesis/search/synthesize.h"

namespace {

using namespace orrery;
using graph::CollectiveType;
using synthesis::FabricState;

platform::LinkFigures cable(double gigabytes, std::int64_t latency_ns) {
  return {Bandwidth(gigabytes * 1e9), ns(latency_ns), 1, platform::LinkClass::network};
}

FabricState fabric_state_for(Result<platform::Topology> made, std::vector<std::int64_t> sizes) {
  if (!made) std::abort();
  auto topology = std::make_shared<const platform::Topology>(std::move(*made));
  std::vector<platform::NodeIndex> rank_devices(topology->devices().begin(),
                                                topology->devices().end());
  auto fabric_state =
      synthesis::make_fabric_state(std::move(topology), std::move(rank_devices), {}, "benchmark");
  if (!fabric_state) std::abort();
  fabric_state->sizes = std::move(sizes);
  return *std::move(fabric_state);
}

FabricState grid(const std::vector<std::int64_t>& sizes, bool closed) {
  std::int64_t count = 1;
  for (const std::int64_t size : sizes) count *= size;
  platform::NetworkPlan plan;
  plan.shape = closed ? platform::NetworkShape::torus : platform::NetworkShape::mesh;
  plan.sizes = sizes;
  plan.port = cable(50 * 1.073741824, 500);
  return fabric_state_for(
      platform::generate("grid", {{count, 1, platform::HostInterconnect::none, 1, {}, 0, {}}}, plan,
                         "grid"),
      sizes);
}

FabricState rails(std::int64_t hosts) {
  platform::NetworkPlan plan;
  plan.shape = platform::NetworkShape::rail_only;
  plan.per_leaf = hosts;
  plan.radix = 2 * hosts;
  plan.port = plan.trunk = cable(50, 700);
  return fabric_state_for(platform::generate("rails",
                                             {{hosts, 8, platform::HostInterconnect::switched, 1,
                                               cable(450, 200), 8, cable(64, 250)}},
                                             plan, "rails"),
                          {});
}

void make(benchmark::State& state, const FabricState& fabric_state, CollectiveType type,
          bool constructions) {
  synthesis::SynthesisQuestion question;
  question.type = type;
  question.bytes = Bytes(1 << 30);
  question.constructions = constructions;
  double gap = 0, sends = 0, micros = 0;
  for (auto _ : state) {
    const auto made = synthesis::synthesize(fabric_state, question);
    if (!made) std::abort();
    micros = static_cast<double>(made->time.count()) * 1e-6;
    gap = 100 * (static_cast<double>(made->time.count()) /
                     static_cast<double>(made->bound.total.count()) -
                 1);
    sends = static_cast<double>(made->schedule.sends.size());
  }
  state.counters["gap_percent"] = gap;
  state.counters["takes_us"] = micros;
  state.counters["sends"] = sends;
}

void TightestCut(benchmark::State& state) {
  const FabricState fabric_state = grid({state.range(0), state.range(0)}, true);
  for (auto _ : state) {
    const auto bound = synthesis::lower_bound_of(
        fabric_state, {CollectiveType::all_gather, Bytes(1 << 30), {}, 0, {}});
    if (!bound) std::abort();
    state.counters["exact"] = bound->exact ? 1 : 0;
  }
}
BENCHMARK(TightestCut)->Arg(32)->Arg(64)->Arg(256)->Unit(benchmark::kMillisecond);

void TorusByRule(benchmark::State& state) {
  make(state, grid({state.range(0), state.range(0)}, true), CollectiveType::all_gather, true);
}
BENCHMARK(TorusByRule)->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond);

void TorusSearched(benchmark::State& state) {
  make(state, grid({state.range(0), state.range(0)}, true), CollectiveType::all_gather, false);
}
BENCHMARK(TorusSearched)->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond);

void MeshByRule(benchmark::State& state) {
  make(state, grid({state.range(0), state.range(0)}, false), CollectiveType::all_gather, true);
}
BENCHMARK(MeshByRule)->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond);

void MeshSearched(benchmark::State& state) {
  make(state, grid({state.range(0), state.range(0)}, false), CollectiveType::all_gather, false);
}
BENCHMARK(MeshSearched)->Arg(32)->Arg(64)->Unit(benchmark::kMillisecond);

void AllToAllOnCube(benchmark::State& state) {
  make(state, grid({8, 8, 8}, true), CollectiveType::all_to_all, state.range(0) != 0);
}
BENCHMARK(AllToAllOnCube)->ArgName("rule")->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond);

void AllReduceOn64Hosts(benchmark::State& state) {
  make(state, rails(64), CollectiveType::all_reduce, true);
}
BENCHMARK(AllReduceOn64Hosts)->Iterations(1)->Unit(benchmark::kMillisecond);

void AllToAllOn64Hosts(benchmark::State& state) {
  make(state, rails(64), CollectiveType::all_to_all, true);
}
BENCHMARK(AllToAllOn64Hosts)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
