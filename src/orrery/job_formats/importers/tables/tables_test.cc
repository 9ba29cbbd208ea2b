// SPDX-License-Identifier: Apache-2.0
//
// Files of tools whose importer is a table (facts only; each test says where from), held against
// published numbers of weights where a model is all there.
#include "orrery/job_formats/importers/tables/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "orrery/core/paths_testing.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::workload {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// A text that starts with a bracket is JSON, unless a comment comes first.
std::string as_yaml(std::string_view text) { return "# YAML\n" + std::string(text); }

struct ReadFile {
  Spec spec = unresolved_spec();
  Findings findings{};
};

ReadFile import_text(std::string_view text, const std::string& where = "file.yaml") {
  ReadFile file;
  const auto done = import_into(file.spec, as_yaml(text), where, file.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  return file;
}

Error refusal_of(std::string_view text) {
  Spec spec;
  Findings findings;
  const auto done = import_into(spec, as_yaml(text), "file.yaml", findings);
  EXPECT_FALSE(done.has_value());
  return done ? Error{} : done.error();
}

std::int64_t weights_of(const ReadFile& file) { return count_parameters(file.spec.model).total; }

// EleutherAI/gpt-neox, configs/20B.yml: 44 layers, 96 GPUs; 20,554,567,680 weights
// (huggingface.co/EleutherAI/gpt-neox-20b).
constexpr std::string_view kNeox = R"(# for 96 GPUs
{
  "vocab-file": "./20B_checkpoints/20B_tokenizer.json", "tokenizer_type": "HFTokenizer",
  # parallelism
  "pipe-parallel-size": 4, "model-parallel-size": 2,
  "num-layers": 44, "hidden-size": 6144, "num-attention-heads": 64, "seq-length": 2048,
  "max-position-embeddings": 2048, "norm": "layernorm", "pos-emb": "rotary", "rotary_pct": 0.25,
  "no-weight-tying": true, "gpt_j_residual": true, "init_method": "small_init",
  "optimizer": {"type": "Adam", "params": {"lr": 0.97e-4}},
  "zero_optimization": {"stage": 1, "overlap_comm": True, "reduce_bucket_size": 1260000000},
  "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 32,
  "checkpoint-activations": true, "hidden-dropout": 0, "attention-dropout": 0,
  "fp16": {"fp16": true, "enabled": true}, "train-iters": 150000,
})";

TEST(GptNeox, ReadsYamlInBrackets) {
  ReadFile file = import_text(kNeox);
  EXPECT_EQ(weights_of(file), 20'554'567'680);
  EXPECT_EQ(file.spec.parallel.pp, 4);
  EXPECT_EQ(file.spec.parallel.tp, 2);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero1);
  EXPECT_EQ(file.spec.recompute.kind, RecomputeKind::full);
  EXPECT_EQ(file.spec.precision.weights, Dtype::fp16);
  EXPECT_FALSE(file.spec.model.dropout);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 0);
  ASSERT_TRUE(resolve_defaults(file.spec, 96, "cluster", file.findings));
  EXPECT_EQ(file.spec.microbatches(), 32);
  EXPECT_EQ(file.spec.global_batch(), 4 * 32 * 12);
}

TEST(GptNeox, RefusesOtherLayers) {
  EXPECT_THAT(refusal_of("{pipe_parallel_size: 1, num_layers: 2, hidden_size: 64, "
                         "num_attention_heads: 2, attention_config: [[[mamba], 2]]}")
                  .what,
              HasSubstr("mamba"));
}

