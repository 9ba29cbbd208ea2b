// SPDX-License-Identifier: Apache-2.0
//
// Memories in a file of InfraGraph that a cluster file names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "addons/infragraph/infragraph.h"
#include "orrery/platform/cluster/cluster.h"
#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::platform {
namespace {

using ::testing::HasSubstr;

Result<Platform> read_memories(const std::string& text) {
  Findings findings;
  return parse_cluster("device: {peak: 1 TFLOP/s, memory_bandwidth: 1 TB/s}\n" + text +
                           "\nremote_memory: {kind: network}",
                       "c.yaml", findings);
}

// A server's own memories, as another tool writes them, are taken as they are.
TEST(InfraGraphMemories, OfAFileAreTakenAsTheyAre) {
  TopologyBuilder builder("server", "test");
  const std::uint32_t host = builder.add_host();
  const NodeIndex gpu = builder.add(NodeClass::device, "gpu0", host);
  const NodeIndex cpu = builder.add(NodeClass::cpu, "cpu0", host);
  builder.join(gpu, cpu, {Bandwidth(5e10), ns(200), 1, LinkClass::pcie});
  for (const char* name : {"numa0", "numa1"})
    builder.join(cpu, builder.add(NodeClass::memory, name, host),
                 {Bandwidth(1e11), ns(80), 1, LinkClass::host});
  const auto server = builder.finish("test");
  ASSERT_TRUE(server);
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "server.yaml";
  std::ofstream(file) << write_infragraph(*server);
  const auto read = [&](const std::string& more) {
    return read_memories("fabric: {file: " + file.string() + ", memories: [{at: \"numa*\"" + more +
                         "}]}");
  };
  const auto made = read("");
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(memory_count(*made), 2U);
  EXPECT_EQ(made->fabric->topology.link_count(), server->link_count());
  const auto wrong = read(", count: 2");
  ASSERT_FALSE(wrong);
  EXPECT_THAT(to_string(wrong.error()), HasSubstr("are memories themselves"));
}

}  // namespace
}  // namespace orrery::platform
