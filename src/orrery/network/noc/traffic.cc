// SPDX-License-Identifier: Apache-2.0
#include "orrery/network/noc/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "orrery/core/random.h"
#include "orrery/core/statistics/statistics.h"

namespace orrery::noc {

namespace {

constexpr std::uint32_t kMeasured = 1;

struct Random {
  std::uint64_t state = 0;
  std::uint64_t next() { return mix_bits(state += 0x9e3779b97f4a7c15u); }
  /// Below `count`.
  std::uint32_t below(std::uint32_t count) {
    return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32);
  }
};

/// A source of packets: one draw per cycle.
struct Source {
  Random random;
  std::int64_t cycle = 0;  ///< of the next draw
};

/// Times of the packets that have arrived since the last clear().
struct Times {
  double sum = 0, network = 0, hops = 0;
  std::vector<std::int64_t> all;

  void clear() { *this = {}; }
  [[nodiscard]] double mean() const { return sum / static_cast<double>(all.size()); }
};

enum class Phase : std::uint8_t { warm_up, running, draining };

class Measurement {
 public:
  Measurement(FlitEngine& engine, const TrafficSettings& traffic)
      : engine_(engine),
        traffic_(traffic),
        nodes_(engine.graph().node_count()),
        period_(engine.graph().periods[0]) {
    // Integers, so that every machine draws the same.
    const double chance = traffic.load / static_cast<double>(traffic.packet);
    chance_ = static_cast<std::uint64_t>(std::min(chance, 1.0) * 0x1p32);
    hot_chance_ = static_cast<std::uint64_t>(traffic.hot_share * 0x1p32);
    for (std::uint32_t node = 0; node < nodes_; ++node)
      sources_.push_back({{mix_bits(traffic.seed * 0x100000001b3u + node)}, 0});
  }

  TrafficResult run() {
    if (traffic_.pattern == TrafficPattern::trace) return run_trace();
    const bool is_stable = run_periods() && drain();
    return result(is_stable);
  }

 private:
  void step(bool generates = true) {
    if (generates) generate();
    engine_.run(cycle_ * period_);
    for (const Delivery& one : engine_.deliveries()) take(one);
    engine_.clear_deliveries();
    ++cycle_;
  }

  void generate() {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      Source& source = sources_[node];
      // Earlier packets wait in the source, so later draws can wait, too.
      while (source.cycle <= cycle_ && engine_.is_idle(node)) {
        const std::int64_t cycle = source.cycle++;
        if ((source.random.next() >> 32) < chance_) post(node, destination(node, source), cycle);
      }
    }
  }

  std::uint32_t destination(std::uint32_t node, Source& source) {
    switch (traffic_.pattern) {
      case TrafficPattern::hot_spot:
        if ((source.random.next() >> 32) < hot_chance_) return traffic_.hot_node;
        break;
      case TrafficPattern::uniform:
      case TrafficPattern::trace:
        break;
      default:
        return permuted(traffic_.pattern, node, nodes_);
    }
    return source.random.below(nodes_);
  }

  void post(std::uint32_t from, std::uint32_t to, std::int64_t cycle) {
    Packet packet;
    packet.source = from;
    packet.destination = to;
    packet.size = static_cast<std::uint32_t>(traffic_.packet);
    packet.created = cycle * period_;
    packet.key = sources_[from].random.next();
    if (phase_ == Phase::running || (phase_ == Phase::draining && cycle < drain_from_))
      packet.tag = kMeasured;
    add(packet, 1);
    engine_.post(packet);
  }

  /// Adds (1) or removes (-1) the flits of a packet in flight.
  void add(const Packet& packet, double sign) {
    const auto flits = static_cast<double>(packet.size);
    const double created = static_cast<double>(packet.created) / static_cast<double>(period_);
    flits_ += sign * flits;
    created_ += sign * flits * created;
    if (packet.tag != kMeasured) return;
    measured_flits_ += sign * flits;
    measured_created_ += sign * flits * created;
  }

  void take(const Delivery& one) {
    add(one.packet, -1);
    if (phase_ != Phase::warm_up && one.packet.tag != kMeasured) return;
    const auto cycles = [&](std::int64_t from) {
      return static_cast<double>(one.time - from) / static_cast<double>(period_);
    };
    times_.sum += cycles(one.packet.created);
    times_.network += cycles(one.packet.injected);
    times_.hops += one.packet.hops;
    times_.all.push_back((one.time - one.packet.created) / period_);
  }

