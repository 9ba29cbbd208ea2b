// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/read_topology.h"

#include <gtest/gtest.h>

#include <fstream>

#include "orrery/core/gzip_testing.h"
#include "orrery/core/limits.h"
#include "orrery/platform/topology/formats/common/gzip.h"
#include "orrery/platform/topology/formats/common/line_reader.h"
#include "orrery/platform/topology/formats/formats_testing.h"
#include "orrery/platform/topology/formats/registered_formats.h"

namespace orrery::platform {
namespace {

using core_testing::gzip;
using formats_testing::Reading;

TEST(TopologyFormats, AreToldByContent) {
  using enum TopologyFormat;
  EXPECT_EQ(topology_format("3 1 2\n"), ns3);
  EXPECT_EQ(topology_format("18 8 1 9 24 H100\n"), simai);
  EXPECT_EQ(topology_format("# tree\nnodes 8\n"), htsim);
  EXPECT_EQ(topology_format("Nodes 8 # in all\n"), htsim);
  EXPECT_EQ(topology_format("router 0 node 0\n"), anynet);
  EXPECT_EQ(topology_format("// x\ntopology = anynet;\nnetwork_file = n;\n"), booksim);
  EXPECT_EQ(topology_format("\t\x1b[4mGPU0\tGPU1\nGPU0 X NV2\n"), nvidia_smi);
  EXPECT_EQ(topology_format("== ROCm System Management Interface ==\n  GPU0 GPU1\nGPU0 0 15\n"),
            rocm_smi);
  EXPECT_EQ(topology_format("<system version='1'/>"), nccl_topology);
  EXPECT_EQ(topology_format("<graphs version='1'/>"), nccl_graph);
  EXPECT_EQ(topology_format("<topology version='2.0'/>"), lstopo);
  EXPECT_EQ(topology_format("<algo name='a'/>"), msccl);
  EXPECT_EQ(topology_format(R"({"gpus": [], "collective": "allreduce"})"), mscclpp);
  EXPECT_EQ(topology_format(R"({"logical-dims": ["16"]})"), ns3_logical);
  EXPECT_EQ(topology_format(R"({"gpus_per_node": 8, "alpha": 1})"), taccl);
  EXPECT_EQ(topology_format(R"({"content": {"nodes": {}, "links": []}})"), air);
  EXPECT_EQ(topology_format("devices: []\n"), infragraph);
  EXPECT_EQ(topology_format("topology: [Ring]\nnpus_count: [4]\n"), astra_network);
  EXPECT_EQ(topology_format("device: h100-sxm\nnetwork: []\n"), cluster);
  EXPECT_EQ(topology_format("what is this"), unknown);
  for (const TopologyFormatInfo& info : topology_formats())
    EXPECT_EQ(&describe(info.format), &info) << info.name;
}

TEST(TopologyFormats, WhatIsNoFabricIsRefusedWithAReason) {
  const auto error = [](std::string_view text) { return Reading(text).error(); };
  EXPECT_EQ(error(""), "f: is empty (E2011)");
  EXPECT_EQ(error("  \r\n\t"), "f: is empty (E2011)");
  EXPECT_EQ(error("<algo name='a'/>"),
            "f: MSCCL plan: contains the steps of a collective, not a fabric (E2004)");
  EXPECT_EQ(error(R"({"gpus": [], "protocol": "LL"})"),
            "f: MSCCL++ plan: contains the operations of a collective, not a fabric (E2004)");
  EXPECT_EQ(error("<graphs/>"),
            "f: NCCL graph: contains the result of NCCL's search, not the topology (E2004)");
  EXPECT_EQ(error(R"({"logical-dims": ["16"]})"),
            "f: ASTRA-sim logical dimensions: contains only the numbering of ranks, without nodes "
            "or links (E2004)");
  EXPECT_EQ(
      error("topology: [Ring]\nnpus_count: [4]\n"),
      "f: ASTRA-sim network: contains dimensions of the analytical network, not a graph (E2004)");
  EXPECT_EQ(error("what is this"), "f: is not a fabric in a supported format (E2004)");
  EXPECT_EQ(error(std::string_view("a\0b", 3)), "f: not text: it contains zero bytes (E2004)");
  EXPECT_EQ(error("{\"nodes\": "), "f:1:11: not JSON: the text ends unexpectedly (E1002)");
  if (!is_registered(TopologyFormat::infragraph)) {
    EXPECT_EQ(error("devices: []\n"),
              "f: InfraGraph is read by the add-on infragraph, which this build does not include "
              "(E2004)");
  }
  EXPECT_EQ(error(R"({"nnodes": 1, "intranode_sketch": {}})"),
            "f: a TACCL sketch contains hints for synthesizing collectives, not a fabric (E2004)");
  EXPECT_EQ(error(R"({"name": "x", "gpus_per_node": 8})"),
            "f: TACCL's costs of \"x\": the file contains costs of link types, not the links "
            "between GPUs (E2010)");
}

TEST(TacclTopology, AMatrixOfLinks) {
  const Reading read(R"({"name": "two", "links": [[0, 2], [1, 1]], "invbws": [[0, 1], [1, 0]]})");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.link("gpu1", "gpu0").count, 2U);
  EXPECT_EQ(read.link("gpu0", "gpu1").count, 1U);
  EXPECT_EQ(read.findings.count(FindingCode::fabric_link_dropped), 1U);
  EXPECT_EQ(read.findings.count(FindingCode::fabric_part_ignored), 1U);
  EXPECT_EQ(Reading(R"({"name": "two", "links": [[0, 2], [1]]})").error(),
            "f:/links/1: a row of the 2 x 2 matrix has the wrong length (E2003)");
  EXPECT_EQ(Reading(R"({"name": "two", "links": [[0, -1], [1, 0]]})").error(),
            "f:/links/0/1: a number of links must be a whole number up to 65536 (E2003)");
}

TEST(Air, ServersSwitchesAndCables) {
  const Reading read(R"({"name": "lab", "content": {"nodes": {"leaf01": {"os": "cumulus-vx-5.10.1"},
    "server01": {"os": "ubuntu"}, "server02": {}, "spine01": {"os": "cumulus"}}, "links": [
    [{"interface": "swp1", "node": "leaf01"}, {"interface": "eth0", "node": "server01"}],
    [{"interface": "swp2", "node": "leaf01"}, {"interface": "eth0", "node": "server02"}],
    [{"interface": "swp9", "node": "leaf01"}, {"interface": "swp1", "node": "spine01"}],
    ["unconnected", {"interface": "eth1", "node": "server02"}]], "oob": {"nodes": {}}}})");
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->devices().size(), 2U);
  EXPECT_EQ(read.topology->kind(read.node("leaf01")), NodeClass::leaf);
  EXPECT_EQ(read.topology->kind(read.node("spine01")), NodeClass::spine);
  EXPECT_EQ(read.topology->host_count(), 2U);
  EXPECT_EQ(read.topology->link_count(), 6U);
  EXPECT_EQ(read.findings.count(FindingCode::fabric_link_dropped), 1U);
  EXPECT_EQ(read.findings.count(FindingCode::fabric_class_guessed), 2U);
  EXPECT_EQ(Reading(R"({"content": {"nodes": {}}})").error(),
            "f:/content/links: contains no list of links (E2010)");
  EXPECT_EQ(Reading(R"({"nodes": {"a": {}}, "links": [[1]]})").error(),
            "f:/links/0: a link must have two ends (E2003)");
}

