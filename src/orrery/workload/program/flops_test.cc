// SPDX-License-Identifier: Apache-2.0
//
// FLOPs of whole models against 6·N·tokens plus attention: three times (one forward, two backward
// products) two FLOPs per weight and token (Kaplan et al., arXiv 2001.08361, section 2.1; Chowdhery
// et al., arXiv 2204.02311, appendix B).
#include <gtest/gtest.h>

#include <string>

#include "orrery/workload/program/step_count.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

/// N: weights that a token is multiplied with, the head's among them and the table's not, of
/// experts those that it visits. Worked out by hand from each paper's table of shapes.
struct Published {
  const char* model;
  double weights;
  /// Of a layer: heads × (size of a query + size of a value) / 2.
  double attention_width;
  std::int64_t layers;
};

// Llama: hidden² for queries and for the output, hidden × 1024 for keys and for values, three
// matrices of the MLP. DeepSeek-V3 without its multi-token prediction module: latent attention
// 187,105,280 in each of 61 layers, 9 experts of 44,040,192 (or an MLP as large) in each, a router
// of 1,835,008 in 58.
const Published kPublished[] = {
    {"gpt3-175b", 96.0 * 12 * 12288 * 12288 + 50257.0 * 12288, 12288, 96},
    {"llama-2-70b", 80 * (8192.0 * (2 * 8192 + 2 * 1024) + 3 * 8192.0 * 28672) + 32000.0 * 8192,
     8192, 80},
    {"llama-3.1-8b", 32 * (4096.0 * (2 * 4096 + 2 * 1024) + 3 * 4096.0 * 14336) + 128256.0 * 4096,
     4096, 32},
    {"llama-3.1-70b", 80 * (8192.0 * (2 * 8192 + 2 * 1024) + 3 * 8192.0 * 28672) + 128256.0 * 8192,
     8192, 80},
    {"llama-3.1-405b",
     126 * (16384.0 * (2 * 16384 + 2 * 1024) + 3 * 16384.0 * 53248) + 128256.0 * 16384, 16384, 126},
    {"mixtral-8x7b",
     32 * (4096.0 * (2 * 4096 + 2 * 1024) + 2 * 3 * 4096.0 * 14336 + 8 * 4096.0) + 32000.0 * 4096,
     4096, 32},
    {"deepseek-v3", 61 * (187105280.0 + 9 * 44040192.0) + 58 * 1835008.0 + 129280.0 * 7168,
     128 * (192 + 128) / 2.0, 61}};

Spec spec_of(const Published& published) {
  Spec spec;
  const ModelEntry* const entry = find_model(published.model);
  if (entry == nullptr) {
    ADD_FAILURE() << published.model << " is not in the catalog";
    return spec;
  }
  spec.model = entry->model;
  spec.batch.seq = entry->seq;
  return spec;
}

StepCount count_job(const Spec& spec) {
  Findings findings;
  const Result<Program> program = assemble(spec, findings);
  if (!program) {
    ADD_FAILURE() << to_string(program.error());
    return {};
  }
  const Result<StepCount> count = workload::count(*program);
  return count ? *count : StepCount{};
}

class ModelFlops : public testing::TestWithParam<Published> {};

TEST_P(ModelFlops, AreSixTimesWeightsPlusAttention) {
  const Published& published = GetParam();
  const Spec spec = spec_of(published);
  const StepCount count = count_job(spec);
  const auto tokens = static_cast<double>(count.tokens), seq = static_cast<double>(spec.batch.seq);
  EXPECT_EQ(count.tokens, spec.batch.seq);
  EXPECT_NEAR(static_cast<double>(count.parameters.matmul) / published.weights, 1, 1e-12);
  // Half of all pairs of tokens see each other: S/2 keys per query, each twice (scores, values).
  const double attention =
      6.0 * static_cast<double>(published.layers) * seq * published.attention_width;
  const double expected = tokens * (6 * published.weights + attention);
  EXPECT_NEAR(to_double(count.flops.model()) / expected, 1, 1e-12);
  EXPECT_EQ(to_string(count.flops.backward), to_string(2 * count.flops.forward));
}

INSTANTIATE_TEST_SUITE_P(All, ModelFlops, testing::ValuesIn(kPublished), [](const auto& each) {
  std::string name = each.param.model;
  for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
  return name;
});

// Nothing gets lost or doubled between ranks: the same sum for the same batch on 64 of them.
TEST(ModelFlops, DoNotDependOnThePlan) {
  const auto model_flops = [](const Published& published, auto change) {
    Spec spec = spec_of(published);
    spec.batch.global = 16;
    change(spec.parallel);
    return to_string(count_job(spec).flops.model());
  };
  const auto alone = [](Parallel&) {};
  EXPECT_EQ(model_flops(kPublished[3], alone), model_flops(kPublished[3], [](Parallel& p) {
              p.tp = 4;
              p.sp = true;
              p.pp = 4;
              p.dp = 2;
              p.cp = 2;
            }));
  EXPECT_EQ(model_flops(kPublished[5], alone), model_flops(kPublished[5], [](Parallel& p) {
              p.tp = 2;
              p.sp = true;
              p.pp = 4;
              p.dp = 8;
              p.ep = 8;
              p.etp = 1;
              p.sharding = Sharding::zero1;
            }));
}

}  // namespace
}  // namespace orrery::workload
