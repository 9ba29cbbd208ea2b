// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/whatif/changes/network_changes.h"

#include <gmock/gmock.h>

#include "orrery/platform/catalog/catalog.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/study/whatif/changes/changes.h"

namespace orrery::study {
namespace {

using testing::HasSubstr;

platform::Platform cluster(const std::string& name) {
  Findings ignored;
  auto made = platform::read_cluster(name, ignored);
  EXPECT_TRUE(made) << name;
  return *std::move(made);
}

platform::Platform changed(const std::string& name, const std::string& text) {
  platform::Platform made = cluster(name);
  const auto change = parse_change(text);
  EXPECT_TRUE(change) << text;
  if (change) {
    const auto done = change_cluster(std::vector{*change}, true, made);
    EXPECT_TRUE(done) << (done ? "" : to_string(done.error()));
  }
  return made;
}

TEST(NetworkChanges, SetOneDimension) {
  const platform::Platform before = cluster("h100-sxm:64");
  for (const char* text : {"inter=25GB/s", "bandwidth:inter=200 Gb/s", "bandwidth:1=0.5"}) {
    const platform::Platform after = changed("h100-sxm:64", text);
    EXPECT_EQ(after.dims[0].bandwidth, before.dims[0].bandwidth) << text;
    EXPECT_DOUBLE_EQ(after.dims[1].bandwidth.count(), 25e9) << text;
    EXPECT_EQ(after.dims[1].latency_ns, before.dims[1].latency_ns) << text;
  }
  EXPECT_DOUBLE_EQ(changed("h100-sxm:64", "intra=300GB/s").dims[0].bandwidth.count(), 300e9);
  EXPECT_DOUBLE_EQ(changed("h100-sxm:64", "inter=2us").dims[1].latency_ns, 2000);
  EXPECT_DOUBLE_EQ(changed("h100-sxm:64", "latency:inter=2").dims[1].latency_ns,
                   2 * before.dims[1].latency_ns);
}

TEST(NetworkChanges, LinksOfTheCatalogSetBandwidthAndLatency) {
  for (const platform::LinkEntry& link : platform::links()) {
    const platform::Platform after = changed("h100-sxm:64", "link:inter=" + link.name);
    EXPECT_EQ(after.dims[1].bandwidth, link.bandwidth) << link.name;
    EXPECT_DOUBLE_EQ(after.dims[1].latency_ns, static_cast<double>(link.latency.count()) / kPsPerNs)
        << link.name;
  }
}

Error error_of(const std::string& name, const std::string& text) {
  const auto change = parse_change(text);
  if (!change) return change.error();
  platform::Platform made = cluster(name);
  const auto done = change_cluster(std::vector{*change}, true, made);
  EXPECT_FALSE(done) << text;
  return done ? Error{} : done.error();
}

TEST(NetworkChanges, EachMistakeHasAnErrorWithWhatToDo) {
  EXPECT_THAT(error_of("h100-sxm:8", "inter=25GB/s").what, HasSubstr("it is one node"));
  EXPECT_THAT(error_of("h100-sxm:64", "bandwidth:2=25GB/s").hint, HasSubstr("1 (switch of 8"));
  EXPECT_THAT(error_of("h100-sxm:64", "bandwidth:intr=25GB/s").hint, HasSubstr("intra"));
  EXPECT_THAT(error_of("h100-sxm:64", "bandwidth:inter=fast").hint, HasSubstr("inter=25GB/s"));
  EXPECT_THAT(error_of("h100-sxm:64", "bandwidth:inter=0").what, HasSubstr("not a bandwidth"));
  EXPECT_THAT(error_of("h100-sxm:64", "link:inter=roce-40").hint, HasSubstr("roce-400"));
  EXPECT_EQ(error_of("h100-sxm:64", "latency:inter=1 GB").code, Errc::usage);
}

TEST(NetworkChanges, TwoValuesOfOneDimensionExclude) {
  const auto changes = parse_changes({"inter=25GB/s", "bandwidth:inter=0.5"});
  ASSERT_TRUE(changes);
  EXPECT_FALSE(check_compatible(*changes));
  const auto others = parse_changes({"inter=25GB/s", "inter=2us", "intra=0.5"});
  ASSERT_TRUE(others);
  EXPECT_TRUE(check_compatible(*others));
}

}  // namespace
}  // namespace orrery::study
