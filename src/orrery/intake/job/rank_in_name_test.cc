// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

std::int64_t rank(std::string_view name) {
  const auto found = rank_in_name(name);
  return found ? static_cast<std::int64_t>(found->rank) : -1;
}
bool sure(std::string_view name) {
  const auto found = rank_in_name(name);
  return found && found->is_explicit;
}

TEST(RankInName, Words) {
  EXPECT_EQ(rank("traces/rank3.json"), 3);
  EXPECT_EQ(rank("rank_12.pt.trace.json.gz"), 12);
  EXPECT_EQ(rank("rank-7.json.zst"), 7);
  EXPECT_EQ(rank("a100_2rank.rank0.json.gz"), 0);
  EXPECT_EQ(rank("df_index_resolver.v100_2rank.rank1.json.gz"), 1);
  EXPECT_EQ(rank("dlrm_kineto.tar.gz!dlrm_kineto/worker3_step_12.1694128201557.pt.trace.json"), 3);
  EXPECT_EQ(rank("Rank=5.sqlite"), 5);
  EXPECT_TRUE(sure("rank3.json"));
  EXPECT_EQ(rank("rank0/trace_4.json"), 4) << "only the file's own name counts";
}

TEST(RankInName, AsFrameworksWriteThem) {
  EXPECT_EQ(rank("runs/torch_profile/rank-12.json.gz"), 12);  // Megatron-LM
  EXPECT_EQ(rank("runs/chakra/rank-12.json.gz"), 12);
  EXPECT_EQ(rank("profiling/traces/iteration_20/rank3_trace.json.gz"), 3);  // torchtitan
  EXPECT_TRUE(sure("profiling/traces/iteration_20/rank3_trace.json.gz"));
}

TEST(TwinName, IsThatOfFilesInFoldersBesideEachOther) {
  EXPECT_EQ(pair_name("a/torch_profile/rank-3.json.gz"), pair_name("a/chakra/rank-3.json"));
  EXPECT_EQ(pair_name("torch_profile/rank-3.json"), pair_name("chakra/rank-3.json"));
  EXPECT_EQ(pair_name("x.tar!chakra/rank-3.json"), pair_name("x.tar!torch_profile/rank-3.json"));
  EXPECT_NE(pair_name("a/torch_profile/rank-3.json"), pair_name("a/chakra/rank-4.json"));
  EXPECT_NE(pair_name("a/torch_profile/rank-3.json"), pair_name("b/chakra/rank-3.json"));
  EXPECT_EQ(pair_name("a/traces/rank-3.json"), "");
  EXPECT_EQ(pair_name("rank-3.json"), "");
  EXPECT_EQ(pair_name("/rank-3.json"), "");
  EXPECT_EQ(pair_name(""), "");
}

TEST(RankInName, NodesAreNoRanks) {
  const auto found = rank_in_name("node1_rank3.json");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3u);
  EXPECT_EQ(found->node, 1u);
}

TEST(RankInName, NumbersAtTheEnd) {
  EXPECT_EQ(rank("dlrm_eg_3.json"), 3);
  EXPECT_EQ(rank("x_et.3.et"), 3);
  EXPECT_EQ(rank("trace3.json"), 3);
  EXPECT_EQ(rank("kineto_0.json"), 0);
  EXPECT_EQ(rank("11.json"), 11);
  EXPECT_FALSE(sure("trace_3.json"));
}

TEST(RankInName, OtherNumbers) {
  EXPECT_EQ(rank("resnet_1gpu_et.v1.0.3.json.gz"), -1) << "a version";
  EXPECT_EQ(rank("1.0.2-chakra.0.0.4.json"), -1);
  EXPECT_EQ(rank("host_4711.1694128201557.pt.trace.json"), -1) << "a time";
  EXPECT_EQ(rank("trace_step_12.json"), -1);
  EXPECT_EQ(rank("profile_iter7.json"), -1);
  EXPECT_EQ(rank("h100~Falconsai_nsfw_image_detection__1016002.json.gz"), -1);
  EXPECT_EQ(rank("linear_kineto.json.gz"), -1);
  EXPECT_EQ(rank(""), -1);
  EXPECT_EQ(rank("rank99999999999999999999.json"), -1);
}

}  // namespace
}  // namespace orrery::intake
