// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/formats/aicb_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <filesystem>
#include <fstream>

namespace orrery::intake {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AicbWorkload : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "orrery_aicb_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& text) const {
    const std::string path = folder_ / "w.txt";
    std::ofstream(path) << text;
    return path;
  }
  [[nodiscard]] std::string error_of(const std::string& text, std::uint32_t devices = 0) const {
    const auto loaded = load_astra_text(file(text), devices);
    return loaded ? "none" : to_string(loaded.error());
  }

 private:
  fs::path folder_;
};

std::string header(const std::string& plan) {
  return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + plan + "\n";
}

const std::string kTwoLayers =
    "2\n"
    "attention\t-1\t1000001\tALLGATHER\t64\t1000\tREDUCESCATTER\t64\t1000\tNONE\t0\t100\n"
    "experts -1 2000 ALLTOALL_EP 128 2000 ALLTOALL_EP 128 2000 ALLREDUCE_DP_EP 256 100\n";

TEST_F(AicbWorkload, IsOneGraphWithGroupsOnAxes) {
  const std::string path =
      file(header("2 ep: 2 pp: 2 vpp: 1 ga: 1 all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0 "
                  "pp_comm: 4096") +
           kTwoLayers);
  EXPECT_TRUE(is_astra_text_file(path));
  EXPECT_TRUE(is_aicb_file(path));
  const auto loaded = load_astra_text(path, 16);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded->rank_count(), 16U);
  ASSERT_EQ(loaded->graphs.size(), 1U);
  EXPECT_THAT(loaded->axes.at("tp").members(0), ElementsAre(0, 1));
  EXPECT_THAT(loaded->axes.at("dp").members(0), ElementsAre(0, 2, 4, 6)) << "not other stages";
  EXPECT_THAT(loaded->axes.at("ep").members(9), ElementsAre(9, 11));
  EXPECT_THAT(loaded->axes.at("dp_ep").members(0), ElementsAre(0, 4));
  EXPECT_EQ(loaded->findings.count(FindingCode::attr_ignored), 1U) << "pp";

  const graph::Graph& graph = *loaded->graphs[0];
  ASSERT_EQ(graph.size(), 11U) << "6 computations, 5 collectives";
  EXPECT_EQ(graph.duration(0), ns(1000001)) << "to the nanosecond";
  EXPECT_EQ(graph.collective(1).type, CollectiveType::all_gather);
  EXPECT_EQ(graph.collective(1).size, Bytes(32)) << "the input of a rank of two";
  EXPECT_EQ(graph.string(graph.collective(3).group), "ep");
}

// A key of another spelling would otherwise leave the plan at 1 without a word.
TEST_F(AicbWorkload, ReportsUnknownKeysOfItsPlan) {
  const auto loaded =
      load_astra_text(file(header("2 vpp: 1 ga: 1 pp_comm: 0 tp: 4 all_gpus: 8") + kTwoLayers), 8);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  ASSERT_EQ(loaded->findings.count(FindingCode::attr_ignored), 1U);
  EXPECT_THAT(loaded->findings.list().front().places.front(), HasSubstr(":line 1: \"tp\""));
}

// Each collective of a pass blocks; that of weight gradients does not.
TEST_F(AicbWorkload, BlocksAsSimAiDoes) {
  const auto loaded = load_astra_text(file(header("2 ep: 1 pp: 1 all_gpus: 8") +
                                           "2\na -1 1 ALLREDUCE 8 2 ALLREDUCE 8 3 ALLREDUCE 8 100\n"
                                           "b -1 1 ALLREDUCE 8 2 ALLREDUCE 8 3 ALLREDUCE 8 100\n"),
                                      8);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  const graph::Graph& graph = *loaded->graphs[0];
  // a and b forward (0-3), b input gradient (4, 5) and weight gradient (6, 7), then a's (8-11).
  const std::vector<std::vector<graph::NodeId>> waits{{},  {0}, {1}, {2}, {3}, {4},
                                                      {5}, {6}, {6}, {8}, {9}, {10}};
  ASSERT_EQ(graph.size(), waits.size());
  std::vector<std::vector<graph::NodeId>> found(graph.size());
  for (graph::NodeId n = 0; n < graph.size(); ++n)
    for (const graph::NodeId next : graph.successors(n)) found[next].push_back(n);
  EXPECT_EQ(found, waits);
}

