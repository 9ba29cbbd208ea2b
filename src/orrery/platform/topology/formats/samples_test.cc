// SPDX-License-Identifier: Apache-2.0
//
// Everybody's fabrics: all samples of shared/data/fabrics are read as they should be, or refused
// with a reason. Another tool's figures are kept where it has them (`expect` in the folder's
// index).
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/paths_testing.h"
#include "orrery/core/text/text.h"
#include "orrery/platform/topology/formats/read_topology.h"
#include "orrery/platform/topology/formats/registered_formats.h"

namespace orrery::platform {
namespace {

namespace fs = std::filesystem;
using config::Json;

const fs::path kSamples = fs::path(core_testing::kSourceFolder) / "../shared/data/fabrics";

struct Counts {
  int read = 0, refused = 0;
  friend bool operator==(const Counts&, const Counts&) = default;
};
void PrintTo(const Counts& counts, std::ostream* out) {
  *out << counts.read << " read, " << counts.refused << " refused";
}

/// Why files of kinds that are otherwise read are refused: part of what the error says.
const std::map<std::string, std::string> kRefused{
    {"anynet/booksim2_anynet_config.txt", "BookSim configuration"},
    {"infragraph/asymmetric-device.yaml", "has no connections"},
    {"infragraph/symmetric-device.yaml", "has no connections"},
    {"infragraph/hierarchical-device.yaml", "schema before 1"},
    {"infragraph/scaleup-scaleout.yaml", "unknown device \"VendorC-Router\""},
    {"infragraph_annotated/annotation_clos.json",
     "contains annotations, but not their infrastructure"},
    {"infragraph_annotated/annotation_single.json",
     "contains annotations, but not their infrastructure"},
    {"ns3/old_4_nodes_3_switch_topology.txt", "lists 1 switches, but the first line counts 3"},
};
/// The same of whole kinds.
const std::map<std::string, std::string> kRefusedKinds{
    {"msccl", "contains the steps of a collective, not a fabric"},
    {"mscclpp", "contains the operations of a collective, not a fabric"},
    {"nccl_graph", "the result of NCCL's search"},
    {"ns3_logical", "without nodes or links"},
    {"taccl", "TACCL"},
};

/// Whether this program has the reader, which may be an add-on.
bool is_read_here(const std::string& kind) {
  return (kind != "infragraph" && kind != "infragraph_annotated") ||
         is_registered(TopologyFormat::infragraph);
}

class Samples : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kSamples / "index.json"))
      GTEST_SKIP() << "shared/data/fabrics is not next to this checkout";
    const auto text = config::read_text((kSamples / "index.json").string());
    ASSERT_TRUE(text) << to_string(text.error());
    auto index = config::parse_json(*text, "index.json");
    ASSERT_TRUE(index) << to_string(index.error());
    files_ = (*index)["files"];
  }

  static std::string path(const Json& file) {
    const std::string name = file["file"].get<std::string>();
    return (kSamples / name).string();
  }

  Json files_;
};

TEST_F(Samples, AreReadOrRefusedWithAReason) {
  std::map<std::string, Counts> counts;
  for (const Json& file : files_) {
    const std::string name = file["file"].get<std::string>(),
                      kind = file["kind"].get<std::string>();
    if (!is_read_here(kind)) continue;
    SCOPED_TRACE(name);
    Findings findings;
    const auto topology = read_topology_file(path(file), findings);
    ++(topology ? counts[kind].read : counts[kind].refused);
    const auto known = kRefused.find(name);
    const auto whole = kRefusedKinds.find(kind);
    const std::string* reason = known != kRefused.end()        ? &known->second
                                : whole != kRefusedKinds.end() ? &whole->second
                                                               : nullptr;
    if (!topology) {
      const std::string error = to_string(topology.error());
      ASSERT_NE(reason, nullptr) << error;
      EXPECT_NE(error.find(*reason), std::string::npos) << error;
      EXPECT_FALSE(topology.error().hint.empty()) << error;
      continue;
    }
    EXPECT_EQ(reason, nullptr) << "was read";
    if (!file.contains("expect") || !file["expect"].contains("nodes")) continue;
    EXPECT_EQ(topology->node_count(), file["expect"]["nodes"].get<std::uint32_t>());
    EXPECT_EQ(topology->link_count() / 2, file["expect"]["edges"].get<std::uint32_t>());
    std::uint32_t devices = 0;
    for (const auto& [type, count] : file["expect"]["nodes_by_type"].items())
      devices += type == "xpu" ? count.get<std::uint32_t>() : 0;
    EXPECT_EQ(topology->devices().size(), devices);
  }
  std::map<std::string, Counts> wanted{
      {"anynet", {6, 1}},
      {"htsim", {11, 0}},
      {"infragraph", {24, 4}},
      {"infragraph_air", {1, 0}},
      {"infragraph_annotated", {8, 2}},
      {"lstopo", {17, 0}},
      {"msccl", {0, 35}},
      {"mscclpp", {0, 14}},
      {"nccl_graph", {0, 1}},
      {"nccl_topo", {49, 0}},
      {"ns3", {15, 1}},
      {"ns3_logical", {0, 1}},
      {"nvidia_smi_topo", {9, 0}},
      {"simai", {8, 0}},
      {"taccl", {0, 11}},
  };
  std::erase_if(wanted, [](const auto& kind) { return !is_read_here(kind.first); });
  EXPECT_EQ(counts, wanted);
}

/// Copies cut short or with a byte changed end in an error or in another fabric, never in a crash.
TEST_F(Samples, DamagedOnesNeverCrash) {
  std::set<std::string> kinds;
  for (const Json& file : files_) {
    const std::string kind = file["kind"].get<std::string>();
    if (file["bytes"].get<std::size_t>() > 12'000 || kRefusedKinds.contains(kind)) continue;
    kinds.insert(kind);
    SCOPED_TRACE(file["file"].get<std::string>());
    const auto whole = config::read_text(path(file));
    ASSERT_TRUE(whole);
    const std::size_t step = 1 + whole->size() / 23;
    for (std::size_t i = 0; i < whole->size(); i += step) {
      for (const char byte : {'\0', '9', '\xff', '-'}) {
        std::string damaged = whole->substr(0, byte == '-' ? i : whole->size());
        if (i < damaged.size()) damaged[i] = byte;
        Findings findings;
        const auto read = read_topology(damaged, "damaged", findings);
        if (read) continue;
        std::size_t bad = 0;
        EXPECT_TRUE(is_utf8(to_string(read.error()), bad)) << to_string(read.error());
        EXPECT_EQ(read.error().where.rfind("damaged", 0), 0U) << read.error().where;
      }
    }
  }
  EXPECT_GE(kinds.size(), 8U);
}

}  // namespace
}  // namespace orrery::platform
