// SPDX-License-Identifier: Apache-2.0
//
// Small recorded jobs, as files, all the way into a workload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "orrery/intake/job/job_internal.h"
#include "orrery/trace/chakra/load.h"

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A step of a rank: a kernel, then communications, each launched by its own operator.
class KinetoText {
 public:
  KinetoText(std::uint32_t rank, std::uint32_t world, std::string groups = "")
      : rank_(rank), world_(world), groups_(std::move(groups)) {}

  void event(const std::string& category, const std::string& name, int tid, int start, int duration,
             const std::string& args) {
    events_ += (events_.empty() ? "" : ",\n") + std::string(R"({"ph": "X", "cat": ")") + category +
               R"(", "name": ")" + name + R"(", "pid": )" +
               (category == "kernel" ? "0" : std::to_string(4000 + rank_)) + R"(, "tid": )" +
               std::to_string(tid) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" +
               std::to_string(duration) + R"(, "args": {)" + args + "}}";
  }
  /// An operator that launches a kernel on a stream.
  void launch(const std::string& op, const std::string& kernel, int stream, int start, int begin,
              int duration, const std::string& args = "") {
    const std::string id = std::to_string(++correlation_);
    event("cpu_op", op, 7, start, 8, R"("External id": )" + id + (args.empty() ? "" : ", ") + args);
    event("cuda_runtime", "cudaLaunchKernel", 7, start + 2, 3, R"("correlation": )" + id);
    event("kernel", kernel, stream, begin, duration,
          R"("correlation": )" + id + R"(, "device": 0, "stream": )" + std::to_string(stream) +
              (args.empty() ? "" : ", ") + args);
  }
  void comm(const std::string& kind, const std::string& group, int elements, int start, int begin,
            int duration, const std::string& more = "") {
    launch("record_param_comms", "ncclDevKernel_Something(ncclDevKernelArgsStorage)", 20, start,
           begin, duration,
           R"("Collective name": ")" + kind + R"(", "In msg nelems": )" + std::to_string(elements) +
               R"(, "Out msg nelems": )" + std::to_string(elements) +
               R"(, "dtype": "Float", "Process Group Name": ")" + group + "\"" + more);
  }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << R"({"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": )" << rank_
        << R"(, "world_size": )" << world_ << R"(, "pg_count": 1, "pg_config": [)" << groups_
        << R"(]}, "baseTimeNanoseconds": 1700000000000000000, "traceEvents": [)" << events_ << "]}";
    return out.str();
  }

 private:
  std::uint32_t rank_, world_;
  int correlation_ = 0;
  std::string groups_, events_;
};

class JobFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("orrery_job_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "out");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const KinetoText& trace, const std::string& name) {
    std::ofstream(folder_ / name) << trace.text();
  }
  [[nodiscard]] JobOptions all(unsigned threads = 1) const {
    JobOptions options;
    options.traces = {folder_.string() + "/*.json"};
    options.threads = threads;
    return options;
  }
  [[nodiscard]] std::string prefix() const { return (folder_ / "out/w").string(); }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ostringstream out;
    out << std::ifstream(folder_ / "out" / name, std::ios::binary).rdbuf();
    return out.str();
  }

  /// `count` of `world` ranks: an all-reduce of all, one of the pair, a message along the ring.
  void ring(std::uint32_t count, std::uint32_t world, std::uint32_t first = 0) {
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t rank = first + i;
      const std::uint32_t even = rank & ~1u;
      const std::string pair = "[" + std::to_string(even) + ", " + std::to_string(even + 1) + "]";
      std::string everybody = "[0";
      for (std::uint32_t r = 1; r < world; ++r) everybody += ", " + std::to_string(r);
      const auto group = [](const std::string& name, const std::string& ranks) {
        return R"({"pg_name": ")" + name + R"(", "pg_desc": "", "backend_config": "cuda:nccl",)" +
               R"( "ranks": )" + ranks + "}";
      };
      KinetoText trace(rank, world, group("0", everybody + "]") + "," + group("1", pair));
      const int late = static_cast<int>(10 * i);
      trace.launch("aten::mm", "gemm", 7, late, late + 20, 100 + late);
      trace.comm("allreduce", "0", 1024, late + 10, late + 130, 70 - late);
      trace.comm("_allgather_base", "1", 256, late + 20, 210, 30);
      write(trace, "rank" + std::to_string(rank) + ".json");
    }
  }

  fs::path folder_;
};

