// SPDX-License-Identifier: Apache-2.0
//
// What every network must hold to (network.h): those of core/models/network_names.h, and two that
// only tests use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/network/fabric_routes.h"
#include "orrery/network/fluid_network_testing.h"
#include "orrery/network/network_driver_testing.h"
#include "orrery/network/table_network_testing.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/topology/routing/router.h"

namespace orrery::model {
namespace {

using platform::Block;
using platform::NetworkModelKind;
using platform::Platform;
using platform::Rules;
using testing::Driver;
using testing::TimedSend;

using Random = std::mt19937_64;
using Arrivals = std::map<std::uint32_t, std::int64_t>;

constexpr int kContractCases = 60;

std::int64_t below(Random& random, std::int64_t limit) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
}

struct Candidate {
  std::string name;
  std::function<Platform(Random&)> platform;
  std::function<std::unique_ptr<Network>(const Platform&, Random&)> make;
};

void PrintTo(const Candidate& candidate, std::ostream* out) { *out << candidate.name; }

Platform any_dims(Random& random) {
  Platform made;
  const std::int64_t dims = 1 + below(random, 3);
  for (std::int64_t d = 0; d < dims; ++d) {
    const auto block = static_cast<Block>(below(random, 3));
    made.dims.push_back({block, 2 + below(random, 3), Bandwidth(1e9 * double(1 + below(random, 8))),
                         double(below(random, 3) * 500)});
    if (block == Block::switched && below(random, 2) == 0)
      made.dims.back().memories =
          platform::Memories{1 + below(random, 2), Bandwidth(1e9 * double(1 + below(random, 8))),
                             ns(below(random, 3) * 500)};
  }
  return made;
}

Candidate of_the_platform(const std::string& name, NetworkModelKind kind, Rules rules) {
  return {name,
          [kind, rules](Random& random) {
            Platform made = any_dims(random);
            made.network = kind;
            made.rules = rules;
            return made;
          },
          [](const Platform& platform, Random&) { return make_network(platform); }};
}

/// Fabrics of all kinds, each with every way to choose among ways.
Platform any_fabric(Random& random, bool faults) {
  // With what may break of it.
  static const std::vector<std::pair<std::string, std::string>> fabrics = {
      {R"({hosts: [{count: 6, devices: 1}], network: {kind: switch, port: $}})", "switch"},
      {R"({hosts: [{count: 2, devices: 4, scale_up: $, nics: 2, pcie: $}],
          network: {kind: fat_tree, per_leaf: 2, radix: 4, port: $}})",
       "spine*"},
      {R"({hosts: [{count: 3, devices: 2, scale_up: $, nics: 2, pcie: $},
                   {devices: 1, nics: 1, pcie: $}],
          network: {kind: rail_optimized, per_leaf: 2, radix: 8, port: $}})",
       "host0.nic0"},
      {R"({hosts: [{count: 4, devices: 2, scale_up: $, nics: 2, pcie: $}],
          network: {kind: rail_only, per_leaf: 2, radix: 8, port: $}})",
       "rail0.*"},
      {R"({hosts: [{count: 8, devices: 1}], network: {kind: torus, sizes: [2, 4], port: $}})",
       "npu3"},
      {R"({hosts: [{count: 8, devices: 1}],
          network: {kind: dragonfly, per_leaf: 1, group: 2, global_links: 2, port: $}})",
       "group0.router0"}};
  const auto& drawn = fabrics[static_cast<std::size_t>(below(random, std::ssize(fabrics)))];
  std::string text = drawn.first;
  for (std::size_t at = 0; (at = text.find('$')) != std::string::npos;) {
    const std::int64_t rate = 1 + below(random, 8), latency = below(random, 3) * 500;
    text.replace(at, 1, fmt::format("{{bandwidth: {} GB/s, latency: {} ns}}", rate, latency));
  }
  const auto& policies = platform::kRoutePolicies;
  text.insert(
      text.size() - 1,
      ", routing: " +
          std::string(
              policies[static_cast<std::size_t>(below(random, std::ssize(policies)))].word));
  if (below(random, 2) == 0)
    text.insert(text.size() - 1, ", memories: [{at: \"" + drawn.second +
                                     "\", count: 2, link: {bandwidth: 2 GB/s, latency: 1 us}}]");
  if (faults && below(random, 4) > 0) {
    const char* const kinds[] = {"start: 1 us, end: 3 us", "every: 3 us, lasts: 1 us",
                                 "bandwidth: 0.3, start: 2 us"};
    text.insert(text.size() - 1,
                ", faults: [{node: \"" + drawn.second + "\", " + kinds[below(random, 3)] + "}]");
  }
  Findings findings;
  const auto made = platform::parse_cluster(
      "device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\nfabric: " + text, "drawn", findings);
  EXPECT_TRUE(made) << (made ? "" : to_string(made.error()));
  Platform platform = *made;
  for (platform::Dimension& dim : platform.dims) dim.bandwidth = Bandwidth(8e9);
  return platform;
}

