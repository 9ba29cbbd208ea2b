// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/exporters/write_megatron.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "orrery/config/parameters.h"
#include "orrery/job_formats/importers/importer.h"
#include "orrery/workload/spec/data_parallel_policy.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Spec spec_from(const std::string& text) {
  auto spec = parse_spec(text, "job.yaml");
  EXPECT_TRUE(spec) << to_string(spec.error());
  return spec ? *std::move(spec) : Spec{};
}

/// What our own reader of Megatron's arguments makes of them, launched on as many devices.
Spec read_again(const Spec& spec) {
  Spec read;
  Findings findings;
  std::string text = to_megatron(spec).text();
  text.pop_back();
  text += " \\\n--world-size " + std::to_string(spec.parallel.world()) + "\n";
  const auto done = import_into(read, text, "arguments", findings);
  EXPECT_TRUE(done) << to_string(done.error()) << "\n" << text;
  return read;
}

/// Parts of a specification that arguments have.
template <class Part>
std::string part_text(const Part& part) {
  return config::write_value(part).dump(1);
}

TEST(ToMegatron, EveryDecoderOfTheCatalogComesBackOrSaysWhatIsMissing) {
  int whole = 0;
  for (const ModelEntry& entry : models()) {
    Spec spec;
    spec.model = entry.model;
    if (spec.model.kind != ModelKind::decoder) {
      EXPECT_THAT(to_megatron(spec).unsupported, Not(IsEmpty())) << entry.name;
      continue;
    }
    const MegatronJob job = to_megatron(spec);
    const ParameterCount wanted = count_parameters(spec.model);
    const ParameterCount got = count_parameters(read_again(spec).model);
    if (got.total == wanted.total && got.active == wanted.active)
      ++whole;
    else
      EXPECT_THAT(job.unsupported, Not(IsEmpty())) << entry.name << "\n" << job.text();
  }
  EXPECT_GT(whole, 60);
}

TEST(ToMegatron, PlansComeBack) {
  const std::string model = "model: {layers: 24, hidden: 1024, heads: 16, vocab: 51200}\n";
  for (const std::string& plan : {
           std::string("parallel: {tp: 4, sp: true, pp: 2, dp: 4, sharding: zero1}\n"
                       "batch: {global: 64, micro: 2, seq: 4096}\n"),
           std::string("parallel: {tp: 2, cp: 2, cp_method: ulysses, pp: 4, dp: 2}\n"
                       "schedule: {kind: interleaved, chunks: 3}\nrecompute: {kind: full}\n"
                       "batch: {global: 32, micro: 1, seq: 2048}\n"),
           std::string("parallel: {dp: 16, sharding: zero3}\nrecompute: {kind: selective}\n"
                       "batch: {global: 32, micro: 1, seq: 2048}\nprecision: {weights: fp16, "
                       "activations: fp16, gradients: fp16, reduce: fp16}\n"),
           std::string("parallel: {pp: 4, dp: 2, cp: 2, cp_method: all_gather, sharding: zero2}\n"
                       "schedule: {stage_layers: [5, 7, 7, 5]}\n"
                       "batch: {global: 32, micro: 4, seq: 512}\noptimizer: {kind: muon}\n"
                       "recompute: {kind: ops, ops: [activation, mlp_down, mlp_up, norm]}\n"),
           std::string("parallel: {pp: 2, dp: 2}\noptimizer: {kind: sgd_momentum, gradient_norm: "
                       "false}\nbatch: {global: 32, micro: 4, seq: 512}\nprecision: {gradients: "
                       "bf16, reduce: bf16}\nkernels: {flash_attention: false}\n"),
           std::string("parallel: {tp: 2, pp: 2, dp: 2}\nschedule: {scatter_sends: false}\n"
                       "batch: {global: 32, micro: 4, seq: 512}\n"),
       }) {
    const Spec spec = spec_from(model + plan);
    EXPECT_THAT(to_megatron(spec).unsupported, IsEmpty()) << plan;
    Spec read = read_again(spec);
    EXPECT_EQ(part_text(read.batch), part_text(spec.batch)) << plan;
    EXPECT_EQ(part_text(read.schedule), part_text(spec.schedule)) << plan;
    EXPECT_EQ(part_text(read.recompute), part_text(spec.recompute)) << plan;
    EXPECT_EQ(part_text(read.optimizer), part_text(spec.optimizer)) << plan;
    EXPECT_EQ(part_text(read.precision), part_text(spec.precision)) << plan;
    EXPECT_EQ(read.kernels.flash_attention, spec.kernels.flash_attention) << plan;
    const DataParallelPolicy wanted = data_parallel_policy(spec), got = data_parallel_policy(read);
    EXPECT_EQ(got.overlap_gradients, wanted.overlap_gradients) << plan;
    EXPECT_EQ(got.overlap_weights,
              wanted.overlap_weights && spec.parallel.sharding != Sharding::none)
        << plan;
    // What frameworks decide is written out.
    read.parallel.tp_overlap = spec.parallel.tp_overlap;
    read.parallel.bucket = spec.parallel.bucket;
    read.parallel.overlap_gradients = read.parallel.overlap_weights = std::nullopt;
    EXPECT_EQ(part_text(read.parallel), part_text(spec.parallel)) << plan;
  }
}

