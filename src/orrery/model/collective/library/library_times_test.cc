// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/library_times.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/model/collective/library/library_of.h"
#include "orrery/model/collective/library/library_settings.h"
#include "orrery/platform/catalogue.h"

namespace orrery::model {
namespace {

using graph::CollectiveType;

/// Nodes of eight such devices, linked as fast as that.
platform::Platform cluster(const std::string& device, double inside, std::int64_t nodes = 1,
                           double between = 50) {
  platform::Platform platform;
  platform.device.entry = device;
  platform.collectives.library = platform::CollectiveLibrary::nccl;
  platform.dims = {{platform::Block::switched, 8, Bandwidth(inside * 1e9), 0}};
  if (nodes > 1)
    platform.dims.push_back({platform::Block::switched, nodes, Bandwidth(between * 1e9), 0});
  return platform;
}

LibraryAnswer ask(const platform::Platform& platform, CollectiveType type, std::int64_t bytes,
                  const nccl::Shape& shape) {
  const auto times = library_of(platform);
  EXPECT_TRUE(times) << to_string(times.error());
  return (**times)(type, bytes, shape);
}

constexpr std::int64_t kMega = 1 << 20;

// The curves of RTX PRO 6000 were built in by a name that no device had, and never asked.
TEST(LibraryTimes, EveryDeviceWithCurvesIsInTheCatalogue) {
  for (const std::string& device : measured_devices())
    EXPECT_NE(platform::find_device(device), nullptr) << device;
  const auto told =
      ask(cluster("rtx-pro-6000-server", 64), CollectiveType::all_reduce, kMega, {8, 1});
  EXPECT_EQ(told.source, LibrarySource::measured);
}

// H200 has H100's links and switches, and nobody's curves; H800 has links of its own, and of what
// it was not measured for nothing is known.
TEST(LibraryTimes, DevicesWithTheSameLinksStandIn) {
  const auto h100 = ask(cluster("h100-sxm", 450), CollectiveType::all_gather, kMega, {8, 1});
  const auto h200 = ask(cluster("h200-sxm", 450), CollectiveType::all_gather, kMega, {8, 1});
  EXPECT_EQ(h100.source, LibrarySource::measured);
  EXPECT_EQ(h200.source, LibrarySource::scaled);
  EXPECT_EQ(h200.time, h100.time);
  EXPECT_EQ(h200.band, h100.band);
  const auto across = ask(cluster("h200-sxm", 450, 4), CollectiveType::all_reduce, kMega, {32, 4});
  EXPECT_EQ(across.source, LibrarySource::scaled);
  EXPECT_EQ(ask(cluster("a100-40gb", 300), CollectiveType::all_to_all, kMega, {8, 1}).source,
            LibrarySource::scaled);
  const auto h20 = ask(cluster("h20", 450), CollectiveType::all_reduce, kMega, {8, 1});
  EXPECT_EQ(h20.source, LibrarySource::measured);  // its own, where it has some
  EXPECT_EQ(ask(cluster("h20", 450), CollectiveType::all_to_all, kMega, {8, 1}).source,
            LibrarySource::scaled);
  EXPECT_EQ(ask(cluster("h800", 200), CollectiveType::all_to_all, kMega, {8, 1}).source,
            LibrarySource::cost_model);
  EXPECT_EQ(ask(cluster("mi300x", 448), CollectiveType::all_reduce, kMega, {8, 1}).source,
            LibrarySource::cost_model);
}

// How wide bands are, by what is left out.
TEST(LibraryTimes, BandsWidenBeyondWhatWasMeasured) {
  const auto platform = cluster("h100-sxm", 450);
  const auto told = [&](std::int64_t ranks) {
    return ask(platform, CollectiveType::all_gather, kMega, {ranks, 1});
  };
  const ErrorBand four = *told(4).band, eight = *told(8).band;
  EXPECT_EQ(told(6).source, LibrarySource::scaled);
  EXPECT_DOUBLE_EQ(told(6).band->most, std::max(four.most, eight.most));
  EXPECT_EQ(told(16).source, LibrarySource::scaled);
  EXPECT_DOUBLE_EQ(told(16).band->most, 2 * eight.most);
  const auto nodes = cluster("h100-sxm", 450, 64);
  const auto across = [&](std::int64_t ranks, std::int64_t count) {
    return ask(nodes, CollectiveType::all_reduce, kMega, {ranks, count});
  };
  const ErrorBand last = *across(64, 8).band;
  EXPECT_DOUBLE_EQ(across(512, 64).band->most, 1.5 * last.most);
  EXPECT_DOUBLE_EQ(across(8, 8).band->most, 1.5 * last.most);  // one GPU of each node
}

// What was measured ran with NVLink SHARP. Without it the choice and the time are others.
// Eight A100s on four cards of 200 Gb/s: 3 nodes, 127,926,280 bytes, 2,560.7 us (NVIDIA/nccl-tests
// issue 119); 2 nodes, 4 GiB, 86 GB/s on the bus (issue 175). The curve is of eight such cards, at
// two thirds of their rate, and of half of that nothing is left.
TEST(LibraryTimes, ASlowerNetworkHidesWhatKeptAFasterOneFromItsRate) {
  const auto told = [](std::int64_t nodes, std::int64_t bytes, double between) {
    return ask(cluster("a100-80gb", 300, nodes, between), CollectiveType::all_reduce, bytes,
               {8 * nodes, nodes});
  };
  const auto seconds = [](const LibraryAnswer& answer) {
    return static_cast<double>(answer.time.count()) * 1e-12;
  };
  const LibraryAnswer three = told(3, 127'926'280, 12.5);
  EXPECT_NEAR(seconds(three), 2560.7e-6, 0.12 * 2560.7e-6);
  EXPECT_EQ(three.source, LibrarySource::scaled);
  const double bus = 2.0 * 15 / 16 * 4096e6 * 1.048576 / 86e9;
  const LibraryAnswer two = told(2, 4096 * kMega, 12.5);
  EXPECT_NEAR(seconds(two), bus, 0.12 * bus);
  EXPECT_EQ(two.source, LibrarySource::scaled);
  EXPECT_EQ(told(2, 4096 * kMega, 25).source, LibrarySource::measured);
  for (const std::int64_t bytes : {std::int64_t{1024}, kMega, 64 * kMega, 4096 * kMega}) {
    double before = 0;
    for (const double between : {25.0, 24.0, 18.0, 12.5, 6.0, 3.0}) {  // never quicker
      const double now = seconds(told(2, bytes, between));
      EXPECT_GE(now, before * (1 - 1e-9)) << bytes << " " << between;
      before = now;
    }
  }
}

TEST(LibraryTimes, WithoutNvlsAMeasuredGroupIsSlower) {
  auto platform = cluster("h100-sxm", 450);
  const auto with = ask(platform, CollectiveType::all_reduce, 1 << 30, {8, 1});
  ASSERT_TRUE(with.choice);
  EXPECT_EQ(with.choice->algorithm, nccl::Algorithm::nvls);
  platform.collectives.settings.nvls = false;
  const auto without = ask(platform, CollectiveType::all_reduce, 1 << 30, {8, 1});
  ASSERT_TRUE(without.choice);
  EXPECT_EQ(without.choice->algorithm, nccl::Algorithm::ring);
  EXPECT_GT(without.time.count(), 1.2 * static_cast<double>(with.time.count()));
  platform.collectives.settings = {.algorithms = "^nvls,nvlstree"};
  EXPECT_EQ(ask(platform, CollectiveType::all_reduce, 1 << 30, {8, 1}).time, without.time);
}

// NCCL_COLLNET_ENABLE was read, and nothing came of it.
TEST(LibraryTimes, SwitchesReduceWhereSettingsSaySo) {
  auto platform = cluster("h100-sxm", 450, 16);
  const auto choice = [&](std::int64_t bytes) {
    return ask(platform, CollectiveType::all_reduce, bytes, {128, 16}).choice->algorithm;
  };
  platform.collectives.settings.algorithms = "collnetdirect,collnetchain";
  EXPECT_FALSE((*library_of(platform))->runs(CollectiveType::all_reduce, kMega, {128, 16}));
  platform.collectives.settings.collnet = true;
  EXPECT_TRUE((*library_of(platform))->runs(CollectiveType::all_reduce, kMega, {128, 16}));
  EXPECT_EQ(choice(kMega), nccl::Algorithm::collnet_direct);
  EXPECT_EQ(choice(64 * kMega), nccl::Algorithm::collnet_chain);
  platform.collectives.settings.algorithms = "";
  EXPECT_EQ(choice(64 * kMega), nccl::Algorithm::nvls);  // NVLS in nodes, SHARP between them
}

// More channels than NCCL finds used to carry more than the links do.
TEST(LibraryTimes, MoreChannelsCarryNoMoreThanTheLinks) {
  auto platform = cluster("h100-sxm", 450);
  const auto usual = ask(platform, CollectiveType::all_gather, 1 << 30, {8, 1});
  platform.collectives.settings.least_channels = 64;
  const auto many = ask(platform, CollectiveType::all_gather, 1 << 30, {8, 1});
  EXPECT_EQ(many.choice->channels, 64);
  EXPECT_EQ(many.time, usual.time);
  platform.collectives.settings = {.most_channels = 6};
  EXPECT_GT(ask(platform, CollectiveType::all_gather, 1 << 30, {8, 1}).time.count(),
            1.5 * static_cast<double>(usual.time.count()));
}

// What a cluster states of collectives in steps holds for all of them, measured or not.
TEST(LibraryTimes, TakeLongerInStepsWhereThatIsStated) {
  auto platform = cluster("h100-sxm", 450, 4);
  for (const auto type : {CollectiveType::all_reduce, CollectiveType::all_to_all}) {
    platform.device.in_step.collectives.reset();
    const auto alone = ask(platform, type, kMega, {32, 4});
    platform.device.in_step.collectives = 1.25;
    const auto beside = ask(platform, type, kMega, {32, 4});
    EXPECT_NEAR(static_cast<double>(beside.time.count()),
                1.25 * static_cast<double>(alone.time.count()), 1);
    EXPECT_EQ(beside.band, alone.band);
    EXPECT_EQ(beside.choice, alone.choice);
  }
}

Result<nccl::Allowed> allowed(std::string algorithms, std::string protocols = "") {
  return read_allowed({.algorithms = std::move(algorithms), .protocols = std::move(protocols)},
                      "/settings");
}

TEST(LibrarySettings, AreReadAsNcclReadsThem) {
  using enum nccl::Algorithm;
  using nccl::Protocol;
  const auto reduce = CollectiveType::all_reduce, gather = CollectiveType::all_gather;
  const auto one = allowed("Ring, TREE");
  ASSERT_TRUE(one);
  EXPECT_TRUE(one->may(reduce, tree, Protocol::ll));
  EXPECT_FALSE(one->may(gather, nvls, Protocol::simple));
  EXPECT_FALSE(one->may(CollectiveType::all_to_all, ring, Protocol::simple));
  const auto each = allowed("^pat;allreduce:tree,collnet_direct;Broadcast:ring", "allgather:^LL");
  ASSERT_TRUE(each) << to_string(each.error());
  EXPECT_TRUE(each->may(reduce, collnet_direct, Protocol::ll));
  EXPECT_FALSE(each->may(reduce, ring, Protocol::ll));
  EXPECT_TRUE(each->may(gather, ring, Protocol::ll128));
  EXPECT_FALSE(each->may(gather, ring, Protocol::ll));
  EXPECT_FALSE(each->may(gather, pat, Protocol::simple));
  EXPECT_FALSE(each->may(CollectiveType::broadcast, tree, Protocol::simple));
  EXPECT_TRUE(allowed("", ""));
}

TEST(LibrarySettings, RefuseWhatTheyCannotMean) {
  for (const char* bad : {"rings", "^tree,ring,collnetdirect,collnetchain,nvls,nvlstree,pat", ",",
                          "ring;tree", "allreduce:", "all_reduce:ring", "allreduce:ring;;",
                          "ring:", "allreduce:ring:tree", "allreduce:rings", ":ring"}) {
    const auto read = allowed(bad);
    ASSERT_FALSE(read) << bad;
    EXPECT_EQ(read.error().where, "/settings/NCCL_ALGO") << bad;
  }
  EXPECT_FALSE(allowed("", "ll256"));
  EXPECT_FALSE(read_allowed({.least_channels = 8, .most_channels = 4}, ""));
}

}  // namespace
}  // namespace orrery::model