// huggingface/nanotron, examples/config_llama*.yaml.
TEST(Nanotron, ReadsModelPlanAndBatch) {
  ReadFile file = import_text(R"(
general: {project: debug, run: tiny}
model:
  ddp_bucket_cap_mb: 25
  dtype: bfloat16
  model_config: {hidden_size: 4096, intermediate_size: 14336, is_llama_config: true,
    num_attention_heads: 32, num_hidden_layers: 32, num_key_value_heads: 8, vocab_size: 128256,
    rope_interleaved: false, z_loss_enabled: false, moe_config: null}
optimizer: {accumulate_grad_in_fp32: true, zero_stage: 1, optimizer_factory: {name: adamW}}
parallelism: {dp: 2, pp: 2, tp: 2, tp_mode: REDUCE_SCATTER, pp_engine: afab, recompute_layer: true}
tokens: {micro_batch_size: 2, sequence_length: 4096, batch_accumulation_per_replica: 8}
)");
  EXPECT_EQ(weights_of(file), 8'030'261'248);
  EXPECT_EQ(file.spec.schedule.kind, ScheduleKind::gpipe);
  EXPECT_TRUE(file.spec.parallel.sp);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero1);
  EXPECT_EQ(file.spec.parallel.bucket->count(), 25 << 20);
  EXPECT_EQ(file.spec.precision.gradients, Dtype::fp32);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 0);
  ASSERT_TRUE(resolve_defaults(file.spec, 0, "", file.findings));
  EXPECT_EQ(file.spec.global_batch(), 2 * 8 * 2);
}

// AICB's header, with a virtual pipeline.
TEST(Simai, ReportsVirtualStages) {
  for (const int stages : {1, 2}) {
    Spec spec = unresolved_spec();
    Findings findings;
    const std::string text = "HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 1 pp: 2 vpp: " +
                             std::to_string(stages) + " ga: 4 all_gpus: 8\n0\n";
    ASSERT_TRUE(kSimaiImporter.import_text(spec, text, "aicb.txt", findings));
    EXPECT_EQ(findings.count(FindingCode::key_without_effect), stages - 1);
    EXPECT_EQ(spec.parallel.dp, 2);
  }
}

// mosaicml/llm-foundry, scripts/train/yamls/pretrain/mpt-7b.yaml; 6,649,286,656 weights
// (huggingface.co/mosaicml/mpt-7b).
TEST(LlmFoundry, Mpt7b) {
  const ReadFile file = import_text(R"(
variables: {global_seed: 17, max_seq_len: 2048}
max_seq_len: ${variables.max_seq_len}
model: {name: mpt_causal_lm, init_device: meta, d_model: 4096, n_heads: 32, n_layers: 32,
  expansion_ratio: 4, max_seq_len: "${variables.max_seq_len}", vocab_size: 50432, no_bias: true,
  attn_config: {attn_impl: flash, alibi: true}}
train_loader: {name: text}
global_train_batch_size: 1024
device_train_microbatch_size: 4
precision: amp_bf16
fsdp_config: {sharding_strategy: FULL_SHARD, mixed_precision: PURE, activation_checkpointing: false}
)");
  EXPECT_NEAR(static_cast<double>(weights_of(file)), 6'649'286'656, 0.001 * 6'649'286'656);
  EXPECT_EQ(file.spec.batch.global, 1024);
  EXPECT_EQ(file.spec.batch.seq, 2048);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero3);
  EXPECT_EQ(file.spec.precision.reduce, Dtype::bf16);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 0);
}

// allenai/OLMo, configs/official/OLMo-7B.yaml: 6.9 B; the width of the MLP counts both halves.
TEST(Olmo, CountsBothHalvesOfTheMlp) {
  const ReadFile file = import_text(R"(
run_name: OLMo-7B
model: {d_model: 4096, n_heads: 32, n_layers: 32, mlp_hidden_size: 22016, weight_tying: false,
  alibi: false, rope: true, flash_attention: true, include_bias: false, block_type: sequential,
  layer_norm_type: default, activation_type: swiglu, max_sequence_length: 2048, vocab_size: 50280,
  embedding_size: 50304}
optimizer: {name: adamw, learning_rate: 3.0e-4}
global_train_batch_size: 2160
device_train_microbatch_size: 2
precision: amp_bf16
fsdp: {wrapping_strategy: by_block, precision: mixed}
activation_checkpointing: whole_layer
evaluators: [{label: piqa, type: downstream}]
data: {paths: [a, b]}
)");
  EXPECT_NEAR(static_cast<double>(weights_of(file)), 6'888'095'744, 0.001 * 6'888'095'744);
  EXPECT_EQ(file.spec.recompute.kind, RecomputeKind::full);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero3);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 0);
}

