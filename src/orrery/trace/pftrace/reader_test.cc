// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/pftrace/reader.h"

#include <gtest/gtest.h>

#include "orrery/trace/inputs/format.h"
#include "orrery/trace/io/io_testing.h"
#include "orrery/trace/pftrace/pftrace_testing.h"

namespace orrery::trace::pftrace {
namespace {

using profile::Kind;
using testing::Annotations;
using testing::File;
using testing::integer;
using testing::list;
using testing::Outcome;
using testing::read;
using testing::text;
using testing::two_kernels;

TEST(PftraceReader, ReadsWhatRanOnStreamsAndThreads) {
  const Outcome out = read(two_kernels().bytes);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  const profile::Profile& profile = *out.profile;
  EXPECT_EQ(profile.format, "pftrace");
  EXPECT_EQ(profile.origin_ns, 1000);
  EXPECT_EQ(profile.process_id, 77);
  ASSERT_EQ(profile.events.size(), 6u);
  EXPECT_EQ(out["gemm"].kind, Kind::kernel);
  EXPECT_EQ(out["gemm"].start, ns(1000));
  EXPECT_EQ(out["gemm"].duration, ns(1000));
  EXPECT_EQ(out["relu"].start, ns(2000));
  EXPECT_EQ(out["relu"].duration, ns(500));
  EXPECT_EQ(profile.string(profile.work(out.event("gemm")).launch),
            R"({"grid":[4, 2, 1],"block":[128, 1, 1]})");
  const auto& stream = profile.lanes[out["gemm"].lane];
  EXPECT_TRUE(stream.device);
  EXPECT_EQ(stream.process, 0);
  EXPECT_EQ(stream.id, 7);
  EXPECT_EQ(stream.name, "stream 7");
  EXPECT_EQ(out["Memcpy"].kind, Kind::memcpy);
  EXPECT_EQ(profile.work(out.event("Memcpy")).bytes, 4096);
  EXPECT_EQ(out["cudaMemcpyAsync"].kind, Kind::call);
  EXPECT_EQ(out["cudaMemcpyAsync"].duration, ns(100));
  EXPECT_EQ(profile.call(out.event("cudaMemcpyAsync")).correlation, 13u);
  EXPECT_EQ(profile.lanes[out["cudaMemcpyAsync"].lane].id, 78);
  EXPECT_EQ(profile.account.records, profile.account.events + profile.account.mapped);
  EXPECT_TRUE(out.findings.empty());
}

TEST(PftraceReader, IsKnownByItsPackets) {
  const trace::testing::TempFolder folder;
  const std::string bytes = two_kernels().bytes;
  const auto format = [&](const std::string& name, const std::string& content) {
    return inputs_in(folder.write(name, content)).value().at(0).format;
  };
  EXPECT_EQ(format("a.pftrace", bytes), Format::pftrace);
  EXPECT_EQ(format("a.bin", trace::testing::gzip(bytes)), Format::pftrace);
  EXPECT_EQ(format("late.bin", File().names(std::vector<std::string>(9, "n")).bytes + bytes),
            Format::pftrace);
  EXPECT_NE(format("names.bin", File().names({"only", "names"}).bytes), Format::pftrace);
  EXPECT_NE(format("cut.bin", bytes.substr(0, 9)), Format::pftrace);
}

/// Kinds are decided by categories if there are any, else by the arguments of an event.
TEST(PftraceReader, TellsKindsApart) {
  File file;
  file.process(1, 77, "python").thread(2, 1, 77, 78, "main");
  file.process(3, 5, "GPU 0").thread(4, 3, 5, 7, "stream 7").process(5, -1, "Overhead");
  file.names({"Memset", "EventRecord", "Event Sync", "step", "aten::mm", "cuLaunchKernel", "Flush",
              "range", "odd"});
  file.names({"cpu_op", "cuda_driver"}, kCategories);
  const Annotations work = {integer("stream", 7), integer("device", 0), integer("correlation", 1)};
  file.begin(10, 4, 1, work).begin(20, 4, 2, work);
  Annotations sync = work;
  sync.push_back(text("cuda_sync_kind", "Event Sync"));
  sync.push_back(integer("wait_on_stream", -1));
  file.begin(30, 4, 3, sync).begin(10, 4, 4);
  file.begin(10, 2, 5).begin(11, 2, 6, {integer("correlation", 1)}).begin(15, 5, 7);
  file.begin(16, 2, 8).begin(17, 2, 9, {}, 0, 1).begin(18, 2, 8, {}, 0, 2);
  const Outcome out = read(file.bytes);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out["Memset"].kind, Kind::memset);
  EXPECT_EQ(out["EventRecord"].kind, Kind::device_other);
  EXPECT_EQ(out["Event Sync"].kind, Kind::sync);
  EXPECT_TRUE(out.profile->has_sync_events);
  EXPECT_EQ(out["step"].kind, Kind::device_range);
  EXPECT_EQ(out["aten::mm"].kind, Kind::op);
  EXPECT_EQ(out["cuLaunchKernel"].kind, Kind::call);
  EXPECT_EQ(out["Flush"].kind, Kind::overhead);
  EXPECT_EQ(out["range"].kind, Kind::annotation);
  EXPECT_EQ(out["odd"].kind, Kind::op);
  EXPECT_EQ(out.profile->events[9].kind, Kind::call);
  EXPECT_EQ(out.findings.count(FindingCode::event_unfinished), 10u);
}

/// Where packets come in order of time, what is inside ends first.
TEST(PftraceReader, EndsInEitherOrder) {
  File nested;
  nested.thread(2, 0, 77, 78, "main").names({"outer", "inner"});
  nested.begin(10, 2, 1).begin(20, 2, 2).end(30, 2).end(50, 2);
  const Outcome stack = read(nested.bytes);
  ASSERT_TRUE(stack.profile) << to_string(stack.profile.error());
  EXPECT_EQ(stack["outer"].duration, ns(40));
  EXPECT_EQ(stack["inner"].duration, ns(10));
  File columns;
  columns.thread(2, 0, 77, 78, "main").names({"outer", "inner"});
  columns.begin(10, 2, 1).begin(20, 2, 2).end(50, 2).end(30, 2);
  const Outcome queue = read(columns.bytes);
  ASSERT_TRUE(queue.profile) << to_string(queue.profile.error());
  EXPECT_EQ(queue["outer"].duration, ns(40));
  EXPECT_EQ(queue["inner"].duration, ns(10));
}

TEST(PftraceReader, KnowsCommunicationsAndGraphsAsTheJsonDoes) {
  File file;
  file.thread(4, 0, 0, 100008, "TP").names({"ncclDevKernel_AllReduce_Sum_bf16_RING_LL"});
  file.begin(10, 4, 1,
             {integer("device", 0), integer("stream", 100008), integer("original_stream", 21),
              integer("correlation", 3), integer("graph id", 9), integer("graph node id", 4),
              text("Collective name", "allreduce"), text("dtype", "BFloat16"),
              integer("In msg nelems", 64), text("Process Group Name", "1"),
              list("Process Group Ranks", {0, 1})})
      .end(20, 4);
  const Outcome out = read(file.bytes);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.profile->lanes[out.profile->events[0].lane].id, 21);
  ASSERT_NE(out.profile->graph_node(0), nullptr);
  EXPECT_EQ(out.profile->graph_node(0)->node, 4u);
  const auto* comm = out.profile->comm(0);
  ASSERT_NE(comm, nullptr);
  EXPECT_EQ(comm->bytes(), 128);
  EXPECT_EQ(out.profile->groups.at(0).ranks, (std::vector<std::uint32_t>{0, 1}));
}

TEST(PftraceReader, CountsWhatItDoesNotKeep) {
  File file = two_kernels();
  file.packet(File::of(kRenderStage, "")).packet(File::of(kGpuCounter, ""));
  file.packet(File::of(6, ""));  // clocks
  const Outcome out = read(file.bytes);
  ASSERT_TRUE(out.profile) << to_string(out.profile.error());
  EXPECT_EQ(out.findings.count(FindingCode::event_not_kept), 2u);
  ASSERT_EQ(out.profile->account.left_out.size(), 2u);
  EXPECT_EQ(out.profile->account.left_out[1].first, "GPU render stage");
}

}  // namespace
}  // namespace orrery::trace::pftrace
