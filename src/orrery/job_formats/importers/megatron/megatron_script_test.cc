// SPDX-License-Identifier: Apache-2.0
//
// Launch scripts as people write them: flags without values, lists of layers, branches, files that
// read files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/job_formats/importers/importer.h"
#include "orrery/job_formats/importers/megatron/shell_script.h"

namespace orrery::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct ImportedScript {
  Spec spec;
  Findings findings;
};

const std::string kShape = "--num-layers 4 --hidden-size 64 --num-attention-heads 4 ";

ImportedScript import_script(const std::string& text, const std::string& where = "run.sh") {
  ImportedScript result;
  const auto done = import_into(result.spec, text, where, result.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  return result;
}

Error refused(const std::string& text, const std::string& where = "run.sh") {
  Spec spec;
  Findings findings;
  const auto done = import_into(spec, text, where, findings);
  EXPECT_FALSE(done.has_value());
  return done ? Error{} : done.error();
}

constexpr const char* kLlama3WithFp8 = R"sh(#!/bin/bash
TOKENIZER_ARG=${3:-"MOCK"} # Path to tokenizer model, or "MOCK"
GPUS_PER_NODE=8
NUM_NODES=1
WORLD_SIZE=$(($GPUS_PER_NODE*$NUM_NODES))
TP_SIZE=1     
NUM_LAYERS=32  
DTYPE="fp8"
mkdir -p "$(dirname "$CHECKPOINT_PATH")"
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes $NUM_NODES
)
MODEL_ARGS=(
    --use-mcore-models
    --num-layers $NUM_LAYERS
    --hidden-size 4096
    --ffn-hidden-size 14336
    --num-attention-heads 32
    --group-query-attention
    --num-query-groups 8
    --kv-channels 128
    --seq-length 8192
    --position-embedding-type rope
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --swiglu
    --attention-backend fused
    --apply-layernorm-1p 
    --untie-embeddings-and-output-weights
    --disable-bias-linear 
)
TRAINING_ARGS=(
    --micro-batch-size 1
    --global-batch-size 128
    --bf16
    --grad-reduce-in-bf16
)
DTYPE_ARGS=()
if [[ "$DTYPE" == "fp8" ]]; then
    DTYPE_ARGS+=(
        "--fp8-format hybrid"
        "--fp8-param-gather"
    )
fi
MODEL_PARALLEL_ARGS=(
    --tensor-model-parallel-size $TP_SIZE
    # --pipeline-model-parallel-size $PP_SIZE # Not explicitly set
    --sequence-parallel  # Always enabled
)
DDP_ARGS=(
    --use-distributed-optimizer
    --overlap-grad-reduce
    --overlap-param-gather
)
TRAINING_ARGS+=("${DDP_ARGS[@]}")
if [[ "$TOKENIZER_ARG" == "MOCK" ]] || [[ -z "$TOKENIZER_ARG" ]]; then
    DATA_ARGS_LIST+=(
        "--mock-data"
        "--vocab-size 128256" 
        "--split '99,1,0'"
    )
else
    DATA_ARGS_LIST+=("--vocab-size 7")
fi
if [ ! -f "$PRETRAIN_SCRIPT_PATH" ]; then
    echo "Error: can't find it; if you don't have it, get it"
    exit 1
fi
torchrun ${DISTRIBUTED_ARGS[@]} ${MODEL_ARGS[@]} --bf16 ${TRAINING_ARGS[@]}
)sh";