// AI-Hypercomputer/maxtext, configs/models/mixtral-8x7b.yml and base.yml; 46,702,792,704 weights.
TEST(MaxText, MixtralWithARun) {
  ReadFile file = import_text(R"(
base_emb_dim: 4096
base_num_query_heads: 32
base_num_kv_heads: 8
base_mlp_dim: 14336
base_num_decoder_layers: 32
head_dim: 128
mlp_activations: ["silu","linear"]
vocab_size: 32000
logits_via_embedding: False
num_experts: 8
num_experts_per_tok: 2
decoder_block: "mixtral"
per_device_batch_size: 4
max_target_length: 4096
dcn_data_parallelism: 2
ici_fsdp_parallelism: 16
)");
  EXPECT_EQ(weights_of(file), 46'702'792'704);
  EXPECT_EQ(file.spec.parallel.dp, 32);
  EXPECT_EQ(file.spec.parallel.shard_size, 16);
  EXPECT_EQ(file.spec.batch.micro, 4);
  ASSERT_TRUE(resolve_defaults(file.spec, 0, "", file.findings));
  EXPECT_EQ(file.spec.global_batch(), 128);
}

// per_device_batch_size x devices are the batch, whatever the pipeline makes of it.
TEST(MaxText, ABatchIsThatOfItsDevices) {
  ReadFile file = import_text(
      "{model_name: llama2-7b, per_device_batch_size: 4, ici_pipeline_parallelism: 4, "
      "ici_tensor_parallelism: 2, ici_fsdp_parallelism: 8, ici_sequence_parallelism: 2}");
  EXPECT_EQ(file.findings.count(FindingCode::key_without_effect), 1) << "sequence parallelism";
  ASSERT_TRUE(resolve_defaults(file.spec, 0, "", file.findings));
  EXPECT_EQ(file.spec.global_batch(), 4 * 4 * 2 * 8);
  EXPECT_EQ(file.spec.microbatches(), 4);
}

TEST(MaxText, TakesAModelOfTheCatalogByName) {
  EXPECT_EQ(weights_of(import_text("{model_name: llama3.1-8b, per_device_batch_size: 1, "
                                   "ici_fsdp_parallelism: -1}")),
            8'030'261'248);
}

TEST(Accelerate, ReadsThePlanOfFsdp) {
  const ReadFile file = import_text(
      "{compute_environment: LOCAL_MACHINE, distributed_type: FSDP, num_processes: 16, "
      "num_machines: 2, mixed_precision: bf16, fsdp_config: {fsdp_sharding_strategy: 2, "
      "fsdp_offload_params: true, fsdp_activation_checkpointing: true}}");
  EXPECT_EQ(file.spec.parallel.dp, 16);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero2);
  EXPECT_TRUE(file.spec.offload.weights);
  EXPECT_EQ(file.spec.recompute.kind, RecomputeKind::full);
}

TEST(Accelerate, ReadsThePlanOfDeepspeed) {
  const ReadFile file = import_text(
      "{compute_environment: LOCAL_MACHINE, distributed_type: DEEPSPEED, num_processes: 8, "
      "mixed_precision: fp16, deepspeed_config: {zero_stage: 3, gradient_accumulation_steps: 4, "
      "offload_optimizer_device: cpu, offload_param_device: none}}");
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero3);
  EXPECT_EQ(file.spec.batch.accumulated, 4);
  EXPECT_TRUE(file.spec.offload.optimizer);
  EXPECT_FALSE(file.spec.offload.weights);
  EXPECT_EQ(file.spec.precision.weights, Dtype::fp16);
}

/// A folder of files that name each other.
class Folder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ("importers_" +
               std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_ / "inner");
  }
  void TearDown() override { fs::remove_all(folder_); }
  void write(const std::string& name, std::string_view text) {
    std::ofstream(folder_ / name) << text;
  }
  ReadFile read(const std::string& name, std::string_view text) {
    return import_text(text, (folder_ / name).string());
  }
  fs::path folder_;
};

constexpr std::string_view kFactory = R"(
model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: sft
finetuning_type: full
deepspeed: inner/ds_z3.json
cutoff_len: 4096
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
bf16: true
learning_rate: 1.0e-5
)";

TEST_F(Folder, LlamaFactoryReadsDeepspeedBesideIt) {
  write("inner/ds_z3.json",
        R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto",
            "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}})");
  const ReadFile file = read("job.yaml", kFactory);
  EXPECT_EQ(weights_of(file), 8'030'261'248);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero3);
  EXPECT_EQ(file.spec.batch.micro, 2);
  EXPECT_EQ(file.spec.batch.accumulated, 8);
  EXPECT_EQ(file.spec.batch.seq, 4096);
  EXPECT_EQ(file.spec.recompute.kind, RecomputeKind::full) << "on unless it is disabled";
  EXPECT_FALSE(file.spec.lora);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 0);
}