TEST_F(JobFiles, OneWorkloadFromAllRanks) {
  ring(4, 4);
  const auto report = convert_job(all(), prefix());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->job.matched, 3u);
  EXPECT_EQ(report->job.unmatched + report->job.alone, 0u);
  EXPECT_THAT(report->written_as, ElementsAre(0, 1, 2, 3));
  ASSERT_EQ(report->converted.size(), 4u);
  EXPECT_EQ(report->converted[2].collectives, 2u);
  EXPECT_EQ(report->attached[3].by_correlation, 3u);
  EXPECT_FALSE(report->linked[0]);
  EXPECT_EQ(bytes("comm_group.json"),
            "{\n  \"0\": [0, 1, 2, 3],\n  \"1@0-1\": [0, 1],\n  \"1@2-3\": [2, 3]\n}\n");

  const auto written = trace::chakra::load_workload(prefix());
  ASSERT_TRUE(written) << to_string(written.error());
  Findings findings;
  const auto loaded = load_job(all(), findings);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  ASSERT_EQ(loaded->rank_count(), 4u);
  for (std::uint32_t r = 0; r < 4; ++r)
    EXPECT_EQ(written->graph(r).content_hash(), loaded->graph(r).content_hash());
  for (const auto& [name, group] : written->groups)
    EXPECT_EQ(loaded->groups.at(name).ranks, group.ranks) << name;
  // What was found by the way is found again in what was written.
  findings.merge(loaded->findings);
  EXPECT_FALSE(findings.empty());
  for (const Finding& finding : findings.list())
    EXPECT_EQ(written->findings.count(finding.code), finding.count) << describe(finding.code).name;
  EXPECT_EQ(written->findings.list().size(), findings.list().size());
}

TEST_F(JobFiles, ThreadsDoNotMatter) {
  ring(4, 4);
  ASSERT_TRUE(convert_job(all(1), prefix()));
  std::vector<std::string> once;
  for (int r = 0; r < 4; ++r) once.push_back(bytes("w." + std::to_string(r) + ".et"));
  const auto refused = convert_job(all(3), prefix());
  ASSERT_FALSE(refused) << "what is there is replaced on request only";
  EXPECT_EQ(refused.error().code, Errc::output_exists);
  JobOptions again = all(3);
  again.force = true;
  ASSERT_TRUE(convert_job(again, prefix()));
  for (std::size_t r = 0; r < 4; ++r) {
    EXPECT_FALSE(once[r].empty());
    EXPECT_EQ(once[r], bytes("w." + std::to_string(r) + ".et"));
  }
}

TEST_F(JobFiles, RanksComeInOrder) {
  ring(4, 4);
  JobOptions options = all(3);
  std::uint32_t predicted = 0;
  options.progress = [&](std::uint32_t, std::uint32_t of) { predicted += of == 4 ? 1 : 0; };
  std::vector<std::uint32_t> seen;
  const auto job = for_each_rank(
      options, [&](const Job& whole, std::size_t place, RankTrace& rank) -> Result<void> {
        EXPECT_EQ(whole.matched, 3u);
        EXPECT_EQ(rank.profile.rank, whole.ranks[place].rank);
        seen.push_back(rank.files.rank);
        return {};
      });
  ASSERT_TRUE(job);
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(predicted, 4u);
}