  void clear() {
    times_.clear();
    ejected_before_ = engine_.counts().ejected;
    cleared_ = cycle_;
  }

  /// Flits that arrived per node and cycle since clear().
  [[nodiscard]] double accepted() const {
    return static_cast<double>(engine_.counts().ejected - ejected_before_) /
           static_cast<double>(cycle_ - cleared_) / static_cast<double>(nodes_);
  }

  /// The mean latency, with the age of flits that have not arrived.
  [[nodiscard]] bool exceeds_limit(double flits, double created) const {
    const double sum = times_.sum + flits * static_cast<double>(cycle_) - created;
    return sum / (static_cast<double>(times_.all.size()) + flits) > traffic_.latency_limit;
  }

  /// False: the network is saturated.
  bool run_periods() {
    double latency_before = 0, accepted_before = 0;
    bool clears = false;
    int converged = 0;
    for (std::int64_t done = 0; done < traffic_.periods && converged < 3; ++done) {
      if (clears || (phase_ == Phase::warm_up && done % 2 == 0)) clear();
      clears = false;
      for (std::int64_t i = 0; i < traffic_.period; ++i) step();
      const double latency = times_.all.empty() ? 0 : times_.mean();
      accepted_ = accepted();
      const bool is_steady =
          std::abs(latency - latency_before) <= traffic_.converged * latency &&
          std::abs(accepted_ - accepted_before) <= traffic_.converged * accepted_;
      latency_before = latency;
      accepted_before = accepted_;
      if (exceeds_limit(flits_, created_)) return false;
      if (phase_ == Phase::warm_up) {
        if (done + 1 >= traffic_.warm_up) {
          phase_ = Phase::running;
          clears = true;
        }
      } else {
        converged = is_steady ? converged + 1 : 0;
      }
    }
    return phase_ == Phase::running;
  }

  bool drain() {
    phase_ = Phase::draining;
    drain_from_ = cycle_;
    const auto is_behind = [&] {
      return std::any_of(sources_.begin(), sources_.end(),
                         [&](const Source& one) { return one.cycle <= drain_from_; });
    };
    for (std::int64_t steps = 1; measured_flits_ > 0 || is_behind(); ++steps) {
      step();
      if (steps % 1000 == 0 && exceeds_limit(measured_flits_, measured_created_)) return false;
      if (cycle_ > traffic_.cycle_limit) return false;
    }
    return true;
  }

  TrafficResult run_trace() {
    phase_ = Phase::running;
    std::size_t next = 0;
    const std::vector<TracePacket>& trace = traffic_.trace;
    while (next < trace.size() || flits_ > 0) {
      if (flits_ == 0) cycle_ = std::max(cycle_, trace[next].cycle);
      for (; next < trace.size() && trace[next].cycle <= cycle_; ++next) {
        Packet packet;
        packet.source = trace[next].from;
        packet.destination = trace[next].to;
        packet.size = trace[next].flits;
        packet.created = trace[next].cycle * period_;
        packet.key = sources_[packet.source].random.next();
        packet.tag = kMeasured;
        add(packet, 1);
        engine_.post(packet);
      }
      step(false);
      if (cycle_ > traffic_.cycle_limit) break;
    }
    accepted_ = accepted();
    return result(next == trace.size() && flits_ == 0);
  }

  TrafficResult result(bool is_stable) {
    TrafficResult made;
    made.is_stable = is_stable;
    made.accepted = accepted_;
    made.cycles = cycle_;
    made.counts = engine_.counts();
    made.packets = times_.all.size();
    if (times_.all.empty()) return made;
    const auto count = static_cast<double>(times_.all.size());
    made.latency = times_.sum / count;
    made.network_latency = times_.network / count;
    made.hops = times_.hops / count;
    made.least = quantile_lower(times_.all, 0);
    made.most = quantile_lower(times_.all, 1);
    made.median = upper_median(times_.all);
    made.p99 = quantile_lower(times_.all, 0.99);
    return made;
  }

