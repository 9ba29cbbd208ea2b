// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/expert_exchange.h"

#include <gtest/gtest.h>

namespace orrery::graph {
namespace {

ExpertExchange made(ExpertTransport transport, bool combine) {
  ExpertExchange exchange{256, 7168, 8, 0};
  exchange.set(transport, combine);
  return exchange;
}

TEST(ExpertExchange, GoesThroughText) {
  for (const ExpertTransport transport :
       {ExpertTransport::deepep, ExpertTransport::deepep_low_latency}) {
    for (const bool combine : {false, true}) {
      const ExpertExchange exchange = made(transport, combine);
      EXPECT_TRUE(exchange);
      EXPECT_EQ(parse_expert_exchange(to_text(exchange)), exchange) << to_text(exchange);
    }
  }
  EXPECT_EQ(to_text(made(ExpertTransport::deepep, false)),
            "dispatch deepep experts=256 top_k=8 row=7168");
  EXPECT_EQ(to_text(made(ExpertTransport::deepep_low_latency, true)),
            "combine deepep_low_latency experts=256 top_k=8 row=7168");
  EXPECT_FALSE(ExpertExchange{});
  EXPECT_EQ(ExpertExchange{}.bits(), 0u);
}

TEST(ExpertExchange, DiffersInEachField) {
  const ExpertExchange one = made(ExpertTransport::deepep, false);
  ExpertExchange other = one;
  other.experts = 128;
  EXPECT_NE(one.bits(), other.bits());
  other = one;
  other.token_bytes = 2048;
  EXPECT_NE(one.bits(), other.bits());
  other = one;
  other.top_k = 4;
  EXPECT_NE(one.bits(), other.bits());
  EXPECT_NE(one, made(ExpertTransport::deepep, true));
  EXPECT_NE(one, made(ExpertTransport::deepep_low_latency, false));
}

TEST(ExpertExchange, RefusesWhatItIsNot) {
  for (const char* text :
       {"", "dispatch", "dispatch deepep", "send deepep experts=256 top_k=8 row=7168",
        "dispatch nccl experts=256 top_k=8 row=7168", "dispatch none experts=256 top_k=8 row=7168",
        "dispatch deepep experts=0 top_k=8 row=7168", "dispatch deepep experts=256 top_k=8",
        "dispatch deepep experts=256 top_k=8 row=70000",
        "dispatch deepep experts=256 top_k=-1 row=1", "dispatch deepep experts=256 top_k=300 row=1",
        "dispatch deepep experts=4 top_k=8 row=1",
        "dispatch deepep experts=256 top_k=8 row=7168 more",
        "dispatch  deepep experts=256 top_k=8 row=7168"})
    EXPECT_FALSE(parse_expert_exchange(text)) << text;
}

}  // namespace
}  // namespace orrery::graph