TEST_F(JobFiles, TheFirstErrorIsTold) {
  ring(4, 4);
  std::ofstream(folder_ / "rank1.json") << R"({"schemaVersion": 1, "traceEvents": []})";
  std::ofstream(folder_ / "rank2.json") << R"({"schemaVersion": 1, "traceEvents": []})";
  for (const unsigned threads : {1u, 4u}) {
    const auto job = for_each_rank(all(threads), {});
    ASSERT_FALSE(job);
    EXPECT_THAT(job.error().where, HasSubstr("rank1.json"));
  }
  ring(4, 4);
  const auto stopped =
      for_each_rank(all(), [](const Job&, std::size_t place, RankTrace&) -> Result<void> {
        return place < 2 ? Result<void>{} : fail(Errc::usage, "here", "enough");
      });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().where, "here");
}

TEST_F(JobFiles, SomeRanksOfManyAreNumberedAnew) {
  ring(2, 8, 4);
  const auto report = convert_job(all(), prefix());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->job.world_size, 8u);
  EXPECT_THAT(report->written_as, ElementsAre(0, 1));
  EXPECT_EQ(bytes("comm_group.json"), "{\n  \"0\": [0, 1],\n  \"1\": [0, 1]\n}\n");
  const auto written = trace::chakra::load_workload(prefix());
  ASSERT_TRUE(written) << to_string(written.error());
  EXPECT_EQ(written->rank_count(), 2u);

  JobOptions options = all();
  options.keep_absent = true;
  options.force = true;  // the groups
  const auto retained = convert_job(options, (folder_ / "out/kept").string());
  ASSERT_TRUE(retained) << to_string(retained.error());
  EXPECT_THAT(retained->written_as, ElementsAre(4, 5));
  EXPECT_EQ(bytes("comm_group.json"),
            "{\n  \"0\": [0, 1, 2, 3, 4, 5, 6, 7],\n  \"1\": [4, 5]\n}\n");
}

TEST_F(JobFiles, WhatContradictsOthersIsReplayed) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    KinetoText trace(rank, 2);
    const std::string members = R"(, "Group size": 2, "Process Group Ranks": "[0, 1]")";
    trace.comm("allreduce", "0", 64, 0, 10, 20, members);
    trace.comm(rank == 0 ? "allreduce" : "_allgather_base", "0", 32, 20, 40, 20, members);
    write(trace, "rank" + std::to_string(rank) + ".json");
  }
  Findings findings;
  const auto workload = load_job(all(), findings);
  ASSERT_TRUE(workload) << to_string(workload.error());
  EXPECT_EQ(findings.count(FindingCode::comm_unmatched), 1u);
  int shared = 0, alone = 0;
  const graph::Graph& graph = workload->graph(0);
  for (graph::NodeId n = 0; n < graph.size(); ++n) {
    if (graph.kind(n) != graph::NodeKind::coll) continue;
    const std::string group(graph.string(graph.collective(n).group));
    ASSERT_EQ(workload->groups.count(group), 1u) << group;
    ++(workload->groups.at(group).ranks.size() == 2 ? shared : alone);
    EXPECT_TRUE(graph.has(n, graph::kHasCommSize));
    EXPECT_EQ(graph.duration(n), us(20));
  }
  EXPECT_EQ(shared, 1);
  EXPECT_EQ(alone, 1);
  EXPECT_EQ(workload->groups.count("0/alone@0"), 1u);
}

TEST_F(JobFiles, RanksBeginAsTheyWereRecorded) {
  ring(2, 2);
  JobOptions options = all();
  options.keep_skew = false;
  Findings findings;
  const auto skewed = load_job(all(), findings);
  const auto plain = load_job(options, findings);
  ASSERT_TRUE(skewed && plain);
  EXPECT_EQ(skewed->graph(0).size(), plain->graph(0).size()) << "the first begins at once";
  ASSERT_EQ(skewed->graph(1).size(), plain->graph(1).size() + 1);
  const graph::NodeId start = skewed->graph(1).size() - 1;
  EXPECT_EQ(skewed->graph(1).name(start), "[recorded start]");
  EXPECT_EQ(skewed->graph(1).duration(start), us(10));
  EXPECT_FALSE(skewed->graph(1).successors(start).empty());
}

