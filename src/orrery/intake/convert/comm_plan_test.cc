// SPDX-License-Identifier: Apache-2.0
//
// What becomes of communications, in the shapes frameworks record them.
#include "orrery/intake/convert/comm_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/intake/convert/comm_names.h"
#include "orrery/intake/convert/convert_testing.h"

namespace orrery::intake {
namespace {

using profile::CommKind;
using profile::EventId;
using profile::Maker;
using testing::attribute;
using testing::chain;
using testing::converted;
using ::testing::ElementsAre;
using testing::number;
using testing::text;

constexpr std::uint64_t kComp = 4, kSend = 5, kRecv = 6, kColl = 7;

/// c10d::… ⊃ record_param_comms ⊃ nccl:… ⊃ launch → kernel, as PyTorch nests them.
struct Rank {
  Maker make;
  std::uint32_t main = make.thread(1), stream = make.stream(20);
  std::int64_t time = 0;
  std::uint64_t correlation = 1;

  struct Made {
    EventId dispatcher, recorded, range, kernel;
  };
  /// Without a kernel name there is no kernel.
  Made add(std::string_view word, std::string_view kernel, std::int64_t lasting = 50) {
    Made out{};
    out.dispatcher = make.op(main, "c10d::" + std::string(word) + "_", time, 90);
    out.recorded = make.op(main, "record_param_comms", time + 10, 70);
    out.range = make.annotation(main, "nccl:" + std::string(word), time + 20, 50);
    if (!kernel.empty()) out.kernel = launch(out.range, kernel, time + 30, lasting);
    time += 100;
    return out;
  }
  EventId launch(EventId op, std::string_view name, std::int64_t at, std::int64_t lasting) {
    const EventId call = make.call(main, "cudaLaunchKernelExC", at, 5, ++correlation);
    const EventId kernel = make.kernel(stream, name, at + 10, lasting, correlation);
    make.work_of(kernel).call = call;
    make.work_of(kernel).op = op;
    return kernel;
  }
};

const trace::chakra::NodeRecord& of(const testing::Converted& out, EventId e) {
  return out.node(std::uint64_t{e} + 1);
}

TEST(ConvertComm, TheKernelCarriesTheCollective) {
  Rank rank;
  const auto group = rank.make.group("0", {0, 1});
  const auto made = rank.add("allreduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL");
  rank.make.comm(made.recorded, CommKind::all_reduce, 1000, group);
  const auto profile = rank.make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(of(out, made.kernel).type, kColl);
  EXPECT_EQ(number(of(out, made.kernel), "comm_type"), 0);
  EXPECT_EQ(number(of(out, made.kernel), "comm_size"), 4000);
  EXPECT_EQ(text(of(out, made.kernel), "pg_name"), "0");
  EXPECT_EQ(text(of(out, made.kernel), "comm_dtype"), "fp32");
  EXPECT_EQ(of(out, made.kernel).duration_micros, 50u);
  for (const EventId host : {made.dispatcher, made.recorded, made.range})
    EXPECT_EQ(of(out, host).type, kComp);
  EXPECT_EQ(out.report->collectives, 1u);
  EXPECT_EQ(out.report->comm_kernels, 1u);
  EXPECT_EQ(out.report->comm_kernels_under_library, 1u);
  EXPECT_TRUE(out.findings.empty());
}

TEST(ConvertComm, MetadataBeforeNames) {
  // All-to-all runs as send-receive kernels; the framework says what it is.
  Rank rank;
  const auto group = rank.make.group("0", {0, 1});
  const auto made = rank.add("all_to_all", "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(x)");
  auto& comm = rank.make.comm(made.recorded, CommKind::all_to_all, 12, group);
  comm.in_split = rank.make.text("[4, 8]");
  comm.out_split = rank.make.text("[10, ..., 2]");
  const auto profile = rank.make.take();
  const auto out = converted(profile, chain(profile));
  const auto& node = of(out, made.kernel);
  EXPECT_EQ(node.type, kColl);
  EXPECT_EQ(number(node, "comm_type"), 6);
  ASSERT_NE(attribute(node, "in_split_bytes"), nullptr);
  EXPECT_THAT(attribute(node, "in_split_bytes")->list, ElementsAre(16, 32));
  EXPECT_EQ(attribute(node, "out_split_bytes"), nullptr) << "cut by the recorder";
}

TEST(ConvertComm, RangesOfTheLibraryBeforeKernelNames) {
  Rank rank;
  const auto made = rank.add("_all_gather_base", "ncclDevKernel_Generic");
  rank.make.op_of(made.range).dims = rank.make.text("[[256]]");
  rank.make.op_of(made.range).types = rank.make.text(R"(["c10::BFloat16"])");
  const auto profile = rank.make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(number(of(out, made.kernel), "comm_type"), 2);
  EXPECT_EQ(number(of(out, made.kernel), "comm_size"), 512);
  EXPECT_EQ(text(of(out, made.kernel), "pg_name"), "(none)");
  EXPECT_EQ(out.findings.count(FindingCode::group_unknown), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::comm_kind_from_name), 0u);
}

TEST(ConvertComm, KernelNamesLast) {
  Rank rank;
  const EventId op = rank.make.op(rank.main, "cudaGraphLaunch", 0, 10);
  const EventId first = rank.launch(op, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", 1, 7);
  const EventId second = rank.launch(op, "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", 20, 9);
  const EventId third = rank.launch(op, "ncclDevKernel_Generic", 40, 9);
  const auto profile = rank.make.take();
  const auto out = converted(profile, chain(profile));
  for (const EventId kernel : {first, second}) {
    EXPECT_EQ(of(out, kernel).type, kColl) << "each launch of a graph is its own communication";
    EXPECT_EQ(number(of(out, kernel), "comm_type"), 7);
    EXPECT_EQ(number(of(out, kernel), "comm_size"), 0);
    EXPECT_NE(attribute(of(out, kernel), "comm_size_unknown"), nullptr);
  }
  EXPECT_EQ(of(out, third).type, kComp);
  EXPECT_EQ(of(out, third).duration_micros, 9u);
  EXPECT_EQ(out.findings.count(FindingCode::comm_kind_from_name), 2u);
  EXPECT_EQ(out.findings.count(FindingCode::comm_kind_unknown), 1u);
  EXPECT_EQ(out.findings.count(FindingCode::comm_size_unknown), 2u);
  EXPECT_EQ(out.report->comm_kernels_under_library, 0u);
}

TEST(ConvertComm, SeveralKernelsOfOneCommunication) {
  Rank rank;
  const auto made = rank.add("allreduce_coalesced", "ncclDevKernel_AllReduce_Sum_f32", 10);
  rank.make.comm(made.recorded, CommKind::coalesced, 8, rank.make.group("0", {0, 1})).name =
      rank.make.text("allreduce_coalesced");
  const EventId longer = rank.launch(made.range, "ncclDevKernel_AllReduce_Sum_f32", 45, 30);
  const auto profile = rank.make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(of(out, made.kernel).type, kComp);
  EXPECT_EQ(of(out, longer).type, kColl);
  EXPECT_EQ(number(of(out, longer), "comm_type"), 0);
  EXPECT_EQ(out.report->extra_comm_kernels, 1u);
  EXPECT_EQ(out.report->collectives, 1u);
}

TEST(ConvertComm, HostOnly) {
  // gloo: no kernel, the innermost operator that names it; waiting is none.
  Maker make;
  const auto main = make.thread(1);
  const EventId outer = make.op(main, "c10d::allreduce_", 0, 50);
  const EventId inner = make.annotation(main, "gloo:all_reduce", 10, 30);
  make.op_of(inner).dims = make.text("[[100]]");
  make.op_of(inner).types = make.text(R"(["float"])");
  const EventId wait = make.op(main, "record_param_comms", 60, 10);
  make.comm(wait, CommKind::wait, -1);
  const EventId barrier = make.annotation(main, "gloo:barrier", 80, 10);
  const auto profile = make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(of(out, outer).type, kComp);
  EXPECT_EQ(of(out, inner).type, kColl);
  EXPECT_EQ(number(of(out, inner), "comm_size"), 400);
  EXPECT_EQ(of(out, wait).type, kComp);
  EXPECT_EQ(number(of(out, barrier), "comm_type"), 9);
  EXPECT_EQ(number(of(out, barrier), "comm_size"), 0);
  EXPECT_EQ(out.report->collectives, 2u);
}

TEST(ConvertComm, TheLibrarysOwnThread) {
  // The operator only hands over; the range on the other thread is the communication.
  Maker make;
  const auto main = make.thread(1);
  const auto worker = make.thread(2);
  const EventId early = make.annotation(worker, "gloo:barrier", 0, 5);
  const EventId barrier = make.op(main, "c10d::barrier", 10, 5);
  const EventId range = make.annotation(worker, "gloo:barrier", 14, 20);
  const EventId alone = make.op(main, "c10d::barrier", 40, 5);
  const EventId base = make.op(main, "c10d::_allgather_base_", 50, 5);
  make.op_of(base).dims = make.text("[[64],[16],[]]");
  make.op_of(base).types = make.text(R"(["float","float",""])");
  const auto profile = make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(of(out, barrier).type, kComp);
  for (const EventId one : {early, range, alone, base}) EXPECT_EQ(of(out, one).type, kColl);
  EXPECT_EQ(number(of(out, base), "comm_size"), 64) << "its second argument is the input";
}

TEST(ConvertComm, BytesFromExecutionTraces) {
  Maker make;
  const auto main = make.thread(1);
  const EventId recorded = make.node(main, "record_param_comms", 5);
  const EventId range =
      make.node(main, "nccl:reduce_scatter", 6, recorded, profile::Kind::annotation);
  make.node_of(range).inputs = make.profile.texts.add(R"([[1,2,0,64,2,"cuda:0"]])");
  const auto profile = make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(number(of(out, range), "comm_type"), 7);
  EXPECT_EQ(number(of(out, range), "comm_size"), 128);
  EXPECT_EQ(of(out, recorded).type, kComp);
}

TEST(ConvertComm, SendsAndReceives) {
  Rank rank;
  const auto pair = rank.make.group("pp", {3, 9});
  const auto send = rank.add("send 0->1", "ncclDevKernel_SendRecv");
  rank.make.comm(send.recorded, CommKind::send, 16, pair);
  const auto recv = rank.add("recv", "ncclDevKernel_SendRecv");
  rank.make.comm(recv.recorded, CommKind::recv, 16, pair);
  const auto lost = rank.add("send", "ncclDevKernel_SendRecv");
  rank.make.comm(lost.recorded, CommKind::send, 16);
  const auto sizeless = rank.add("recv 0<-1", "ncclDevKernel_SendRecv");
  const auto profile = rank.make.take();
  ConvertOptions options;
  options.rank = 3;
  const auto out = converted(profile, chain(profile), options);
  EXPECT_EQ(of(out, send.kernel).type, kSend);
  EXPECT_EQ(number(of(out, send.kernel), "comm_src"), 3);
  EXPECT_EQ(number(of(out, send.kernel), "comm_dst"), 9) << "the group's second rank";
  EXPECT_EQ(number(of(out, send.kernel), "comm_tag"), 0);
  EXPECT_EQ(number(of(out, send.kernel), "comm_size"), 64);
  EXPECT_EQ(of(out, recv.kernel).type, kRecv);
  EXPECT_EQ(number(of(out, recv.kernel), "comm_src"), 9) << "the other one of two";
  EXPECT_EQ(of(out, lost.kernel).type, kComp);
  EXPECT_EQ(out.findings.count(FindingCode::comm_peer_unknown), 1u);
  EXPECT_EQ(of(out, sizeless.kernel).type, kComp);
  EXPECT_EQ(out.findings.count(FindingCode::comm_size_unknown), 1u);
  EXPECT_EQ(out.report->sends, 1u);
  EXPECT_EQ(out.report->receives, 1u);
}

TEST(ConvertComm, OneKernelForSeveralMessages) {
  // batch_isend_irecv: the operators queue, the end of the batch launches.
  Rank rank;
  const auto group = rank.make.group("pp", {0, 1, 2});
  const auto send = rank.add("send 1->2", "");
  rank.make.comm(send.recorded, CommKind::send, 16, group);
  const auto recv = rank.add("recv 1<-0", "");
  rank.make.comm(recv.recorded, CommKind::recv, 4, group);
  const EventId range = rank.make.annotation(rank.main, "nccl:coalesced", rank.time, 50);
  const EventId kernel = rank.launch(range, "ncclDevKernel_SendRecv", rank.time + 10, 40);
  const EventId after = rank.make.kernel(rank.stream, "add", rank.time + 90, 5);
  const auto profile = rank.make.take();
  ConvertOptions options;
  options.rank = 1;
  const auto out = converted(profile, chain(profile), options);
  const std::uint64_t last = profile.events.size();
  const auto& first = out.node(last + 1);
  const auto& second = out.node(last + 2);
  EXPECT_EQ(first.type, kSend);
  EXPECT_EQ(first.name, "nccl:send 1->2");
  EXPECT_EQ(number(first, "comm_dst"), 2);
  EXPECT_EQ(second.type, kRecv);
  EXPECT_EQ(number(second, "comm_src"), 0);
  EXPECT_EQ(first.duration_micros, 40u);
  const auto& join = of(out, kernel);
  EXPECT_EQ(join.type, kComp);
  EXPECT_EQ(join.duration_micros, 0u);
  EXPECT_THAT(join.data_deps, ElementsAre(last + 1, last + 2));
  EXPECT_EQ(first.data_deps, second.data_deps);
  EXPECT_EQ(first.data_deps.size(), 1u) << "what the kernel waited for";
  EXPECT_THAT(of(out, after).data_deps, ElementsAre(kernel + 1));
  EXPECT_EQ(of(out, send.range).type, kComp);
  EXPECT_EQ(out.report->sends, 1u);
  EXPECT_EQ(out.report->receives, 1u);
  EXPECT_EQ(out.report->nodes, profile.events.size() + 1 + 2) << "with the groups";

  Findings findings;
  const auto graph =
      convert_to_graph(profile, chain(profile), options, std::make_shared<StringPool>(), findings);
  ASSERT_TRUE(graph) << to_string(graph.error());
}

TEST(ConvertComm, RootsOfBroadcasts) {
  Rank rank;
  const auto made = rank.add("broadcast", "ncclDevKernel_Broadcast_RING_LL");
  rank.make.comm(made.recorded, CommKind::broadcast, 16, rank.make.group("0", {0, 1})).peer = 1;
  const auto profile = rank.make.take();
  const auto out = converted(profile, chain(profile));
  EXPECT_EQ(number(of(out, made.kernel), "comm_type"), 5);
  EXPECT_EQ(number(of(out, made.kernel), "root"), 1);
}

TEST(ConvertComm, Names) {
  EXPECT_EQ(comm_name("c10d::_allgather_base_").kind, CommKind::all_gather);
  EXPECT_EQ(comm_name("_c10d_functional::wait_tensor").kind, CommKind::wait);
  EXPECT_EQ(comm_name("my reduce").kind, CommKind::unknown);
  EXPECT_EQ(profile::coalesced_kind("reduce_scatter_tensor_coalesced"), CommKind::reduce_scatter);
  EXPECT_EQ(profile::coalesced_kind("nccl:coalesced"), CommKind::coalesced);
  EXPECT_EQ(peer_in_name("nccl:send 0->17"), 17);
  EXPECT_EQ(peer_in_name("nccl:recv 3<-2"), 2);
  EXPECT_EQ(peer_in_name("nccl:send"), -1);
  EXPECT_EQ(peer_in_name("nccl:send 0->x"), -1);
}

}  // namespace
}  // namespace orrery::intake
