// SPDX-License-Identifier: Apache-2.0
//
// Clusters without a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/core/limits.h"
#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/cluster.h"

namespace orrery::platform {
namespace {

using testing::HasSubstr;

Result<Platform> made(const std::string& name) {
  Findings findings;
  return read_cluster(name, findings);
}

TEST(CatalogCluster, HasIslandsAndANetworkBetweenThem) {
  Findings findings;
  const auto platform = read_cluster("h100-sxm:64", findings);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->name, "h100-sxm:64");
  EXPECT_EQ(platform->device.name, "h100-sxm");
  ASSERT_EQ(platform->dims.size(), 2u);
  EXPECT_EQ(platform->dims[0].block, Block::switched);
  EXPECT_EQ(platform->dims[0].size, 8);
  EXPECT_EQ(platform->dims[0].bandwidth.count(), find_link("nvlink4")->bandwidth.count());
  EXPECT_EQ(platform->dims[1].size, 8);
  EXPECT_EQ(platform->dims[1].bandwidth.count(), find_link("ib-ndr")->bandwidth.count());
  const auto said = findings.list();
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].code, FindingCode::cluster_from_catalog);
  EXPECT_THAT(said[0].places, testing::ElementsAre("64 h100-sxm: 8 by nvlink4 x 8 by ib-ndr"));
}

TEST(CatalogCluster, UpToOneIslandIsOneDimension) {
  for (const std::int64_t count : {1, 2, 3, 7, 8}) {
    const auto platform = made("h200-sxm:" + std::to_string(count));
    ASSERT_TRUE(platform) << to_string(platform.error());
    ASSERT_EQ(platform->dims.size(), 1u);
    EXPECT_EQ(platform->npu_count(), count);
  }
  EXPECT_EQ(made("gb200:72")->dims.size(), 1u);
  EXPECT_EQ(made("gb200:144")->dims.size(), 2u);
  EXPECT_EQ(made("mi300x:4")->dims[0].block, Block::fully_connected);
  EXPECT_EQ(made("v100-sxm2:16")->dims[1].bandwidth.count(), 6.25e9) << "half a port per device";
}

/// The catalog's data by itself: links that exist, islands that can be made.
TEST(CatalogCluster, EveryDeviceMakesOneOrSaysThatItHasNone) {
  for (const DeviceEntry& device : devices()) {
    const std::string name(device.name);
    const std::int64_t island = device.build.island;
    if (island == 0) {
      const auto refused = made(name + ":8");
      ASSERT_FALSE(refused);
      EXPECT_EQ(refused.error().code, Errc::config_missing_key);
      EXPECT_THAT(refused.error().what, HasSubstr(std::string(device.title)));
      continue;
    }
    EXPECT_NE(find_link(device.build.scale_up), nullptr) << name;
    const bool ends = device.build.scale_out.empty();
    EXPECT_EQ(find_link(device.build.scale_out) == nullptr, ends) << name;
    EXPECT_FALSE(device.build.source.empty()) << name;
    for (const std::int64_t count : {std::int64_t{1}, std::int64_t{2}, island, 16 * island}) {
      if (ends && count > island) {
        EXPECT_THAT(made(name + ":" + std::to_string(count)).error().what,
                    HasSubstr("the largest machine of " + device.title));
        continue;
      }
      const auto platform = made(name + ":" + std::to_string(count));
      ASSERT_TRUE(platform) << to_string(platform.error());
      EXPECT_EQ(platform->npu_count(), count);
    }
  }
}

/// Google's slices: sides as even as can be (TPU documentation, topologies of each version).
TEST(CatalogCluster, ToriAreAsEvenAsCanBe) {
  struct Case {
    const char* name;
    std::vector<std::int64_t> sides;
  };
  for (const Case& each :
       {Case{"tpu-v5e:1", {1}}, Case{"tpu-v5e:8", {2, 4}}, Case{"tpu-v5e:128", {8, 16}},
        Case{"tpu-v5e:256", {16, 16}}, Case{"tpu-v5e:512", {16, 16, 2}}, Case{"tpu-v4:4", {2, 2}},
        Case{"tpu-v4:32", {2, 4, 4}}, Case{"tpu-v4:128", {4, 4, 8}},
        Case{"tpu-v4:4096", {16, 16, 16}}, Case{"tpu-v5p:6144", {16, 16, 24}},
        Case{"tpu-v5p:8960", {16, 20, 28}}, Case{"trainium2:64", {4, 4, 4}}}) {
    const auto platform = made(each.name);
    ASSERT_TRUE(platform) << to_string(platform.error());
    std::vector<std::int64_t> sides;
    for (const Dimension& dim : platform->dims) sides.push_back(dim.size);
    EXPECT_EQ(sides, each.sides) << each.name;
  }
  const auto pods = made("tpu-v5e:512");
  EXPECT_EQ(pods->dims[0].block, Block::ring);
  EXPECT_EQ(pods->dims[0].bandwidth.count(), 50e9) << "of one link";
  EXPECT_EQ(pods->dims[2].block, Block::switched);
  EXPECT_EQ(pods->dims[2].bandwidth.count(), 3.125e9) << "6.4 Tb/s for 256";
}