Candidate of_a_fabric(const std::string& name, NetworkModelKind kind) {
  return {name,
          [kind](Random& random) {
            Platform made = any_fabric(random, network_model(kind).timed_faults);
            made.network = kind;
            return made;
          },
          [](const Platform& platform, Random&) { return make_network(platform); }};
}

std::vector<Candidate> all_networks() {
  const auto table = [](const Platform& platform, Random& random) -> std::unique_ptr<Network> {
    std::vector<std::int64_t> delays(static_cast<std::size_t>(1 + below(random, 4)));
    for (std::int64_t& delay : delays) delay = below(random, 5) * 100'000;
    return std::make_unique<testing::TableNetwork>(static_cast<std::uint32_t>(platform.npu_count()),
                                                   delays, 1000);
  };
  const auto fluid = [](const Platform& platform, Random&) -> std::unique_ptr<Network> {
    return std::make_unique<testing::FluidNetwork>(static_cast<std::uint32_t>(platform.npu_count()),
                                                   500'000, 1e9);
  };
  std::vector<Candidate> all{{"table", any_dims, table}, {"fluid", any_dims, fluid}};
  for (const NetworkModelEntry& one : kNetworkModels) {
    if (one.kind == NetworkModelKind::ns3) continue;  // has no copies: ns3_network_test.cc
    const std::string name(one.name);
    all.push_back(of_the_platform(name, one.kind, Rules::orrery));
    all.push_back(of_a_fabric(name + "_fabric", one.kind));
    if (one.astra_sim) all.push_back(of_the_platform(name + "_astra", one.kind, Rules::astra));
  }
  return all;
}

class NetworkContract : public ::testing::TestWithParam<Candidate> {
 protected:
  struct Case {
    Platform platform;
    std::unique_ptr<Network> network;
    std::vector<TimedSend> sends;
  };

  /// Many messages at few times, so that they meet; some to memories and from there.
  static Case draw(Random& random) {
    Case made{GetParam().platform(random), nullptr, {}};
    made.network = GetParam().make(made.platform, random);
    const std::int64_t ranks = made.network->end_points().ranks;
    const std::int64_t count = below(random, 40);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto from = static_cast<EndPoint>(below(random, ranks));
      const std::int64_t memories = made.network->end_points().memories;
      const bool stores = memories > 0 && below(random, 3) == 0;
      const auto to = static_cast<EndPoint>(stores ? ranks + below(random, memories)
                                                   : (from + 1 + below(random, ranks - 1)) % ranks);
      const bool loads = stores && below(random, 2) == 0;
      made.sends.push_back({below(random, 4) * 1'000'000,
                            {.from = loads ? to : from,
                             .to = loads ? from : to,
                             .bytes = below(random, 4) * 1000,
                             .traffic = static_cast<TrafficClass>(below(random, 4)),
                             .token = static_cast<std::uint32_t>(i),
                             .order = static_cast<std::uint64_t>(i)}});
    }
    return made;
  }

  static Arrivals run(Network& network, const std::vector<TimedSend>& sends,
                      std::int64_t pause = 0) {
    Driver driver(network);
    driver.pause = pause;
    driver.run(sends);
    EXPECT_FALSE(driver.too_long);
    return driver.arrivals;
  }

  /// Calls `check` with cases that are the same in every run.
  static void each_case(const std::function<void(Case, Random&)>& check) {
    for (std::uint64_t seed = 1; seed <= kContractCases; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      Random random(seed);
      Case drawn = draw(random);
      check(std::move(drawn), random);
      if (::testing::Test::HasFailure()) return;
    }
  }
};

