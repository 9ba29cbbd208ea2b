// SPDX-License-Identifier: Apache-2.0
//
// What Chakra's linker writes: an execution trace with times and device work.
#include <gtest/gtest.h>

#include "orrery/trace/pytorch/pytorch_testing.h"

namespace orrery::trace::pytorch {
namespace {

using profile::Event;
using profile::Kind;

std::string times(std::string_view start, std::string_view length) {
  return fmt::format(R"("ts": {}, "inclusive_dur": {}, "exclusive_dur": 1)", start, length);
}

std::string device(std::string_view category, std::string_view start, std::string_view length,
                   int stream) {
  return fmt::format(R"({}, "cat": "{}", "ph": "X", "stream": {})", times(start, length), category,
                     stream);
}

NodeText node(int id, std::string name, int parent, std::string more) {
  NodeText text{id, std::move(name), parent};
  text.more = std::move(more);
  return text;
}

TEST(LinkedEt, TimesDeviceWorkAndItsOperator) {
  const Outcome out = read_text(trace_of(
      {node(4, "aten::mm", 2, times("1700000000000100.5", "20.25") + ", \"inter_thread_dep\": 3"),
       node(5, "sgemm", 4, device("kernel", "1700000000000110.125", "40", 7)),
       node(6, "Memcpy DtoD", 4, device("gpu_memcpy", "1700000000000099", "1.5", 20)),
       node(7, "Memset", 4, device("gpu_memset", "1700000000000180", "2", 7)),
       node(8, "aten::view", 4, "\"sync_dep\": [5]"), node(9, "never ran", 2, times("0", "0"))}));
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out->format, "chakra_et_plus");
  EXPECT_EQ(out->origin_ns, 1'700'000'000'000'099'000);
  const auto event = [&](const char* name) -> const Event& {
    return out->events[*out.named(name)];
  };
  EXPECT_EQ(event("aten::mm").start, ns(1500));
  EXPECT_EQ(event("aten::mm").duration, ns(20250));
  EXPECT_EQ(event("sgemm").start, ns(11125));
  EXPECT_EQ(event("sgemm").kind, Kind::kernel);
  EXPECT_EQ(event("Memcpy DtoD").kind, Kind::memcpy);
  EXPECT_EQ(event("Memcpy DtoD").start, Time{});
  EXPECT_EQ(event("Memset").kind, Kind::memset);
  EXPECT_FALSE(event("aten::view").timed());
  EXPECT_FALSE(event("never ran").timed());
  EXPECT_EQ(out.parent_of("aten::view"), "aten::mm");
  for (const char* name : {"sgemm", "Memcpy DtoD", "Memset"})
    EXPECT_EQ(out->work(*out.named(name)).op, *out.named("aten::mm"));
  ASSERT_EQ(out->lanes.size(), 3u);
  EXPECT_EQ(out->lanes[event("sgemm").lane].id, 7);
  EXPECT_TRUE(out->lanes[event("sgemm").lane].device);
  EXPECT_EQ(out->in_order(event("sgemm").lane).size(), 2u);
  EXPECT_EQ(out->string(out->node(*out.named("aten::mm"))->extra), R"({"inter_thread_dep":3})");
  EXPECT_EQ(out->account.events, 6u);
}

TEST(LinkedEt, KernelsOfCollectives) {
  NodeText record{4, "record_param_comms", 2,
                  R"([[[5,6,0,100,2,"cuda:0"]],1,["0","default_pg"],0,"allreduce",[],[],0,1,2])"};
  record.more = times("1000", "9");
  NodeText annotation{5, "nccl:all_reduce", 4, R"([[5,6,0,100,2,"cuda:0"]])"};
  annotation.scope = 7;
  annotation.more = times("1001", "5");
  const NodeText kernel = node(6, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)", 5,
                               device("kernel", "1010", "100", 20));
  const Outcome out = read_text(trace_of({annotation, kernel, record}));
  ASSERT_TRUE(out.profile);
  const auto work = *out.named("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)");
  ASSERT_NE(out->comm(work), nullptr);
  EXPECT_EQ(out->comm(work), out.comm("record_param_comms"));
  EXPECT_EQ(out->comm(work)->bytes(), 200);
  EXPECT_EQ(out->work(work).op, *out.named("nccl:all_reduce"));
}

TEST(LinkedEt, ImpossibleTimes) {
  const Outcome out = read_text(
      trace_of({node(4, "good", 2, times("1000", "5")), node(5, "early", 2, times("900", "-5")),
                node(6, "far", 2, times("1e300", "5")), node(7, "none", 2, times("\"NaN\"", "5")),
                node(8, "long", 2, times("1001", "1e300")),
                node(9, "orphan", 77, device("kernel", "1010", "1", 7))}));
  ASSERT_TRUE(out.profile);
  EXPECT_EQ(out.findings.count(FindingCode::event_time_clamped), 4u);
  EXPECT_EQ(out.findings.count(FindingCode::node_without_parent), 1u);
  EXPECT_EQ(out->origin_ns, 900'000);
  EXPECT_EQ(out->events[*out.named("good")].start, us(100));
  EXPECT_EQ(out->events[*out.named("early")].duration, Time{});
  EXPECT_FALSE(out->events[*out.named("far")].timed());
  EXPECT_FALSE(out->events[*out.named("none")].timed());
  EXPECT_TRUE(out->events[*out.named("long")].timed());
  EXPECT_EQ(out->work(*out.named("orphan")).op, profile::kNoEvent);
}

}  // namespace
}  // namespace orrery::trace::pytorch
