// SPDX-License-Identifier: Apache-2.0
//
// Megatron's and NeMo's files as people write them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/core/limits.h"
#include "orrery/job_formats/importers/importer.h"

namespace orrery::workload {
namespace {

struct ImportedArguments {
  Spec spec;
  Findings findings;
};

ImportedArguments import_arguments(std::string_view text) {
  ImportedArguments result;
  const auto done = import_into(result.spec, text, "file", result.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  return result;
}

// NVIDIA/Megatron-LM, examples/gpt3: the 175B script's arguments, its way of writing them
TEST(Megatron, ScriptWithLists) {
  const ImportedArguments job = import_arguments(R"(#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=128
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE 
    --nnodes $NUM_NODES 
    --master_addr $MASTER_ADDR 
)
GPT_MODEL_ARGS=(
    --num-layers 96 
    --hidden-size 12288 
    --num-attention-heads 96 
    --seq-length 2048 
    --max-position-embeddings 2048 
    --attention-backend auto # Can use (flash/fused/unfused/local)
)
TRAINING_ARGS=(
    --micro-batch-size 1 
    --global-batch-size 1536 
    --train-iters 500000 
    --fp16
    --init-method-std 0.006 
    --clip-grad 1.0 
    --lr 6.0e-5 
)
MODEL_PARALLEL_ARGS=(
	--tensor-model-parallel-size 8 
	--pipeline-model-parallel-size 16 
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py ${GPT_MODEL_ARGS[@]}
)");
  EXPECT_EQ(job.spec.model.layers, 96);
  EXPECT_EQ(job.spec.model.vocab, 51200);
  EXPECT_EQ(job.spec.parallel.tp, 8);
  EXPECT_EQ(job.spec.parallel.dp, 8);
  EXPECT_EQ(job.spec.microbatches(), 192);
  EXPECT_EQ(job.spec.precision.weights, Dtype::fp16);
  EXPECT_TRUE(job.spec.model.dropout);
  // --master-addr is not known, the vocabulary is assumed.
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 1u);
  EXPECT_EQ(job.findings.count(FindingCode::default_assumed), 1u);
}

// zyzshishui/slime, scripts/models/qwen3-235B-A22B.sh: Qwen3-235B-A22B, 235,093,634,560 weights as
// huggingface.co prints them
TEST(Megatron, Qwen3Experts) {
  const ImportedArguments job = import_arguments(R"(NLAYERS=94
MODEL_ARGS=(
   --disable-bias-linear
   --qk-layernorm
   --group-query-attention
   --num-attention-heads 64
   --num-query-groups 4
   --kv-channels 128
   --num-layers 94
   --hidden-size 4096
   --ffn-hidden-size 12288
   --normalization RMSNorm
   --position-embedding-type rope
   --norm-epsilon 1e-6
   --rotary-percent 1.0
   --swiglu
   --untie-embeddings-and-output-weights
   --vocab-size 151936
   --rotary-base 1000000
   --moe-ffn-hidden-size 1536
   --moe-router-score-function softmax
   --moe-token-dispatcher-type alltoall
   --moe-router-topk 8
   --moe-layer-freq $MOE_LAYER_FREQ
   --num-experts 128
   --moe-grouped-gemm
)
)");
  EXPECT_EQ(count_parameters(job.spec.model).total, 235'093'634'560);
  EXPECT_EQ(job.spec.model.moe->top_k, 8);
}

TEST(Megatron, InterleavingAndLayerFrequency) {
  const ImportedArguments job = import_arguments(
      "--num-layers 61 --hidden-size 7168 --num-attention-heads 128 --num-experts 256 "
      "--moe-layer-freq ([0]*3+[1]*58) --pipeline-model-parallel-size 1 --world-size 8 "
      "--virtual-pipeline-model-parallel-size 2 --bf16 --use-distributed-optimizer");
  EXPECT_EQ(job.spec.model.moe->first_dense, 3);
  EXPECT_EQ(job.spec.schedule.kind, ScheduleKind::interleaved);
  EXPECT_EQ(job.spec.parallel.dp, 8);
  EXPECT_EQ(job.spec.parallel.sharding, Sharding::zero1);
}

TEST(Megatron, FlexDispatchersHaveABackend) {
  const auto dispatcher = [](const std::string& more) {
    return import_arguments(
               "--num-layers 2 --hidden-size 64 --num-attention-heads 4 "
               "--num-experts 8 " +
               more)
        .spec.parallel.dispatcher;
  };
  EXPECT_EQ(dispatcher(""), std::nullopt) << "open: the default of the release and the device";
  EXPECT_EQ(dispatcher("--moe-token-dispatcher-type alltoall"), Dispatcher::all_to_all);
  EXPECT_EQ(dispatcher("--moe-token-dispatcher-type flex"), Dispatcher::deepep);
  EXPECT_EQ(dispatcher("--moe-enable-deepep"), Dispatcher::deepep);
  EXPECT_EQ(dispatcher("--moe-token-dispatcher-type flex --moe-flex-dispatcher-backend hybridep"),
            Dispatcher::hybridep);
}

TEST(Megatron, LayersThatCannotBeCutAreRefused) {
  Spec spec;
  Findings findings;
  const auto done = import_into(
      spec,
      "--num-layers 10 --hidden-size 64 --num-attention-heads 4 --pipeline-model-parallel-size 2 "
      "--num-layers-per-virtual-pipeline-stage 3",
      "args", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::config_conflict);
}

// 2^40 nodes of 2^40 devices, 2^40 stages of 2^24 layers: no product of them is a number.
TEST(Megatron, NumbersBeyondAllRangesAreRefusedWhereTheyStand) {
  for (const char* const text :
       {"--num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--pipeline-model-parallel-size 1099511627776 --nnodes 1099511627776 "
        "--tensor-model-parallel-size 1099511627776 --nproc_per_node 1099511627776",
        "--num-layers 8 --hidden-size 64 --num-attention-heads 4 "
        "--pipeline-model-parallel-size 1099511627776 --num-layers-per-virtual-pipeline-stage "
        "16777216"}) {
    Spec spec;
    Findings findings;
    const auto done = import_into(spec, text, "args", findings);
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error().where.rfind("args:/", 0), 0u) << done.error().where;
  }
}

TEST(Megatron, VariablesThatGrowWithoutEndStayAsTheyAre) {
  const ImportedArguments job = import_arguments(
      "A=${B}${B}\nB=${A}${A}\nC=$C$C\n--num-layers 2 --hidden-size 8 --num-attention-heads 4 "
      "--ffn-hidden-size ${A} --seq-length $C");
  EXPECT_EQ(job.spec.batch.seq, Batch{}.seq);
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 2u);
}

TEST(Megatron, WordsHaveALimit) {
  std::string text = "--num-layers";
  for (std::uint64_t i = 0; i < limits::kConfigNodes; ++i) text += " 1";
  Spec spec;
  Findings findings;
  const auto done = import_into(spec, text, "args", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::limit_exceeded);
}

// NVIDIA/NeMo, examples/nlp/language_modeling/conf/megatron_llama_config.yaml, the keys that count
TEST(NeMo, Llama) {
  const ImportedArguments job = import_arguments(R"(
name: megatron_llama
trainer:
  devices: 8
  num_nodes: 2
  precision: bf16
model:
  mcore_gpt: False
  micro_batch_size: 4
  global_batch_size: 16
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 1
  virtual_pipeline_model_parallel_size: null
  encoder_seq_length: 4096
  max_position_embeddings: ${.encoder_seq_length}
  num_layers: 32
  hidden_size: 4096
  ffn_hidden_size: 11008
  num_attention_heads: 32
  hidden_dropout: 0.0
  attention_dropout: 0.0
  normalization: rmsnorm
  bias: False
  activation: 'fast-swiglu'
  share_embeddings_and_output_weights: False
  position_embedding_type: rope
  num_query_groups: null
  sequence_parallel: True
  activations_checkpoint_granularity: selective
  optim:
    name: distributed_fused_adam
    lr: 2e-4
)");
  EXPECT_EQ(job.spec.parallel.world(), 16);
  EXPECT_TRUE(job.spec.parallel.sp);
  EXPECT_EQ(job.spec.parallel.sharding, Sharding::zero1);
  EXPECT_EQ(job.spec.recompute.kind, RecomputeKind::selective);
  EXPECT_EQ(job.spec.model.mlp, Mlp::swiglu);
  EXPECT_FALSE(job.spec.model.dropout);
  EXPECT_EQ(job.spec.batch.seq, 4096);
  // The vocabulary is that of Llama 2 7B, the only model of these sizes.
  EXPECT_EQ(count_parameters(job.spec.model).total, 6'738'415'616);
}

/// The shape that these tests do not care about.
std::string small_megatron(const std::string& more) {
  return "--num-layers 4 --hidden-size 64 --num-attention-heads 4 --vocab-size 256 "
         "--micro-batch-size 1 --bf16 " +
         more;
}

TEST(Megatron, TypesOfFp8Training) {
  const auto precision = [](const std::string& more) {
    return import_arguments(small_megatron(more)).spec.precision;
  };
  EXPECT_EQ(precision("").products, std::nullopt);
  EXPECT_EQ(precision("--fp8-format hybrid").scaling, Scaling::delayed);
  EXPECT_EQ(precision("--fp8-format e4m3 --fp8-recipe mxfp8").scaling, Scaling::mx);
  EXPECT_EQ(precision("--fp8-format hybrid --fp8-recipe tensorwise").scaling, Scaling::tensor);
  EXPECT_EQ(precision("--fp8-format hybrid --fp8-recipe blockwise").scaling, Scaling::blockwise);
  EXPECT_EQ(precision("--fp8-format hybrid").weights, Dtype::bf16);
  EXPECT_EQ(precision("--fp8-format hybrid --fp8-param-gather").weights, Dtype::fp8);
  EXPECT_EQ(precision("--fp8-format e4m3 --fp8-recipe mxfp8 --fp8-param-gather").weights,
            Dtype::bf16);
  EXPECT_EQ(precision("--fp4-format e2m1").products, Dtype::fp4);
  const ImportedArguments custom =
      import_arguments(small_megatron("--fp8-format hybrid --fp8-recipe custom"));
  EXPECT_EQ(custom.findings.count(FindingCode::key_without_effect), 1u);
}

TEST(Megatron, OffloadedLayers) {
  const ImportedArguments job = import_arguments(small_megatron("--cpu-offloading-num-layers 3"));
  EXPECT_EQ(job.spec.offload.activations, 3);
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 0u);
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 0u);
  const ImportedArguments fine = import_arguments(
      small_megatron("--fine-grained-activation-offloading --offload-modules core_attn"));
  EXPECT_EQ(fine.findings.count(FindingCode::key_without_effect), 1u);
}

