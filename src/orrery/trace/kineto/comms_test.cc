// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/kineto/comms.h"

#include <gtest/gtest.h>

#include "orrery/trace/kineto/kineto_testing.h"

namespace orrery::trace::kineto {
namespace {

using profile::CommKind;
using Ranks = std::vector<std::uint32_t>;
using testing::complete;
using testing::read;
using testing::trace;

TEST(KinetoComms, RanksInText) {
  EXPECT_EQ(parse_ranks("[0, 1, 12]"), (Ranks{0, 1, 12}));
  EXPECT_EQ(parse_ranks("\"[3]\""), Ranks{3});
  EXPECT_EQ(parse_ranks("[]"), Ranks{});
  EXPECT_EQ(parse_ranks("[0, 1, ..., 7]"), Ranks{});
  EXPECT_EQ(parse_ranks("[0, -1]"), Ranks{});
  EXPECT_EQ(parse_ranks("[99999999999999999999]"), Ranks{});
  EXPECT_EQ(parse_ranks("[0, 1"), Ranks{});
}

TEST(KinetoComms, ElementsInDims) {
  EXPECT_EQ(count_elements("[[2, 3], [], [[4], [5]]]"), 15);
  EXPECT_EQ(count_elements("[[0, 3]]"), 0);
  EXPECT_EQ(count_elements("[[], []]"), -1);
  EXPECT_EQ(count_elements("[[99999999999999999999]]"), -1);
  EXPECT_EQ(count_elements("[[4294967296, 4294967296]]"), -1);
}

/// PyTorch 2.4 and later say all on the operator and on the kernel.
TEST(KinetoComms, ReadsArguments) {
  const auto out = read(trace(
      complete("record_param_comms", "cpu_op", 1, 1,
               R"({"Collective name": "all_to_allv", "dtype": "BFloat16", "In msg nelems": 100,
          "Out msg nelems": 60, "In split size": "[40, 60]", "Out split size": "[]",
          "Group size": 2, "Process Group Name": "7", "Process Group Description": "mesh_ep",
          "Process Group Ranks": "[1, 3]", "Seq": 12, "Rank": 0, "Is asynchronized op": true})")));
  ASSERT_TRUE(out.profile);
  const auto& profile = *out.profile;
  ASSERT_NE(profile.comm(0), nullptr);
  const auto& comm = *profile.comm(0);
  EXPECT_EQ(comm.kind, CommKind::all_to_all);
  EXPECT_EQ(comm.element_bytes, 2);
  EXPECT_EQ(comm.in_elements, 100);
  EXPECT_EQ(comm.out_elements, 60);
  EXPECT_EQ(comm.sequence, 12);
  EXPECT_EQ(comm.group_size, 2);
  EXPECT_TRUE(comm.asynchronous);
  EXPECT_EQ(profile.string(comm.in_split), "[40, 60]");
  EXPECT_EQ(comm.out_split, StringId::empty);
  ASSERT_EQ(profile.groups.size(), 1u);
  EXPECT_EQ(profile.groups[0].name, "7");
  EXPECT_EQ(profile.groups[0].description, "mesh_ep");
  EXPECT_EQ(profile.groups[0].ranks, (Ranks{1, 3}));
  EXPECT_EQ(profile.groups[0].size, 2);
}

TEST(KinetoComms, PeersAreGlobal) {
  const auto peer = [](std::string_view args) {
    const auto out = read(trace(complete("record_param_comms", "cpu_op", 1, 1, args)));
    return out.profile->comm(0)->peer;
  };
  EXPECT_EQ(peer(R"({"Collective name": "send", "Dst Rank": 9, "Rank": 1})"), 9);
  EXPECT_EQ(peer(R"({"Collective name": "recv", "Src Rank": 8})"), 8);
  EXPECT_EQ(peer(R"({"Collective name": "send", "Rank": 1, "Process Group Name": "2",
                     "Process Group Ranks": "[4, 6]"})"),
            6);
  EXPECT_EQ(peer(R"({"Collective name": "broadcast", "Rank": 1, "Process Group Name": "2",
                     "Process Group Ranks": "[4, 6]"})"),
            1);
  EXPECT_EQ(peer(R"({"Collective name": "broadcast",
                     "Concrete Inputs": ["", "", "", "3", "", "[]"]})"),
            3);
  EXPECT_EQ(peer(R"({"Collective name": "allreduce", "Rank": 1})"), -1);
}

