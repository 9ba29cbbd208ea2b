// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

TEST(Attach, InnermostOperatorAroundTheCall) {
  Maker make;
  const std::uint32_t thread = make.thread(1), other = make.thread(2), stream = make.stream(7);
  make.op(thread, "aten::linear", 0, 100);
  const EventId inner = make.op(thread, "aten::addmm", 10, 50);
  make.python(thread, "frame", 11, 40);
  make.op(other, "aten::relu", 0, 100);
  const EventId runtime = make.call(thread, "cudaLaunchKernel", 20, 5, 9);
  const EventId driver = make.call(thread, "cuLaunchKernel", 21, 2, 10);
  const EventId kernel = make.kernel(stream, "gemm", 30, 5, 9);
  const EventId by_driver = make.kernel(stream, "triton", 36, 5, 10);
  const EventId set = make.kernel(stream, "Memset (Device)", 42, 5, 11, kNoId, Kind::memset);
  const EventId set_call = make.call(thread, "hipMemsetAsync", 70, 1, 11);
  Profile profile = make.take();
  Findings findings;
  const AttachReport report = attach(profile, findings);
  EXPECT_EQ(profile.work(kernel).call, runtime);
  EXPECT_EQ(profile.work(kernel).op, inner);
  EXPECT_EQ(profile.work(by_driver).call, driver);
  EXPECT_EQ(profile.work(by_driver).op, inner);
  EXPECT_EQ(profile.work(set).call, set_call);  // although it starts before
  EXPECT_EQ(report.works, 3u);
  EXPECT_EQ(report.by_correlation, 3u);
  EXPECT_TRUE(findings.empty());
}

// A kernel of an operator that only communicates is its communication, whatever the kernel's name.
// Kernels of other operators within it compute.
TEST(Attach, CommunicationByOperator) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId reduce = make.op(thread, "symm_mem::multimem_all_reduce_", 0, 50);
  make.op_of(reduce).dims = make.text("[[16, 4], [], []]");
  make.op_of(reduce).types = make.text("[\"c10::BFloat16\", \"\", \"\"]");
  make.op(thread, "aten::copy_", 2, 10);
  make.call(thread, "cudaLaunchKernel", 3, 2, 1);
  make.call(thread, "cudaLaunchKernel", 20, 2, 2);
  const EventId copy = make.kernel(stream, "copy_kernel", 10, 5, 1);
  const EventId kernel = make.kernel(stream, "nameless_kernel", 30, 5, 2);
  make.op(thread, "symm_mem::fused_all_gather_matmul", 60, 20);
  make.call(thread, "cudaLaunchKernel", 61, 2, 3);
  const EventId product = make.kernel(stream, "product", 70, 5, 3);
  Profile profile = make.take();
  Findings findings;
  attach(profile, findings);
  const Comm* comm = profile.comm(kernel);
  ASSERT_NE(comm, nullptr);
  EXPECT_EQ(comm->kind, CommKind::all_reduce);
  EXPECT_EQ(comm->bytes(), 128);
  EXPECT_EQ(profile.comm(copy), nullptr);
  EXPECT_EQ(profile.comm(product), nullptr);
}

