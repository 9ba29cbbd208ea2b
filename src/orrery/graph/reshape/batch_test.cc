// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/batch.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "orrery/graph/builder.h"

namespace orrery::graph {
namespace {

/// Nodes without order, each of a millisecond.
class BatchNodes {
 public:
  NodeSpec& add(NodeKind kind, const std::string& name) {
    nodes_.emplace_back();
    NodeSpec& node = nodes_.back();
    node.id = nodes_.size();
    node.kind = kind;
    node.duration = Time(1'000'000'000);
    node.name = strings_->intern(name);
    return node;
  }
  void work(const std::string& name, const Kernel& kernel, std::int64_t flops, std::int64_t bytes) {
    NodeSpec& node = add(NodeKind::comp, name);
    node.flags = kHasNumOps | kHasTensorSize;
    node.work = {flops, Bytes(bytes)};
    node.kernel = builder_.kernels().intern(kernel);
  }
  Graph graph() && {
    for (const NodeSpec& node : nodes_) builder_.add(node);
    Findings findings;
    auto made = std::move(builder_).finish(findings);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

 private:
  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  GraphBuilder builder_{"nodes", strings_, Repair::refuse};
  std::vector<NodeSpec> nodes_;
};

Kernel sized(Operation operation, Pass pass, std::array<std::int64_t, kKernelSizes> sizes) {
  Kernel kernel;
  kernel.operation = operation;
  kernel.pass = pass;
  kernel.a = kernel.b = kernel.out = Format::bf16;
  kernel.sizes = sizes;
  return kernel;
}

Result<Graph> batched(const Graph& graph, double factor, BatchReport& report,
                      std::vector<bool> activations = {}) {
  activations.resize(graph.size());
  Findings findings;
  return with_batch(graph, {factor, std::move(activations)}, "nodes", {}, report, findings);
}

const Kernel& kernel_of_node(const Graph& graph, NodeId n) {
  return (*graph.kernels())[graph.kernel(n)];
}

TEST(Batch, WeightsStay) {
  BatchNodes nodes;
  // 64×8 by 8×16: 2·(512 + 128 + 1,024) bytes
  nodes.work("forward", sized(Operation::gemm, Pass::forward, {64, 16, 8}), 16'384, 3'328);
  nodes.work("weights", sized(Operation::gemm, Pass::weight_grad, {16, 8, 64}), 16'384, 3'328);
  nodes.work("add", sized(Operation::elementwise, Pass::weight_grad, {128}), 128, 768);
  nodes.work("step", sized(Operation::optimizer, Pass::forward, {128}), 512, 1'024);
  nodes.work("norm", sized(Operation::rms_norm, Pass::forward, {64, 8}), 1'024, 2'064);
  NodeSpec& unknown = nodes.add(NodeKind::comp, "unknown kernel");
  unknown.flags = kHasNumOps | kHasTensorSize;
  unknown.work = {1'000, Bytes(1'000)};
  BatchReport report;
  const auto made = batched(std::move(nodes).graph(), 0.25, report);
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(kernel_of_node(*made, 0).sizes[0], 16);
  EXPECT_EQ(made->work(0).num_ops, 4'096);
  EXPECT_EQ(made->work(0).tensor_size, Bytes(256 + 3'072 / 4));
  EXPECT_EQ(kernel_of_node(*made, 1).sizes[2], 16);
  EXPECT_EQ(made->work(1).tensor_size, Bytes(256 + 3'072 / 4));
  EXPECT_EQ(made->work(2).tensor_size, Bytes(768)) << "as many elements as weights";
  EXPECT_EQ(made->work(3).tensor_size, Bytes(1'024));
  EXPECT_EQ(made->duration(3), Time(1'000'000'000));
  EXPECT_EQ(made->work(4).tensor_size, Bytes(2'048 / 4 + 16));
  EXPECT_EQ(made->work(5).num_ops, 250);
  EXPECT_EQ(made->duration(5), Time(250'000'000));
  EXPECT_EQ(report.by_kernel_sizes, 3u);
  EXPECT_EQ(report.proportional, 1u);
  EXPECT_EQ(report.weights, 2u);
  EXPECT_EQ(report.rounded, 0u);
}

TEST(Batch, CommunicationGrowsWhereItIsOfActivations) {
  BatchNodes nodes;
  for (const char* name : {"activations", "gradients"}) {
    NodeSpec& node = nodes.add(NodeKind::coll, name);
    node.flags = kHasCommType | kHasCommSize;
    node.collective.size = Bytes(4'096);
  }
  NodeSpec& send = nodes.add(NodeKind::send, "send");
  send.flags = kHasDst | kHasCommSize;
  send.message.size = Bytes(4'096);
  BatchReport report;
  const auto made = batched(std::move(nodes).graph(), 2, report, {true, false});
  ASSERT_TRUE(made.has_value()) << to_string(made.error());
  EXPECT_EQ(made->collective(0).size, Bytes(8'192));
  EXPECT_EQ(made->collective(1).size, Bytes(4'096));
  EXPECT_EQ(made->duration(1), Time(1'000'000'000));
  EXPECT_EQ(made->point_to_point(2).size, Bytes(8'192));
}

TEST(Batch, SequencesStayWhole) {
  BatchNodes nodes;
  nodes.work("attention", sized(Operation::attention, Pass::forward, {2, 8, 8, 64, 64, 16, 16}),
             1'000, 1'000);
  const Graph graph = std::move(nodes).graph();
  BatchReport report;
  EXPECT_TRUE(batched(graph, 0.5, report).has_value());
  EXPECT_EQ(batched(graph, 0.25, report).error().code, Errc::usage);
  BatchNodes odd;
  odd.work("rows", sized(Operation::softmax, Pass::forward, {3, 8}), 24, 96);
  BatchReport rounded;
  ASSERT_TRUE(batched(std::move(odd).graph(), 0.5, rounded).has_value());
  EXPECT_EQ(rounded.rounded, 1u);
}

}  // namespace
}  // namespace orrery::graph