TEST_F(Folder, AFileThatIsNotThereIsAFinding) {
  const ReadFile file = read("job.yaml", kFactory);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 1);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::none);
}

TEST(LlamaFactory, RefusesSecondModels) {
  EXPECT_THAT(refusal_of("{model_name_or_path: gpt2, stage: ppo, finetuning_type: full}").what,
              HasSubstr("second model"));
  EXPECT_THAT(refusal_of("{model_name_or_path: gpt2, stage: sft, finetuning_type: oft}").what,
              HasSubstr("oft"));
  EXPECT_EQ(refusal_of("{model_name_or_path: ./mine, stage: sft, finetuning_type: full}").code,
            Errc::config_missing_key);
}

TEST(Axolotl, ReadsAdaptersAndSharding) {
  const ReadFile file = import_text(R"(
base_model: NousResearch/Llama-2-7b-hf
datasets: [{path: alpaca}]
adapter: qlora
load_in_4bit: true
lora_r: 32
lora_target_modules: [q_proj, v_proj]
sequence_len: 4096
micro_batch_size: 2
gradient_accumulation_steps: 4
gradient_checkpointing: true
optimizer: adamw_torch_fused
fsdp: [full_shard, auto_wrap]
fsdp_config: {fsdp_offload_params: true, fsdp_state_dict_type: FULL_STATE_DICT}
)");
  EXPECT_EQ(weights_of(file), 6'738'415'616);
  ASSERT_TRUE(file.spec.lora);
  EXPECT_EQ(file.spec.lora->rank, 32);
  EXPECT_EQ(file.spec.lora->targets.size(), 2U);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero3);
  EXPECT_TRUE(file.spec.offload.optimizer);
  EXPECT_EQ(file.findings.count(FindingCode::key_without_effect), 1) << "weights of 4 bits";
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 0);
}

TEST(Axolotl, RefusesReinforcementLearning) {
  EXPECT_THAT(refusal_of("{base_model: gpt2, sequence_len: 512, rl: dpo}").where, HasSubstr("/rl"));
}

