// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/library/hybridep.h"

#include <gtest/gtest.h>

#include <string>

namespace orrery::model::hybridep {
namespace {

using graph::ExpertExchange;
using graph::ExpertTransport;

constexpr double kTokens = 4096, kHidden = 7168;
constexpr int kTopK = 8;

ExpertExchange exchange_of(std::int64_t ranks, bool combine) {
  ExpertExchange exchange;
  exchange.experts = static_cast<std::uint16_t>(8 * ranks);
  exchange.top_k = kTopK;
  exchange.token_bytes = static_cast<std::uint16_t>(2 * kHidden);
  exchange.set(ExpertTransport::hybridep, combine);
  return exchange;
}

double us_of(const std::string& device, std::int64_t nodes, std::int64_t ranks, bool combine) {
  nccl::Hardware hardware;
  hardware.generation =
      device == "h100-sxm" ? nccl::Generation::hopper : nccl::Generation::blackwell;
  hardware.intra = device == "h100-sxm" ? 450 : 900;
  hardware.inter = 50;
  const ExpertExchange exchange = exchange_of(ranks, combine);
  const auto bytes = static_cast<std::int64_t>(kTokens * kTopK * exchange.token_bytes);
  return exchange_time(exchange, bytes, {ranks, nodes}, hardware, device).us;
}

// deepseek-ai/DeepEP, docs/README_Hybrid-EP.md (41cad944), kernels only, bf16: rows that no
// constant was fitted to (GB/s of all copies, one for each rank or node that a token reaches).
TEST(HybridEp, IsNearItsOwnersFiguresThatAreNotFitted) {
  struct Published {
    const char* device;
    std::int64_t nodes, ranks;
    double dispatch, combine;
  };
  constexpr Published kPublished[] = {{"gb200", 1, 16, 706.95, 666.26},
                                      {"gb200", 1, 32, 642.23, 605.15},
                                      {"b200", 1, 8, 734.95, 673.84},
                                      {"h100-sxm", 4, 32, 57.69, 57.46}};
  for (const Published& run : kPublished)
    for (const bool combine : {false, true}) {
      const auto groups = static_cast<double>(run.nodes > 1 ? run.nodes : run.ranks);
      const double copies = deepep::groups_reached(groups, kTopK, static_cast<int>(8 * run.ranks));
      const double rate =
          copies * kTokens * 2 * kHidden / us_of(run.device, run.nodes, run.ranks, combine) / 1e3;
      EXPECT_NEAR(rate / (combine ? run.combine : run.dispatch), 1, 0.1)
          << run.device << " " << run.ranks << " " << combine;
    }
}

// With the same bytes, islands that the card connects are slower than one domain.
TEST(HybridEp, IsSlowerBetweenDomains) {
  for (const bool combine : {false, true}) {
    EXPECT_GT(us_of("b200", 4, 32, combine), 3 * us_of("b200", 1, 32, combine));
    EXPECT_GT(us_of("b200", 8, 64, combine), us_of("b200", 4, 32, combine));
  }
}

// DeepEP with 20 SMs sends small rows slowly: measured, 2,306 us for 32,768 tokens of 2,048 bytes
// to 8 of 128 experts on 8 B200 (ai-dynamo/aiconfigurator 095f58a5). HybridEP does not.
TEST(HybridEp, SendsSmallRowsFasterThanDeepEp) {
  nccl::Hardware hardware;
  hardware.generation = nccl::Generation::blackwell;
  hardware.intra = 900;
  ExpertExchange exchange;
  exchange.experts = 128;
  exchange.top_k = kTopK;
  exchange.token_bytes = 2048;
  exchange.set(ExpertTransport::hybridep, false);
  const std::int64_t bytes = std::int64_t{32768} * kTopK * 2048;
  const double hybridep = exchange_time(exchange, bytes, {8, 1}, hardware, "b200").us;
  exchange.set(ExpertTransport::deepep, false);
  const double deepep = deepep::exchange_time(exchange, bytes, {8, 1}, hardware, "b200").us;
  EXPECT_NEAR(deepep / 2306, 1, 0.15);
  EXPECT_LT(hybridep, 0.5 * deepep);
}

}  // namespace
}  // namespace orrery::model::hybridep
