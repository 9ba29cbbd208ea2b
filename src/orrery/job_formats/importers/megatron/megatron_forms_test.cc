// SPDX-License-Identifier: Apache-2.0
//
// Megatron's arguments in other forms, and what names in them say.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/job_formats/importers/importer.h"
#include "orrery/job_formats/importers/megatron/slurm_header.h"
#include "orrery/job_formats/importers/vocabulary.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::workload {
namespace {

using ::testing::HasSubstr;

struct ReadArguments {
  Spec spec = unresolved_spec();
  Findings findings{};
};

ReadArguments read_arguments(const std::string& text, const std::string& where = "run.sh") {
  ReadArguments made;
  const auto done = import_into(made.spec, text, where, made.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  return made;
}

Error refusal(const std::string& text) {
  Spec spec;
  Findings findings;
  const auto done = import_into(spec, text, "run.sh", findings);
  EXPECT_FALSE(done.has_value());
  return done ? Error{} : done.error();
}

std::int64_t weights_of(const ReadArguments& read) {
  return count_parameters(read.spec.model).total;
}

/// Llama 3.1 8B but for its vocabulary.
const std::string kShape8b =
    "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 "
    "--group-query-attention --num-query-groups 8 --swiglu --normalization RMSNorm "
    "--disable-bias-linear --untie-embeddings-and-output-weights --position-embedding-type rope "
    "--micro-batch-size 1 --global-batch-size 64 --bf16 ";

// Mistral 7B v0.1 has the same sizes and another vocabulary: names decide.
TEST(Vocabulary, IsThatOfTheTokenizer) {
  for (const char* const tokenizer :
       {"--tokenizer-model meta-llama/Llama-3.1-8B",
        "--tokenizer-model /data/models/Meta-Llama-3-8B-Instruct/tokenizer.model",
        "--tokenizer-model /workspace/llama3/tokenizer.model", "--tokenizer-type Llama3Tokenizer",
        "--tokenizer-name-or-path meta-llama/Meta-Llama-3-70B"}) {
    const ReadArguments read = read_arguments(kShape8b + tokenizer);
    EXPECT_EQ(weights_of(read), 8'030'261'248) << tokenizer;
    EXPECT_EQ(read.findings.count(FindingCode::default_assumed), 0) << tokenizer;
    EXPECT_EQ(read.findings.count(FindingCode::chosen_by_default), 1) << tokenizer;
  }
  EXPECT_EQ(
      read_arguments(kShape8b + "--tokenizer-model mistralai/Mistral-7B-v0.1").spec.model.vocab,
      32000);
}

TEST(Vocabulary, IsThatOfTheModelThatTheFileNames) {
  EXPECT_EQ(read_arguments(kShape8b, "pretrain_llama3_8b.sh").spec.model.vocab, 128256);
  EXPECT_EQ(read_arguments(kShape8b, "mistral_7b.sh").spec.model.vocab, 32000);
  EXPECT_EQ(read_arguments(kShape8b + "--load /ckpt/llama-3.1-8b").spec.model.vocab, 128256);
}

TEST(Vocabulary, IsAssumedWhereNamesSayNothing) {
  const ReadArguments read =
      read_arguments(kShape8b + "--tokenizer-model /data/tokenizer.model", "train.sh");
  EXPECT_EQ(read.spec.model.vocab, 51200);
  EXPECT_EQ(read.findings.count(FindingCode::default_assumed), 1);
}

TEST(Vocabulary, IsThatOfTheOnlyModelOfTheseSizes) {
  const ReadArguments read = read_arguments(
      "--num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 "
      "--group-query-attention --num-query-groups 8 --swiglu --tokenizer-model t.model",
      "llama3_70b.sh");
  EXPECT_EQ(read.spec.model.vocab, 128256);
}

TEST(Vocabulary, OfNemoIsThatOfItsTokenizer) {
  const std::string sizes =
      "model: {encoder_seq_length: 8192, num_layers: 32, hidden_size: 4096, ffn_hidden_size: "
      "14336, "
      "num_attention_heads: 32, num_query_groups: 8, activation: fast-swiglu, "
      "normalization: rmsnorm, bias: false, position_embedding_type: rope, "
      "share_embeddings_and_output_weights: false, micro_batch_size: 1, global_batch_size: 128, ";
  EXPECT_EQ(weights_of(read_arguments("run: {name: x}\n" + sizes +
                                      "tokenizer: {library: huggingface, type: "
                                      "meta-llama/Meta-Llama-3-8B, model: null}}\n")),
            8'030'261'248);
  EXPECT_EQ(weights_of(read_arguments(
                "run: {name: llama3_8b}\n" + sizes +
                "tokenizer: {library: sentencepiece, model: /data/tokenizer.model}}\n")),
            8'030'261'248);
}

// NVIDIA/NeMo-Framework-Launcher, conf/training/llama/llama3_1_8b.yaml: the optimizer of a section
// of its own.
TEST(Nemo, ReadsTheOptimizersSection) {
  const ReadArguments read = read_arguments(
      "trainer: {num_nodes: 16, devices: 8, precision: bf16, max_time: '05:23:30:00'}\n"
      "model: {micro_batch_size: 1, global_batch_size: 2048, context_parallel_size: 2, "
      "encoder_seq_length: 8192, num_layers: 2, hidden_size: 256, num_attention_heads: 4, "
      "vocab_size: 1000, gradient_as_bucket_view: true, optim: {name: mcore_distributed_optim, "
      "bucket_cap_mb: 125, overlap_grad_sync: true, overlap_param_sync: true, lr: 1e-4}}\n",
      "nemo.yaml");
  EXPECT_EQ(read.spec.parallel.sharding, Sharding::zero1);
  EXPECT_TRUE(*read.spec.parallel.overlap_gradients);
  EXPECT_TRUE(*read.spec.parallel.overlap_weights);
  EXPECT_EQ(read.spec.parallel.bucket->count(), 125 << 20);
  EXPECT_EQ(read.spec.parallel.dp, 64);
  EXPECT_EQ(read.findings.count(FindingCode::key_ignored), 0);
}

TEST(MegatronOptions, QuickGegluHasThreeMatrices) {
  const std::string shape =
      "--num-layers 12 --hidden-size 512 --ffn-hidden-size 2048 "
      "--num-attention-heads 8 --seq-length 1024 --vocab-size 32000 "
      "--disable-bias-linear --untie-embeddings-and-output-weights "
      "--normalization RMSNorm --position-embedding-type rope ";
  EXPECT_EQ(weights_of(read_arguments(shape + "--quick-geglu")), 83'112'448);
  EXPECT_EQ(weights_of(read_arguments(shape + "--swiglu")), 83'112'448);
}

const std::string kBloom =
    "#!/bin/bash\n#SBATCH --nodes=24\n#SBATCH --gres=gpu:8\nNNODES=$SLURM_NNODES\n"
    "ARGS=\" --num-layers 70 --hidden-size 14336 --num-attention-heads 112 --seq-length 2048 "
    "--micro-batch-size 2 --global-batch-size 2048 --bf16 --embed-layernorm "
    "--position-embedding-type alibi --pad-vocab-size-to 250880 --tensor-model-parallel-size 4 "
    "--pipeline-model-parallel-size 12\"\n";

TEST(Slurm, NodesAndDevicesAreRanks) {
  for (const char* const launch :
       {"srun torchrun --nproc_per_node 8 --nnodes $NNODES pretrain_gpt.py $ARGS\n",
        "srun python pretrain_gpt.py $ARGS\n",
        "srun torchrun --nproc_per_node $SLURM_GPUS_ON_NODE --nnodes $SLURM_JOB_NUM_NODES "
        "x.py\n"}) {
    const ReadArguments read = read_arguments(kBloom + launch);
    EXPECT_EQ(read.spec.parallel.dp, 4) << launch;
    EXPECT_EQ(read.spec.model.vocab, 250880);
  }
}

TEST(Slurm, ReadsEverySpelling) {
  const auto devices = [](const char* line) { return read_slurm_header(line).devices; };
  EXPECT_EQ(devices("#SBATCH --gres=gpu:h100:8"), 8);
  EXPECT_EQ(devices("#SBATCH --gres gpu:4,tmpfs:100"), 4);
  EXPECT_EQ(devices("#SBATCH --gpus-per-node=a100:4  # four"), 4);
  EXPECT_EQ(devices("#SBATCH -N 4\n#SBATCH --gpus=32"), 8);
  EXPECT_EQ(read_slurm_header("#SBATCH -N2 -n 16").nodes, 2);
  EXPECT_EQ(devices("#SBATCH --gres=nvme:1,gpu:a100:4"), 4) << "in any order";
  EXPECT_EQ(read_slurm_header("#SBATCH --nodes=2-4").nodes, 0) << "a range";
  EXPECT_EQ(read_slurm_header("#SBATCH --nodes=2-4").nodes_text, "2-4");
  EXPECT_EQ(read_slurm_header("#SBATCH --nodes=2").nodes_text, "");
  EXPECT_EQ(read_slurm_header("##SBATCH --nodes=2").nodes, 0) << "switched off";
}

TEST(MegatronTests, AreReadFromTheirYaml) {
  const std::string head = "ENV_VARS:\n  CUDA_DEVICE_MAX_CONNECTIONS: 1\n";
  const std::string dashes =
      "MODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 512\n  --num-attention-heads: 8\n"
      "  --seq-length: 1024\n  --max-position-embeddings: 1024\n  --micro-batch-size: 4\n"
      "  --global-batch-size: 32\n  --pipeline-model-parallel-size: 4\n  --bf16: true\n"
      "  --recompute-modules: [core_attn, moe_act]\n  --swiglu: false\nTEST_TYPE: regular\n";
  const ReadArguments read = read_arguments(head + dashes, "model_config.yaml");
  EXPECT_EQ(weights_of(read), 64'568'320);
  EXPECT_EQ(read.spec.parallel.pp, 4);
  const ReadArguments plain =
      read_arguments(head +
                         "ARGS:\n  num_layers: 12\n  hidden_size: 512\n  num_attention_heads: 8\n"
                         "  max_position_embeddings: 1024\n  tokenizer_type: NullTokenizer\n",
                     "recipe.yaml");
  EXPECT_EQ(weights_of(plain), 64'568'320);
}

TEST(MegatronTests, VariablesOfTheirStarterAreFindings) {
  const ReadArguments read = read_arguments(
      "MODEL_ARGS:\n  --num-layers: 2\n  --hidden-size: 256\n  --num-attention-heads: 4\n"
      "  --vocab-size: 1000\n  --tensor-model-parallel-size: ${TP}\n",
      "model_config.yaml");
  EXPECT_EQ(read.spec.parallel.tp, 1);
  EXPECT_EQ(read.findings.count(FindingCode::key_ignored), 1);
  EXPECT_THAT(refusal("MODEL_ARGS:\n  --num-layers: ${LAYERS}\n  --hidden-size: 256\n"
                      "  --num-attention-heads: 4\n")
                  .what,
              HasSubstr("LAYERS"));
}

/// What Megatron prints, with an argument whose name leaves no room for dots.
std::string printed(const std::string& prefix) {
  const std::pair<const char*, const char*> arguments[] = {
      {"add_bias_linear", "False"},
      {"attention_dropout", "0.0"},
      {"bf16", "True"},
      {"data_parallel_size", "8"},
      {"encoder_num_layers", "32"},
      {"ffn_hidden_size", "14336"},
      {"fp8", "None"},
      {"global_batch_size", "128"},
      {"group_query_attention", "True"},
      {"hidden_dropout", "0.0"},
      {"hidden_size", "4096"},
      {"micro_batch_size", "1"},
      {"normalization", "RMSNorm"},
      {"num_attention_heads", "32"},
      {"num_layers", "32"},
      {"num_query_groups", "8"},
      {"padded_vocab_size", "128256"},
      {"position_embedding_type", "rope"},
      {"quick_geglu", "False"},
      {"recompute_granularity", "None"},
      {"seq_length", "8192"},
      {"swiglu", "True"},
      {"overlap_param_gather_with_optimizer_step_and_more", "False"},
      {"tensor_model_parallel_size", "4"},
      {"transformer_pipeline_model_parallel_size", "1"},
      {"pipeline_model_parallel_size", "1"},
      {"untie_embeddings_and_output_weights", "True"},
      {"world_size", "32"}};
  std::string text = prefix + "using world size: 32\n" + prefix +
                     "------------------------ arguments ------------------------\n";
  for (const auto& [name, value] : arguments) {
    std::string dots;
    for (std::size_t size = std::string(name).size(); size < 48; ++size) dots += '.';
    text += prefix + "  " + name + " " + dots + (dots.empty() ? "" : " ") +
            (dots.empty() ? " " : "") + value + "\n";
  }
  return text + prefix + "-------------------- end of arguments ---------------------\n[INFO] x\n";
}

TEST(MegatronPrints, ItsArgumentsBehindAnyPrefix) {
  for (const char* const prefix :
       {"", "0: ", "[default0]:", "[rank0]: ", "2026-01-02 10:11:12,345 worker-3 | "}) {
    const ReadArguments read = read_arguments(printed(prefix), "log.txt");
    EXPECT_EQ(weights_of(read), 8'030'261'248) << prefix;
    EXPECT_EQ(read.spec.parallel.dp, 8) << prefix;
    EXPECT_EQ(read.spec.batch.seq, 8192) << prefix;
    EXPECT_EQ(read.findings.count(FindingCode::key_without_effect), 0) << prefix;
  }
}

TEST(MegatronPrints, AListThatIsCutIsAnError) {
  const std::string text = printed("");
  EXPECT_THAT(refusal(text.substr(0, text.size() / 2)).what, HasSubstr("does not end"));
}

TEST(Megatron, OtherModelsAreRefusedByName) {
  const std::string shape =
      "--num-layers 12 --hidden-size 768 --num-attention-heads 12 --seq-length 512 ";
  EXPECT_THAT(refusal("torchrun pretrain_bert.py " + shape).what, HasSubstr("BERT"));
  EXPECT_THAT(refusal("torchrun pretrain_t5.py --encoder-num-layers 12 --decoder-num-layers 12 "
                      "--hidden-size 768 --num-attention-heads 12")
                  .what,
              HasSubstr("T5"));
  EXPECT_THAT(refusal("torchrun tools/retro/pretrain_retro.py " + shape).what, HasSubstr("RETRO"));
  EXPECT_THAT(refusal(shape + "--retro-add-retriever True").what, HasSubstr("RETRO"));
  EXPECT_THAT(refusal("torchrun examples/multimodal/train.py --language-model-type mistral_7b "
                      "--vision-model-type clip " +
                      shape)
                  .what,
              HasSubstr("vision-language"));
  EXPECT_THAT(refusal("MODEL_ARGS:\n  --num-layers: 24\n  --hidden-size: 1024\n"
                      "  --num-attention-heads: 16\n  --tokenizer-type: BertWordPieceLowerCase\n")
                  .what,
              HasSubstr("BERT"));
  EXPECT_EQ(read_arguments("torchrun pretrain_gpt.py " + shape).spec.model.layers, 12);
}

// NVIDIA/NeMo, megatron_mamba_config.yaml: without pattern and shares every layer is Mamba-2.
TEST(Mamba, LayersWithoutAPatternAreAllMixers) {
  const ReadArguments read = read_arguments(
      "name: megatron_mamba\ntrainer: {devices: 8, num_nodes: 1, precision: bf16}\n"
      "model: {tensor_model_parallel_size: 1, vocab_size: 65536, hybrid_override_pattern: null, "
      "encoder_seq_length: 4096, num_layers: 56, mamba_ssm_ngroups: 8, hidden_size: 4096, "
      "ffn_hidden_size: 14336, num_attention_heads: 32, normalization: RMSNorm}\n",
      "mamba.yaml");
  EXPECT_EQ(read.spec.model.pattern, std::string(56, 'M'));
  ASSERT_TRUE(read.spec.model.mamba);
  EXPECT_EQ(read.spec.model.mamba->heads, 128);
  const ReadArguments script = read_arguments(
      "torchrun pretrain_mamba.py --num-layers 4 --hidden-size 256 --num-attention-heads 4 "
      "--vocab-size 1000");
  EXPECT_EQ(script.spec.model.pattern, "MMMM");
}

// DeepSpeed's documentation: train_batch_size = micro batch x accumulation x ranks.
TEST(DeepSpeed, AccumulationIsPerRank) {
  ReadArguments read = read_arguments(
      R"({"zero_optimization":{"stage":2},"train_micro_batch_size_per_gpu":2,
          "gradient_accumulation_steps":8})",
      "ds.json");
  read.spec.parallel.dp = 4;
  ASSERT_TRUE(resolve_defaults(read.spec, 0, "", read.findings));
  EXPECT_EQ(read.spec.global_batch(), 64);
  EXPECT_EQ(read.spec.microbatches(), 8);
}

TEST(DeepSpeed, OffloadedStateLeavesTheDevice) {
  const auto offload = [](const std::string& device) {
    return read_arguments(R"({"zero_optimization":{"stage":3,"offload_optimizer":{"device":")" +
                              device + R"("},"offload_param":{"device":"cpu"}}})",
                          "ds.json");
  };
  EXPECT_TRUE(offload("cpu").spec.offload.optimizer);
  EXPECT_TRUE(offload("cpu").spec.offload.weights);
  EXPECT_FALSE(offload("none").spec.offload.optimizer);
  EXPECT_EQ(offload("cpu").findings.count(FindingCode::key_without_effect), 0);
  EXPECT_EQ(offload("nvme").findings.count(FindingCode::key_without_effect), 1);
}

}  // namespace
}  // namespace orrery::workload