TEST_F(AicbWorkload, LeavesOutCollectivesOfOneRank) {
  const auto loaded = load_astra_text(file(header("1 ep: 1 pp: 1 all_gpus: 4") +
                                           "1\na -1 1 ALLREDUCE 8 2 NONE 0 3 ALLREDUCE 8 100\n"),
                                      4);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded->graphs[0]->size(), 4U) << "only that of dp remains";
}

// Old files state neither ep and pp nor the number of GPUs, and have tabs and a broadcast.
TEST_F(AicbWorkload, ReadsOldFiles) {
  const std::string text =
      "HYBRID_TRANSFORMER\tmodel_parallel_NPU_group: 8 checkpoints: 0 checkpoint_initiates: 0\n"
      "1\nnorm\t-1\t0\tBROADCAST\t16384\t1\tNONE\t0\t1\tNONE\t0\t100\n";
  const auto loaded = load_astra_text(file(text), 16);
  ASSERT_TRUE(loaded) << to_string(loaded.error());
  EXPECT_EQ(loaded->axes.at("dp").extent(), 2U);
  EXPECT_EQ(loaded->findings.count(FindingCode::attr_ignored), 1U);
  EXPECT_THAT(error_of(text), HasSubstr("does not state all_gpus"));
}

TEST_F(AicbWorkload, RefusesPlansThatDoNotFit) {
  const auto refused = [&](const std::string& plan, std::uint32_t devices = 0) {
    return error_of(header(plan) + kTwoLayers, devices);
  };
  EXPECT_THAT(refused("2 all_gpus: 8", 16), HasSubstr("has 8 ranks, but the cluster has 16"));
  EXPECT_THAT(refused("3 all_gpus: 8"), HasSubstr("not a multiple of 3 x 1"));
  EXPECT_THAT(refused("2 ep: 3 all_gpus: 8"), HasSubstr("not a multiple of ep 3"));
  EXPECT_THAT(refused("0 all_gpus: 8"), HasSubstr("must be 1 to"));
  EXPECT_THAT(refused("2 all_gpus: x"), HasSubstr("should be a whole number"));
  EXPECT_THAT(refused("2 all_gpus: 8 checkpoints: 1 3"), HasSubstr("recomputed layers"));
  EXPECT_THAT(
      error_of(header("2 all_gpus: 8") + "1\na -1 1 ALLREDUCEALLTOALL 8 1 NONE 0 1 NONE 0 1\n"),
      HasSubstr("unknown communication \"ALLREDUCEALLTOALL\""));
}

TEST_F(AicbWorkload, IsCounted) {
  Findings findings;
  const auto count =
      count_aicb(file(header("2 ep: 2 pp: 1 all_gpus: 16") + kTwoLayers), 0, findings);
  ASSERT_TRUE(count) << to_string(count.error());
  EXPECT_EQ(count->layers, 2);
  EXPECT_EQ(count->data_parallel, 8U);
  EXPECT_EQ(count->forward, ns(1002001));
  EXPECT_EQ(count->weight_gradient, ns(3000));
  ASSERT_EQ(count->traffic.size(), 4U);
  EXPECT_EQ(count->traffic[2].group, AstraGroup::ep);
  EXPECT_EQ(count->traffic[2].operations, 2);
  EXPECT_EQ(count->traffic[2].bytes, 256);
  EXPECT_EQ(count->traffic[3].group_size, 4U);

  const std::string big = "9000000000000000000";
  const auto most = count_aicb(
      file(header("2 all_gpus: 8") + "2\na -1 4000000000000000 ALLREDUCE " + big + " 1 ALLREDUCE " +
           big + " 1 NONE 0 1\nb -1 4000000000000000 NONE 0 1 NONE 0 1 NONE 0 1\n"),
      0, findings);
  ASSERT_TRUE(most) << to_string(most.error());
  EXPECT_GT(most->traffic[0].bytes, 9000000000000000000)
      << "the largest number, not a negative one";
}

}  // namespace
}  // namespace orrery::intake
