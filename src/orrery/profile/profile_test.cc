// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/profile.h"

#include <gtest/gtest.h>

#include "orrery/core/collective_type.h"

namespace orrery::profile {
namespace {

Profile empty() {
  Profile profile;
  profile.strings = std::make_shared<StringPool>();
  return profile;
}

EventId add(Profile& profile, const char* name, std::uint32_t lane, std::int64_t start,
            std::int64_t duration) {
  Event event;
  event.name = profile.strings->intern(name);
  event.lane = lane;
  event.start = us(start);
  event.duration = us(duration);
  event.flags = kTimed;
  event.detail = static_cast<std::uint32_t>(profile.ops.size());
  profile.ops.push_back({});
  profile.events.push_back(event);
  return static_cast<EventId>(profile.events.size() - 1);
}

TEST(Profile, NestsEventsOfAThread) {
  Profile profile = empty();
  const std::uint32_t thread = profile.lane(false, 1, 7);
  EXPECT_EQ(profile.lane(false, 1, 7), thread);
  const EventId inner = add(profile, "inner", thread, 2, 3);
  const EventId outer = add(profile, "outer", thread, 0, 10);
  const EventId same = add(profile, "same start", thread, 0, 2);
  const EventId next = add(profile, "next", thread, 10, 1);
  const EventId wide = add(profile, "wide", thread, 4, 9);
  Findings findings;
  profile.index(findings);
  EXPECT_EQ(profile.events[inner].parent, outer);
  EXPECT_EQ(profile.events[same].parent, outer);
  EXPECT_EQ(profile.events[outer].parent, kNoEvent);
  EXPECT_EQ(profile.events[wide].parent, inner);
  EXPECT_EQ(profile.events[next].parent, wide);
  EXPECT_EQ(findings.count(FindingCode::event_overlaps), 1u);
  const auto order = profile.in_order(thread);
  EXPECT_EQ(std::vector<EventId>(order.begin(), order.end()),
            (std::vector<EventId>{outer, same, inner, wide, next}));
}

TEST(Profile, UntimedNodesStandByTheirIds) {
  Profile profile = empty();
  const std::uint32_t thread = profile.lane(false, 1, 1);
  const auto node = [&](std::uint64_t id, EventId event) {
    profile.ops[profile.events[event].detail].node =
        static_cast<std::uint32_t>(profile.nodes.size());
    Node n;
    n.id = id;
    profile.nodes.push_back(n);
    profile.events[event].flags |= kHasNode;
  };
  const EventId first = add(profile, "first", thread, 0, 4);
  const EventId third = add(profile, "third", thread, 5, 4);
  const EventId second = add(profile, "second", thread, 0, 0);
  profile.events[second].flags = 0;
  node(10, first);
  node(30, third);
  node(20, second);
  Findings findings;
  profile.index(findings);
  const auto order = profile.in_order(thread);
  EXPECT_EQ(std::vector<EventId>(order.begin(), order.end()),
            (std::vector<EventId>{first, second, third}));
}

TEST(Comm, KindsByAnySpelling) {
  EXPECT_EQ(comm_kind_of_name("allreduce"), CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("_allgather_base"), CommKind::all_gather);
  EXPECT_EQ(comm_kind_of_name("nccl:all_to_all"), CommKind::all_to_all);
  EXPECT_EQ(comm_kind_of_name("all_to_allv"), CommKind::all_to_all);
  EXPECT_EQ(comm_kind_of_name("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgs)"),
            CommKind::reduce_scatter);
  EXPECT_EQ(comm_kind_of_name("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"),
            CommKind::unknown);
  EXPECT_EQ(comm_kind_of_name("c10d::allreduce_"), CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("nccl:coalesced"), CommKind::coalesced);
  EXPECT_EQ(comm_kind_of_name("wait"), CommKind::wait);
  EXPECT_EQ(comm_kind_of_name("aten::add"), CommKind::unknown);
  EXPECT_EQ(comm_kind_of_name("void vllm::cross_device_reduce_1stage<float, 8>(RankData*)"),
            CommKind::all_reduce);
  EXPECT_EQ(comm_kind_of_name("void deep_ep::internode::dispatch<false>(int4*)"),
            CommKind::all_to_all);
  EXPECT_EQ(comm_kind_of_name("void deep_ep::intranode::notify_dispatch<8>(int*)"),
            CommKind::barrier);
}

// Converting finds the type of a collective by its name.
TEST(Comm, KindsThatAreCollectivesHaveTheirNames) {
  for (auto kind = static_cast<int>(CommKind::all_reduce);
       kind <= static_cast<int>(CommKind::barrier); ++kind)
    EXPECT_TRUE(collective_type(name(static_cast<CommKind>(kind)))) << kind;
}

TEST(Comm, KernelsOfLibraries) {
  EXPECT_TRUE(is_comm_kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)"));
  EXPECT_TRUE(is_comm_kernel("void deep_ep::internode::combine<false>(int4*)"));
  EXPECT_TRUE(is_comm_kernel("void dpsk::ep::internode::combine<false>(int4*)"));
  EXPECT_TRUE(is_comm_kernel("void vllm::cross_device_reduce_2stage<float, 8>(RankData*)"));
  EXPECT_FALSE(is_comm_kernel("void at::native::reduce_kernel<512, 1>(ReduceOp)"));
  EXPECT_FALSE(is_comm_kernel("ampere_sgemm_128x64_nn"));
}

TEST(Comm, Bytes) {
  Comm comm;
  comm.kind = CommKind::all_gather;
  EXPECT_EQ(comm.bytes(), -1);
  comm.element_bytes = element_bytes("c10::BFloat16");
  comm.in_elements = 10;
  comm.out_elements = 80;
  EXPECT_EQ(comm.bytes(), 20);
  comm.kind = CommKind::broadcast;
  EXPECT_EQ(comm.bytes(), 160);
  EXPECT_EQ(element_bytes("long int"), 8);
  EXPECT_EQ(element_bytes("Byte"), 1);
  EXPECT_EQ(element_bytes("Tensor(c10::Half)"), 2);
  EXPECT_EQ(element_bytes("Object"), 0);
}

TEST(TextStore, KeepsThem) {
  TextStore texts;
  const StoredText a = texts.add("one");
  const StoredText none = texts.add("");
  const StoredText b = texts.add("two");
  EXPECT_EQ(texts.view(a), "one");
  EXPECT_EQ(texts.view(none), "");
  EXPECT_EQ(texts.view(b), "two");
}

}  // namespace
}  // namespace orrery::profile
