// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/intake/job/job_internal.h"
#include "orrery/trace/rocpd/rocpd_testing.h"
#include "orrery/trace/xplane/xplane_testing.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class FindRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("orrery_find_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }
  /// A device trace; without a rank it does not say one.
  void device(const std::string& name, int rank = -1, int process = 0) {
    std::string info;
    if (rank >= 0) {
      info = R"("distributedInfo": {"backend": "nccl", "rank": )" + std::to_string(rank) +
             R"(, "world_size": 8},)";
    }
    write(name, R"({"schemaVersion": 1, )" + info + R"("traceEvents": [
      {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": )" +
                    std::to_string(process) + R"(, "tid": 7, "ts": 10, "dur": 5, "args": {}}]})");
  }
  void host(const std::string& name, int process = 0, const std::string& on = "cuda:0") {
    write(name, R"({"schema": "1.0.1", "pid": )" + std::to_string(process) +
                    R"(, "time": "2023-09-07 16:09:59", "start_ts": 1, "nodes": [
      {"name": "aten::mm", "id": 2, "rf_id": 1, "parent": 1, "fw_parent": 0, "seq_id": -1,
       "scope": 0, "tid": 1, "fw_tid": 0, "op_schema": "", "inputs": [[5,6,0,112,4,")" +
                    on + R"x("]], "input_shapes": [[112]], "input_types": ["Tensor(float)"],
       "outputs": [], "output_shapes": [], "output_types": []}], "finish_ts": 2})x");
  }

  Result<std::vector<RankFiles>> find(JobOptions options = {}) {
    if (options.traces.empty()) options.traces = {folder_.string() + "/*"};
    findings_ = {};
    return find_ranks(options, findings_);
  }
  /// "0: kineto.json et.json (distributedInfo)".
  std::vector<std::string> lines(JobOptions options = {}) {
    const auto ranks = find(std::move(options));
    if (!ranks) return {to_string(ranks.error())};
    std::vector<std::string> out;
    for (const RankFiles& files : *ranks) {
      std::string line = std::to_string(files.rank) + ":";
      for (const auto* input : {&files.device, &files.host}) {
        if (*input) line += " " + fs::path((*input)->path).filename().string();
      }
      out.push_back(line + " (" + files.rank_from + ")");
    }
    return out;
  }

  fs::path folder_;
  Findings findings_;
};

TEST_F(FindRanks, WhatTheFilesSayCountsMost) {
  device("a_rank7.json", 1);
  device("b_rank6.json", 0);
  EXPECT_THAT(lines(), ElementsAre("0: b_rank6.json (distributedInfo)",
                                   "1: a_rank7.json (distributedInfo)"));
  EXPECT_TRUE(findings_.empty());
}

TEST_F(FindRanks, HostFilesBelongToTheProcess) {
  device("k0.json", 0, 4711);
  device("k1.json", 1, 4712);
  host("et_0.json", 4712);
  host("et_1.json", 4711);
  EXPECT_THAT(lines(), ElementsAre("0: k0.json et_1.json (distributedInfo)",
                                   "1: k1.json et_0.json (distributedInfo)"));
}

TEST_F(FindRanks, ProcessesThatAreNotUniqueSayNothing) {
  device("k0.json", 0, 7);  // two containers
  device("k1.json", 1, 7);
  host("et_0.json", 7);
  host("et_1.json", 7);
  EXPECT_THAT(lines(), ElementsAre("0: k0.json et_0.json (distributedInfo)",
                                   "1: k1.json et_1.json (distributedInfo)"));
}

TEST_F(FindRanks, Names) {
  device("worker3_step_12.1694128201557.pt.trace.json");
  device("worker1_step_12.1694128201557.pt.trace.json");
  EXPECT_THAT(lines(), ElementsAre("1: worker1_step_12.1694128201557.pt.trace.json (file name)",
                                   "3: worker3_step_12.1694128201557.pt.trace.json (file name)"));
}

TEST_F(FindRanks, RanksOfNodes) {
  for (const char* name : {"node0_rank0.json", "node0_rank1.json", "node1_rank0.json"})
    device(name);
  EXPECT_THAT(lines(),
              ElementsAre("0: node0_rank0.json (file name)", "1: node0_rank1.json (file name)",
                          "2: node1_rank0.json (file name)"));
}

TEST_F(FindRanks, OnePairNeedsNoRank) {
  device("simple.kineto.json");
  host("simple.et.json", 12);
  EXPECT_THAT(lines(), ElementsAre("0: simple.kineto.json simple.et.json (order)"));
  EXPECT_EQ(findings_.count(FindingCode::rank_from_order), 1u);
  device("simple.kineto.json", 5);
  EXPECT_THAT(lines(), ElementsAre("5: simple.kineto.json simple.et.json (distributedInfo)"));
}

