// SPDX-License-Identifier: Apache-2.0
//
// Router cycles per second: cycles times routers of an 8 x 8 mesh, as BookSim2's 0.39 million at a
// load of 0.2 are counted.
#include <benchmark/benchmark.h>

#include <ctime>

#include "orrery/network/noc/traffic.h"

namespace {

using namespace orrery;

/// 8 channels of 8 flits, uniform packets of one flit. range(0): load in percent.
void BM_Mesh(benchmark::State& state) {
  const noc::NocGraph graph = *noc::make_cube({{8, 8}});
  platform::NocSettings settings;
  settings.channels = 8;
  const noc::FlitEngine empty = *noc::FlitEngine::make(graph, settings);
  noc::TrafficSettings traffic;
  traffic.load = static_cast<double>(state.range(0)) / 100;
  double cycles = 0, hops = 0, seconds = 0;
  for (auto _ : state) {
    noc::FlitEngine engine = empty;
    const std::clock_t begin = std::clock();
    const noc::TrafficResult result = noc::run_traffic(engine, traffic);
    seconds += static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    cycles += 64 * static_cast<double>(result.cycles);
    hops += static_cast<double>(result.counts.hops);
  }
  state.counters["router_cycles/s"] = cycles / seconds;
  state.counters["flit_hops/s"] = hops / seconds;
}
BENCHMARK(BM_Mesh)->Arg(1)->Arg(20)->Arg(42)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
