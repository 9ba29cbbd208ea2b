// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/program/rank_ops.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "orrery/core/paths_testing.h"
#include "orrery/generative/program/jobs_testing.h"
#include "orrery/trace/chakra/load.h"

namespace orrery::generative {
namespace {

using graph::Graph;
using graph::NodeId;

std::string name_without_layer(std::string_view name) {
  const SplitName split = split_name(name);
  return split.microbatch < 0 ? std::string(split.stem)
                              : fmt::format("{} mb{}", split.stem, split.microbatch);
}

/// What is stored of a node, as text.
std::string text_of(const Graph& graph, NodeId n, std::uint32_t rank) {
  std::string text = fmt::format("{} {} {}", name_without_layer(graph.name(n)),
                                 graph::name(graph.kind(n)), graph.duration(n).count());
  if (graph::is_work(graph.kind(n))) {
    text += fmt::format(" {} {}", graph.work(n).num_ops, graph.work(n).tensor_size.count());
    if (graph.kernel_of(n) != nullptr) text += to_text(*graph.kernel_of(n));
  } else if (graph.kind(n) == graph::NodeKind::coll) {
    const graph::Collective& coll = graph.collective(n);
    text += fmt::format(" {} {} {} {} {}", graph.string(coll.group), coll.size.count(),
                        static_cast<int>(coll.type), static_cast<int>(coll.format), coll.root) +
            fmt::format(" {}", coll.exchange.bits());
  } else if (graph::is_message(graph.kind(n))) {
    const graph::PointToPoint message = graph.message(n, rank);
    text += fmt::format(" {} {} {}", message.size.count(),
                        graph.kind(n) == graph::NodeKind::send ? message.dst : message.src,
                        message.tag);
  }
  return text;
}

std::vector<std::set<NodeId>> predecessors(const Graph& graph) {
  std::vector<std::set<NodeId>> before(graph.size());
  for (NodeId n = 0; n < graph.size(); ++n)
    for (const NodeId next : graph.successors(n)) before[next].insert(n);
  return before;
}

/// `order`: node n of `is` is node order[n] of `was`.
void expect_equal(const Graph& was, const Graph& is, const std::vector<NodeId>& order,
                  std::uint32_t rank) {
  ASSERT_EQ(was.size(), is.size());
  const auto deps_before = predecessors(was);
  const auto deps_after = predecessors(is);
  for (NodeId n = 0; n < was.size(); ++n) {
    ASSERT_EQ(text_of(was, order[n], rank), text_of(is, n, rank)) << "node " << n;
    std::set<NodeId> deps;
    for (const NodeId dep : deps_after[n]) deps.insert(order[dep]);
    ASSERT_EQ(deps_before[order[n]], deps) << was.name(order[n]);
  }
}

/// Reads the rank, writes it, compares. Returns the number of distinct ops.
std::size_t expect_round_trip(const Graph& graph, std::uint32_t rank) {
  OpTable table;
  const auto read = read_rank(
      graph, rank, [](std::string_view name) { return std::string(name); }, table);
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  if (!read) return 0;
  const auto strings = std::make_shared<StringPool>();
  graph::GraphBuilder builder("again", strings, graph::Repair::refuse);
  const auto wrote = write_rank(*read, table, *strings, builder.kernels(),
                                [&](const graph::NodeSpec& node) -> Result<void> {
                                  builder.add(node);
                                  return {};
                                });
  EXPECT_TRUE(wrote);
  Findings findings;
  const auto again = std::move(builder).finish(findings);
  EXPECT_TRUE(again) << (again ? "" : to_string(again.error()));
  if (again) expect_equal(graph, *again, read->nodes, rank);
  return table.op_count();
}

class RoundTrip : public ::testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, GeneratedJobs) {
  const auto made = workload::to_workload(program_of(GetParam()));
  ASSERT_TRUE(made);
  for (std::uint32_t rank = 0; rank < made->rank_count(); ++rank) {
    if (rank > 0 && made->graph_of_rank[rank] == made->graph_of_rank[rank - 1]) continue;
    SCOPED_TRACE(rank);
    const std::size_t ops = expect_round_trip(made->graph(rank), rank);
    EXPECT_LT(ops, 400u);  // far fewer than nodes: references repeat
  }
}
INSTANTIATE_TEST_SUITE_P(
    Jobs, RoundTrip,
    ::testing::Values(job_text(2, 2, 2, 4), job_text(1, 1, 4, 2, "recompute: {kind: full}\n"),
                      job_text(4, 4, 1, 8, "schedule: {kind: interleaved, chunks: 2}\n"),
                      std::string(job_text(2, 1, 4, 2))
                          .replace(0, 0, "")
                          .append("precision: {gradients: bf16}\n"),
                      job_text(1, 2, 2, 6,
                               "schedule: {kind: gpipe}\nkernels: {flash_attention: false}\n"),
                      job_text(1, 4, 2, 4, "schedule: {kind: zb_h1}\n")));

TEST(RoundTripOfFiles, Chakra) {
  const auto folder = std::filesystem::path(core_testing::kSourceFolder);
  for (const auto& [prefix, ranks] : std::map<std::string, int>{
           {"data/demo/llama", 8}, {"examples/step/step", 8}, {"examples/astra/all_reduce", 8}}) {
    const auto workload = trace::chakra::load_workload((folder / prefix).string());
    ASSERT_TRUE(workload) << to_string(workload.error());
    ASSERT_EQ(workload->rank_count(), static_cast<unsigned>(ranks));
    for (std::uint32_t rank = 0; rank < workload->rank_count(); ++rank) {
      SCOPED_TRACE(prefix + " " + std::to_string(rank));
      (void)expect_round_trip(workload->graph(rank), rank);
    }
  }
}

TEST(RoundTripOfFiles, RecordedByOthers) {
  const auto traces = std::filesystem::path(core_testing::kSourceFolder) / "../shared/data/traces";
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << "no real traces at ../shared/data/traces";
  const auto workload =
      trace::chakra::load_workload((traces / "astra_ddp2/test-1.chakra_trace").string());
  ASSERT_TRUE(workload) << to_string(workload.error());
  for (std::uint32_t rank = 0; rank < 2; ++rank)
    (void)expect_round_trip(workload->graph(rank), rank);
}

TEST(OpShapes, TextRoundTrip) {
  const auto made = workload::to_workload(program_of(job_text(2, 2, 2, 2)));
  ASSERT_TRUE(made);
  OpTable table;
  ASSERT_TRUE(read_rank(
      made->graph(0), 0, [](auto name) { return std::string(name); }, table));
  for (std::uint32_t s = 0; s < table.shape_count(); ++s) {
    const auto parsed = parse_shape(to_text(table.shape(s)));
    ASSERT_TRUE(parsed) << to_text(table.shape(s));
    EXPECT_EQ(*parsed, table.shape(s));
  }
  for (const char* bad :
       {"", "4", "9 0 0 0 0 0 0 tp\tx\t", "4 0 0 0 0 0 0 tp\tx", "1 0 0 0 0 0 0 \tx\t",
        "4 0 0 0 0 0 0 \tx\tgemm sideways", "4 0 0 1 0 0 0 \tx\t"})
    EXPECT_FALSE(parse_shape(bad)) << bad;
}

}  // namespace
}  // namespace orrery::generative
