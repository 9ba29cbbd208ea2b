// SPDX-License-Identifier: Apache-2.0
#include "orrery/present/traces/convert_link_answer.h"

#include <gmock/gmock.h>

namespace orrery::present {
namespace {

std::string converted_text(std::uint64_t nodes, std::uint64_t edges, std::uint32_t ranks) {
  intake::ConvertedFile converted;
  converted.to = "w.0.et";
  converted.nodes = nodes;
  converted.edges = edges;
  converted.ranks = ranks;
  converted.per_rank = false;
  return report::answer_text(
      [&](report::Answer& answer) { state_converted_file(answer, converted); }, {});
}

TEST(ConvertAnswer, CountsNodesAndEdges) {
  EXPECT_EQ(converted_text(1, 0, 1), "written        w.0.et: 1 node, 0 edges\n");
  EXPECT_EQ(converted_text(1200, 1, 2), "written        w.0.et: 1,200 nodes, 1 edge of 2 ranks\n");
}

}  // namespace
}  // namespace orrery::present
