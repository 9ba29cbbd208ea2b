// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/nccl/tuner_file.h"

#include <gtest/gtest.h>

#include <string>

#include "orrery/model/collective/nccl/channels.h"

namespace orrery::model::nccl {
namespace {

using graph::CollectiveType;

const Hardware kDgx{.generation = Generation::hopper, .intra = 450, .inter = 50};

TEST(TunerFile, TheFirstLineThatFitsChooses) {
  const auto lines = parse_tuner(
      "# small messages\n\nallreduce,0,65536,tree,simple,2,1,-1,-1,-1\r\n"
      "allreduce,0,1048576,nvls_tree,simple,-1,-1,-1\n"
      "allreduce,65537,1048576,ring,ll128,-1,1,8,1,0\n"
      "allgather,0,4294967295,ring,simple,4,-1,-1,4\n",
      "tuner.csv");
  ASSERT_TRUE(lines) << to_string(lines.error());
  ASSERT_EQ(lines->size(), 4u);
  const Shape shape{8, 1};
  const Machine machine = machine_of(kDgx, shape);
  const auto small = tuner_choice(*lines, CollectiveType::all_reduce, 65536, shape, machine);
  ASSERT_TRUE(small);
  EXPECT_EQ(small->algorithm, Algorithm::tree);
  EXPECT_EQ(small->channels, 2);
  // nvls_tree cannot run in one node: the next line is taken.
  const auto middle = tuner_choice(*lines, CollectiveType::all_reduce, 65537, shape, machine);
  ASSERT_TRUE(middle);
  EXPECT_EQ(middle->algorithm, Algorithm::ring);
  EXPECT_EQ(middle->protocol, Protocol::ll128);
  EXPECT_FALSE(tuner_choice(*lines, CollectiveType::all_reduce, 1 << 21, shape, machine));
  // That line is for four operations at once.
  EXPECT_FALSE(tuner_choice(*lines, CollectiveType::all_gather, 1024, shape, machine));
}

TEST(TunerFile, RefusesWhatItCannotMean) {
  for (const char* bad :
       {"allreduce", "allreduce,0,1,ring,ll,1,1", "allreduce,0,1,ring,ll,1,1,8,1,0,7",
        "all_reduce,0,1,ring,ll,-1,-1,-1", "allreduce,0,1,rings,ll,-1,-1,-1",
        "allreduce,0,1,ring,ll256,-1,-1,-1", "allreduce,x,1,ring,ll,-1,-1,-1",
        "allreduce,-1,1,ring,ll,-1,-1,-1", "allreduce,0,1,ring,ll,-2,-1,-1",
        "allreduce,0,99999999999999999999,ring,ll,-1,-1,-1"}) {
    const auto lines = parse_tuner(std::string("# one\n") + bad, "tuner.csv");
    ASSERT_FALSE(lines) << bad;
    EXPECT_EQ(lines.error().where, "tuner.csv:2") << bad;
  }
  EXPECT_TRUE(parse_tuner("", "f")->empty());
}

}  // namespace
}  // namespace orrery::model::nccl
