// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/kernel.h"

#include <gtest/gtest.h>

#include <random>

#include "orrery/graph/builder.h"

namespace orrery::graph {
namespace {

/// Any kernel that can be written.
Kernel any_kernel(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t most) { return random() % most; };
  const auto format = [&] { return static_cast<Format>(below(kFormats)); };
  const auto size = [&] { return static_cast<std::int64_t>(random() >> (1 + below(63))); };
  Kernel kernel;
  kernel.operation = static_cast<Operation>(below(kOperations));
  kernel.pass = static_cast<Pass>(below(kPasses));
  kernel.a = format();
  kernel.b = format();
  kernel.out = format();
  kernel.traits = static_cast<std::uint16_t>(below(1u << kTraits));
  if (below(3) == 0) kernel.launches = static_cast<std::uint32_t>(1 + below(0xffffffff));
  if (below(3) == 0) kernel.host_launches = static_cast<std::uint32_t>(below(0x1000000));
  if (below(3) == 0) kernel.looped_launches = static_cast<std::uint32_t>(below(0x1000000));
  kernel.host_waits = below(3) == 0;
  for (std::size_t i = 0; i < size_names(kernel.operation).size(); ++i) kernel.sizes[i] = size();
  kernel.flops = size();
  kernel.bytes = size();
  return kernel;
}

TEST(Kernel, TextIsReadBackAsItWasWritten) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 3000; ++i) {
    const Kernel kernel = any_kernel(random);
    const std::string text = to_text(kernel);
    const auto read = parse_kernel(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, kernel) << text;
    EXPECT_EQ(hash_of(*read), hash_of(kernel));
  }
}

TEST(Kernel, TextLooksAsTheHeaderSays) {
  Kernel kernel;
  kernel.operation = Operation::gemm;
  kernel.pass = Pass::weight_grad;
  kernel.a = kernel.b = Format::bf16;
  kernel.out = Format::fp32;
  kernel.sizes = {4096, 1024, 8192};
  kernel.traits = kAccumulates;
  kernel.flops = 7;
  EXPECT_EQ(to_text(kernel),
            "gemm weight_grad bf16,bf16>fp32 m=4096 n=1024 k=8192 accumulates flops=7");
}

TEST(Kernel, WhatNobodyWritesIsNoKernel) {
  const std::string good = "gemm forward bf16,bf16>bf16 m=4 n=5 k=6 bias launches=2";
  ASSERT_TRUE(parse_kernel(good));
  for (const char* bad : {"",
                          "gemm",
                          "gemm forward",
                          "hemm forward bf16,bf16>bf16",
                          "gemm back bf16,bf16>bf16",
                          "gemm forward bf16>bf16",
                          "gemm forward bf16,bf17>bf16",
                          "gemm forward bf16,bf16>bf16 m=0",
                          "gemm forward bf16,bf16>bf16 m=-4",
                          "gemm forward bf16,bf16>bf16 m=4 m=4",
                          "gemm forward bf16,bf16>bf16 rows=4",
                          "gemm forward bf16,bf16>bf16 m=4x",
                          "gemm forward bf16,bf16>bf16 bias bias",
                          "gemm forward bf16,bf16>bf16 lovely",
                          "gemm forward bf16,bf16>bf16 m=99999999999999999999",
                          "gemm forward bf16,bf16>bf16 launches=1",
                          "gemm forward bf16,bf16>bf16 host_launches=16777216",
                          "gemm forward bf16,bf16>bf16 looped_launches=2 looped_launches=2",
                          "gemm forward bf16,bf16>bf16 host_waits host_waits",
                          "gemm forward bf16>bf16,bf16"})
    EXPECT_FALSE(parse_kernel(bad)) << bad;
  // Cut anywhere, or with a byte changed: something or nothing, no more.
  std::mt19937_64 random(2);
  for (std::size_t end = 0; end <= good.size(); ++end) (void)parse_kernel(good.substr(0, end));
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = good;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    const auto read = parse_kernel(damaged);
    if (!read) continue;
    EXPECT_EQ(parse_kernel(to_text(*read)), read) << damaged;
  }
}

TEST(KernelTable, HoldsEachOnce) {
  std::mt19937_64 random(3);
  KernelTable table;
  std::vector<Kernel> kernels;
  for (int i = 0; i < 500; ++i) {
    kernels.push_back(any_kernel(random));
    EXPECT_EQ(table.intern(kernels.back()), static_cast<KernelId>(i));
  }
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(table.intern(kernels[i]), static_cast<KernelId>(i));
    EXPECT_EQ(table[static_cast<KernelId>(i)], kernels[i]);
  }
  EXPECT_EQ(table.size(), kernels.size());
}

