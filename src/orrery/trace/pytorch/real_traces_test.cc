// SPDX-License-Identifier: Apache-2.0
//
// Execution traces that PyTorch wrote, schemas 1.0.1 to 1.1.1. They are not part of the project;
// without them these tests skip.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "orrery/core/paths_testing.h"
#include "orrery/profile/tensors.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/pytorch/pytorch_testing.h"

namespace orrery::trace::pytorch {
namespace {

namespace fs = std::filesystem;
using profile::CommKind;
using profile::EventId;
using profile::kNoEvent;

class RealPyTorchEt : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(folder())) GTEST_SKIP() << "no real traces at ../shared/data/traces";
  }
  static fs::path folder() {
    return fs::path(core_testing::kSourceFolder) / "../shared/data/traces";
  }
  static Outcome load(const Input& input) {
    Outcome out{fail(Errc::input_empty, "", ""), {}};
    auto source = open(input);
    if (!source) {
      out.profile = tl::unexpected(source.error());
      return out;
    }
    out.profile =
        read(std::move(*source), {input.name, std::make_shared<StringPool>()}, out.findings);
    return out;
  }
  static std::vector<Input> traces_in(const std::string& path) {
    auto inputs = inputs_in((folder() / path).string());
    EXPECT_TRUE(inputs) << path;
    std::vector<Input> found;
    if (inputs) {
      for (const Input& input : *inputs) {
        if (input.format == Format::pytorch_et) found.push_back(input);
      }
    }
    return found;
  }
  static Outcome load_one(const std::string& path) {
    const auto inputs = traces_in(path);
    EXPECT_EQ(inputs.size(), 1u) << path;
    return load(inputs.at(0));
  }
  static std::map<CommKind, int> kinds(const profile::Profile& profile) {
    std::map<CommKind, int> counts;
    for (const profile::Comm& comm : profile.comms) ++counts[comm.kind];
    return counts;
  }
};

TEST_F(RealPyTorchEt, EveryNodeOfEveryFile) {
  std::ifstream file(folder() / "index.json");
  const auto index = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(index.is_object());
  std::size_t traces = 0;
  for (const auto& entry : index["entries"]) {
    const std::string path = entry.value("path", "");
    std::map<std::string, std::uint64_t> nodes;  // by the name of the file or member
    for (const auto& member : entry["members"]) {
      if (member.value("kind", "") != "pytorch_et") continue;
      const std::string name = member.value("file", "");
      nodes[name.substr(name.find('!') + 1)] = member.value("nodes", 0u);
    }
    if (nodes.empty() || !fs::exists(folder() / path)) continue;
    const auto inputs = traces_in(path);
    EXPECT_EQ(inputs.size(), nodes.size()) << path;
    for (const Input& input : inputs) {
      const Outcome out = load(input);
      ASSERT_TRUE(out.profile) << to_string(out.profile.error());
      ++traces;
      const std::size_t bang = input.name.find('!');
      const std::string name = bang == std::string::npos ? path : input.name.substr(bang + 1);
      EXPECT_EQ(out->account.records, nodes[name]) << input.name;
      EXPECT_EQ(out->account.records, out->account.events + out->account.mapped) << input.name;
      EXPECT_EQ(out->account.mapped, out->lanes.size() + 1) << input.name;  // threads and the root
      EXPECT_TRUE(out->account.left_out.empty());
      // Nothing in them is odd but an attribute that only replay uses.
      for (const Finding& finding : out.findings.list())
        EXPECT_EQ(finding.code, FindingCode::unknown_field_kept) << input.name;
      for (EventId e = 0; e < out->events.size(); ++e) {
        const EventId parent = out->events[e].parent;
        if (parent != kNoEvent) {
          ASSERT_EQ(out->node(parent)->id, out->node(e)->parent);
        }
      }
    }
  }
  EXPECT_GE(traces, 1u);
  RecordProperty("traces", static_cast<int>(traces));
}

TEST_F(RealPyTorchEt, EightRanksOfDlrm) {
  const auto inputs = traces_in("param/dlrm_pytorch_et.tar.gz");
  ASSERT_EQ(inputs.size(), 8u);
  std::vector<int> seen(8, 0);
  for (const Input& input : inputs) {
    const Outcome out = load(input);
    ASSERT_TRUE(out.profile);
    ASSERT_TRUE(out->rank && *out->rank < 8) << input.name;
    ++seen[*out->rank];
    EXPECT_TRUE(input.name.ends_with(fmt::format("_{}.json", *out->rank)));
    auto counts = kinds(*out.profile);
    EXPECT_EQ(counts[CommKind::all_to_all], 5);
    EXPECT_EQ(counts[CommKind::all_reduce], 3);
    EXPECT_EQ(counts[CommKind::wait], 5);
    std::int64_t reduced = 0;
    for (const profile::Comm& comm : out->comms) {
      if (comm.kind == CommKind::all_reduce) reduced += comm.bytes();
    }
    EXPECT_EQ(reduced, 4 * (394'241 + 112 + 226'960));
    EXPECT_EQ(out->groups.size(), 1u);
  }
  EXPECT_EQ(seen, std::vector<int>(8, 1));
}

TEST_F(RealPyTorchEt, RecordsWithAttributesSayWhatTheirTensorsSay) {
  // The same training step, recorded with and without attributes on the records.
  const Outcome without = load_one("param/resnet_1gpu_et.v1.0.3.json.gz");
  const Outcome with = load_one("param/resnet_2gpu_et.v1.1.0.json.gz");
  ASSERT_TRUE(without.profile && with.profile);
  EXPECT_EQ(with->world_size, 2u);
  EXPECT_EQ(with->rank, 1u);
  EXPECT_EQ(with->backend, "nccl");
  ASSERT_EQ(with->comms.size(), 27u);
  ASSERT_EQ(without->comms.size(), 27u);
  for (std::size_t i = 0; i < 27; ++i) {
    EXPECT_EQ(with->comms[i].kind, without->comms[i].kind);
    EXPECT_EQ(with->comms[i].sequence, without->comms[i].sequence);
    EXPECT_EQ(with->comms[i].peer, without->comms[i].peer);
    if (with->comms[i].kind == CommKind::wait) continue;
    EXPECT_EQ(with->comms[i].bytes(), without->comms[i].bytes());
    EXPECT_GT(with->comms[i].bytes(), 0);
  }
}

TEST_F(RealPyTorchEt, TensorsHaveTheirShapesNumberOfElements) {
  const Outcome out = load_one("param/pt2_et.json.tar.gz");
  ASSERT_TRUE(out.profile);
  const auto mm = out.named("aten::mm");
  ASSERT_TRUE(mm);
  std::size_t tensors = 0;
  profile::for_each_tensor(out->texts.view(out->node(*mm)->inputs),
                           [&](const profile::Tensor& tensor) {
                             ++tensors;
                             EXPECT_EQ(tensor.elements, 16u);
                             EXPECT_EQ(tensor.width, 4u);
                             EXPECT_EQ(tensor.device, "cuda:0");
                           });
  EXPECT_EQ(tensors, 3u);
  const auto triton = out.named("triton_poi_fused_add_cos_neg_sin_0");
  ASSERT_TRUE(triton);
  EXPECT_EQ(out->string(out->node(*triton)->kernel_backend), "triton");
  EXPECT_EQ(out->string(out->node(*triton)->input_strides), "[[4,1],[4,1],[4,1],[4,1],[]]");
}

}  // namespace
}  // namespace orrery::trace::pytorch
