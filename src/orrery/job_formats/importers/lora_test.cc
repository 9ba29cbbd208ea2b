// SPDX-License-Identifier: Apache-2.0
//
// PEFT's adapter_config.json as it is published, and NeMo's section.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/job_formats/importers/importer.h"
#include "orrery/workload/spec/lora_targets.h"

namespace orrery::workload {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct ImportedAdapters {
  Spec spec;
  Findings findings;
};

ImportedAdapters import_adapters(const std::vector<std::string>& texts) {
  ImportedAdapters result;
  for (const std::string& text : texts) {
    const auto done = import_into(result.spec, text, "file", result.findings);
    EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  }
  return result;
}

std::string error_of(const std::vector<std::string>& texts) {
  ImportedAdapters result;
  for (const std::string& text : texts) {
    const auto done = import_into(result.spec, text, "file", result.findings);
    if (!done) return to_string(done.error()) + " / " + done.error().hint;
  }
  return "fine";
}

std::string adapter(const std::string& modules,
                    const std::string& base = "meta-llama/Llama-2-7b-hf",
                    const std::string& more = "") {
  return R"({"peft_type": "LORA", "r": 16, "target_modules": )" + modules +
         R"(, "base_model_name_or_path": ")" + base + "\"" + more + "}";
}

// As PEFT 0.15 writes it: every key of LoraConfig.
TEST(Peft, AllKeysOfItsConfiguration) {
  const ImportedAdapters job = import_adapters({R"({
    "alpha_pattern": {}, "auto_mapping": null, "base_model_name_or_path": "meta-llama/Llama-2-7b-hf",
    "bias": "none", "corda_config": null, "eva_config": null, "exclude_modules": null,
    "fan_in_fan_out": false, "inference_mode": true, "init_lora_weights": true,
    "layer_replication": null, "layers_pattern": null, "layers_to_transform": null,
    "loftq_config": {}, "lora_alpha": 16, "lora_bias": false, "lora_dropout": 0.0,
    "megatron_config": null, "megatron_core": "megatron.core", "modules_to_save": null,
    "peft_type": "LORA", "r": 8, "rank_pattern": {}, "revision": null,
    "target_modules": ["v_proj", "q_proj"], "task_type": "CAUSAL_LM", "trainable_token_indices": null,
    "use_dora": false, "use_rslora": false})"});
  EXPECT_TRUE(job.findings.empty());
  EXPECT_EQ(job.spec.model.name, "llama-2-7b");
  EXPECT_EQ(job.spec.batch.seq, 4096);
  EXPECT_EQ(count_adapters(job.spec), 4'194'304);
  EXPECT_TRUE(check_spec(job.spec));
}

TEST(Peft, EveryLinearMatrix) {
  const std::string all =
      R"(["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"])";
  for (const std::string& modules : {all, std::string(R"("all-linear")")})
    EXPECT_EQ(count_adapters(import_adapters({adapter(modules)}).spec), 39'976'960) << modules;
}

TEST(Peft, NamesOfFamilies) {
  const auto targets = [](const std::string& modules, const std::string& base) {
    const ImportedAdapters job = import_adapters({adapter(modules, base)});
    EXPECT_TRUE(check_spec(job.spec)) << base;
    return job.spec.lora->targets;
  };
  EXPECT_THAT(targets(R"(["c_attn"])", "openai-community/gpt2"), ElementsAre("qkv"));
  EXPECT_THAT(targets(R"(["c_attn", "c_proj", "c_fc"])", "gpt2"),
              ElementsAre("qkv", "out", "mlp_down", "mlp_up"));
  EXPECT_THAT(targets(R"("all-linear")", "gpt2"), ElementsAre("qkv", "out", "mlp_up", "mlp_down"));
  EXPECT_THAT(targets(R"(["query_key_value", "dense"])", "EleutherAI/pythia-160m"),
              ElementsAre("qkv", "out"));
  EXPECT_THAT(targets(R"(["query", "dense"])", "google-bert/bert-base"),
              ElementsAre("q", "out", "mlp_up", "mlp_down"));
  EXPECT_THAT(targets(R"(["self_attn.q_proj"])", "meta-llama/Meta-Llama-3-8B-Instruct"),
              ElementsAre("q"));
  EXPECT_THAT(targets(R"(["q", "v", "wo"])", "google-t5/t5-small"),
              ElementsAre("q", "v", "mlp_down"));
  EXPECT_THAT(targets(R"(["q_a_proj", "kv_b_proj"])", "deepseek-ai/DeepSeek-V3-Base"),
              ElementsAre("q_down", "kv_up"));
  EXPECT_THAT(targets(R"("all-linear")", "Qwen/Qwen3-8B"), IsEmpty());
}