// NVIDIA/Megatron-LM, examples/llama/train_llama3_8b_h100_fp8.sh, its way of writing: a flag at the
// end of a list and options with their values within quotes. The import failed at
// --grad-reduce-in-bf16, which has no value.
TEST(Script, Llama3WithFp8) {
  const ImportedScript job = import_script(kLlama3WithFp8);
  // Llama 3 8B: 8,030,261,248 weights with rmsnorm; here every norm has 4,096 biases, too.
  EXPECT_EQ(count_parameters(job.spec.model).total, 8'030'261'248 + 65 * 4096);
  EXPECT_EQ(job.spec.precision.reduce, Dtype::bf16);
  EXPECT_EQ(job.spec.parallel.dp, 8);
  EXPECT_EQ(job.spec.parallel.sharding, Sharding::zero1);
  EXPECT_EQ(job.spec.parallel.overlap_gradients, true);
  EXPECT_EQ(job.spec.parallel.overlap_weights, true);
  EXPECT_EQ(job.spec.parallel.bucket->count(), 2 * 40'000'000);  // in bf16
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 0u);
  EXPECT_EQ(job.spec.precision.products, Dtype::fp8);
  EXPECT_EQ(job.spec.precision.scaling, Scaling::delayed);
  EXPECT_EQ(job.spec.precision.weights, Dtype::fp8);  // --fp8-param-gather
  EXPECT_EQ(job.spec.precision.activations, Dtype::bf16);
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 0u);
}

TEST(Script, FlagsTakeNoWord) {
  const ImportedScript job =
      import_script("torchrun pretrain.py --bf16 pretrain --swiglu $ARGS \\\n" + kShape +
                    "--sequence_parallel true --qk-layernorm\nNAME=3\n");
  EXPECT_EQ(job.spec.precision.weights, Dtype::bf16);
  EXPECT_EQ(job.spec.model.mlp, Mlp::swiglu);
  EXPECT_TRUE(job.spec.model.qk_norm);
}

TEST(Script, OptionsThatNobodyKnowsAreCounted) {
  const ImportedScript job = import_script("--frobnicate --twist 3 " + kShape + "--last");
  EXPECT_EQ(job.spec.model.layers, 4);
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 3u);
}

TEST(Script, WhatIsPrintedIsNoOption) {
  const ImportedScript job =
      import_script(kShape + "\nusage() { echo \"usage: $0 --num-layers N\"; }\n");
  EXPECT_EQ(job.spec.model.layers, 4);
}

TEST(Script, ListsMayStandOnOneLine) {
  const ImportedScript job = import_script(
      "ARGS=\"--num-layers 4 --hidden-size 64\"\nMORE=(--bf16 "
      "--num-attention-heads 8)\n");
  EXPECT_EQ(job.spec.model.heads, 8);
  EXPECT_EQ(job.spec.model.layers, 4);
  const ImportedScript equals =
      import_script("A=\"--num-layers=3 --hidden-size=64 --num-attention-heads=4\"");
  EXPECT_EQ(equals.spec.model.layers, 3);
}

std::vector<std::int64_t> expert_layers(const std::string& frequency, int layers) {
  const ImportedScript job =
      import_script("--num-layers " + std::to_string(layers) +
                    " --hidden-size 64 --num-attention-heads 4 --num-experts 8 "
                    "--moe-layer-freq " +
                    frequency);
  std::vector<std::int64_t> made;
  if (!job.spec.model.moe) return made;
  for (int i = 0; i < layers; ++i)
    if (job.spec.model.has_experts(i)) made.push_back(i);
  EXPECT_EQ(static_cast<std::int64_t>(made.size()), job.spec.model.expert_layers());
  EXPECT_TRUE(check_spec(job.spec).has_value());
  return made;
}

