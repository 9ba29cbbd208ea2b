// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/chakra/json_reader.h"

#include <gtest/gtest.h>

#include "orrery/trace/chakra/chakra_testing.h"
#include "orrery/trace/chakra/encoding/schema.h"

namespace orrery::trace::chakra {
namespace {

using graph::CollectiveType;
using graph::NodeKind;
using testing::read;

TEST(JsonWorkload, ReadsTheGraphWhereverItStands) {
  const auto out = read(R"({
    "workload_name": "a {tricky \" name", "ngpus": 2,
    "workload_graph": [
      {"Id": 3, "Name": "f", "NodeType": 4, "runtime": 12, "is_cpu_op": true, "data_deps": []},
      {"Id": 5, "Name": "g[", "NodeType": 7, "data_deps": [3], "ctrlDeps": [99], "comm_type": 7, "comm_size": 64},
      {"Id": 6, "NodeType": 5, "data_deps": [3, 5], "comm_dst": 1, "comm_tag": 2, "comm_size": "8"}
    ],
    "soc": {"x": [1, 2]}
  })");
  ASSERT_TRUE(out.graph) << to_string(out.graph.error());
  const graph::Graph& graph = *out.graph;
  ASSERT_EQ(graph.size(), 3u);
  EXPECT_EQ(graph.duration(0), us(12));
  EXPECT_TRUE(graph.is_cpu(0));
  EXPECT_EQ(graph.name(1), "g[");
  EXPECT_EQ(graph.collective(1).type, CollectiveType::reduce_scatter);
  EXPECT_EQ(graph.collective(1).size, Bytes(64));
  EXPECT_EQ(graph.point_to_point(2).size, Bytes(8));
  EXPECT_EQ(graph.in_degrees()[2], 2u);
  EXPECT_EQ(out.findings.count(FindingCode::attr_ignored), 1u);
}

TEST(PrintedMessages, ReadAsTheBinaryWould) {
  const auto text = read(R"({
  "version": "0.0.4"
}
{
  "id": "1",
  "name": "f",
  "type": "COMP_NODE",
  "durationMicros": "7",
  "inputs": {"values": "[]", "shapes": "[]", "types": "[]"},
  "attr": [{"name": "is_cpu_op", "boolVal": true}, {"name": "num_ops", "int64Val": "9"}]
}{
  "id": "2", "name": "g", "type": "COMM_COLL_NODE", "ctrlDeps": ["1"], "dataDeps": ["1"],
  "attr": [{"name": "comm_type", "int64Val": "2"}, {"name": "comm_size", "uint64Val": "18"},
           {"name": "involved_dim", "boolList": {"values": [true, false]}}, {"name": "pg_name", "stringVal": "4"}]
}
)");
  ASSERT_TRUE(text.graph) << to_string(text.graph.error());
  EXPECT_TRUE(text.findings.empty());
  NodeRecord first =
      testing::node(1, 4, {}, {attribute_bool("is_cpu_op", true), attribute_int64("num_ops", 9)});
  first.duration_micros = 7;
  const auto binary = read(testing::trace(
      {first, testing::node(2, 7, {1},
                            {attribute_int64("comm_type", 2), attribute_int64("comm_size", 18),
                             attribute_bools("involved_dim", {true, false}),
                             attribute_string("pg_name", "4")})}));
  EXPECT_EQ(text.graph->content_hash(), binary.graph->content_hash());
}

TEST(PrintedMessages, LookLikeJson) {
  EXPECT_TRUE(looks_like_json("{\n  \"id\""));
  EXPECT_TRUE(looks_like_json("  {}"));
  // A binary trace whose metadata is 123 bytes long begins with '{' and a line feed.
  EXPECT_FALSE(
      looks_like_json("{\n\x05"
                      "0.0.4"));
}

}  // namespace
}  // namespace orrery::trace::chakra
