// SPDX-License-Identifier: Apache-2.0
//
// The network that docs/architecture.md shows as an example.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>

#include "orrery/network/fluid_network_testing.h"
#include "orrery/network/network_driver_testing.h"

namespace orrery::model {
namespace {

using testing::Driver;

// Two on one port take twice as long each; when one has gone, the other has the port for itself.
TEST(FluidNetwork, SharesPortsAlike) {
  testing::FluidNetwork network(4, 1'000'000, 1e9);
  Driver driver(network);
  const auto send = [](EndPoint from, EndPoint to, std::int64_t bytes, std::uint32_t token) {
    return Send{.from = from, .to = to, .bytes = bytes, .token = token};
  };
  driver.run({{0, send(0, 1, 1000, 0)}, {0, send(2, 1, 2000, 1)}, {0, send(2, 3, 1000, 2)}});
  // 0 and 1 share the port into 1, 1 and 2 the one out of 2: all at half the rate until 2 us have
  // gone; then 1 has the last 1,000 bytes to itself.
  EXPECT_EQ(driver.arrivals, (std::map<std::uint32_t, std::int64_t>{
                                 {0, 3'000'000}, {1, 4'000'000}, {2, 3'000'000}}));
}

// A message that comes later makes others later: what next() said does not happen.
TEST(FluidNetwork, TakesBackWhatItSaid) {
  testing::FluidNetwork network(3, 0, 1e9);
  Driver driver(network);
  driver.run({{0, {.from = 0, .to = 1, .bytes = 1000, .token = 0}}}, 0);
  EXPECT_EQ(network.next(), 1'000'000);
  driver.run({{500'000, {.from = 0, .to = 2, .bytes = 1000, .token = 1}}}, 500'000);
  EXPECT_EQ(network.next(), 1'500'000);
  driver.run({});
  EXPECT_EQ(driver.arrivals,
            (std::map<std::uint32_t, std::int64_t>{{0, 1'500'000}, {1, 2'000'000}}));
}

}  // namespace
}  // namespace orrery::model