// A model given first is the one that is adapted, whatever the adapter says of its base.
TEST(Peft, OnTopOfAnotherFile) {
  const std::string model = R"({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 4,
    "intermediate_size": 5632, "num_attention_heads": 32, "num_key_value_heads": 4,
    "vocab_size": 32000})";
  const ImportedAdapters job =
      import_adapters({model, adapter(R"(["o_proj"])", "/home/me/checkpoint")});
  EXPECT_EQ(job.spec.model.hidden, 2048);
  EXPECT_EQ(count_adapters(job.spec), 4 * 16 * (2048 + 2048));
}

TEST(Peft, SaysWhatIsMissing) {
  EXPECT_THAT(error_of({adapter(R"(["q_proj"])", "/home/me/checkpoint")}),
              AllOf(HasSubstr("base_model_name_or_path"), HasSubstr("config.json or --model")));
  EXPECT_THAT(error_of({adapter(R"(["q_prj"])")}), HasSubstr("did you mean \"q_proj\"?"));
  EXPECT_THAT(error_of({adapter(R"(["lm_head"])")}),
              HasSubstr("is not a matrix that supports adapters"));
  EXPECT_THAT(error_of({adapter(R"(".*\\.layers\\..*q_proj")")}), HasSubstr("is a pattern"));
  EXPECT_THAT(error_of({adapter("[]")}), HasSubstr("lists no module"));
  EXPECT_THAT(error_of({R"({"peft_type": "IA3"})"}), HasSubstr("\"IA3\" is not supported"));
  EXPECT_THAT(error_of({R"({"peft_type": "LORA", "base_model_name_or_path": "gpt2"})"}),
              HasSubstr("target_modules"));
  EXPECT_THAT(error_of({adapter(R"(["q_proj"])", "gpt2", R"(, "rank_pattern": {"q_proj": 4})")}),
              HasSubstr("rank_pattern"));
  EXPECT_THAT(error_of({adapter(R"(["q_proj"])", "gpt2", R"(, "layers_to_transform": [0, 1])")}),
              HasSubstr("layers_to_transform"));
  EXPECT_THAT(error_of({R"({"peft_type": "LORA", "base_model_name_or_path": "gpt2", "r": 0,
                           "target_modules": ["c_attn"]})"}),
              HasSubstr("file:/lora/rank"));
}

TEST(Peft, CountsWhatHasNoEffect) {
  const std::string more =
      R"(, "lora_dropout": 0.1, "modules_to_save": ["score"], "use_dora": true)";
  const ImportedAdapters job = import_adapters({adapter(R"(["q_proj"])", "gpt2", more)});
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 3u);
  EXPECT_EQ(import_adapters({adapter(R"("all-linear")", "mistralai/Mixtral-8x7B-v0.1")})
                .findings.count(FindingCode::key_without_effect),
            1u);
}

// NVIDIA/NeMo, examples/nlp/language_modeling/tuning/conf/megatron_gpt_finetuning_config.yaml
TEST(NeMoPeft, SectionOfTheModel) {
  const auto job = [](const std::string& scheme) {
    return R"(
model:
  tensor_model_parallel_size: 2
  num_layers: 4
  hidden_size: 1024
  num_attention_heads: 16
  vocab_size: 32000
  peft:
    peft_scheme: )" +
           scheme + R"(
    restore_from_path: null
    lora_tuning:
      variant: "nemo"
      target_modules: ['attention_qkv', 'mlp_fc1']
      adapter_dim: 32
      alpha: 32
      adapter_dropout: 0.0
      column_init_method: 'xavier'
      row_init_method: 'zero'
      layer_selection: null
      weight_tying: False
      position_embedding_strategy: null
)";
  };
  const ImportedAdapters lora = import_adapters({job("lora")});
  EXPECT_TRUE(lora.findings.empty());
  EXPECT_EQ(count_adapters(lora.spec), 4 * 32 * (1024 + 3 * 1024 + 1024 + 4096));
  EXPECT_FALSE(import_adapters({job("null")}).spec.lora.has_value());
  EXPECT_THAT(error_of({job("ia3")}), HasSubstr("peft_scheme: is not supported"));
}

}  // namespace
}  // namespace orrery::workload
