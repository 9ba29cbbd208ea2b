// SPDX-License-Identifier: Apache-2.0
//
// What is written is read again.
#include <gtest/gtest.h>

#include <string>

#include "orrery/trace/chakra/chakra_testing.h"
#include "orrery/trace/chakra/records/writer.h"

namespace orrery::trace::chakra {
namespace {

using testing::node;
using testing::trace;

TEST(Writer, AGraphComesBackEqual) {
  NodeRecord comp =
      node(1, 4, {},
           {attribute_bool("is_cpu_op", true), attribute_int64("num_ops", 5),
            attribute_strings("inputs", {}), attribute_strings("outputs", {"a", "4"})});
  comp.duration_micros = 12;
  AttributeRecord lags = attribute("dep_lags_ps", Member::int64_list, 0);
  lags.list = {0, 3'000'000};
  const auto first = testing::read(trace(
      {comp,
       node(4, 7, {1},
            {attribute_int64("comm_type", 7), attribute_uint64("comm_size", 99),
             attribute_string("pg_name", "x"), attribute_bools("involved_dim", {true, false})}),
       node(9, 6, {1, 4}, {attribute_int32("comm_src", 1), attribute_int32("comm_tag", -1)}),
       node(10, 4, {4, 9},
            {attribute_int64("stream", 7), attribute_int64("device", 1),
             attribute_int64("stream_row", 2), attribute_strings("dep_kinds", {"stream", "sync?"}),
             lags, attribute_int32("in_step", 3), attribute_int32("in_layer", 11),
             attribute_string("in_phase", "forward")})}));
  ASSERT_TRUE(first.graph);
  EXPECT_TRUE(first.graph->has_lags());
  EXPECT_TRUE(first.graph->has_edge_kinds());
  EXPECT_EQ(first.graph->lanes().size(), 1u);
  EXPECT_EQ(first.graph->scope(3),
            (StepScope{.step = 3, .layer = 11, .phase = StepPhase::forward}));
  EXPECT_FALSE(first.graph->scope(0).is_set());
  Findings findings;
  std::string bytes;
  const TraceRecords records = records_of(*first.graph, findings);
  append_framed(bytes, *records.metadata);
  for (const NodeRecord& record : records.nodes) append_framed(bytes, record);
  const auto second = testing::read(bytes);
  ASSERT_TRUE(second.graph) << to_string(second.graph.error());
  EXPECT_EQ(first.graph->content_hash(), second.graph->content_hash());
  EXPECT_TRUE(findings.empty());
}

}  // namespace
}  // namespace orrery::trace::chakra