// Megatron's own examples of --moe-layer-freq (moe_freq_type in arguments.py), and how scripts
// write them.
TEST(Script, LayerFrequencies) {
  EXPECT_EQ(expert_layers("([0]+[1]*23)", 24).size(), 23u);
  EXPECT_THAT(expert_layers("([1]*3+[0]*2)*2", 10), ElementsAre(0, 1, 2, 5, 6, 7));
  EXPECT_THAT(expert_layers("[0]*3+[1]*2", 5), ElementsAre(3, 4));
  EXPECT_THAT(expert_layers("\"'([1]*4)'\"", 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(expert_layers("\"[0, 1] * 2\"", 4), ElementsAre(1, 3));
  EXPECT_THAT(expert_layers("2", 5), ElementsAre(0, 2, 4));
  EXPECT_THAT(expert_layers("[1,1,0]", 3), ElementsAre(0, 1));
}

TEST(Script, LayerFrequenciesThatMeanNothing) {
  for (const char* const text : {"([1]*3", "[1]*99999999999", "[1]+1", "[1]*[1]", "2*3", "[x]",
                                 "([1]*65536)*65536", "[1]*-1", "[1]*5"}) {
    const Error error = refused(kShape + "--num-experts 8 --moe-layer-freq '" + text + "'");
    EXPECT_EQ(error.where, "run.sh:/moe_layer_freq") << text;
  }
  const std::string deep(100'000, '(');
  EXPECT_FALSE(python_list(deep + "[1]", 10).has_value());
}

TEST(Script, ArithmeticOfVariables) {
  const ImportedScript job = import_script(
      "DENSE=1\nSPARSE=3\nGPUS=$((8 * (DENSE+1)))\n--num-layers $((DENSE + SPARSE)) "
      "--hidden-size $((${DENSE}*64)) --num-attention-heads 4 --num-experts 8 --bf16 "
      "--moe-layer-freq [0]*$DENSE+[1]*$SPARSE --world-size $GPUS");
  EXPECT_EQ(job.spec.model.layers, 4);
  EXPECT_EQ(job.spec.model.moe->first_dense, 1);
  EXPECT_EQ(job.spec.parallel.dp, 16);
}

// Scripts that hold several sizes: the last branch was taken, whatever the script says.
TEST(Script, BranchesAreFollowed) {
  const std::string sizes =
      "if [ $MODEL = 8B ]; then\n LAYERS=32\nelif [ $MODEL = 70B ]; then\n LAYERS=80\nelse\n"
      " LAYERS=126\nfi\n--hidden-size 64 --num-attention-heads 4 --num-layers $LAYERS\n";
  EXPECT_EQ(import_script("MODEL=8B\n" + sizes).spec.model.layers, 32);
  EXPECT_EQ(import_script("MODEL=70B\n" + sizes).spec.model.layers, 80);
  EXPECT_EQ(import_script("MODEL=${1:-405B}\n" + sizes).spec.model.layers, 126);
  const std::string cases =
      "case $MODEL in\n 8B | 8b) LAYERS=32 ;;\n \"70B\")\n LAYERS=80\n ;;\n *) exit 1 ;;\nesac\n"
      "--hidden-size 64 --num-attention-heads 4 --num-layers $LAYERS\n";
  EXPECT_EQ(import_script("MODEL=8b\n" + cases).spec.model.layers, 32);
  EXPECT_EQ(import_script("MODEL=70B\n" + cases).spec.model.layers, 80);
}

TEST(Script, WhatABranchMayChangeIsNotKnown) {
  const Error error = refused(
      "LAYERS=2\nif check_it; then\n LAYERS=4\nfi\n--hidden-size 64 --num-attention-heads 4 \\\n"
      "  --num-layers $LAYERS");
  EXPECT_EQ(error.code, Errc::config_missing_key);
  EXPECT_EQ(error.where, "run.sh:6");
  EXPECT_THAT(error.what, HasSubstr("--num-layers is \"$LAYERS\""));
}

TEST(Script, Conditions) {
  const ShellLookup lookup = [](const std::string& name) -> std::optional<std::string> {
    if (name == "A") return "4";
    return std::nullopt;
  };
  const auto predicted = [&](std::vector<std::string> words) {
    return shell_condition(words, lookup);
  };
  EXPECT_EQ(predicted({"[", "-z", "$B", "]"}), true);
  EXPECT_EQ(predicted({"[[", "-n", "${A}", "&&", "$A", "-gt", "3", "]]"}), true);
  EXPECT_EQ(predicted({"[", "$A", "!=", "4", "]", "||", "[", "$A", "-le", "4", "]"}), true);
  EXPECT_EQ(predicted({"[", "!", "-z", "$B", "]"}), false);
  EXPECT_EQ(predicted({"[", "-f", "x", "]"}), std::nullopt);
  EXPECT_EQ(predicted({"[", "-f", "x", "]", "&&", "false"}), false);
  EXPECT_EQ(predicted({"[[", "$A", "==", "4*", "]]"}), std::nullopt);
  EXPECT_EQ(predicted({"grep", "-q", "x"}), std::nullopt);
}

// Such a script was a model of one layer with 67 million weights, without a word.
TEST(Script, WithoutAModelIsRefused) {
  const Error sourced = refused(
      "#!/bin/bash\nset -e\nsource ${CONFIG_DIR}/model.sh\ntorchrun pretrain_gpt.py "
      "--tensor-model-parallel-size 2 ${MODEL_ARGS[@]}\n");
  EXPECT_EQ(sourced.code, Errc::config_missing_key);
  EXPECT_EQ(sourced.where, "run.sh:3");
  EXPECT_THAT(sourced.what, HasSubstr("${CONFIG_DIR}/model.sh"));
  EXPECT_THAT(sourced.hint, HasSubstr("next to the script"));
  EXPECT_EQ(refused("#!/bin/bash\ntorchrun pretrain_gpt.py $@\n").where, "run.sh");
  EXPECT_THAT(refused("--num-layers 4 --seq-length 8").what, HasSubstr("--hidden-size"));
  EXPECT_THAT(refused("--hidden-size 4 --num-attention-heads 8").what, HasSubstr("--num-layers"));
  EXPECT_EQ(refused("--num-layers --hidden-size 4 --num-attention-heads 2").where,
            "run.sh:/num_layers");
}

TEST(Script, OfAPlanAloneKeepsTheModel) {
  ImportedScript job = import_script(kShape);
  const auto done = import_into(job.spec, "--tensor-model-parallel-size 2 --seq-length 128 --bf16",
                                "plan.sh", job.findings);
  ASSERT_TRUE(done.has_value());
  EXPECT_EQ(job.spec.model.layers, 4);
  EXPECT_EQ(job.spec.parallel.tp, 2);
}

class Sourced : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_ / "models");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(Sourced, FilesBesideTheScriptAreRead) {
  put("models/small.sh", "MODEL_ARGS=(\n" + kShape + "\n)\nSEQ=512\n");
  for (const char* const line :
       {"source models/small.sh", ". ./models/small.sh", "source \"${HERE}/models/small.sh\"",
        "HERE=\"$(cd -- \"$(dirname -- \"$0\")\" && pwd)\"\nsource \"${HERE}/models/small.sh\"",
        "source $(dirname \"$0\")/models/small.sh",
        "if true; then\n  source models/small.sh\nfi"}) {
    const ImportedScript job = import_script(
        std::string("#!/bin/bash\n") + line + "\ntorchrun x.py --seq-length $SEQ\n", at("run.sh"));
    EXPECT_EQ(job.spec.model.hidden, 64) << line;
    EXPECT_EQ(job.spec.batch.seq, 512) << line;
  }
}

TEST_F(Sourced, FilesThatAreNotThereMatterOnlyToTheModel) {
  const ImportedScript job =
      import_script("source ~/.bashrc\nsource /opt/env.sh\n" + kShape, at("run.sh"));
  EXPECT_EQ(job.findings.count(FindingCode::key_ignored), 2u);
}

TEST_F(Sourced, CirclesEnd) {
  put("a.sh", "source b.sh\n");
  put("b.sh", "source a.sh\n");
  const Error error = refused("source a.sh\n", at("run.sh"));
  EXPECT_EQ(error.code, Errc::limit_exceeded);
}

// Stages of different length, by Megatron's options for the first and the last.
TEST(Plan, UnevenStages) {
  const std::string shape = "--num-layers 61 --hidden-size 64 --num-attention-heads 4 ";
  const ImportedScript job = import_script(shape +
                                           "--pipeline-model-parallel-size 8 --world-size 8 "
                                           "--decoder-first-pipeline-num-layers 7 "
                                           "--decoder-last-pipeline-num-layers 6");
  EXPECT_THAT(job.spec.schedule.stage_layers, ElementsAre(7, 8, 8, 8, 8, 8, 8, 6));
  EXPECT_TRUE(check_spec(job.spec).has_value());
  const ImportedScript chunks = import_script(
      "--num-layers 28 --hidden-size 64 --num-attention-heads 4 --pipeline-model-parallel-size 4 "
      "--num-virtual-stages-per-pipeline-rank 2 --decoder-first-pipeline-num-layers 4 "
      "--global-batch-size 8 --micro-batch-size 1");
  EXPECT_THAT(chunks.spec.schedule.stage_layers, ElementsAre(2, 4, 4, 4, 2, 4, 4, 4));
  EXPECT_TRUE(check_spec(chunks.spec).has_value());
  const Error error = refused(shape +
                              "--pipeline-model-parallel-size 8 "
                              "--decoder-first-pipeline-num-layers 8");
  EXPECT_EQ(error.where, "run.sh:/decoder_first_pipeline_num_layers");
}

TEST(Plan, Recomputation) {
  EXPECT_EQ(import_script(kShape + "--recompute-activations").spec.recompute.kind,
            RecomputeKind::selective);
  const ImportedScript modules =
      import_script(kShape +
                    "--recompute-granularity selective "
                    "--recompute-modules core_attn layernorm mla_up_proj");
  EXPECT_THAT(modules.spec.recompute.ops, ElementsAre("attention", "mla_up_proj", "norm"));
  EXPECT_EQ(modules.findings.count(FindingCode::key_without_effect), 0u);
  const ImportedScript unknown = import_script(
      kShape + "--recompute-granularity selective --recompute-modules shared_experts");
  EXPECT_EQ(unknown.findings.count(FindingCode::key_without_effect), 1u);
  const ImportedScript block =
      import_script(kShape +
                    "--recompute-granularity full --recompute-method block "
                    "--recompute-num-layers 2");
  EXPECT_EQ(block.spec.recompute.kind, RecomputeKind::full);
  EXPECT_EQ(block.findings.count(FindingCode::key_without_effect), 1u);
}

TEST(Plan, WithoutATypeIsFp32) {
  const ImportedScript job = import_script(kShape + "--micro-batch-size 1");
  EXPECT_EQ(job.spec.precision.weights, Dtype::fp32);
  EXPECT_EQ(import_script(kShape).spec.precision.weights, Dtype::bf16);  // no complete command line
}

// NVIDIA/Megatron-LM, examples/gpt3/gpt_config.yaml, the keys that count
TEST(Plan, YamlInSections) {
  const ImportedScript job = import_script(R"(
language_model:
  num_layers: 24
  hidden_size: 1024
  num_attention_heads: 16
  num_query_groups: null
  add_bias_linear: False
  activation_func: swiglu
  normalization: "LayerNorm"
  hidden_dropout: 0.0
  attention_dropout: 0.0
model_parallel:
  tensor_model_parallel_size: 2
  sequence_parallel: True
  bf16: True
micro_batch_size: 2
global_batch_size: 128
untie_embeddings_and_output_weights: True
position_embedding_type: rope
swiglu: True
seq_length: 4096
rampup_batch_size: [32, 32, 65324160]
vocab_size: null
)");
  EXPECT_EQ(job.spec.model.layers, 24);
  EXPECT_EQ(job.spec.parallel.tp, 2);
  EXPECT_TRUE(job.spec.parallel.sp);
  EXPECT_FALSE(job.spec.model.mlp_bias);
  EXPECT_EQ(job.spec.batch.global, 128);
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 1u);  // the ramp
}

}  // namespace
}  // namespace orrery::workload
