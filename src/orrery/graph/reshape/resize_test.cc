// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/reshape/resize.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "orrery/graph/builder.h"

namespace orrery::graph {
namespace {

/// So many layers forward and backward. A layer is two works; its gradient waits for its output,
/// for a mask that all wait for, and for the gradient behind it. The optimizer waits for all
/// gradients, a report for the last layer's output alone.
class Net {
 public:
  explicit Net(int layers) : builder_("net", strings_, Repair::refuse) {
    const auto mask = add("mask", Operation::copy, Pass::forward, {});
    std::uint64_t before = mask;
    std::vector<std::uint64_t> outputs, gradients;
    for (int i = 0; i < layers; ++i) {
      const auto in = add("in", Operation::gemm, Pass::forward, {before, mask});
      before = add("out", Operation::activation, Pass::forward, {in});
      outputs.push_back(before);
    }
    const auto loss = add("loss", Operation::cross_entropy, Pass::forward, {before});
    before = loss;
    for (int i = layers - 1; i >= 0; --i) {
      before = add("dout", Operation::activation, Pass::input_grad,
                   {before, outputs[static_cast<std::size_t>(i)], mask});
      before = add("din", Operation::gemm, Pass::input_grad, {before});
      gradients.push_back(before);
    }
    add("optimizer", Operation::optimizer, Pass::forward, gradients);
    add("report", Operation::copy, Pass::forward, {outputs.back(), loss});
  }

  Graph graph() && {
    Findings findings;
    auto made = std::move(builder_).finish(findings);
    EXPECT_TRUE(made.has_value());
    return *std::move(made);
  }

 private:
  std::uint64_t add(const std::string& name, Operation operation, Pass pass,
                    std::vector<std::uint64_t> deps) {
    NodeSpec node;
    node.id = next_++;
    node.kind = NodeKind::comp;
    node.duration = Time(1'000);
    node.name = strings_->intern(name);
    Kernel kernel;
    kernel.operation = operation;
    kernel.pass = pass;
    node.kernel = builder_.kernels().intern(kernel);
    node.deps = std::move(deps);
    builder_.add(node);
    return node.id;
  }

  std::shared_ptr<StringPool> strings_ = std::make_shared<StringPool>();
  GraphBuilder builder_;
  std::uint64_t next_ = 0;
};

/// "out > in": how many edges there are from nodes of one name to nodes of another.
std::map<std::string, int> edges(const Graph& graph) {
  std::map<std::string, int> made;
  for (NodeId n = 0; n < graph.size(); ++n)
    for (const NodeId next : graph.successors(n))
      ++made[std::string(graph.name(n)) + " > " + std::string(graph.name(next))];
  return made;
}

Result<Graph> with_more(const Graph& graph, std::int64_t more, Findings& findings) {
  NodeClasses symbols(graph);
  const Spine spine = graph::spine(graph, symbols);
  std::vector<LoopChange> loops;
  for (const Loop& loop : find_loops(graph, spine, fold_repeats(spine.symbols)).layers)
    loops.push_back({loop, more});
  EXPECT_EQ(loops.size(), 2u);
  return resize_loops(graph, spine, loops, symbols, "net", {}, findings);
}

TEST(Resize, MakesTheLongerNet) {
  const Graph four = Net(4).graph(), seven = Net(7).graph();
  Findings findings;
  const auto made = with_more(four, 3, findings);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->content_hash(), seven.content_hash());
  EXPECT_EQ(edges(*made), edges(seven));
  EXPECT_EQ(edges(*made)["din > optimizer"], 7);
  EXPECT_EQ(edges(*made)["out > report"], 1);
  EXPECT_TRUE(findings.empty());
}

TEST(Resize, MakesTheShorterNet) {
  const Graph seven = Net(7).graph();
  for (int layers = 1; layers <= 7; ++layers) {
    Findings findings;
    const auto made = with_more(seven, layers - 7, findings);
    ASSERT_TRUE(made.has_value());
    EXPECT_EQ(edges(*made), edges(Net(layers).graph())) << layers;
  }
}

TEST(Resize, OneOfEachStays) {
  Findings findings;
  const auto made = with_more(Net(4).graph(), -4, findings);
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code, Errc::usage);
}

}  // namespace
}  // namespace orrery::graph
