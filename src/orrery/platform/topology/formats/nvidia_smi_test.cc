// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/machines/nvidia_smi.h"

#include <gtest/gtest.h>

#include <deque>
#include <filesystem>
#include <map>

#include "orrery/config/document.h"
#include "orrery/core/paths_testing.h"
#include "orrery/platform/topology/formats/formats_testing.h"
#include "orrery/platform/topology/formats/machines/nvidia_smi_matrix.h"

namespace orrery::platform {
namespace {

using formats_testing::Reading;

/// What the way between two devices over PCIe is called, from the nodes that it passes.
SmiPath path_between(const Topology& topology, NodeIndex from, NodeIndex to) {
  std::map<NodeIndex, NodeIndex> came{{from, from}};
  std::deque<NodeIndex> next{from};
  while (!next.empty() && !came.contains(to)) {
    const NodeIndex node = next.front();
    next.pop_front();
    const auto [first, last] = topology.out(node);
    for (LinkIndex i = first; i < last; ++i) {
      if (topology.link(i).figures.kind == LinkClass::scale_up) continue;
      if (came.emplace(topology.link(i).to, node).second) next.push_back(topology.link(i).to);
    }
  }
  int switches = 0, bridges = 0, cpus = 0;
  for (NodeIndex at = came.at(to); at != from; at = came.at(at)) {
    if (topology.kind(at) == NodeClass::cpu) ++cpus;
    if (topology.name(at).starts_with("hostbridge")) ++bridges;
    if (topology.name(at).starts_with("pcie")) ++switches;
  }
  if (cpus > 1) return SmiPath::sys;
  if (cpus == 1) return SmiPath::node;
  if (bridges > 0) return SmiPath::phb;
  return switches > 1 ? SmiPath::pxb : SmiPath::pix;
}

void expect_classes(std::string_view text) {
  Findings findings;
  const auto matrix = read_smi_matrix(strip_escapes(text), "f", findings);
  ASSERT_TRUE(matrix) << to_string(matrix.error());
  const auto topology = read_nvidia_smi(text, "f", findings);
  ASSERT_TRUE(topology) << to_string(topology.error());
  for (NodeIndex a = 0; a < matrix->size(); ++a) {
    for (NodeIndex b = 0; b < a; ++b) {
      if (matrix->cells[a][b].path == SmiPath::unknown) continue;
      EXPECT_EQ(path_between(*topology, a, b), matrix->cells[a][b].path)
          << matrix->names[a] << " and " << matrix->names[b];
    }
  }
  EXPECT_EQ(findings.count(FindingCode::fabric_contradicts), 0U);
}

constexpr std::string_view kAllClasses =
    "```\n\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tGPU4\tGPU5\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA "
    "ID\x1b[0m\n"
    "GPU0\t X \tPIX\tPXB\tPHB\tNODE\tSYS\tPIX\t0-7\t0\tN/A\n"
    "GPU1\tPIX\t X \tPXB\tPHB\tNODE\tSYS\tPIX\t0-7\t0\tN/A\n"
    "GPU2\tPXB\tPXB\t X \tPHB\tNODE\tSYS\tPXB\t0-7\t0\tN/A\n"
    "GPU3\tPHB\tPHB\tPHB\t X \tNODE\tSYS\tPHB\t0-7\t0\tN/A\n"
    "GPU4\tNODE\tNODE\tNODE\tNODE\t X \tSYS\tNODE\t0-7\t0\tN/A\n"
    "GPU5\tSYS\tSYS\tSYS\tSYS\tSYS\t X \tSYS\t8-15\t1\tN/A\n"
    "NIC0\tPIX\tPIX\tPXB\tPHB\tNODE\tSYS\t X \t\t\t\t\n\nLegend:\n\n  X    = Self\n\n"
    "NIC Legend:\n\n  NIC0: mlx5_0\n";

/// `text` as a terminal of `width` columns shows it.
std::string wrapped(std::string_view text, std::size_t width, bool without_trailing_blanks) {
  std::string out, line;
  const auto flush = [&] {
    if (without_trailing_blanks) line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    line.clear();
  };
  for (const char c : text) {
    if (c == '\n') {
      flush();
      continue;
    }
    if (line.size() == width) flush();
    line += c;
  }
  return out + line;
}

// A machine of eight GPUs and six adapters, with blanks: a terminal of any width breaks lines, also
// within words.
TEST(SmiMatrix, LinesMayBeBroken) {
  std::string text = std::string(8, ' ');
  const auto cell = [](std::string word) { return word + std::string(8 - word.size(), ' '); };
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) names.push_back("GPU" + std::to_string(i));
  for (int i = 0; i < 6; ++i) names.push_back("NIC" + std::to_string(i));
  for (const std::string& name : names) text += cell(name);
  text += "CPU Affinity    NUMA Affinity   GPU NUMA ID\n";
  for (std::size_t a = 0; a < names.size(); ++a) {
    text += cell(names[a]);
    for (std::size_t b = 0; b < names.size(); ++b) {
      const bool nvlink = a < 8 && b < 8;
      const bool same_node = a / 4 % 2 == b / 4 % 2;
      text += cell(a == b ? " X" : nvlink ? "NV18" : same_node ? "NODE" : "SYS");
    }
    if (a < 8) text += (a < 4 ? "0-47,96-143     0" : "48-95,144-191   1") + std::string("   N/A");
    text += "\n";
  }
  text += "\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_0\n";
  const Reading whole(text);
  ASSERT_TRUE(whole.topology) << whole.error();
  for (std::size_t width = 40; width < 200; ++width) {
    for (const bool trimmed : {false, true}) {
      const Reading read(wrapped(text, width, trimmed));
      ASSERT_TRUE(read.topology) << "width " << width << ": " << read.error();
      EXPECT_EQ(read.topology->node_count(), whole.topology->node_count()) << "width " << width;
      EXPECT_EQ(read.topology->link_count(), whole.topology->link_count()) << "width " << width;
      EXPECT_EQ(read.count(NodeClass::nic), 6U);
      EXPECT_EQ(read.count(NodeClass::nvswitch), 1U);
    }
  }
}

TEST(SmiMatrix, EveryPairIsLinkedAsStated) {
  expect_classes(kAllClasses);
  const Reading read(kAllClasses);
  ASSERT_TRUE(read.topology) << read.error();
  EXPECT_EQ(read.topology->devices().size(), 6U);
  EXPECT_EQ(read.count(NodeClass::cpu), 2U);
  EXPECT_EQ(read.topology->kind(read.node("mlx5_0")), NodeClass::nic);
  EXPECT_EQ(read.topology->host_count(), 1U);
}

TEST(SmiMatrix, SamplesAreLinkedAsStated) {
  const std::filesystem::path folder =
      std::filesystem::path(core_testing::kSourceFolder) / "../shared/data/fabrics/nvidia_smi_topo";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "shared/data is not next to this checkout";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    SCOPED_TRACE(entry.path().string());
    expect_classes(*config::read_text(entry.path().string()));
  }
}