TEST(ToMegatron, Experts) {
  const Spec spec = spec_from(R"(model:
  {layers: 61, hidden: 7168, heads: 128, vocab: 129280, mlp: swiglu, norm: rmsnorm, positions: rope,
   qkv_bias: false, out_bias: false, mlp_bias: false, tied_embeddings: false, ffn: 18432,
   moe: {experts: 256, top_k: 8, ffn: 2048, shared_experts: 1, router_bias: true, first_dense: 3},
   mla: {q_rank: 1536}}
parallel: {tp: 2, ep: 8, etp: 1, pp: 1, dp: 16, dispatcher: deepep}
batch: {micro: 1, seq: 4096}
)");
  const MegatronJob job = to_megatron(spec);
  EXPECT_THAT(job.unsupported, IsEmpty());
  const auto layers = std::find_if(job.arguments.begin(), job.arguments.end(),
                                   [](const auto& one) { return one.name == "--moe-layer-freq"; });
  ASSERT_NE(layers, job.arguments.end());
  EXPECT_THAT(layers->values, ElementsAre("([0]*3+[1]*58)"));
  EXPECT_THAT(job.text(), HasSubstr("--moe-layer-freq '([0]*3+[1]*58)' \\\n"));
  const Spec read = read_again(spec);
  EXPECT_EQ(count_parameters(read.model).total, count_parameters(spec.model).total);
  EXPECT_EQ(read.parallel.ep, 8);
  EXPECT_EQ(read.parallel.etp, 1);
  EXPECT_EQ(read.parallel.dispatcher, Dispatcher::deepep);
  Spec hybrid = spec;
  hybrid.parallel.dispatcher = Dispatcher::hybridep;
  EXPECT_EQ(read_again(hybrid).parallel.dispatcher, Dispatcher::hybridep);
  EXPECT_EQ(read.global_batch(), 16);
}

TEST(ToMegatron, SaysWhatHasNoArgument) {
  const Spec spec = spec_from(R"(model: {layers: 22, hidden: 1024, heads: 16, positions: alibi}
parallel: {pp: 4, dp: 2, order: dp-tp-cp-ep-pp}
schedule: {kind: zb_h1}
recompute: {kind: ops, ops: [qkv]}
offload: {optimizer: true}
lora: {rank: 8}
batch: {micro: 1, seq: 1024}
)");
  EXPECT_THAT(
      to_megatron(spec).unsupported,
      ElementsAre("ALiBi positions", "parallel.order dp-tp-cp-ep-pp", "schedule.kind zb_h1",
                  "recompute.ops qkv",
                  "offload.optimizer: in Megatron, the host updates offloaded weights", "lora"));
  const Spec picture = spec_from("model: vit-l-16\nbatch: {micro: 8}\n");
  EXPECT_THAT(to_megatron(picture).unsupported, ElementsAre(HasSubstr("model.kind vit")));
  EXPECT_THAT(to_megatron(picture).text(), Not(HasSubstr("--num-layers")));
}

}  // namespace
}  // namespace orrery::workload
