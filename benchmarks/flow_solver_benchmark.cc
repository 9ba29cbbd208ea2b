// SPDX-License-Identifier: Apache-2.0
//
// Max-min fair rates while flows start and end: flows per second, where each flow is added, gets
// its rates, and is removed. If flows end at different times, the measurement includes the queue of
// these times. Links carry 50 bytes/ns, a message has 1 MiB.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "orrery/network/max_min/max_min.h"

namespace {

using orrery::model::MaxMin;
using Hop = MaxMin::Hop;
using Path = std::vector<Hop>;

constexpr double kCapacity = 0.05;  // bytes per picosecond
constexpr double kBytes = 1 << 20;

/// Every host has a link up to a switch and one down from it.
class Star {
 public:
  explicit Star(std::uint32_t hosts) : hosts_(hosts) {}
  [[nodiscard]] std::uint32_t hosts() const { return hosts_; }
  [[nodiscard]] MaxMin solver() const {
    return MaxMin(std::vector<double>(std::size_t{2} * hosts_, kCapacity));
  }
  void path(std::uint32_t from, std::uint32_t to, std::uint32_t /*flow*/, Path& path) const {
    path = {{from, 1}, {hosts_ + to, 1}};
  }

 private:
  std::uint32_t hosts_;
};

/// 32 hosts per leaf and 32 spines; a hash of the flow selects the spine.
class LeafSpine {
 public:
  explicit LeafSpine(std::uint32_t hosts) : hosts_(hosts) {}
  [[nodiscard]] std::uint32_t hosts() const { return hosts_; }
  [[nodiscard]] MaxMin solver() const {
    return MaxMin(std::vector<double>(std::size_t{4} * hosts_, kCapacity));
  }
  void path(std::uint32_t from, std::uint32_t to, std::uint32_t flow, Path& path) const {
    path = {{from, 1}, {hosts_ + to, 1}};
    if (from / kPorts == to / kPorts) return;
    std::uint64_t hash = (std::uint64_t{from} << 40) ^ (std::uint64_t{to} << 20) ^ flow;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    const auto spine = static_cast<std::uint32_t>((hash >> 32) % kPorts);
    path.push_back({2 * hosts_ + from / kPorts * kPorts + spine, 1});
    path.push_back({3 * hosts_ + to / kPorts * kPorts + spine, 1});
  }