// "resnet_50" is a model, "trace2" the second attempt.
/// Process ids of different nodes may be the same; what lies where does not.
TEST_F(FindRanks, FilesOfOneNameInFoldersBesideEachOther) {
  fs::create_directories(folder_ / "torch_profile");
  fs::create_directories(folder_ / "chakra");
  device("torch_profile/rank-0.json", 8, 5);
  device("torch_profile/rank-1.json", -1, 6);
  host("chakra/rank-0.json", 6);
  host("chakra/rank-1.json", 7);
  host("chakra/rank-2.json", 5);  // its device trace is not there
  JobOptions options;
  options.traces = {folder_.string() + "/*/rank-*.json"};
  EXPECT_THAT(lines(options),
              ElementsAre("1: rank-1.json rank-1.json (file name)", "2: rank-2.json (file name)",
                          "8: rank-0.json rank-0.json (distributedInfo)"));
}

TEST_F(FindRanks, ANumberInASingleNameIsNoRank) {
  device("resnet_50.json");
  EXPECT_THAT(lines(), ElementsAre("0: resnet_50.json (order)"));
  host("trace2.json", 12);
  EXPECT_THAT(lines(), ElementsAre("0: resnet_50.json trace2.json (order)"));
  device("resnet_50.json", 5);
  EXPECT_THAT(lines(), ElementsAre("5: resnet_50.json trace2.json (distributedInfo)"));
}

TEST_F(FindRanks, NumbersOfAFamilyAreRanks) {
  device("step_of_3.json");
  device("step_of_1.json");
  EXPECT_THAT(lines(),
              ElementsAre("1: step_of_1.json (file name)", "3: step_of_3.json (file name)"));
  device("other_7.json");  // the only one called so
  EXPECT_THAT(lines(), ElementsAre("0: other_7.json (order)", "1: step_of_1.json (file name)",
                                   "3: step_of_3.json (file name)"));
}

TEST_F(FindRanks, FamiliesMayCountHostsToo) {
  device("h0_t_0.json");
  device("h1_t_4.json");
  EXPECT_THAT(lines(), ElementsAre("0: h0_t_0.json (file name)", "4: h1_t_4.json (file name)"));
}

// The one that says its rank itself is of the family, too.
TEST_F(FindRanks, AFamilyHasMembersThatSayTheirRank) {
  device("t0.json", 0);
  device("t3.json");
  EXPECT_THAT(lines(), ElementsAre("0: t0.json (distributedInfo)", "3: t3.json (file name)"));
}

TEST_F(FindRanks, AWordForRanksNeedsNoFamily) {
  device("rank_3.json");
  EXPECT_THAT(lines(), ElementsAre("3: rank_3.json (file name)"));
}

TEST_F(FindRanks, OrderIsTheLastResort) {
  device("a.json");
  device("b.json");
  device("c.json", 0);
  EXPECT_THAT(lines(),
              ElementsAre("0: c.json (distributedInfo)", "1: a.json (order)", "2: b.json (order)"));
  EXPECT_EQ(findings_.count(FindingCode::rank_from_order), 2u);
}

TEST_F(FindRanks, TensorsTellWhereHostFilesAreFrom) {
  host("a.json", 1, "cuda:1");
  host("b.json", 2, "cuda:0");
  EXPECT_THAT(lines(), ElementsAre("0: b.json (device)", "1: a.json (device)"));
}

TEST_F(FindRanks, TheOption) {
  device("a.json", 3);
  JobOptions options;
  options.rank = 9;
  EXPECT_THAT(lines(options), ElementsAre("9: a.json (option)"));
}

TEST_F(FindRanks, WithoutLinkingBothStandAlone) {
  device("a.json", 3);
  host("b.json");
  JobOptions options;
  options.link = false;
  EXPECT_THAT(lines(options),
              ElementsAre("3: a.json (distributedInfo)", "3: b.json (distributedInfo)"));
}

TEST_F(FindRanks, TwoFilesOfOneRank) {
  device("a.json", 3);
  device("b.json", 3);
  const auto ranks = find();
  ASSERT_FALSE(ranks);
  EXPECT_EQ(ranks.error().code, Errc::usage);
  EXPECT_THAT(ranks.error().where, HasSubstr("b.json"));
  EXPECT_THAT(ranks.error().what, HasSubstr("a.json is also a device trace of rank 3"));
}

TEST_F(FindRanks, ADatabaseOfANodeIsARankPerProcess) {
  trace::tables::testing::DatabaseFile file((folder_ / "node3.db").string());
  for (const char* suffix : {"_a1", "_b2"}) {
    using trace::rocpd::testing::of_set;
    file.sql(of_set(trace::rocpd::testing::kCommon, suffix))
        .sql(of_set(trace::rocpd::testing::kDirect, suffix))
        .sql(of_set(trace::rocpd::testing::kDirectRows, suffix));
  }
  file.sql("UPDATE rocpd_info_process_b2 SET pid = 5").close();
  EXPECT_THAT(lines(), ElementsAre("0: node3.db (order)", "1: node3.db (order)"));
  const auto ranks = find();
  ASSERT_TRUE(ranks);
  EXPECT_EQ((*ranks)[0].process, 5);
  EXPECT_EQ((*ranks)[1].process, 77);
}

