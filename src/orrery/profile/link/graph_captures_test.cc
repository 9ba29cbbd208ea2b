// SPDX-License-Identifier: Apache-2.0
#include "orrery/profile/link/graph_captures.h"

#include <gtest/gtest.h>

#include "orrery/profile/link/link.h"
#include "orrery/profile/profile_testing.h"

namespace orrery::profile {
namespace {

/// The capture of a graph of a copy, a matrix product and an all-reduce, of so many tokens.
Profile capture(const std::shared_ptr<StringPool>& strings, std::int64_t tokens,
                std::string_view product = "aten::mm") {
  Maker make(strings);
  const std::uint32_t main = make.thread(1);
  const auto dims = make.text("[[" + std::to_string(tokens) + ", 64]]");
  make.call(main, "cudaLaunchKernel", 0, 1);  // before
  make.call(main, "cudaStreamBeginCapture", 5, 1);
  make.op_of(make.op(main, "aten::copy_", 10, 10)).dims = dims;
  make.call(main, "cudaMemcpyAsync", 12, 1);
  make.op(main, "linear", 25, 20);
  const EventId inner = make.op(main, product, 30, 10);
  make.op_of(inner).dims = dims;
  make.call(main, "cudaFuncGetAttributes", 31, 1);
  make.call(main, "cudaLaunchKernelExC", 33, 1);
  const EventId reduce = make.op(main, "record_param_comms", 50, 10);
  make.comm(reduce, CommKind::all_reduce, tokens * 64, make.group("tp", {0, 1}));
  make.call(main, "cudaLaunchKernel", 52, 1);
  make.call(main, "cudaStreamEndCapture", 70, 1);
  make.call(main, "cudaMemsetAsync", 80, 1);
  return make.take();
}

/// Two launches of that graph.
struct Launched : Maker {
  std::uint32_t main = thread(1), one = stream(7);
  std::vector<EventId> works;

