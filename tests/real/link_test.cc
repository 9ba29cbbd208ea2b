// SPDX-License-Identifier: Apache-2.0
//
// Execution traces and device traces of one rank, recorded by several versions of PyTorch.
#include "orrery/profile/link/link.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/paths_testing.h"
#include "orrery/profile/profile_testing.h"
#include "orrery/trace/inputs/format.h"
#include "orrery/trace/kineto/reader.h"
#include "orrery/trace/pytorch/reader.h"

namespace orrery::profile {
namespace {

namespace fs = std::filesystem;

const fs::path kLinkTraces =
    fs::path(core_testing::kSourceFolder) / ".." / "shared" / "data" / "traces";

class RealLinks : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kLinkTraces))
      GTEST_SKIP() << "the recorded traces are not beside the project (../shared/data/traces)";
  }

  static std::unique_ptr<trace::ByteSource> source(const std::string& name) {
    auto opened = trace::open(trace::inputs_in((kLinkTraces / name).string())->front());
    EXPECT_TRUE(opened.has_value()) << name;
    return std::move(*opened);
  }
  Profile device(const std::string& name) {
    auto read = trace::kineto::read(source(name), {.where = name, .strings = strings_}, findings_);
    EXPECT_TRUE(read.has_value()) << name;
    return std::move(*read);
  }
  Profile host(const std::string& name) {
    auto read = trace::pytorch::read(source(name), {.where = name, .strings = strings_}, findings_);
    EXPECT_TRUE(read.has_value()) << name;
    return std::move(*read);
  }

  /// The execution trace that would have been recorded with a device trace.
  Profile execution_trace_of(const Profile& timed, bool with_ids) {
    Maker make(strings_);
    std::vector<EventId> node_of(timed.events.size(), kNoEvent);
    std::uint64_t id = 1;
    for (std::uint32_t lane = 0; lane < timed.lanes.size(); ++lane) {
      if (timed.lanes[lane].device) continue;
      for (const EventId e : timed.in_order(lane)) {
        const Kind kind = timed.events[e].kind;
        if (kind != Kind::op && kind != Kind::annotation) continue;
        EventId parent = timed.events[e].parent;
        while (parent != kNoEvent && node_of[parent] == kNoEvent)
          parent = timed.events[parent].parent;
        node_of[e] = make.node(make.thread(lane + 1), timed.name(e), ++id,
                               parent == kNoEvent ? kNoEvent : node_of[parent], kind);
        make.op_of(node_of[e]).sequence = timed.op(e).sequence;
        if (with_ids) make.op_of(node_of[e]).record_function_id = timed.op(e).record_function_id;
        original_[id] = e;
      }
    }
    return make.take();
  }

  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  Findings findings_;
  std::map<std::uint64_t, EventId> original_;  // by node id
};

TEST_F(RealLinks, ExternalIdsThatAreRecordFunctions) {
  Profile profile = device("hta/pair_simple_add.kineto.json.gz");
  const auto report = link(profile, host("hta/pair_simple_add.et.json.gz"), findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->nodes, 36u);
  EXPECT_EQ(report->by_external_id, 36u);
}

/// One iteration is found among forty by autograd's sequence numbers.
TEST_F(RealLinks, OneIterationOfForty) {
  Profile profile = device("param/linear_kineto.json.gz");
  const auto report = link(profile, host("param/linear_et.json.gz"), findings_);
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->nodes, 928u);
  EXPECT_EQ(report->by_order, 928u);
  EXPECT_EQ(report->operators, 37078u);
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const Node* node = profile.node(static_cast<EventId>(e));
    if (node == nullptr) continue;
    EventId around = profile.events[e].parent;
    while (around != kNoEvent && profile.node(around) == nullptr)
      around = profile.events[around].parent;
    if (around == kNoEvent) continue;
    EXPECT_EQ(profile.node(around)->id, node->parent);
  }
}

/// Two recordings of ResNet-50, a year apart, one of them distributed.
TEST_F(RealLinks, AnotherProgramIsRefused) {
  Profile profile = device("param/resnet_kineto.json.gz");
  const auto report = link(profile, host("param/resnet_et.json.gz"), findings_);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::input_unlinked);
}

TEST_F(RealLinks, ThreeStepsByIdAndByOrder) {
  for (const bool with_ids : {true, false}) {
    Profile profile = device("hta/nccl_data.a100_2rank.rank0.json.gz");
    Profile host = execution_trace_of(profile, with_ids);
    const auto report = link(profile, std::move(host), findings_);
    ASSERT_TRUE(report) << to_string(report.error());
    EXPECT_EQ(report->nodes, 14388u);
    EXPECT_EQ(with_ids ? report->by_record_function : report->by_order, 14388u);
    std::size_t right = 0;
    for (const auto& [id, event] : original_) right += profile.node(event)->id == id ? 1 : 0;
    EXPECT_EQ(right, 14388u);
  }
}

TEST_F(RealLinks, EveryCommunicationKernelFindsItsRange) {
  Profile profile = device("hta/nccl_data.a100_2rank.rank0.json.gz");
  const AttachReport report = attach(profile, findings_);
  EXPECT_EQ(report.works, 3774u);
  EXPECT_EQ(report.by_correlation, 3774u);
  std::size_t ranges = 0;
  for (std::size_t e = 0; e < profile.events.size(); ++e) {
    const auto event = static_cast<EventId>(e);
    if (!is_device_work(profile.events[e].kind) || !is_comm_kernel(profile.name(event))) continue;
    const EventId op = profile.work(event).op;
    ASSERT_NE(op, kNoEvent);
    ranges += profile.name(op).substr(0, 5) == "nccl:" ? 1 : 0;
    EXPECT_GT(profile.comm(event)->bytes(), 0);
  }
  EXPECT_EQ(ranges, 21u);
}

}  // namespace
}  // namespace orrery::profile