// The device had something else to do: an iteration cut out of a job whose host is ahead.
TEST(Attach, WorkThatWaitedForWhatIsNotThere) {
  const auto found = [](std::int64_t start, std::int64_t other) {
    Maker make;
    const std::uint32_t thread = make.thread(1);
    make.call(thread, "cudaLaunchKernel", 20, 5, 9);
    make.kernel(make.stream(7), "gemm", start, 5, 9);
    if (other > 0) make.kernel(make.stream(20), "copy", other, 5);
    make.kernel(make.stream(7, 1), "on another device", 30, 5);
    Profile profile = make.take();
    Findings findings;
    attach(profile, findings);
    return findings.count(FindingCode::device_busy_unseen);
  };
  EXPECT_EQ(found(90'000, 0), 1u);
  EXPECT_EQ(found(1'024, 0), 0u);        // as launches may take
  EXPECT_EQ(found(90'000, 80'000), 0u);  // the stream waits for another one, which has no launch
}

TEST(Attach, OneGraphLaunchForManyKernels) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId op = make.op(thread, "replay", 0, 20);
  const EventId launch = make.call(thread, "hipGraphLaunch", 1, 5, 3);
  std::vector<EventId> kernels;
  for (int i = 0; i < 4; ++i) kernels.push_back(make.kernel(stream, "k", 10 + i, 1, 3));
  Profile profile = make.take();
  Findings findings;
  const AttachReport report = attach(profile, findings);
  EXPECT_EQ(report.by_graph, 4u);
  EXPECT_EQ(report.by_correlation, 0u);
  for (const EventId kernel : kernels) {
    EXPECT_EQ(profile.work(kernel).call, launch);
    EXPECT_EQ(profile.work(kernel).op, op);
  }
}

TEST(Attach, RepeatedCorrelationsGoToTheLastCallBefore) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  const EventId first = make.call(thread, "cudaLaunchKernel", 0, 1, 5);
  const EventId second = make.call(thread, "cudaLaunchKernel", 100, 1, 5);
  const EventId early = make.kernel(stream, "k", 50, 1, 5);
  const EventId late = make.kernel(stream, "k", 150, 1, 5);
  Profile profile = make.take();
  Findings findings;
  attach(profile, findings);
  EXPECT_EQ(profile.work(early).call, first);
  EXPECT_EQ(profile.work(late).call, second);
  EXPECT_EQ(findings.count(FindingCode::correlation_repeated), 1u);
}

TEST(Attach, ExternalIdsOnlyWhereTheyAreOperators) {
  for (const bool operators : {true, false}) {
    Maker make;
    const std::uint32_t thread = make.thread(1), stream = make.stream(7);
    const EventId one = make.op(thread, "one", 0, 10);
    const EventId two = make.op(thread, "two", 20, 10);
    make.op_of(one).external_id = 5;
    make.op_of(two).external_id = 6;
    make.call(thread, "cudaLaunchKernel", 1, 1, 77);
    make.kernel(stream, "a", 5, 1, 77, operators ? 5 : 77);
    const EventId lost = make.kernel(stream, "b", 30, 1, 78, 6);
    Profile profile = make.take();
    Findings findings;
    const AttachReport report = attach(profile, findings);
    EXPECT_EQ(profile.work(lost).call, kNoEvent);
    EXPECT_EQ(profile.work(lost).op, operators ? two : kNoEvent);
    EXPECT_EQ(report.by_external_id, operators ? 1u : 0u);
    EXPECT_EQ(report.orphans, operators ? 0u : 1u);
    EXPECT_EQ(findings.count(operators ? FindingCode::attached_by_external_id
                                       : FindingCode::device_work_without_call),
              1u);
  }
}

/// c10d::allreduce_ > record_param_comms > nccl:all_reduce, as PyTorch 2 records it.
struct AllReduce {
  Maker make;
  std::uint32_t thread = make.thread(1), stream = make.stream(20);
  EventId outer = make.op(thread, "c10d::allreduce_", 0, 100);
  EventId record = make.op(thread, "record_param_comms", 10, 80);
  EventId range = make.annotation(thread, "nccl:all_reduce", 20, 60);
  EventId kernel = make.kernel(stream, "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 60, 9, 4);

  Profile attached(std::int64_t call_at) {
    make.op(thread, "aten::empty", call_at - 1, 3);
    make.call(thread, "cudaLaunchKernelExC", call_at, 1, 4);
    Profile profile = make.take();
    Findings findings;
    attach(profile, findings);
    return profile;
  }
};

TEST(Attach, CommunicationBelongsToItsRange) {
  AllReduce inside;
  inside.make.comm(inside.record, CommKind::all_reduce, 64);
  const Profile profile = inside.attached(30);
  EXPECT_EQ(profile.work(inside.kernel).op, inside.range);
  ASSERT_NE(profile.comm(inside.kernel), nullptr);  // of the operator around the range
  EXPECT_EQ(profile.comm(inside.kernel)->bytes(), 256);

  AllReduce after;  // without a range around the call, the operator that asked for it
  EXPECT_EQ(after.attached(85).work(after.kernel).op, after.record);
}

TEST(Attach, KernelsAndOperatorsTellEachOther) {
  AllReduce known_by_kernel;
  known_by_kernel.make.comm(known_by_kernel.kernel, CommKind::all_reduce, 64);
  const Profile profile = known_by_kernel.attached(30);
  ASSERT_NE(profile.comm(known_by_kernel.range), nullptr);
  EXPECT_EQ(profile.comm(known_by_kernel.range)->in_elements, 64);

  AllReduce both;
  both.make.comm(both.record, CommKind::all_reduce, 64).sequence = 12;
  const std::uint32_t group = both.make.group("0", {0, 1});
  both.make.comm(both.kernel, CommKind::all_reduce, 64, group);
  const Profile filled = both.attached(30);
  EXPECT_EQ(filled.comm(both.kernel)->sequence, 12);
  EXPECT_EQ(filled.comm(both.record)->group, group);
}

TEST(Attach, CoalescedGoesToTheOperatorInside) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(20);
  make.annotation(thread, "nccl:coalesced", 0, 100);
  make.annotation(thread, "nccl:send", 10, 10);
  const EventId receive = make.annotation(thread, "nccl:recv", 30, 10);
  make.call(thread, "cudaLaunchKernel", 60, 1, 4);
  const EventId kernel = make.kernel(stream, "ncclDevKernel_SendRecv(ncclDevKernelArgs)", 70, 9, 4);
  const EventId group = make.annotation(thread, "nccl:coalesced", 200, 50);
  make.call(thread, "cudaLaunchKernel", 210, 1, 5);
  const EventId bare = make.kernel(stream, "ncclDevKernel_SendRecv(ncclDevKernelArgs)", 260, 9, 5);
  Profile profile = make.take();
  Findings findings;
  attach(profile, findings);
  EXPECT_EQ(profile.work(kernel).op, receive);
  EXPECT_EQ(profile.work(bare).op, group);
}

// ROCm records kernels of RCCL with correlation 0, that is, without one.
TEST(Attach, CommunicationWithoutIdsByOrder) {
  Maker make;
  const std::uint32_t thread = make.thread(1), stream = make.stream(7);
  std::vector<EventId> ranges;
  for (int i = 0; i < 4; ++i) {
    make.op(thread, "c10d::allreduce_", 100 * i, 50);
    ranges.push_back(make.annotation(thread, "nccl:all_reduce", 100 * i + 10, 20));
  }
  make.call(thread, "hipLaunchKernel", 112, 2, 5);  // in the second
  const char* const name = "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)";
  const EventId first = make.kernel(stream, name, 60, 30);
  const EventId second = make.kernel(stream, name, 150, 30, 5);
  const EventId third = make.kernel(stream, name, 260, 30);
  const EventId fourth = make.kernel(stream, name, 350, 30);
  const EventId fifth = make.kernel(stream, name, 400, 30);  // of nothing in the file
  const EventId other = make.kernel(stream, "gemm", 450, 30);
  Profile profile = make.take();
  Findings findings;
  const AttachReport report = attach(profile, findings);
  EXPECT_EQ(profile.work(first).op, ranges[0]);
  EXPECT_EQ(profile.work(second).op, ranges[1]);
  EXPECT_EQ(profile.work(third).op, ranges[2]);
  EXPECT_EQ(profile.work(fourth).op, ranges[3]);
  EXPECT_EQ(profile.work(fifth).op, kNoEvent);
  EXPECT_EQ(profile.work(other).op, kNoEvent);
  EXPECT_EQ(report.by_order, 3u);
  EXPECT_EQ(report.orphans, 2u);
  EXPECT_EQ(findings.count(FindingCode::attached_by_order), 3u);
  EXPECT_EQ(findings.count(FindingCode::device_work_without_call), 2u);
}

}  // namespace
}  // namespace orrery::profile