TEST(KinetoComms, LongGroupsAreDerivedOrDescribed) {
  const auto derived = read(
      trace(complete("record_param_comms", "cpu_op", 1, 1,
                     R"({"Collective name": "allreduce", "Process Group Name": "0", "Group size": 4,
          "Process Group Ranks": "[0, 2, ..., 6]", "Global rank start": 0, "Global rank stride": 2})")));
  EXPECT_EQ(derived.profile->groups[0].ranks, (Ranks{0, 2, 4, 6}));
  const auto described = read(trace(
      complete("record_param_comms", "cpu_op", 1, 1,
               R"({"Collective name": "allreduce", "Process Group Name": "0", "Group size": 4,
                   "Process Group Ranks": "[0, ..., 9]", "Global rank start": 0,
                   "Global rank stride": -1})"),
      R"("distributedInfo": {"pg_config": [{"pg_name": "0", "pg_size": 4, "ranks": [0, 1, 5, 9]}]},)"));
  ASSERT_EQ(described.profile->groups.size(), 1u);
  EXPECT_EQ(described.profile->groups[0].ranks, (Ranks{0, 1, 5, 9}));
  const auto lying = read(trace(complete(
      "record_param_comms", "cpu_op", 1, 1,
      R"({"Collective name": "allreduce", "Process Group Name": "0", "Group size": 2000000000,
          "Global rank start": 0, "Global rank stride": 1})")));
  EXPECT_TRUE(lying.profile->groups[0].ranks.empty());
}

/// A wait names its group but says size 1 and no ranks.
TEST(KinetoComms, WaitsDescribeNoGroup) {
  const auto out = read(
      trace(complete("record_param_comms", "cpu_op", 1, 1,
                     R"({"Collective name": "wait", "Process Group Name": "0", "Group size": 1,
                   "Process Group Ranks": "[]"})") +
            "," +
            complete("record_param_comms", "cpu_op", 3, 1,
                     R"({"Collective name": "allreduce", "Process Group Name": "0", "Group size": 2,
                   "Process Group Ranks": "[0, 1]"})")));
  ASSERT_EQ(out.profile->groups.size(), 1u);
  EXPECT_EQ(out.profile->groups[0].ranks, (Ranks{0, 1}));
  EXPECT_EQ(out.profile->comm(0)->kind, CommKind::wait);
  EXPECT_EQ(out.profile->comm(0)->group_size, -1);
}

/// Before PyTorch 2.2 only the range's name and tensors say anything.
TEST(KinetoComms, RangesSpeakForThemselves) {
  const auto out =
      read(trace(complete("nccl:all_reduce", "user_annotation", 1, 1,
                          R"({"Input Dims": [[2, 8], [3]], "Input type": ["float", "float"]})") +
                 "," + complete("nccl:send 0->3", "user_annotation", 3, 1) + "," +
                 complete("my own", "user_annotation", 5, 1)));
  const auto& profile = *out.profile;
  ASSERT_NE(profile.comm(0), nullptr);
  EXPECT_EQ(profile.comm(0)->kind, CommKind::all_reduce);
  EXPECT_EQ(profile.comm(0)->bytes(), 19 * 4);
  EXPECT_EQ(profile.comm(1)->peer, 3);
  EXPECT_EQ(profile.comm(2), nullptr);
}

TEST(KinetoComms, ARangeSharesWhatItsOperatorSays) {
  const auto out = read(trace(
      complete(
          "record_param_comms", "cpu_op", 1, 5,
          R"({"Collective name": "allreduce", "dtype": "Float", "In msg nelems": 4, "Seq": 3})") +
      "," + complete("nccl:all_reduce", "user_annotation", 2, 1)));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.profile->comm(1), out.profile->comm(0));
  EXPECT_EQ(out.profile->comm(1)->sequence, 3);
}

}  // namespace
}  // namespace orrery::trace::kineto