  FlitEngine& engine_;
  const TrafficSettings& traffic_;
  std::uint32_t nodes_;
  std::int64_t period_;
  std::uint64_t chance_ = 0, hot_chance_ = 0;  // of 2^32
  std::vector<Source> sources_;
  Phase phase_ = Phase::warm_up;
  std::int64_t cycle_ = 0, drain_from_ = 0, cleared_ = 0;
  std::uint64_t ejected_before_ = 0;
  double accepted_ = 0;
  // Flits in flight, and the sum of the cycles of their creation.
  double flits_ = 0, created_ = 0, measured_flits_ = 0, measured_created_ = 0;
  Times times_;
};

}  // namespace

Result<void> check_traffic(const TrafficSettings& traffic, std::uint32_t nodes) {
  const auto wrong = [](std::string where, std::string what, std::string hint) {
    return tl::unexpected(
        Error{Errc::config_range, std::move(where), std::move(what), std::move(hint)});
  };
  if (!(traffic.load > 0 && traffic.load <= 64))
    return wrong("load", "is out of range", "use up to 64 flits per node and cycle");
  if (traffic.packet < 1 || traffic.packet > 65536)
    return wrong("packet", "is out of range", "use 1 to 65,536 flits");
  if (traffic.load > static_cast<double>(traffic.packet))
    return wrong("load", "a node creates at most one packet per cycle",
                 fmt::format("use at most {}", traffic.packet));
  if (traffic.hot_node >= nodes)
    return wrong("hot node", "does not exist", fmt::format("use 0 to {}", nodes - 1));
  if (!(traffic.hot_share >= 0 && traffic.hot_share <= 1))
    return wrong("hot share", "is no share", "use 0 to 1");
  if (traffic.period < 1 || traffic.warm_up < 1 || traffic.periods <= traffic.warm_up)
    return wrong("periods", "nothing is measured", "use more periods than the warm-up has");
  const bool exchanges = traffic.pattern == TrafficPattern::transpose;
  const bool bits = exchanges || traffic.pattern == TrafficPattern::complement ||
                    traffic.pattern == TrafficPattern::shuffle;
  if (bits && (!std::has_single_bit(nodes) || (exchanges && std::bit_width(nodes) % 2 == 0)))
    return wrong("pattern", fmt::format("exchanges bits, and there are {} nodes", nodes),
                 exchanges ? "use 4, 16, 64 … nodes" : "use 2, 4, 8 … nodes");
  if (traffic.pattern == TrafficPattern::trace && traffic.trace.empty())
    return wrong("trace", "has no packets",
                 "give a line per packet: cycle, source, destination, "
                 "flits");
  std::int64_t before = 0;
  for (std::size_t i = 0; i < traffic.trace.size(); ++i) {
    const TracePacket& one = traffic.trace[i];
    if (one.cycle > traffic.cycle_limit)
      return wrong(fmt::format("packet {}", i + 1), fmt::format("begins in cycle {}", one.cycle),
                   fmt::format("a run ends after {} cycles; subtract the cycle of the first packet "
                               "from all",
                               traffic.cycle_limit));
    if (one.cycle < before || one.from >= nodes || one.to >= nodes || one.flits < 1 ||
        one.flits > 65536)
      return wrong(fmt::format("packet {}", i + 1),
                   "is earlier than the one before, or has an unknown node or size",
                   fmt::format("order packets by cycle; use nodes 0 to {} and 1 to 65,536 flits",
                               nodes - 1));
    before = one.cycle;
  }
  return {};
}

std::uint32_t permuted(TrafficPattern pattern, std::uint32_t from, std::uint32_t nodes) {
  const auto bits = static_cast<std::uint32_t>(std::bit_width(nodes) - 1);
  switch (pattern) {
    case TrafficPattern::transpose:
      return (from >> (bits / 2)) | ((from << (bits / 2)) & (nodes - 1));
    case TrafficPattern::complement:
      return ~from & (nodes - 1);
    case TrafficPattern::shuffle:
      return bits == 0 ? from : ((from << 1) & (nodes - 1)) | (from >> (bits - 1));
    default:
      return from;
  }
}

TrafficResult run_traffic(FlitEngine& engine, const TrafficSettings& traffic) {
  return Measurement(engine, traffic).run();
}

}  // namespace orrery::noc
