// SPDX-License-Identifier: Apache-2.0
//
// Packets per second of the packet network. `packets_per_hold` compares them with the holds of a
// std::priority_queue (remove the next of 10,000 events, insert one) in the same run, so that it
// depends little on the machine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <functional>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "orrery/network/network_driver_testing.h"
#include "orrery/network/packet_network.h"
#include "orrery/network/packet_rings_testing.h"
#include "orrery/platform/cluster/cluster.h"

namespace {

using orrery::model::EndPoint;
using orrery::model::PacketNetwork;
using orrery::model::testing::Driver;
using orrery::model::testing::PacketRing;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Holds per second.
double hold_rate() {
  constexpr int kPending = 10'000, kHolds = 1 << 20;
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> queue;
  std::mt19937_64 random(1);
  for (int i = 0; i < kPending; ++i) queue.push(static_cast<std::int64_t>(random() % 1'000'000));
  const double begin = cpu_seconds();
  for (int i = 0; i < kHolds; ++i) {
    const std::int64_t time = queue.top();
    queue.pop();
    queue.push(time + static_cast<std::int64_t>(random() % 1'000'000));
  }
  return kHolds / (cpu_seconds() - begin);
}

void report(benchmark::State& state, double packets, double seconds) {
  state.counters["packets/s"] = packets / seconds;
  state.counters["packets_per_hold"] = packets / seconds / hold_rate();
}

/// A ring all-reduce of 16 MiB among 64 hosts on leaves and spines; ns-3 needs 3.0 s.
void BM_Ring(benchmark::State& state) {
  double packets = 0, seconds = 0;
  for (auto _ : state) {
    PacketNetwork network(orrery::model::testing::with_window(
        orrery::model::testing::ring_platform({64, 8, [](int from, int) { return from % 8; }}),
        64));
    const double begin = cpu_seconds();
    benchmark::DoNotOptimize(PacketRing(network, std::int64_t{16} << 20).run());
    seconds += cpu_seconds() - begin;
    packets += static_cast<double>(network.engine().counts().sent);
  }
  report(state, packets, seconds);
}
BENCHMARK(BM_Ring)->Unit(benchmark::kMillisecond);

/// 1,024 hosts of a fat tree of 3 tiers send 2 MB each, sprayed over 128 routes.
void permute(benchmark::State& state, const std::string& packets_section) {
  orrery::Findings findings;
  const auto platform = orrery::platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nnetwork_model: packet\n"
      "fabric: {hosts: [{count: 1024, devices: 1}], network: {kind: fat_tree, tiers: 3, radix: 16, "
      "port: {bandwidth: 100 Gb/s, latency: 1 us}}, routing: spray}\n"
      "packets: {payload: 4086 B, header: 64 B, acknowledgement: 64 B, acknowledge_every: 16344 B, "
      "entropies: 128, " +
          packets_section + "}\n",
      "benchmark", findings);
  if (!platform) {
    state.SkipWithError(to_string(platform.error()).c_str());
    return;
  }
  double packets = 0, seconds = 0;
  for (auto _ : state) {
    PacketNetwork network(*platform);
    std::vector<orrery::model::testing::TimedSend> sends;
    for (EndPoint rank = 0; rank < 1024; ++rank)
      sends.push_back(
          {0, {.from = rank, .to = (rank + 389) % 1024, .bytes = 2'000'000, .token = rank}});
    Driver driver(network);
    const double begin = cpu_seconds();
    driver.run(sends);
    seconds += cpu_seconds() - begin;
    packets += static_cast<double>(network.engine().counts().sent);
  }
  report(state, packets, seconds);
}
void BM_PermutationOfWindows(benchmark::State& state) { permute(state, "window: 44"); }
BENCHMARK(BM_PermutationOfWindows)->Unit(benchmark::kMillisecond);
void BM_PermutationOfNscc(benchmark::State& state) {
  permute(
      state,
      "transport: nscc, spraying: mixed, queue: 178 kB, trims: true, mark_from: 36 kB, mark_to: "
      "143 kB");
}
BENCHMARK(BM_PermutationOfNscc)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