TEST_F(FindRanks, AnXplaneFileIsARankPerDevice) {
  fs::create_directories(folder_ / "b");
  write("b/host1.xplane.pb", trace::xplane::testing::two_devices());
  write("b/host0.xplane.pb", trace::xplane::testing::two_devices());
  JobOptions options;
  options.traces = {(folder_ / "b/*").string()};
  Findings findings;
  const auto ranks = find_ranks(options, findings);
  ASSERT_TRUE(ranks) << to_string(ranks.error());
  ASSERT_EQ(ranks->size(), 4u);
  EXPECT_THAT((*ranks)[1].device->name, HasSubstr("host0"));
  EXPECT_EQ((*ranks)[1].process, 1);
  EXPECT_THAT((*ranks)[2].device->name, HasSubstr("host1"));
  EXPECT_EQ((*ranks)[2].process, 0);
}

TEST_F(FindRanks, FilesThatAreNoRecordedRanks) {
  JobOptions none;
  none.traces = {(folder_ / "none.json").string()};
  EXPECT_EQ(find(none).error().code, Errc::input_not_found);
  write("x.json", "hello");
  EXPECT_EQ(find().error().code, Errc::input_unsupported);
  write("x.json", R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4}]})");
  const auto chakra = find();
  ASSERT_FALSE(chakra);
  EXPECT_EQ(chakra.error().code, Errc::usage);
  EXPECT_THAT(chakra.error().what, HasSubstr("already a Chakra trace"));
  Findings ignored;
  EXPECT_EQ(find_ranks({}, ignored).error().code, Errc::usage);
}

TEST_F(FindRanks, WhatIsNoTraceAmongTraces) {
  device("rank0.json", 0);
  write("rank0.facts.json", R"({"orrery_facts": 1, "rank": 0})");
  write("README.md", "about them");
  write("x.et.json", R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 4}]})");
  JobOptions options;
  options.traces = {(folder_ / "*").string()};
  Findings findings;
  const auto ranks = find_ranks(options, findings);
  ASSERT_TRUE(ranks) << to_string(ranks.error());
  EXPECT_EQ(ranks->size(), 1u);
  EXPECT_EQ(findings.count(FindingCode::file_skipped), 3u);
  // As a shell hands them over: notes and facts together with a trace. Others must be what they are
  // named.
  options.traces = {(folder_ / "rank0.json").string(), (folder_ / "README.md").string(),
                    (folder_ / "rank0.facts.json").string()};
  EXPECT_TRUE(find_ranks(options, findings));
  options.traces.push_back((folder_ / "x.et.json").string());
  EXPECT_FALSE(find_ranks(options, findings));
  options.traces = {(folder_ / "README.md").string()};
  EXPECT_FALSE(find_ranks(options, findings));
}

TEST_F(FindRanks, DamagedFilesArePeekedAtInPeace) {
  write("rank4.json",
        R"({"schemaVersion": 1, "distributedInfo": {"rank": "x"}, "traceEvents": [{)");
  EXPECT_THAT(lines(), ElementsAre("4: rank4.json (file name)"));
  write("rank4.json", R"({"schemaVersion": 1, "distributedInfo": {"rank": 99999999999}, "trac)");
  const auto ranks = find();
  if (ranks) {
    EXPECT_EQ((*ranks)[0].rank, 4u);
  }
}

TEST_F(FindRanks, CapturesOfGraphsGoWithTheirRanks) {
  fs::create_directories(folder_ / "capture_traces");
  device("profile_rank_0.json", 0);
  device("profile_rank_1.json", 1);
  device("capture_traces/graph_capture_rank_1.1773709742341309550.pt.trace.json");
  device("capture_traces/bs8.json", 1);
  JobOptions options;
  options.traces = {folder_.string() + "/*.json", folder_.string() + "/capture_traces/*"};
  const auto ranks = find(options);
  ASSERT_TRUE(ranks) << to_string(ranks.error());
  ASSERT_EQ(ranks->size(), 2u);
  EXPECT_TRUE((*ranks)[0].captures.empty());
  ASSERT_EQ((*ranks)[1].captures.size(), 2u);
  EXPECT_THAT((*ranks)[1].captures[0].name, HasSubstr("bs8"));
  EXPECT_TRUE((*ranks)[1].device);

  device("capture_traces/graph_capture_rank_5.json");
  EXPECT_EQ(find(options)->size(), 2u);
  EXPECT_EQ(findings_.count(FindingCode::file_skipped), 1u);
  EXPECT_THAT(findings_.list()[0].places[0], HasSubstr("graph_capture_rank_5"));
  fs::remove(folder_ / "capture_traces/graph_capture_rank_5.json");

  options.traces = {folder_.string() + "/capture_traces/*"};  // to look at them
  const auto alone = find(options);
  ASSERT_FALSE(alone);  // two files of rank 1
  options.traces = {(folder_ / "capture_traces/bs8.json").string()};
  EXPECT_EQ(find(options)->size(), 1u);

  fs::remove(folder_ / "profile_rank_0.json");  // the only rank's
  device("capture_traces/any.json");
  options.traces = {folder_.string() + "/*.json", folder_.string() + "/capture_traces/*"};
  options.link = false;
  EXPECT_EQ(find(options)->front().captures.size(), 3u);
}

}  // namespace
}  // namespace orrery::intake