/// What a message takes at least: a fault that comes and goes may send it a shorter way.
std::int64_t at_least(const Platform& platform, const Network& network, const Send& send) {
  const std::int64_t least = network.uncontended_time(send.from, send.to, send.bytes);
  if (platform.fabric == nullptr || platform.fabric->faults.empty()) return least;
  FabricRoutes ways(platform);
  const Route* way = ways.find(ways.state({true}), send.from, send.to);
  if (way == nullptr) return least;
  return std::min(least,
                  FabricRoutes::message_time(way->latency_ns, ways.max_rate(*way), send.bytes));
}

TEST_P(NetworkContract, WhatIsSentArrivesOnceAndNotBeforeItCan) {
  each_case([](Case drawn, Random&) {
    const Arrivals arrivals = run(*drawn.network, drawn.sends);
    ASSERT_EQ(arrivals.size(), drawn.sends.size());
    for (const auto& [at, send] : drawn.sends) {
      const std::int64_t duration = arrivals.at(send.token) - at;
      const std::int64_t uncontended_time =
          drawn.network->uncontended_time(send.from, send.to, send.bytes);
      EXPECT_GE(duration, at_least(drawn.platform, *drawn.network, send));
      if (drawn.network->traits().uncontended) {
        EXPECT_EQ(duration, uncontended_time);
      }
    }
    EXPECT_EQ(drawn.network->next(), Network::kNever);
    EXPECT_EQ(drawn.network->uncontended_time(0, 0, 1'000'000), 0);
  });
}