TEST(CatalogCluster, WrittenAndReadBackItIsTheSame) {
  for (const char* const name :
       {"h100-sxm:64", "mi300x:16", "v100-sxm2:32", "gb200:216", "gb300:576", "h20:64", "mi355x:8",
        "gaudi3:64", "tpu-v5e:256", "tpu-v7x:9216"}) {
    const auto platform = made(name);
    ASSERT_TRUE(platform) << to_string(platform.error());
    Findings findings;
    const std::string text = resolved_cluster(*platform);
    const auto again = parse_cluster(text, "c.yaml", findings);
    ASSERT_TRUE(again) << to_string(again.error());
    EXPECT_EQ(resolved_cluster(*again), text);
    ASSERT_EQ(again->dims.size(), platform->dims.size());
    for (std::size_t d = 0; d < again->dims.size(); ++d) {
      EXPECT_EQ(again->dims[d].bandwidth.count(), platform->dims[d].bandwidth.count());
      EXPECT_EQ(again->dims[d].latency_ns, platform->dims[d].latency_ns);
    }
    EXPECT_EQ(again->device.peak.count(), platform->device.peak.count());
    EXPECT_EQ(again->device.memory.count(), platform->device.memory.count());
  }
}

TEST(CatalogCluster, AFileOfThatNameWins) {
  const std::string name = "h100-sxm:64";
  const auto before = std::filesystem::current_path();
  const auto folder = std::filesystem::path(testing::TempDir()) / "catalog_cluster";
  std::filesystem::create_directories(folder);
  std::filesystem::current_path(folder);
  std::ofstream(name) << "device: a100-80gb\nnetwork: [{block: ring, size: 4, link: nvlink3}]\n";
  const auto platform = made(name);
  std::filesystem::current_path(before);
  ASSERT_TRUE(platform) << to_string(platform.error());
  EXPECT_EQ(platform->npu_count(), 4);
}

TEST(CatalogCluster, MistakesSayWhatWouldBeRight) {
  struct Case {
    const char* name;
    Errc code;
    const char* hint;
  };
  for (const Case& each : {Case{"h100-smx:64", Errc::config_range, "did you mean \"h100-sxm\"?"},
                           Case{"h10:64", Errc::config_range, "h100-sxm, h100-pcie"},
                           Case{"zebra:8", Errc::config_range, "the catalog has v100-sxm2, "},
                           Case{":8", Errc::config_range, "the catalog has v100-sxm2, "},
                           Case{"h100-sxm:12", Errc::config_range, "h100-sxm:8 or h100-sxm:16"},
                           Case{"h100-sxm", Errc::config_range, "h100-sxm:64"},
                           Case{"h100-sxm:", Errc::config_range, "h100-sxm:64"},
                           Case{"h100-sxm:0", Errc::config_range, "h100-sxm:64"},
                           Case{"h100-sxm:-8", Errc::config_range, "h100-sxm:64"},
                           Case{"h100-sxm:8x", Errc::config_range, "h100-sxm:64"},
                           Case{"h100-sxm:99999999999999999999", Errc::config_range, "h100-sxm:64"},
                           Case{"tpu-v4:8192", Errc::config_range, "use tpu-v4:4096 or less"},
                           Case{"tpu-v4:7", Errc::config_range, "tpu-v4:4 or tpu-v4:8"},
                           Case{"tpu-v5e:251", Errc::config_range, "tpu-v5e:240 or tpu-v5e:256"},
                           Case{"tpu-v5e:300", Errc::config_range, "tpu-v5e:256 or tpu-v5e:512"},
                           Case{"tpu-v4:", Errc::config_range, "tpu-v4:4096"},
                           Case{"l4:8", Errc::config_missing_key, "examples/clusters"}}) {
    const auto refused = made(each.name);
    ASSERT_FALSE(refused) << each.name;
    EXPECT_EQ(refused.error().code, each.code) << each.name;
    EXPECT_EQ(refused.error().where, each.name);
    EXPECT_THAT(refused.error().hint, HasSubstr(each.hint));
  }
  EXPECT_TRUE(made("h100-sxm:" + std::to_string(limits::kRanks)));
}

TEST(CatalogCluster, EveryDeviceMakesAClusterOfTwo) {
  for (const DeviceEntry& each : devices()) {
    for (const Peak& peak : each.peaks) {
      Findings findings;
      const auto platform =
          parse_cluster("device: {is: " + each.name + ", precision: " + peak.precision +
                            "}\nnetwork: [{block: switch, size: 2, link: roce-800}]",
                        "c.yaml", findings);
      ASSERT_TRUE(platform) << to_string(platform.error());
      EXPECT_EQ(platform->npu_count(), 2);
      EXPECT_EQ(platform->device.peak, peak.rate);
    }
  }
}

TEST(CatalogCluster, OtherNamesAreFiles) {
  for (const char* const name : {"none.yaml", "dir/x:8", "c:cluster.yaml", "x:y", ""})
    EXPECT_FALSE(is_catalog_cluster(name)) << name;
  EXPECT_EQ(made("none.yaml").error().code, Errc::config_not_found);
}

}  // namespace
}  // namespace orrery::platform