  void launch(std::int64_t at, std::uint64_t correlation, std::uint32_t last = kNone) {
    call(main, "cudaGraphLaunch", at, 10, correlation);
    works.push_back(kernel(one, "Memcpy DtoD", at + 20, 5, correlation, kNoId, Kind::memcpy));
    works.push_back(kernel(one, "gemm", at + 30, 50, correlation));
    works.push_back(kernel(last == kNone ? one : last, "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
                           at + 90, 30, correlation));
  }
  template <class... Captures>
  Profile take_with(Captures... some) {
    std::vector<Profile> captures;
    (captures.push_back(std::move(some)), ...);
    Profile whole = take();
    Findings ignored;
    attach(whole, ignored);
    attach_graph_captures(whole, captures, findings);
    return whole;
  }
};

TEST(Captures, TellWhatTheNodesOfALaunchAre) {
  Launched make;
  make.launch(0, 1);
  make.launch(500, 2);
  const Profile whole = make.take_with(capture(make.profile.strings, 8));
  EXPECT_EQ(make.findings.count(FindingCode::graph_captured), 6u);
  EXPECT_EQ(make.findings.count(FindingCode::capture_unmatched), 0u);
  ASSERT_EQ(whole.captured.size(), 3u);
  for (std::size_t i = 0; i < 6; ++i) {
    const CapturedOperator& captured = whole.captured[whole.work(make.works[i]).captured];
    const char* const names[] = {"aten::copy_", "aten::mm", "record_param_comms"};
    EXPECT_EQ(whole.string(captured.name), names[i % 3]);
    EXPECT_EQ(whole.string(captured.dims), i % 3 == 2 ? "" : "[[8, 64]]");
    const Comm* comm = whole.comm(make.works[i]);
    ASSERT_EQ(comm != nullptr, i % 3 == 2);
    if (comm == nullptr) continue;
    EXPECT_EQ(comm->kind, CommKind::all_reduce);
    EXPECT_EQ(comm->bytes(), 8 * 64 * 4);
    EXPECT_EQ(whole.groups[comm->group].name, "tp");
    EXPECT_EQ(whole.groups.size(), 1u);
  }
}

// One capture per batch size: only what they agree on.
TEST(Captures, ThatDifferInShapesTellNames) {
  Launched make;
  make.launch(0, 1);
  const Profile whole =
      make.take_with(capture(make.profile.strings, 8), capture(make.profile.strings, 16));
  EXPECT_EQ(make.findings.count(FindingCode::graph_captured), 3u);
  const CapturedOperator& product = whole.captured[whole.work(make.works[1]).captured];
  EXPECT_EQ(whole.string(product.name), "aten::mm");
  EXPECT_EQ(product.dims, StringId::empty);
  EXPECT_EQ(whole.comm(make.works[2]), nullptr);  // of what size?
}

TEST(Captures, ThatDifferInOperatorsTellNothingOfThem) {
  Launched make;
  make.launch(0, 1);
  const Profile whole = make.take_with(capture(make.profile.strings, 8),
                                       capture(make.profile.strings, 8, "aten::bmm"));
  EXPECT_EQ(make.findings.count(FindingCode::graph_captured), 2u);
  EXPECT_EQ(whole.work(make.works[1]).captured, kNone);
  EXPECT_NE(whole.comm(make.works[2]), nullptr);
}

TEST(Captures, OfOtherGraphsFitNot) {
  Launched make;
  make.launch(0, 1);
  make.kernel(make.one, "more", 200, 5, 1);
  const Profile whole = make.take_with(capture(make.profile.strings, 8));
  EXPECT_EQ(make.findings.count(FindingCode::capture_unmatched), 1u);
  EXPECT_EQ(make.findings.count(FindingCode::graph_captured), 0u);
}

// On several streams only their ids tell which node a work is.
TEST(Captures, NeedTheOrderOfNodes) {
  for (const bool numbered : {false, true}) {
    Launched make;
    make.launch(0, 1, make.stream(20));
    if (numbered) {
      for (std::uint32_t i = 0; i < 3; ++i)
        make.profile.graph_nodes.push_back({.work = i, .node = 7 + i, .graph = 3});
    }
    const Profile whole = make.take_with(capture(make.profile.strings, 8));
    EXPECT_EQ(make.findings.count(FindingCode::graph_captured), numbered ? 3u : 0u);
    EXPECT_EQ(make.findings.count(FindingCode::capture_unmatched), numbered ? 0u : 1u);
  }
}

// What an operator copies before it communicates is a copy, and two of its kernels communicate
// once.
TEST(Captures, OneKernelOfAnOperatorCommunicates) {
  Launched make;
  Maker capture(make.profile.strings);
  const std::uint32_t main = capture.thread(1);
  capture.call(main, "hipStreamBeginCapture", 0, 1);
  capture.comm(capture.op(main, "record_param_comms", 5, 40), CommKind::all_gather, 64);
  for (int i = 0; i < 3; ++i) capture.call(main, "hipLaunchKernel", 10 + 5 * i, 1);
  capture.call(main, "hipStreamEndCapture", 50, 1);
  make.call(make.main, "hipGraphLaunch", 0, 5, 1);
  const EventId copy = make.kernel(make.one, "CatArrayBatchedCopy", 10, 5, 1);
  const EventId first = make.kernel(make.one, "ncclDevKernel_AllGather_RING_LL", 20, 5, 1);
  const EventId second = make.kernel(make.one, "ncclDevKernel_AllGather_RING_LL", 30, 5, 1);
  const Profile whole = make.take_with(capture.take());
  EXPECT_EQ(make.findings.count(FindingCode::graph_captured), 3u);
  EXPECT_EQ(whole.comm(copy), nullptr);
  EXPECT_NE(whole.comm(first), nullptr);
  EXPECT_EQ(whole.comm(second), nullptr);
}

}  // namespace
}  // namespace orrery::profile