/// Nodes in a row with these kernels (nothing: none), all of the same work.
Graph graph_of(const std::vector<std::int64_t>& rows) {
  GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), Repair::refuse);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    NodeSpec node;
    node.id = i;
    node.kind = NodeKind::comp;
    node.flags = kHasNumOps | kHasTensorSize;
    node.work = {100, Bytes(10)};
    if (rows[i] != 0) {
      Kernel kernel;
      kernel.operation = Operation::softmax;
      kernel.sizes[0] = rows[i];
      node.kernel = builder.kernels().intern(kernel);
    }
    builder.add(node);
  }
  Findings findings;
  auto graph = std::move(builder).finish(findings);
  EXPECT_TRUE(graph);
  return std::move(*graph);
}

TEST(Graph, KnowsKernels) {
  const Graph graph = graph_of({0, 7, 7, 9, 0, 7});
  ASSERT_NE(graph.kernels(), nullptr);
  EXPECT_EQ(graph.kernels()->size(), 2u);
  const auto rows = [&](NodeId n) { return (*graph.kernels())[graph.kernel(n)].sizes[0]; };
  EXPECT_EQ(graph.kernel(0), kNoKernel);
  EXPECT_EQ(graph.kernel(4), kNoKernel);
  EXPECT_EQ(rows(1), 7);
  EXPECT_EQ(rows(2), 7);
  EXPECT_EQ(rows(3), 9);
  EXPECT_EQ(rows(5), 7);
  for (NodeId n = 0; n < graph.size(); ++n) EXPECT_EQ(graph.work(n).num_ops, 100);
}

TEST(Graph, KernelsCountAsContent) {
  EXPECT_EQ(graph_of({7, 9}).content_hash(), graph_of({7, 9}).content_hash());
  EXPECT_NE(graph_of({7, 9}).content_hash(), graph_of({9, 7}).content_hash());
  EXPECT_NE(graph_of({7, 9}).content_hash(), graph_of({7, 0}).content_hash());
  EXPECT_EQ(graph_of({0, 0}).kernels(), nullptr);
}

TEST(Graph, HasNoKernelWithoutAttributes) {
  GraphBuilder builder("w.0.et", std::make_shared<StringPool>(), Repair::refuse);
  NodeSpec node;
  node.kind = NodeKind::comp;
  builder.add(node);
  node.id = 1;
  Kernel kernel;
  kernel.operation = Operation::copy;
  node.kernel = builder.kernels().intern(kernel);
  builder.add(node);
  Findings findings;
  const auto graph = std::move(builder).finish(findings);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->kernel(0), kNoKernel);
  EXPECT_EQ(graph->kernel(1), 0u);
}

TEST(Kernel, SizesThatOnlyRefineComeLast) {
  EXPECT_EQ(defining_sizes(Operation::cast), 1u);
  EXPECT_EQ(defining_sizes(Operation::grouped_gemm), 4u);
  EXPECT_EQ(defining_sizes(Operation::embedding_bag), 5u);
  for (std::size_t i = 0; i < kOperations; ++i) {
    const auto operation = static_cast<Operation>(i);
    EXPECT_LE(defining_sizes(operation), size_names(operation).size());
  }
  EXPECT_EQ(defining_sizes(Operation::attention), 8u);  // no window is another attention
  EXPECT_TRUE(
      parse_kernel("grouped_gemm forward bf16,bf16>bf16 groups=8 rows=64 n=32 k=16 "
                   "tokens=32 chosen=2 experts=8"));
}

TEST(Kernel, TheLeastLaunchIsOneThatHasAHost) {
  EXPECT_EQ((LaunchTimes{Time(24), Time(30), Time(14)}).shortest(), Time(14));
  EXPECT_EQ((LaunchTimes{Time(24), Time(30), Time{}}).shortest(), Time(24));
  EXPECT_TRUE((LaunchTimes{Time{}, Time(30), Time{}}).is_set());
  EXPECT_FALSE((LaunchTimes{.max_queued = 7}).is_set());
  EXPECT_EQ((LaunchTimes{Time(24), Time(30), Time(14), Time(9)}).shortest(), Time(9));
}

// Two launches by the framework and six from a loop of compiled code.
TEST(Kernel, HostsLaunchInLoopsToo) {
  const LaunchTimes times{Time(40), Time(30), Time(14), Time(8), Time(10)};
  Kernel kernel;
  kernel.launches = 3;
  EXPECT_EQ(times.count(kernel), 3u);
  EXPECT_EQ(times.mean(kernel), Time(40));
  kernel.host_launches = 2;
  EXPECT_EQ(times.count(kernel), 2u);
  kernel.looped_launches = 6;
  EXPECT_EQ(times.count(kernel), 8u);
  EXPECT_EQ(times.mean(kernel), Time(16)) << "(2 x 40 + 6 x 8) / 8";
  kernel.pass = Pass::weight_grad;
  EXPECT_EQ(times.mean(kernel), Time(15)) << "(2 x 30 + 6 x 10) / 8";
  kernel.host_launches = 0;
  EXPECT_EQ(times.mean(kernel), Time(10)) << "only the loop";
  EXPECT_EQ(times.count(kernel), 6u);
}

}  // namespace
}  // namespace orrery::graph
