// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/layers/attention_core.h"

#include <gtest/gtest.h>

#include "orrery/workload/layers/unfused_softmax.h"
#include "orrery/workload/operators/lowered_model_testing.h"

namespace orrery::workload {
namespace {

/// A core of 4 heads of 8 on 2 heads of keys and values, 3 sequences of 32 tokens.
class CoreTest : public testing::Test {
 protected:
  CoreTest() {
    spec_.batch.micro = 3;
    spec_.batch.seq = 32;
    core_.heads = 4;
    core_.kv_heads = 2;
    core_.key_dim = core_.value_dim = 8;
    core_.queries = core_.keys = 32;
  }

  LoweredPart lower(std::int64_t cp = 1, ContextMethod method = ContextMethod::ring) {
    spec_.parallel.cp = cp;
    spec_.parallel.cp_method = method;
    const Scope scope(spec_, mesh_, Position{}, 32);
    Tape tape(scope, "core", true);
    const Amount q = scope.activation(scope.tokens * core_.heads * 8);
    const Amount kv = scope.activation(scope.tokens * core_.kv_heads * 8);
    const Tensor context = attention_core(tape, scope, core_, tape.input("q", q),
                                          tape.input("k", kv), tape.input("v", kv));
    Result<LoweredPart> part = tape.finish({context});
    EXPECT_TRUE(part.has_value());
    EXPECT_EQ(part->part.boundary, q.value() / core_.key_dim * core_.value_dim);
    expect_whole(part->forward, "forward");
    expect_whole(part->backward, "backward");
    return *part;
  }

  Spec spec_;
  CoreShape core_;