TEST_F(JobFiles, UnlinkedFilesAreNotConvertedTogether) {
  ring(1, 1);
  std::ofstream(folder_ / "et0.json")
      << R"({"schema": "1.0.1", "pid": 4000, "time": "", "start_ts": 1,
    "nodes": [{"name": "aten::mm", "id": 2, "rf_id": 1, "parent": 1, "fw_parent": 0, "seq_id": -1,
    "scope": 0, "tid": 1, "fw_tid": 0, "op_schema": "", "inputs": [], "input_shapes": [],
    "input_types": [], "outputs": [], "output_shapes": [], "output_types": []}], "finish_ts": 2})";
  JobOptions options = all();
  options.link = false;
  std::size_t ranks = 0;
  ASSERT_TRUE(for_each_rank(options, [&](const Job&, std::size_t, RankTrace&) -> Result<void> {
    ++ranks;
    return {};
  }));
  EXPECT_EQ(ranks, 2u);
  const auto report = convert_job(options, prefix());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::usage);
}

// What nothing says of a graph's all-reduce when it is launched, its capture does.
TEST_F(JobFiles, CapturesSayWhatGraphsCommunicate) {
  const std::string id = R"("correlation": 5)";
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    KinetoText trace(rank, 2), capture(rank, 2);
    trace.event("cuda_runtime", "cudaGraphLaunch", 7, 10, 5, id);
    for (const auto& [name, at] :
         {std::pair{"gemm", 20}, std::pair{"ncclDevKernel_AllReduce_Sum_f32_RING_LL", 60}})
      trace.event("kernel", name, 7, at, 30, id + R"(, "device": 0, "stream": 7)");
    capture.event("cuda_runtime", "cudaStreamBeginCapture", 7, 0, 1, "");
    capture.event("cpu_op", "aten::mm", 7, 10, 10, R"("Input Dims": [[8, 64], [64, 64]])");
    capture.event("cuda_runtime", "cudaLaunchKernel", 7, 12, 2, "");
    capture.event(
        "cpu_op", "record_param_comms", 7, 30, 10,
        R"("Collective name": "allreduce", "In msg nelems": 512, "Out msg nelems": 512, "dtype": "Float", "Process Group Name": "tp", "Group size": 2, "Process Group Ranks": "[0, 1]")");
    capture.event("cuda_runtime", "cudaLaunchKernelExC", 7, 32, 2, "");
    capture.event("cuda_runtime", "cudaStreamEndCapture", 7, 50, 1, "");
    write(trace, "rank" + std::to_string(rank) + ".json");
    write(capture, "graph_capture_rank_" + std::to_string(rank) + ".json");
  }
  const auto report = convert_job(all(), prefix());
  ASSERT_TRUE(report) << to_string(report.error());
  EXPECT_EQ(report->job.matched, 1u);
  EXPECT_EQ(report->findings.count(FindingCode::graph_captured), 4u);
  EXPECT_NE(bytes("w.0.et").find("captured_op"), std::string::npos);
  EXPECT_NE(bytes("w.0.et").find("[[8, 64], [64, 64]]"), std::string::npos);
  const auto written = trace::chakra::load_workload(prefix());
  ASSERT_TRUE(written) << to_string(written.error());
  const graph::Graph& graph = written->graph(1);
  const graph::NodeId last = graph.size() - 1;
  ASSERT_EQ(graph.kind(last), graph::NodeKind::coll);
  EXPECT_EQ(graph.collective(last).size, Bytes(2048));
}

}  // namespace
}  // namespace orrery::intake