TEST(Megatron, MultiTokenPrediction) {
  const ImportedArguments job =
      import_arguments(small_megatron("--mtp-num-layers 2 --mtp-loss-scaling-factor 0.1"));
  EXPECT_EQ(job.spec.model.mtp_layers, 2);
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 0u);
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 0u);
}

TEST(Megatron, HybridModels) {
  const ImportedArguments job = import_arguments(
      "--hybrid-layer-pattern M-M* --hidden-size 64 --num-attention-heads 4 --vocab-size 256 "
      "--micro-batch-size 1 --bf16 --mamba-num-heads 8 --mamba-head-dim 16 --mamba-num-groups 4 "
      "--mamba-state-dim 32 --position-embedding-type none");
  EXPECT_EQ(job.spec.model.layers, 4);
  EXPECT_EQ(job.spec.model.pattern, "M-M*");
  EXPECT_EQ(job.spec.model.mamba->heads, 8);
  EXPECT_EQ(job.spec.model.mamba->state, 32);
  EXPECT_TRUE(check_spec(job.spec));
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 0u);
  const ImportedArguments older =
      import_arguments(small_megatron("--hybrid-override-pattern M-*E"));
  EXPECT_EQ(older.spec.model.pattern, "M-*E");
  Spec spec;
  Findings findings;
  for (const char* const more :
       {"--hybrid-layer-pattern M-|M*", "--hybrid-layer-pattern MM**/M*"}) {
    const auto done = import_into(spec, small_megatron(more), "file", findings);
    ASSERT_FALSE(done.has_value()) << more;
    EXPECT_EQ(done.error().code, Errc::input_unsupported) << more;
  }
}