 private:
  Mesh mesh_;
};

constexpr std::int64_t kAllPairs = 3 * 4 * 32 * 32;
constexpr std::int64_t kPerPair = 2 * (8 + 8);

TEST_F(CoreTest, ComputesThePairsThatAreSeen) {
  EXPECT_EQ(products_of(lower()).forward, kAllPairs / 2 * kPerPair);
  core_.window = 32;
  EXPECT_EQ(products_of(lower()).forward, kAllPairs / 2 * kPerPair);
  // Tokens 0 … 31 see min(token + 1/2, 8) tokens: 8²/2 + 24 · 8.
  core_.window = 8;
  EXPECT_EQ(products_of(lower()).forward, 3 * 4 * (32 + 24 * 8) * kPerPair);
  core_.causal = false;
  EXPECT_EQ(products_of(lower()).forward, 3 * 4 * 32 * 8 * kPerPair);
  core_.window = 0;
  EXPECT_EQ(products_of(lower()).forward, kAllPairs * kPerPair);
  // Scores that are stored are all computed.
  core_.causal = true;
  core_.window = 8;
  spec_.kernels.flash_attention = false;
  EXPECT_EQ(products_of(lower()).forward, kAllPairs * kPerPair);
}

// Doubling the sequence makes four times as many pairs: attention is not linear.
TEST_F(CoreTest, GrowsWithTheSquareOfTheSequence) {
  const Mesh mesh;
  std::int64_t flops[2];
  for (const int i : {0, 1}) {
    core_.queries = core_.keys = 32 * (i + 1);
    flops[i] = core_flops({spec_, mesh, Position{}, core_.queries}, core_).value();
  }
  EXPECT_EQ(flops[1], 4 * flops[0]);
}

// Dao et al. (2022), appendix B: five products backward for two forward; Calculon's softmax 5
// and 8.
TEST_F(CoreTest, RepeatsTheScoresInFlashAttention) {
  const LoweredPart part = lower();
  const std::int64_t product = kAllPairs / 2 * 2 * 8;
  ASSERT_EQ(part.backward.size(), 1U);
  EXPECT_EQ(part.backward[0].matmul, 5 * product);
  EXPECT_EQ(part.backward[0].repeated_flops, product);
  EXPECT_EQ(part.forward[0].vector, kAllPairs / 2 * 5);
  EXPECT_EQ(part.backward[0].vector, kAllPairs / 2 * 8);
}

TEST_F(CoreTest, KeysAndValuesMayDifferInSize) {
  core_.value_dim = 4;
  const LoweredPart part = lower();
  const std::int64_t pairs = kAllPairs / 2;
  EXPECT_EQ(part.forward[0].matmul, pairs * 2 * (8 + 4));
  EXPECT_EQ(part.backward[0].matmul, pairs * 2 * (3 * 8 + 2 * 4));
  EXPECT_EQ(part.backward[0].repeated_flops, pairs * 2 * 8);
}

// cp - 1 hops of keys and values forward; backward as many, and as many of their gradients.
TEST_F(CoreTest, GoesRoundTheRing) {
  const std::int64_t hop = 2 * 2 * 3 * 32 / 4 * 2 * 8;  // k and v, bf16, 24 tokens, 2 heads of 8
  const LoweredPart part = lower(4);
  auto forward = traffic_of(part.forward), backward = traffic_of(part.backward);
  for (const char* way : {"send cp", "recv cp"}) {
    EXPECT_EQ(forward[way], (Traffic{3, 3 * hop})) << way;
    EXPECT_EQ(backward[way], (Traffic{6, 6 * hop})) << way;
  }
  // Four equal blocks, which together are a quarter of the work.
  std::int64_t blocks = 0;
  for (const Op& op : part.forward) {
    if (op.op_class != OpClass::attention) continue;
    ++blocks;
    EXPECT_EQ(op.matmul, kAllPairs / 2 * kPerPair / 16);
  }
  EXPECT_EQ(blocks, 4);
}

// A block is computed while the next one's keys and values travel.
TEST_F(CoreTest, OverlapsTheRing) {
  const LoweredPart part = lower(3);
  std::vector<std::string> names;
  for (const Op& op : part.forward) names.emplace_back(op.name);
  EXPECT_EQ(names, (std::vector<std::string>{"attention.kv.send", "attention.kv.recv", "attention",
                                             "attention.kv.send", "attention", "attention.kv.recv",
                                             "attention"}));
  EXPECT_FALSE(waits_for(part.forward[2], stream::cp));  // its own block
  EXPECT_TRUE(waits_for(part.forward[3], stream::cp));   // passed on as soon as it is there
  EXPECT_FALSE(waits_for(part.forward[3], stream::compute));
  EXPECT_TRUE(waits_for(part.forward[4], stream::cp));
  EXPECT_FALSE(waits_for(part.forward[5], stream::compute));
}

// Everybody sends one way: the next rank forward, the one before backward.
TEST_F(CoreTest, SendsToOneNeighbor) {
  const LoweredPart part = lower(4);
  for (const auto* ops : {&part.forward, &part.backward}) {
    const std::int32_t way = ops == &part.forward ? 1 : -1;
    for (const Op& op : *ops) {
      if (op.kind == graph::NodeKind::send) {
        EXPECT_EQ(op.peer_offset, way);
      }
      if (op.kind == graph::NodeKind::recv) {
        EXPECT_EQ(op.peer_offset, -way);
      }
    }
  }
}

// n-th send and n-th receive are of one kind, so that messages find each other in order.
TEST_F(CoreTest, ReceivesInTheOrderOfSending) {
  for (const bool overlap : {true, false}) {
    spec_.schedule.overlap = overlap;
    const LoweredPart part = lower(5);
    std::string sent, received;
    for (const Op& op : part.backward) {
      const char kind = std::string_view(op.name).find("dkv") != std::string_view::npos ? 'd' : 'k';
      if (op.kind == graph::NodeKind::send) sent += kind;
      if (op.kind == graph::NodeKind::recv) received += kind;
    }
    EXPECT_EQ(sent, "kkdkdkdd");
    EXPECT_EQ(received, sent);
  }
}

TEST_F(CoreTest, GathersKeysAndValues) {
  const std::int64_t shard = 2 * 2 * 3 * 32 / 4 * 2 * 8;
  const LoweredPart part = lower(4, ContextMethod::all_gather);
  EXPECT_EQ(traffic_of(part.forward)["all_gather cp"], (Traffic{1, shard}));
  EXPECT_EQ(traffic_of(part.backward)["reduce_scatter cp"], (Traffic{1, 4 * shard}));
  EXPECT_EQ(products_of(part).forward, kAllPairs / 2 * kPerPair / 4);
}

TEST_F(CoreTest, ExchangesHeadsForTokens) {
  const std::int64_t q = 2 * 3 * 32 / 2 * 4 * 8, kv = q / 2;
  const LoweredPart part = lower(2, ContextMethod::ulysses);
  for (const auto* ops : {&part.forward, &part.backward})
    EXPECT_EQ(traffic_of(*ops)["all_to_all cp"], (Traffic{4, 2 * q + 2 * kv}));
  EXPECT_EQ(products_of(part).forward, kAllPairs / 2 * kPerPair / 2);
}

TEST_F(CoreTest, DividesAllWorkAmongRanks) {
  for (const bool flash : {true, false}) {
    spec_.kernels.flash_attention = flash;
    const Products whole = products_of(lower());
    for (const ContextMethod method :
         {ContextMethod::ring, ContextMethod::all_gather, ContextMethod::ulysses}) {
      for (const std::int64_t cp : {2, 4}) {
        const Products part = products_of(lower(cp, method));
        EXPECT_EQ(part.forward * cp, whole.forward);
        EXPECT_EQ(part.backward * cp, whole.backward);
        EXPECT_EQ(part.again * cp, whole.again);
      }
    }
  }
}

// Queries, keys and values travel in one byte, their gradients in two; the products stay.
TEST_F(CoreTest, AttendsInFp8) {
  const std::int64_t q = 3 * 32 * 4 * 8, kv = q / 2;
  const Products wide = products_of(lower());
  spec_.precision.attention = Dtype::fp8;
  for (const Scaling scaling : {Scaling::tensor, Scaling::mx}) {
    spec_.precision.scaling = scaling;
    const LoweredPart part = lower();
    EXPECT_EQ(products_of(part).forward, wide.forward);
    EXPECT_EQ(products_of(part).backward, wide.backward);
    std::int64_t forward = 0, backward = 0, saved = 0;
    for (const Op& op : part.forward)
      if (op.kernel.operation == graph::Operation::cast) forward += op.bytes;
    for (const Op& op : part.backward)
      if (op.kernel.operation == graph::Operation::cast) backward += op.bytes;
    for (const auto& item : part.part.retained)
      if (std::string_view(item.name) != "attention.context") saved += item.bytes;
    // Scales of tensors need a second pass over them; scales of blocks a second, transposed copy.
    const std::int64_t each = scaling == Scaling::mx ? 2 + 2 : 4 + 1;
    EXPECT_EQ(forward, each * (q + 2 * kv));
    EXPECT_EQ(backward, each * q);
    const std::int64_t statistics = 4 * q / 8;
    EXPECT_EQ(saved, (scaling == Scaling::mx ? 2 : 1) * (q + 2 * kv) + statistics);
    for (const Op& op : part.forward) {
      if (op.op_class != OpClass::attention) continue;
      EXPECT_EQ(op.kernel.a, graph::Format::fp8);
      EXPECT_EQ(op.kernel.out, graph::Format::bf16);
      EXPECT_EQ(op.bytes, q + 2 * kv + 2 * q + statistics);
    }
  }
}

TEST_F(CoreTest, SendsFp8AndGradientsOfActivations) {
  spec_.precision.attention = Dtype::fp8;
  const std::int64_t q = 3 * 32 * 4 * 8, kv = q / 2, shard = 2 * kv / 4;
  LoweredPart part = lower(4);
  EXPECT_EQ(traffic_of(part.forward)["send cp"], (Traffic{3, 3 * shard}));
  EXPECT_EQ(traffic_of(part.backward)["send cp"], (Traffic{6, 3 * shard + 3 * 2 * shard}));
  EXPECT_EQ(traffic_of(part.backward)["recv cp"], (Traffic{6, 3 * shard + 3 * 2 * shard}));
  part = lower(4, ContextMethod::all_gather);
  EXPECT_EQ(traffic_of(part.forward)["all_gather cp"], (Traffic{1, shard}));
  EXPECT_EQ(traffic_of(part.backward)["reduce_scatter cp"], (Traffic{1, 2 * 4 * shard}));
  part = lower(4, ContextMethod::ulysses);
  EXPECT_EQ(traffic_of(part.forward)["all_to_all cp"], (Traffic{4, (q + 2 * kv + 2 * q) / 4}));
  EXPECT_EQ(traffic_of(part.backward)["all_to_all cp"],
            (Traffic{4, (2 * (q + 2 * kv) + 2 * q) / 4}));
}

/// What happens to scores, by name, with its bytes.
std::vector<std::pair<std::string, std::int64_t>> softmax_of(const std::vector<Op>& ops) {
  std::vector<std::pair<std::string, std::int64_t>> out;
  for (const Op& op : ops)
    if (std::string_view(op.name).starts_with("attention.softmax"))
      out.emplace_back(op.name, op.bytes);
  return out;
}

// Each operator reads and writes scores of 4 bytes, casts 2 of 4 and 2.
TEST_F(CoreTest, MegatronOf2021NormalizesScoresInPiecesWhereItsKernelDoesNotFit) {
  spec_.kernels.flash_attention = false;
  spec_.kernels.framework = Framework::megatron_2021;
  EXPECT_EQ(softmax_of(lower().forward).size(), 1U);  // 3 sequences of 4 heads: 12
  core_.heads = core_.kv_heads = 3;                   // 9
  constexpr std::int64_t n = 3 * 3 * 32 * 32;
  using Pieces = std::vector<std::pair<std::string, std::int64_t>>;
  const LoweredPart part = lower();
  EXPECT_EQ(softmax_of(part.forward), (Pieces{{"attention.softmax.widen", 6 * n},
                                              {"attention.softmax.scale", 8 * n},
                                              {"attention.softmax.mask", 8 * n},
                                              {"attention.softmax", 8 * n},
                                              {"attention.softmax.narrow", 6 * n}}));
  EXPECT_EQ(softmax_of(part.backward), (Pieces{{"attention.softmax.narrow.dgrad", 6 * n},
                                               {"attention.softmax.dgrad", 12 * n},
                                               {"attention.softmax.mask.dgrad", 8 * n},
                                               {"attention.softmax.scale.dgrad", 8 * n},
                                               {"attention.softmax.widen.dgrad", 6 * n}}));
  for (const Op& op : part.forward) {
    if (std::string_view(op.name) == "attention.softmax") {
      EXPECT_EQ(op.kernel.a, graph::Format::fp32);
    }
  }
  spec_.kernels.framework = Framework::pytorch;
  EXPECT_EQ(softmax_of(lower().forward).size(), 1U);
}

TEST_F(CoreTest, MegatronsSoftmaxIsForRowsUpTo2048AndQueriesInFours) {
  spec_.kernels.flash_attention = false;
  spec_.kernels.framework = Framework::megatron_2021;
  const auto pieces = [&](std::int64_t queries, std::int64_t keys, std::int64_t heads = 4) {
    CoreShape core = core_;
    core.queries = queries;
    core.keys = keys;
    core.heads = heads;
    const Mesh mesh;
    return is_softmax_unfused(Scope(spec_, mesh, Position{}, queries), core);
  };
  EXPECT_FALSE(pieces(2048, 2048));
  EXPECT_TRUE(pieces(2048, 2049));
  EXPECT_FALSE(pieces(32, 17));
  EXPECT_TRUE(pieces(32, 16));
  EXPECT_TRUE(pieces(30, 32));
  EXPECT_TRUE(pieces(32, 32, 6));  // of three sequences each
  spec_.batch.micro = 2;
  EXPECT_FALSE(pieces(32, 32, 6));
  spec_.precision.activations = Dtype::fp32;
  EXPECT_TRUE(pieces(32, 32, 6));
  spec_.kernels.flash_attention = true;
  EXPECT_FALSE(pieces(32, 32, 6));
}

// Korthikanti et al., equation 1, has two bytes of a score before dropout's mask; here they are
// fp32.
TEST_F(CoreTest, PiecesOfSoftmaxKeepFp32) {
  spec_.kernels.flash_attention = false;
  spec_.kernels.framework = Framework::megatron_2021;
  const auto retained = [&](bool dropout, std::int64_t heads) {
    spec_.model.dropout = dropout;
    core_.heads = core_.kv_heads = heads;
    std::int64_t bytes = 0;
    for (const auto& item : lower().part.retained)
      if (std::string_view(item.name).starts_with("attention.")) bytes += item.bytes;
    return bytes / (3 * heads * 32 * 32);  // of a score
  };
  EXPECT_EQ(retained(true, 4), 2 + 1 + 2);
  EXPECT_EQ(retained(true, 3), 4 + 1 + 2);
  EXPECT_EQ(retained(false, 4), 2);
  EXPECT_EQ(retained(false, 3), 4 + 2);
}

}  // namespace
}  // namespace orrery::workload
