// SPDX-License-Identifier: Apache-2.0
//
// The same as some of flow_solver_benchmark.cc by SimGrid, where that is installed: star of 1,024
// hosts, 50 bytes/ns, 1 MiB a message, model CM02 without latency, so that rates are max-min fair
// there too. Its times include its own events and actors.
#include <benchmark/benchmark.h>

#include <numeric>
#include <random>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace {

namespace s4u = simgrid::s4u;

constexpr int kHosts = 1024;
constexpr std::uint64_t kBytes = 1 << 20;

/// There can be one engine in a process; it can run again and again.
class StarOfHosts {
 public:
  static StarOfHosts& get() {
    static StarOfHosts star;
    return star;
  }
  [[nodiscard]] s4u::Host* host(std::size_t number) const { return hosts_[number]; }
  void run() { engine_->run(); }

 private:
  StarOfHosts() {
    static std::vector<std::string> words = {
        "flow_solver_benchmark",     "--cfg=network/model:CM02", "--cfg=network/crosstraffic:0",
        "--cfg=network/TCP-gamma:0", "--log=root.thres:error",   "--cfg=contexts/stack-size:64"};
    static std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    static int count = static_cast<int>(arguments.size());
    engine_ = new s4u::Engine(&count, arguments.data());
    s4u::NetZone* zone = s4u::create_star_zone("star");
    for (int i = 0; i < kHosts; ++i) {
      const std::string name = std::to_string(i);
      s4u::Host* host = zone->create_host(name, 1e9);
      const s4u::Link* up = zone->create_link("up" + name, 50e9)->set_latency(0)->seal();
      const s4u::Link* down = zone->create_link("down" + name, 50e9)->set_latency(0)->seal();
      zone->add_route(host->get_netpoint(), nullptr, nullptr, nullptr, {s4u::LinkInRoute(up)},
                      false);
      zone->add_route(nullptr, host->get_netpoint(), nullptr, nullptr, {s4u::LinkInRoute(down)},
                      false);
      hosts_.push_back(host);
    }
    zone->seal();
  }

  s4u::Engine* engine_ = nullptr;
  std::vector<s4u::Host*> hosts_;
};

void simgrid_ring_steps(benchmark::State& state) {
  constexpr int kSteps = 8;
  StarOfHosts& star = StarOfHosts::get();
  const auto hosts = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    s4u::Actor::create("ring", star.host(0), [&star, hosts] {
      for (int step = 0; step < kSteps; ++step) {
        std::vector<s4u::CommPtr> comms;
        for (std::size_t i = 0; i < hosts; ++i) {
          s4u::Host* to = star.host((i + 1) % hosts);
          comms.push_back(s4u::Comm::sendto_async(star.host(i), to, kBytes));
        }
        s4u::Comm::wait_all(comms);
      }
    });
    star.run();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(hosts) * kSteps);
}

void simgrid_all_to_all_at_once(benchmark::State& state) {
  StarOfHosts& star = StarOfHosts::get();
  const auto hosts = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    s4u::Actor::create("all", star.host(0), [&star, hosts] {
      std::vector<s4u::CommPtr> comms;
      for (std::size_t i = 0; i < hosts; ++i) {
        for (std::size_t j = 1; j < hosts; ++j) {
          s4u::Host* to = star.host((i + j) % hosts);
          comms.push_back(s4u::Comm::sendto_async(star.host(i), to, kBytes));
        }
      }
      s4u::Comm::wait_all(comms);
    });
    star.run();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(hosts * (hosts - 1)));
}

/// An actor a host; the same permutations as in flow_solver_benchmark.cc.
void simgrid_permutations(benchmark::State& state) {
  StarOfHosts& star = StarOfHosts::get();
  std::vector<std::vector<std::uint32_t>> peers(kHosts);
  std::vector<std::uint32_t> order(kHosts);
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  std::int64_t flows = 0;
  for (int round = 0; round < 21; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] == i) continue;
      peers[i].push_back(order[i]);
      ++flows;
    }
  }
  for (auto _ : state) {
    for (std::size_t i = 0; i < kHosts; ++i) {
      s4u::Actor::create("sender", star.host(i), [&star, &peers, i] {
        for (const std::uint32_t to : peers[i])
          s4u::Comm::sendto(star.host(i), star.host(to), kBytes);
      });
    }
    star.run();
  }
  state.SetItemsProcessed(state.iterations() * flows);
}

BENCHMARK(simgrid_ring_steps)->Arg(64)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(simgrid_all_to_all_at_once)->Arg(64)->Unit(benchmark::kMillisecond);
BENCHMARK(simgrid_permutations)->Unit(benchmark::kMillisecond);

}  // namespace