 private:
  static constexpr std::uint32_t kPorts = 32;
  std::uint32_t hosts_;
};

/// All flows start at once and end at once.
template <class MultiDimFabric>
void ring_steps(benchmark::State& state) {
  const MultiDimFabric fabric(static_cast<std::uint32_t>(state.range(0)));
  MaxMin solver = fabric.solver();
  const std::uint32_t hosts = fabric.hosts();
  std::vector<std::uint32_t> flows(hosts);
  Path path;
  for (auto _ : state) {
    for (std::uint32_t host = 0; host < hosts; ++host) {
      fabric.path(host, (host + 1) % hosts, 0, path);
      flows[host] = solver.add(path);
    }
    benchmark::DoNotOptimize(solver.solve().data());
    for (const std::uint32_t flow : flows) solver.remove(flow);
    benchmark::DoNotOptimize(solver.solve().data());
  }
  state.SetItemsProcessed(state.iterations() * hosts);
}

template <class MultiDimFabric>
void all_to_all_at_once(benchmark::State& state) {
  const MultiDimFabric fabric(static_cast<std::uint32_t>(state.range(0)));
  MaxMin solver = fabric.solver();
  const std::uint32_t hosts = fabric.hosts();
  std::vector<std::uint32_t> flows(std::size_t{hosts} * (hosts - 1));
  Path path;
  for (auto _ : state) {
    std::size_t flow = 0;
    for (std::uint32_t host = 0; host < hosts; ++host) {
      for (std::uint32_t i = 1; i < hosts; ++i) {
        fabric.path(host, (host + i) % hosts, 0, path);
        flows[flow++] = solver.add(path);
      }
    }
    benchmark::DoNotOptimize(solver.solve().data());
    for (const std::uint32_t number : flows) solver.remove(number);
    benchmark::DoNotOptimize(solver.solve().data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(flows.size()));
}

/// Every host sends one message after another, each after the arrival of the previous one.
template <class MultiDimFabric>
class Senders {
 public:
  /// Hosts start `stagger` ps apart; `peers[host]`: receivers of its messages, in order.
  Senders(const MultiDimFabric& fabric, const std::vector<std::vector<std::uint32_t>>& peers,
          std::int64_t stagger)
      : fabric_(fabric), peers_(peers), solver_(fabric.solver()), next_(peers.size(), 0) {
    for (std::uint32_t host = 0; host < peers.size(); ++host)
      at(static_cast<std::int64_t>(host) * stagger, {host, kBegins});
  }

  void run() {
    while (const Timed* first = next()) {
      const std::int64_t now = first->time;
      for (; first != nullptr && first->time == now; first = next()) {
        const Event event = first->event;
        pop();
        happens(event);
      }
      settle(now);
    }
  }
  [[nodiscard]] std::int64_t sent() const { return sent_; }
  [[nodiscard]] std::int64_t changes() const { return changes_; }
  [[nodiscard]] std::int64_t solves() const { return solves_; }

 private:
  static constexpr std::uint32_t kBegins = ~0u;

  struct Event {
    std::uint32_t number;   ///< of a flow; of a host, if it begins
    std::uint32_t version;  ///< outdated if the flow's end was predicted again since
  };
  struct Timed {
    std::int64_t time;
    Event event;
  };
  struct Message {
    double left = kBytes;
    double rate = 0;
    std::int64_t since = 0;
    std::uint32_t version = 0;
    std::uint32_t host = 0;
  };
  static bool later(const Timed& a, const Timed& b) {
    return a.time != b.time ? a.time > b.time : a.event.number > b.event.number;
  }

  void at(std::int64_t time, Event event) {
    queue_.push_back({time, event});
    std::push_heap(queue_.begin(), queue_.end(), later);
  }
  void pop() {
    std::pop_heap(queue_.begin(), queue_.end(), later);
    queue_.pop_back();
  }
  /// The next event that is not outdated.
  const Timed* next() {
    while (!queue_.empty()) {
      const Event event = queue_.front().event;
      if (event.version == kBegins || messages_[event.number].version == event.version)
        return &queue_.front();
      pop();
    }
    return nullptr;
  }
  void happens(Event event) {
    std::uint32_t host = event.number;
    if (event.version != kBegins) {
      Message& message = messages_[event.number];
      ++message.version;
      host = message.host;
      solver_.remove(event.number);
    }
    if (next_[host] == peers_[host].size()) return;
    const std::uint32_t turn = next_[host]++;
    fabric_.path(host, peers_[host][turn], turn, path_);
    const std::uint32_t flow = solver_.add(path_);
    if (flow >= messages_.size()) messages_.resize(flow + 1);
    messages_[flow] = {.version = messages_[flow].version + 1, .host = host};
    ++sent_;
  }
  void settle(std::int64_t now) {
    ++solves_;
    for (const std::uint32_t flow : solver_.solve()) {
      ++changes_;
      Message& message = messages_[flow];
      message.left -= message.rate * static_cast<double>(now - message.since);
      message.since = now;
      message.rate = solver_.rate(flow);
      const double lasts = std::ceil(std::max(0.0, message.left) / message.rate);
      at(now + static_cast<std::int64_t>(lasts), {flow, ++message.version});
    }
  }

  const MultiDimFabric& fabric_;
  const std::vector<std::vector<std::uint32_t>>& peers_;
  MaxMin solver_;
  std::vector<std::uint32_t> next_;  ///< by host
  std::vector<Message> messages_;    ///< by flow
  std::vector<Timed> queue_;
  Path path_;
  std::int64_t sent_ = 0;
  std::int64_t changes_ = 0;
  std::int64_t solves_ = 0;
};

template <class MultiDimFabric>
void send(benchmark::State& state, const MultiDimFabric& fabric,
          const std::vector<std::vector<std::uint32_t>>& peers, std::int64_t stagger) {
  std::int64_t sent = 0;
  std::int64_t changes = 0;
  std::int64_t solves = 0;
  for (auto _ : state) {
    Senders<MultiDimFabric> senders(fabric, peers, stagger);
    senders.run();
    sent += senders.sent();
    changes += senders.changes();
    solves += senders.solves();
  }
  state.SetItemsProcessed(sent);
  state.counters["rates_per_flow"] = static_cast<double>(changes) / static_cast<double>(sent);
  state.counters["flows_per_solve"] = static_cast<double>(sent) / static_cast<double>(solves);
}

/// Each host sends to the next host first, then round-robin. Hosts start a 50th of a message's
/// time apart.
template <class MultiDimFabric>
void all_to_all_staggered(benchmark::State& state) {
  const MultiDimFabric fabric(static_cast<std::uint32_t>(state.range(0)));
  const std::uint32_t hosts = fabric.hosts();
  std::vector<std::vector<std::uint32_t>> peers(hosts);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    for (std::uint32_t i = 1; i < hosts; ++i) peers[host].push_back((host + i) % hosts);
  }
  send(state, fabric, peers, static_cast<std::int64_t>(kBytes / kCapacity / 50));
}

template <class MultiDimFabric>
void permutations(benchmark::State& state) {
  const MultiDimFabric fabric(static_cast<std::uint32_t>(state.range(0)));
  std::vector<std::vector<std::uint32_t>> peers(fabric.hosts());
  std::vector<std::uint32_t> order(fabric.hosts());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  for (int round = 0; round < 21; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] != i) peers[i].push_back(order[i]);
    }
  }
  send(state, fabric, peers, 0);
}

BENCHMARK(ring_steps<Star>)->Arg(64)->Arg(1024);
BENCHMARK(ring_steps<LeafSpine>)->Arg(1024);
BENCHMARK(all_to_all_at_once<Star>)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(all_to_all_at_once<LeafSpine>)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(all_to_all_staggered<Star>)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(all_to_all_staggered<LeafSpine>)->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK(permutations<Star>)->Arg(1024)->Unit(benchmark::kMillisecond);
BENCHMARK(permutations<LeafSpine>)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
