// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/comms_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/trace/chakra/load.h"
#include "orrery/trace/chakra/records/record.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using trace::chakra::NodeRecord;

class CommsText : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("orrery_comms_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }
  Result<CommsTextReport> run(const std::vector<std::string>& paths) {
    return convert_comms_text(paths, (folder_ / "w").string(), true, findings_);
  }
  [[nodiscard]] std::vector<NodeRecord> nodes(int rank) const {
    const auto file = folder_ / ("w." + std::to_string(rank) + ".et");
    auto records = trace::chakra::read_records(file.string());
    EXPECT_TRUE(records) << file;
    return records ? records->nodes : std::vector<NodeRecord>();
  }
  static std::int64_t number(const NodeRecord& node, std::string_view name) {
    for (const auto& attribute : node.attributes) {
      if (attribute.name == name) return static_cast<std::int64_t>(attribute.bits);
    }
    return -99;
  }

  fs::path folder_;
  Findings findings_;
};

const char* const kParam = R"([
  {"comms": "init", "pg_id": 0, "global_ranks": [0, 1], "world_size": 2},
  {"comms": "all_reduce", "pg_id": 0, "req": 1, "in_msg_size": 16, "out_msg_size": 16,
   "dtype": "bfloat16"},
  {"compute": "gemm", "mm_dim": 8, "dtype": "float", "count": 2},
  {"comms": "wait", "req": 1},
  {"comms": "all_to_allv", "pg_id": 0, "in_msg_size": 3, "out_msg_size": 4, "dtype": "Int",
   "in_split": [1, 2], "out_split": [2, 2]},
  {"compute": "emb_lookup", "emb_dim": 4, "num_embs": 9, "batch_size": 2, "num_emb_tables": 3,
   "bag_size": 5},
  {"comms": "send", "src_rank": 0, "dst_rank": 1, "in_msg_size": 2, "out_msg_size": 2,
   "dtype": "float"},
  {"comms": "barrier"}
])";

TEST_F(CommsText, ParamRecords) {
  const auto report = run({put("rank-0.json", kParam)});
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->ranks, 1u);
  EXPECT_EQ(report->collectives, 3u);
  EXPECT_EQ(report->sends, 1u);
  const auto all = nodes(0);
  ASSERT_EQ(all.size(), 8u);
  EXPECT_EQ(all[0].name, "all_reduce");
  EXPECT_EQ(number(all[0], "comm_size"), 32);
  EXPECT_EQ(number(all[1], "num_ops"), 2 * 2 * 512);
  EXPECT_THAT(all[1].data_deps, IsEmpty()) << "computes while the reduction is under way";
  EXPECT_EQ(all[2].name, "wait");
  EXPECT_THAT(all[2].data_deps, ElementsAre(1, 2));
  EXPECT_EQ(number(all[3], "comm_type"), 6);
  EXPECT_EQ(number(all[3], "comm_size"), 12);
  EXPECT_THAT(all[3].data_deps, ElementsAre(1, 3)) << "after the group's last one";
  EXPECT_THAT(all[4].data_deps, ElementsAre(3));
  EXPECT_EQ(number(all[5], "comm_dst"), 1);
  EXPECT_EQ(all[7].name, "## process_group:init ##");
  EXPECT_TRUE(findings_.empty());
  ASSERT_TRUE(run({put("rank-0.json", kParam), put("rank-1.json", kParam)}));
  const auto workload = trace::chakra::load_workload((folder_ / "w").string());
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_THAT(workload->groups.at("0").ranks, ElementsAre(0, 1));
}

TEST_F(CommsText, ARecordWhoseQuotesDoNotMatch) {
  std::string text = kParam;
  text.erase(text.find("global_ranks") + 12, 1);
  const auto report = run({put("rank-0.json", text)});
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(findings_.count(FindingCode::corrupt_record_dropped), 1u);
}

TEST_F(CommsText, ParamRanksByOrderAndWhatTheyLack) {
  const auto report = run({put("a.json", kParam), put("b.json", R"([
    {"comms": "recv", "in_msg_size": 2, "out_msg_size": 2, "dtype": "float"},
    {"comms": "all_reduce", "dtype": "float"},
    {"comms": "hokus_pokus"},
    {"compute": "gemm"},
    {"nothing": 1},
    7])")});
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->ranks, 2u);
  EXPECT_EQ(findings_.count(FindingCode::rank_from_order), 2u);
  EXPECT_EQ(findings_.count(FindingCode::comm_peer_unknown), 1u);
  EXPECT_EQ(findings_.count(FindingCode::comm_size_unknown), 1u);
  EXPECT_EQ(findings_.count(FindingCode::comm_kind_unknown), 1u);
  EXPECT_GE(findings_.count(FindingCode::corrupt_record_dropped), 3u);
  EXPECT_EQ(nodes(1).size(), 3u);
}