// All that uncontended_time() may be: the fastest of the dimensions, nothing for hops.
TEST_P(NetworkContract, BytesTakeTimeAtTheBandwidth) {
  each_case([](Case drawn, Random&) {
    double fastest = 0;
    for (const platform::Dimension& dim : drawn.platform.dims)
      fastest = std::max(fastest, dim.bandwidth.count() * 4);  // links of a fully connected block
    const std::int64_t ranks = drawn.network->end_points().ranks;
    for (EndPoint to = 1; to < ranks; ++to) {
      const double bytes = 1e9;
      const std::int64_t delay = drawn.network->uncontended_time(0, to, 1'000'000'000);
      EXPECT_GE(static_cast<double>(delay), bytes / fastest * 1e12 * 0.999);
      EXPECT_GE(delay, drawn.network->uncontended_time(0, to, 1));
    }
  });
}

TEST_P(NetworkContract, OrderWithinATickDoesNotMatter) {
  each_case([](Case drawn, Random& random) {
    if (!drawn.network->traits().tick_order_free) return;
    const auto again = drawn.network->snapshot();
    ASSERT_NE(again, nullptr);
    const Arrivals first = run(*drawn.network, drawn.sends);
    std::shuffle(drawn.sends.begin(), drawn.sends.end(), random);
    EXPECT_EQ(run(*again, drawn.sends), first);
  });
}

TEST_P(NetworkContract, SmallerStepsChangeNothing) {
  each_case([](Case drawn, Random& random) {
    const auto again = drawn.network->snapshot();
    ASSERT_NE(again, nullptr);
    const Arrivals first = run(*drawn.network, drawn.sends);
    EXPECT_EQ(run(*again, drawn.sends, 1 + below(random, 300'000)), first);
  });
}

TEST_P(NetworkContract, ACopyContinuesLikeTheOriginal) {
  each_case([](Case drawn, Random& random) {
    const auto whole = drawn.network->snapshot();
    const Arrivals first = run(*whole, drawn.sends);
    const std::int64_t cut = below(random, 4'000'000);
    std::vector<TimedSend> before, after;
    for (const TimedSend& send : drawn.sends) (send.at <= cut ? before : after).push_back(send);
    Driver original(*drawn.network);
    original.run(before, cut);
    const auto copy = drawn.network->snapshot();
    Driver continued(*copy, original);
    original.run({});  // otherwise than the copy
    continued.run(after);
    EXPECT_EQ(continued.arrivals, first);
  });
}

TEST_P(NetworkContract, WhatIsRepeatableRepeats) {
  each_case([](Case drawn, Random&) {
    if (!drawn.network->traits().repeatable) return;
    const Arrivals first = run(*drawn.network, drawn.sends);
    for (TimedSend& send : drawn.sends) send.at += 1'000'000'000;
    Arrivals later = run(*drawn.network, drawn.sends);
    for (auto& [token, time] : later) time -= 1'000'000'000;
    EXPECT_EQ(later, first);
  });
}

// By brute force: all pairs that look alike.
TEST_P(NetworkContract, ColorsTellApartWhatTakesAnotherTime) {
  each_case([](Case drawn, Random&) {
    const Network& network = *drawn.network;
    if (!network.traits().foldable) return;
    using Seen = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t,
                            std::vector<std::pair<double, double>>>;
    std::vector<Crossing> crossed;
    const EndPoint ranks = network.end_points().ranks;
    std::map<Seen, std::pair<std::int64_t, std::int64_t>> known;
    for (EndPoint from = 0; from < ranks; ++from) {
      for (EndPoint to = 0; to < ranks; ++to) {
        EXPECT_EQ(network.pair_class(from, to) == 0, from == to);
        const std::pair times{network.uncontended_time(from, to, 0),
                              network.uncontended_time(from, to, 123'456)};
        Seen seen{
            network.port_class(from), network.port_class(to), network.pair_class(from, to), {}};
        if (network.traits().in_order && from != to) {
          network.crossings(from, to, crossed);
          for (const Crossing& one : crossed) {
            const LinkKind kind = network.link_kind(one.link);
            std::get<3>(seen).emplace_back(kind.bytes_per_ns, kind.latency_ns);
          }
        }
        const auto [entry, added] = known.emplace(seen, times);
        EXPECT_EQ(entry->second, times);
      }
    }
  });
}

TEST_P(NetworkContract, TraitsDoNotContradictEachOther) {
  each_case([](Case drawn, Random&) {
    const Traits& traits = drawn.network->traits();
    EXPECT_TRUE(!traits.parallel || traits.uncontended);
    EXPECT_TRUE(!traits.uncontended || traits.tick_order_free);
    EXPECT_TRUE(drawn.network->by_dimensions() == nullptr || traits.uncontended);
  });
}

// One switch: every byte leaves by its sender's link and comes by its receiver's.
TEST_P(NetworkContract, LinksCarryEveryByteOnce) {
  struct Carried : LinkObserver {
    explicit Carried(const Network& network)
        : up(network.end_points().ranks + network.end_points().memories), down(up), of(network) {}
    void carries(std::uint32_t link, std::int64_t from, std::int64_t until, std::int64_t bytes,
                 std::uint32_t /*times*/) override {
      EXPECT_LE(from, until);
      const LinkPlace place = of.link(link);
      if (place.name.empty()) {
        (place.down ? down : up)[place.from] += bytes;
        return;
      }
      const bool out = place.name.starts_with("memory");  // "memory3 -> dim0.switch0", or back
      const std::size_t number = std::stoul(place.name.substr(place.name.find("memory") + 6));
      (out ? up : down)[of.end_points().ranks + number] += bytes;
    }
    std::vector<std::int64_t> up, down;
    const Network& of;
  };
  each_case([](Case drawn, Random& random) {
    if (drawn.platform.fabric != nullptr) return;  // flow_network_test.cc
    drawn.platform.dims = {
        {Block::switched, drawn.network->end_points().ranks, Bandwidth(1e9), 500}};
    if (const std::uint32_t memories = drawn.network->end_points().memories; memories > 0)
      drawn.platform.dims[0].memories = platform::Memories{memories, Bandwidth(1e9), ns(500)};
    drawn.network = GetParam().make(drawn.platform, random);
    if (drawn.network->link_count() == 0) return;
    Carried carried(*drawn.network);
    drawn.network->observe(&carried);
    (void)run(*drawn.network, drawn.sends);
    std::vector<std::int64_t> sent(carried.up.size()), received(sent);
    for (const auto& [at, send] : drawn.sends) {
      sent[send.from] += send.bytes;
      received[send.to] += send.bytes;
    }
    EXPECT_EQ(carried.up, sent);
    EXPECT_EQ(carried.down, received);
  });
}

INSTANTIATE_TEST_SUITE_P(Networks, NetworkContract, ::testing::ValuesIn(all_networks()),
                         [](const auto& one) { return one.param.name; });

TEST(NetworkTraits, NothingIsSoUnlessStated) {
  const Traits none;
  EXPECT_FALSE(none.uncontended || none.tick_order_free || none.foldable || none.repeatable ||
               none.parallel || none.one_per_process);
}

}  // namespace
}  // namespace orrery::model