TEST(Megatron, HybridModelsByShares) {
  const auto pattern = [](const std::string& more) {
    return import_arguments(
               "--hidden-size 64 --num-attention-heads 4 --vocab-size 256 "
               "--micro-batch-size 1 --bf16 --position-embedding-type none " +
               more)
        .spec.model.pattern;
  };
  // By hand: 2 of 10 stand after 8 / 3 mixers each, and 3 MLPs after 7 / 3 mixers each.
  EXPECT_EQ(pattern("--num-layers 10 --hybrid-attention-ratio 0.2"), "MMM*MM*MMM");
  EXPECT_EQ(pattern("--num-layers 10 --hybrid-mlp-ratio 0.3"), "MM-MMM-MM-");
  EXPECT_EQ(pattern("--num-layers 4 --hybrid-attention-ratio 0.5 --hybrid-mlp-ratio 0.5"), "-**-");
  // 2.5 attention layers round to 2.
  EXPECT_EQ(pattern("--num-layers 5 --hybrid-attention-ratio 0.5"), "M*M*M");
  EXPECT_EQ(pattern("--num-layers 4 --hybrid-attention-ratio 1"), "****");
  Spec spec;
  Findings findings;
  const auto done =
      import_into(spec, small_megatron("--hybrid-attention-ratio 0.6 --hybrid-mlp-ratio 0.5"),
                  "file", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::config_range);
}

}  // namespace
}  // namespace orrery::workload