// AMD-AGI/Primus: a model extends others; an experiment names a model in primus/configs.
TEST_F(Folder, PrimusReadsWhatAModelExtends) {
  write("inner/base.yaml",
        "{num_layers: 32, hidden_size: 4096, num_attention_heads: 32, num_query_groups: 8, "
        "group_query_attention: true, swiglu: true, normalization: RMSNorm, "
        "add_bias_linear: false, untie_embeddings_and_output_weights: true}");
  const ReadFile file = read("inner/llama3.1_8B.yaml",
                             "bases:\n  - base.yaml\nffn_hidden_size: 14336\n"
                             "tokenizer_model: meta-llama/Llama-3.1-8B\n");
  EXPECT_EQ(weights_of(file), 8'030'261'248);
}

TEST_F(Folder, PrimusReadsAnExperiment) {
  fs::create_directories(folder_ / "primus/configs/models/megatron");
  write("primus/configs/models/megatron/tiny.yaml",
        "{num_layers: 4, hidden_size: 256, num_attention_heads: 4, vocab_size: 32000, "
        "position_embedding_type: rope}");
  const ReadFile file = read("inner/exp.yaml",
                             "exp_name: &exp_name x\nmodules: {pre_trainer: {framework: megatron, "
                             "model: '${PRIMUS_MODEL:tiny}.yaml', overrides: {micro_batch_size: 2, "
                             "global_batch_size: 16, tensor_model_parallel_size: 2, bf16: true}}}");
  EXPECT_EQ(file.spec.model.layers, 4);
  EXPECT_EQ(file.spec.batch.global, 16);
  EXPECT_EQ(file.spec.parallel.tp, 2);
}

TEST(Primus, RefusesAnotherFramework) {
  EXPECT_THAT(refusal_of("modules: {pre_trainer: {framework: torchtitan, model: x.yaml}}").hint,
              HasSubstr("TOML"));
}

TEST(MegatronBridge, ReadsWhatItSaves) {
  const ReadFile file = import_text(R"(
_target_: megatron.bridge.training.config.ConfigContainer
checkpoint: {save: /ckpt}
ddp: {overlap_grad_reduce: true, use_distributed_optimizer: true}
dataset: {sequence_length: 8192}
mixed_precision: {bf16: true, grad_reduce_in_fp32: false}
model:
  _target_: megatron.bridge.models.llama.llama_provider.Llama31ModelProvider
  activation_func: {_call_: false, _target_: torch.nn.functional.silu}
  add_bias_linear: false
  attention_dropout: 0.0
  ffn_hidden_size: 14336
  gated_linear_unit: true
  hidden_dropout: 0.0
  hidden_size: 4096
  normalization: RMSNorm
  num_attention_heads: 32
  num_layers: 32
  num_query_groups: 8
  position_embedding_type: rope
  share_embeddings_and_output_weights: false
  tensor_model_parallel_size: 2
  vocab_size: 128256
train: {global_batch_size: 128, micro_batch_size: 1}
)");
  EXPECT_EQ(weights_of(file), 8'030'261'248);
  EXPECT_EQ(file.spec.batch.seq, 8192);
  EXPECT_EQ(file.spec.batch.global, 128);
  EXPECT_EQ(file.spec.parallel.sharding, Sharding::zero1);
  EXPECT_TRUE(*file.spec.parallel.overlap_gradients);
}

TEST(Python, IsRefusedByTheToolsName) {
  const Error bridge =
      refusal_of("from megatron.bridge.recipes import llama\n\ndef config():\n  pass\n");
  EXPECT_EQ(bridge.code, Errc::input_unsupported);
  EXPECT_THAT(bridge.hint, HasSubstr("run_config.yaml"));
  EXPECT_EQ(refusal_of("# a comment\n\n\"\"\"A text.\"\"\"\nx = 1\n").code,
            Errc::input_unsupported);
  EXPECT_THAT(refusal_of("import torchtitan\n\nclass Registry:\n  pass\n").hint, HasSubstr("TOML"));
}

TEST(References, AreResolvedOnce) {
  const config::Json made = resolved(config::Json{{"a", "${b.c}"},
                                                  {"b", {{"c", 3}, {"d", "${.c}"}}},
                                                  {"e", "${NAME:x}.yaml"},
                                                  {"loop", "${loop}"},
                                                  {"env", "${oc.env:HOME}"}});
  EXPECT_EQ(made["a"], 3);
  EXPECT_EQ(made["b"]["d"], 3);
  EXPECT_EQ(made["e"], "x.yaml");
  EXPECT_EQ(made["loop"], "${loop}");
  EXPECT_EQ(made["env"], "${oc.env:HOME}");
}

/// The page is generated; ORRERY_UPDATE_DOCS=1 writes it anew.
TEST(ImporterTables, ReferencePageIsUpToDate) {
  const std::string path =
      std::string(core_testing::kSourceFolder) + "/docs/reference/importers.md";
  if (std::getenv("ORRERY_UPDATE_DOCS") != nullptr) std::ofstream(path) << importers_reference();
  std::ifstream page(path);
  const std::string text{std::istreambuf_iterator<char>(page), {}};
  EXPECT_EQ(text, importers_reference()) << "run this test with ORRERY_UPDATE_DOCS=1";
}

TEST(ImporterTables, NameEachKeyOnce) {
  for (const ImporterTable* table : kImporterTables) {
    std::string_view last;
    for (const KeyRow& row : table->keys.rows) {
      EXPECT_NE(row.key, last) << table->importer->tool;
      last = row.key;
      const bool used = row.use == KeyUse::sets || row.use == KeyUse::read;
      EXPECT_FALSE(used && row.what.empty()) << row.key << ": the page would not say its effect";
      if (row.use != KeyUse::sets || row.what.empty() || row.what == kAccumulated ||
          row.what == kWorld)
        continue;
      Spec spec;
      spec.model.moe = Moe{};
      for (std::string_view rest = row.what; !rest.empty();) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const auto done = set(spec, rest.substr(0, end), "{}");
        ASSERT_FALSE(done);
        EXPECT_NE(done.error().code, Errc::config_unknown_key) << row.key << " sets " << row.what;
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }
}

}  // namespace
}  // namespace orrery::workload