TEST_F(CommsText, MpiCalls) {
  const auto report = run({put("mpi.json", R"({"traceEvents": [
    {"name": "MPI_Init", "ph": "X", "pid": 11, "tid": 0, "ts": 1000, "dur": 100, "args": {}},
    {"name": "MPI_Allreduce", "ph": "X", "pid": 20, "tid": 0, "ts": 2000.5, "dur": 500,
     "args": {"comm": 4, "count": 1024, "datatype": "0x0A"}},
    {"name": "MPI_Isend", "ph": "X", "pid": 20, "tid": 0, "ts": 2600.5, "dur": 10,
     "args": {"dest": 21, "tag": 7, "count": 256, "datatype": 9}},
    {"name": "local_gemm", "ph": "X", "pid": 20, "tid": 0, "ts": 2610.5, "dur": 800, "args": {}},
    {"name": "MPI_Waitall", "ph": "X", "pid": 20, "tid": 0, "ts": 3410.5, "dur": 5, "args": {}},
    {"name": "MPI_Alltoall", "ph": "X", "pid": 20, "tid": 0, "ts": 3415.5, "dur": 5,
     "args": {"comm": 5, "count": 3, "datatype": "0x09"}},
    {"name": "process_name", "ph": "M", "pid": 20, "args": {"name": "x"}},
    {"name": "MPI_Allreduce", "ph": "X", "pid": 21, "tid": 0, "ts": 2000, "dur": 500,
     "args": {"comm": 4, "count": 1024, "datatype": "0x0A"}},
    {"name": "MPI_Recv", "ph": "X", "pid": 21, "tid": 0, "ts": 2500, "dur": 10,
     "args": {"source": 20, "tag": 7, "count": 256, "datatype": 9}},
    {"name": "MPI_Bcast", "ph": "X", "pid": 21, "tid": 0, "ts": "x", "dur": 10}
  ]})")});
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->ranks, 2u) << "a process that does not communicate is none";
  const auto all = nodes(0);
  ASSERT_EQ(all.size(), 7u);
  EXPECT_EQ(number(all[0], "comm_size"), 8192);
  EXPECT_EQ(all[1].name, "gap");
  EXPECT_EQ(all[1].duration_micros, 100u);
  EXPECT_EQ(all[2].type, 5u);
  EXPECT_EQ(number(all[2], "comm_dst"), 1);
  EXPECT_EQ(number(all[2], "comm_tag"), 7);
  EXPECT_EQ(number(all[2], "comm_size"), 1024);
  EXPECT_THAT(all[3].data_deps, ElementsAre(2)) << "nothing waits for what was only begun";
  EXPECT_THAT(all[4].data_deps, ElementsAre(3, 4));
  EXPECT_EQ(number(all[5], "comm_type"), 6);
  EXPECT_EQ(number(all[5], "comm_size"), 12) << "one member of that communicator";
  EXPECT_EQ(nodes(1)[1].type, 6u);
  EXPECT_EQ(number(nodes(1)[1], "comm_src"), 0);
  EXPECT_EQ(findings_.count(FindingCode::event_not_kept), 2u) << "metadata, the idle process";
  EXPECT_EQ(findings_.count(FindingCode::corrupt_record_dropped), 1u);
}

TEST_F(CommsText, WhatIsNeither) {
  EXPECT_EQ(run({put("a.json", "[]")}).error().code, Errc::input_empty);
  EXPECT_EQ(run({put("b.json", R"({"a": 1})")}).error().code, Errc::input_empty);
  EXPECT_FALSE(run({put("c.json", "no JSON")}));
  EXPECT_EQ(run({(folder_ / "none").string()}).error().code, Errc::input_not_found);
  EXPECT_EQ(run({put("d.json", kParam), put("e.json", R"([{"name": "MPI_Barrier", "ph": "X",
    "pid": 1, "ts": 1, "dur": 1}])")})
                .error()
                .code,
            Errc::input_mismatch);
}

}  // namespace
}  // namespace orrery::intake