TEST(SmiMatrix, NvlinksAreDirectOrLeadToASwitch) {
  const auto four = [](std::string_view links) {
    std::string text = " GPU0 GPU1 GPU2 GPU3 CPU Affinity\n";
    for (int i = 0; i < 4; ++i) {
      text += "GPU" + std::to_string(i);
      for (int k = 0; k < 4; ++k) text += " " + (i == k ? std::string("X") : std::string(links));
      text += " 0-15\n";
    }
    return text;
  };
  const Reading direct(four("NV6")), switched(four("NV18"));
  EXPECT_EQ(direct.count(NodeClass::nvswitch), 0U);
  EXPECT_EQ(direct.link("GPU0", "GPU3"),
            (LinkFigures{Bandwidth(0), std::nullopt, 6, LinkClass::scale_up}));
  EXPECT_EQ(switched.count(NodeClass::nvswitch), 1U);
  EXPECT_EQ(switched.link("GPU2", "nvswitch0").count, 18U);
}

// As people copy it: underlining without its escape, an old driver's word for one switch on a
// board, and a second machine below the first.
TEST(SmiMatrix, CopiedFromATerminal) {
  const std::string matrix =
      "[4mGPU0\tGPU1\tGPU2\tCPU Affinity[0m\nGPU0\t X \tPSB\tSOC\t0-7\nGPU1\tPSB\t X \tSOC\t0-7\n"
      "GPU2\tSOC\tSOC\t X \t8-15\n";
  const Reading one(matrix);
  ASSERT_TRUE(one.topology) << one.error();
  EXPECT_EQ(one.topology->devices().size(), 3U);
  EXPECT_EQ(one.link("GPU0", "pcie0").kind, LinkClass::pcie);
  EXPECT_EQ(one.link("GPU1", "pcie0").kind, LinkClass::pcie);
  EXPECT_TRUE(one.findings.list().empty());
  const Reading two(matrix + "\nnode2:\n" + matrix);
  ASSERT_TRUE(two.topology) << two.error();
  EXPECT_EQ(two.topology->devices().size(), 3U);
  EXPECT_EQ(two.findings.count(FindingCode::fabric_part_ignored), 1U);
}

TEST(SmiMatrix, Mistakes) {
  const auto error = [](std::string_view text) { return Reading(text).error(); };
  EXPECT_EQ(error("  GPU0 GPU1\nGPU0 X NV2\nGPU1 NV2\n"),
            "f:3: \"GPU1\" has 1 cells, but must have 2 (E2002)");
  EXPECT_EQ(error("  GPU0 GPU1\nGPU0 X NV2\nGPU1 NV2 what\n"),
            "f:3: \"what\" is not a connection type (E2003)");
  EXPECT_EQ(error("  GPU0 GPU1\nGPU0 X NV2\n"), "f: \"GPU1\" has a column but no row (E2002)");
  EXPECT_EQ(error("  GPU0 GPU1\nGPU0 X NV2\nGPU0 X NV2\n"),
            "f:3: a second row of \"GPU0\" (E2003)");
  EXPECT_EQ(error("  GPU0 GPU0\nGPU0 X NV2\n"), "f: a column appears twice (E2003)");
  Findings findings;
  EXPECT_EQ(read_nvidia_smi("nothing\n", "f", findings).error().code, Errc::input_empty);
}

TEST(SmiMatrix, ContradictionsAreCounted) {
  const Reading two("  GPU0 GPU1\nGPU0 X PIX\nGPU1 SYS X\n");
  ASSERT_TRUE(two.topology) << two.error();
  EXPECT_EQ(two.findings.count(FindingCode::fabric_contradicts), 1U);
  const Reading circle("  GPU0 GPU1 GPU2\nGPU0 X PIX SYS\nGPU1 PIX X PIX\nGPU2 SYS PIX X\n");
  ASSERT_TRUE(circle.topology) << circle.error();
  EXPECT_EQ(circle.findings.count(FindingCode::fabric_contradicts), 1U);
}

}  // namespace
}  // namespace orrery::platform