// Each member grows by less than the ratio that is suspected, all of them beyond what a fabric may
// be.
TEST(TopologyFiles, GrowNoFurtherThanAFabricMayBe) {
  std::string member(1 << 20, ' ');
  std::uint32_t noise = 1;
  for (std::size_t i = 0; i < 7000; ++i) {
    noise = noise * 1664525 + 1013904223;
    member[i] = static_cast<char>(noise >> 24);
  }
  const std::string packed = gzip(member);
  ASSERT_LT(member.size() / packed.size(), limits::kInflateRatio);
  std::string all;
  for (std::uint64_t i = 0; i < limits::kFabricBytes / member.size(); ++i) all += packed;
  const auto fits = gunzip(all, "f");
  ASSERT_TRUE(fits) << to_string(fits.error());
  EXPECT_EQ(fits->size(), limits::kFabricBytes);
  const auto grown = gunzip(all + gzip("1"), "f");
  ASSERT_FALSE(grown);
  EXPECT_EQ(grown.error().code, Errc::limit_exceeded);
  EXPECT_EQ(grown.error().where, "f");
}

TEST(TopologyFiles, MayBeGzipped) {
  const std::string text = "2 0 1\n\n0 1 25Gbps 1us 0\n", packed = gzip(text);
  EXPECT_EQ(*gunzip(packed + gzip("more"), "f"), text + "more");
  EXPECT_EQ(*gunzip(packed + std::string(512, '\0'), "f"), text) << "padding";
  // What stood behind the last member was once left out without a word.
  EXPECT_EQ(gunzip(packed + "0 1 25Gbps", "f").error().code, Errc::input_corrupt);
  EXPECT_EQ(gunzip(packed.substr(0, 20), "f").error().code, Errc::input_truncated);
  std::string broken = packed;
  broken[12] = '\xff';
  EXPECT_EQ(gunzip(broken, "f").error().code, Errc::input_corrupt);
  const std::string bomb = gzip(std::string(limits::kInflateFloor + (8 << 20), '0'));
  EXPECT_EQ(gunzip(bomb, "f").error().code, Errc::limit_exceeded);
  const std::string path = ::testing::TempDir() + "ring.txt.gz";
  std::ofstream(path, std::ios::binary) << packed;
  Findings findings;
  const auto read = read_topology_file(path, findings);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->link_count(), 2U);
  EXPECT_EQ(read_topology_file("/no/such/file", findings).error().code, Errc::config_not_found);
}

TEST(ReadingText, LinesWordsAndLimits) {
  LineReader lines(
      "\xEF\xBB\xBF"
      "a b\r\n\r\n# no\n c\t");
  ASSERT_TRUE(lines.next_content_line());
  EXPECT_EQ(lines.words().size(), 2U);
  EXPECT_EQ(lines.text(), "a b");
  ASSERT_TRUE(lines.next_content_line());
  EXPECT_EQ(lines.number(), 4U);
  EXPECT_FALSE(lines.next());
  EXPECT_FALSE(real_number("nan"));
  EXPECT_FALSE(whole_number("-1"));
  EXPECT_EQ(saturating_product(~0ull, 3), ~0ull);
  EXPECT_EQ(saturating_sum(~0ull, 3), ~0ull);
  EXPECT_TRUE(mentions("PCIe Switch", "switch"));
}

}  // namespace
}  // namespace orrery::platform
