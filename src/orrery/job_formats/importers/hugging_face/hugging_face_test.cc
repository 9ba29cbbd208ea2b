// SPDX-License-Identifier: Apache-2.0
//
// Families of Hugging Face's models, each by a config.json as its owners publish it (facts only)
// and the number of weights that the same page prints.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "orrery/job_formats/importers/importer.h"

namespace orrery::workload {
namespace {

using ::testing::HasSubstr;

struct Imported {
  Spec spec;
  Findings findings;
};

Imported import(std::string_view text) {
  Imported result;
  const auto done = import_into(result.spec, text, "file", result.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  EXPECT_EQ(result.findings.count(FindingCode::key_ignored), 0u);
  return result;
}

std::int64_t weights(const Imported& imported) {
  return count_parameters(imported.spec.model).total;
}

// huggingface.co/allenai/OLMo-2-1124-7B
TEST(HuggingFaceFamilies, Olmo2) {
  EXPECT_EQ(weights(import(R"({"architectures": ["Olmo2ForCausalLM"], "attention_bias": false,
    "attention_dropout": 0.0, "eos_token_id": 100257, "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.02, "intermediate_size": 11008, "max_position_embeddings": 4096,
    "model_type": "olmo2", "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 32, "pad_token_id": 100277, "rms_norm_eps": 1e-06, "rope_scaling": null,
    "rope_theta": 500000, "tie_word_embeddings": false, "torch_dtype": "float32",
    "transformers_version": "4.47.0.dev0", "use_cache": false, "vocab_size": 100352})")),
            7'298'617'344);
}

// huggingface.co/CohereForAI/c4ai-command-r-v01
TEST(HuggingFaceFamilies, Cohere) {
  const Imported cohere = import(R"({"architectures": ["CohereForCausalLM"],
    "attention_bias": false, "attention_dropout": 0.0, "bos_token_id": 5, "eos_token_id": 255001,
    "hidden_act": "silu", "hidden_size": 8192, "initializer_range": 0.02,
    "intermediate_size": 22528, "layer_norm_eps": 1e-05, "logit_scale": 0.0625,
    "max_position_embeddings": 8192, "model_max_length": 131072, "model_type": "cohere",
    "num_attention_heads": 64, "num_hidden_layers": 40, "num_key_value_heads": 64,
    "pad_token_id": 0, "rope_theta": 8000000.0, "torch_dtype": "float16", "use_cache": true,
    "vocab_size": 256000})");
  EXPECT_EQ(weights(cohere), 34'980'831'232);
  EXPECT_TRUE(cohere.spec.model.parallel_block);
}

// huggingface.co/CohereForAI/c4ai-command-r-plus: norms of queries and keys, grouped heads
TEST(HuggingFaceFamilies, CohereWithNormedHeads) {
  EXPECT_EQ(weights(import(R"({"hidden_act": "silu", "hidden_size": 12288,
    "intermediate_size": 33792, "model_type": "cohere", "num_attention_heads": 96,
    "num_hidden_layers": 64, "num_key_value_heads": 8, "use_qk_norm": true,
    "vocab_size": 256000})")),
            103'810'674'688);
}

// huggingface.co/internlm/internlm2-7b
TEST(HuggingFaceFamilies, Internlm2) {
  EXPECT_EQ(weights(import(R"({"architectures": ["InternLM2ForCausalLM"],
    "attn_implementation": "eager", "bias": false, "bos_token_id": 1, "eos_token_id": 2,
    "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 14336, "max_position_embeddings": 32768, "model_type": "internlm2",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "pad_token_id": 2, "rms_norm_eps": 1e-05, "rope_scaling": {"type": "dynamic", "factor": 2.0},
    "rope_theta": 1000000, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "use_cache": true, "vocab_size": 92544})")),
            7'737'708'544);
}

// huggingface.co/stabilityai/stablelm-2-1_6b, and stablelm-2-12b ("12.1 billion"): a norm for every
// head, both branches behind one norm
TEST(HuggingFaceFamilies, Stablelm) {
  EXPECT_EQ(weights(import(R"({"hidden_act": "silu", "hidden_size": 2048,
    "intermediate_size": 5632, "layer_norm_eps": 1e-05, "max_position_embeddings": 4096,
    "model_type": "stablelm", "num_attention_heads": 32, "num_hidden_layers": 24,
    "num_key_value_heads": 32, "partial_rotary_factor": 0.25, "rope_theta": 10000,
    "tie_word_embeddings": false, "use_cache": true, "use_qkv_bias": true,
    "vocab_size": 100352})")),
            1'644'515'328);
  const Imported large = import(R"({"hidden_act": "silu", "hidden_size": 5120,
    "intermediate_size": 13824, "model_type": "stablelm", "num_attention_heads": 32,
    "num_hidden_layers": 40, "num_key_value_heads": 8, "partial_rotary_factor": 0.25,
    "qk_layernorm": true, "tie_word_embeddings": false, "use_parallel_residual": true,
    "use_norm_bias": false, "use_qkv_bias": false, "vocab_size": 100352})");
  EXPECT_EQ(weights(large) / 100'000'000, 121);
  EXPECT_EQ(count_parameters(large.spec.model).embedding, 100'352 * 5120);
}

// huggingface.co/bigcode/starcoder2-3b
TEST(HuggingFaceFamilies, Starcoder2) {
  const Imported coder = import(R"({"architectures": ["Starcoder2ForCausalLM"],
    "attention_dropout": 0.1, "bos_token_id": 0, "embedding_dropout": 0.1, "eos_token_id": 0,
    "hidden_act": "gelu_pytorch_tanh", "hidden_size": 3072, "initializer_range": 0.018042,
    "intermediate_size": 12288, "max_position_embeddings": 16384, "mlp_type": "default",
    "model_type": "starcoder2", "norm_epsilon": 1e-05, "norm_type": "layer_norm",
    "num_attention_heads": 24, "num_hidden_layers": 30, "num_key_value_heads": 2,
    "residual_dropout": 0.1, "rope_theta": 999999.4420358813, "sliding_window": 4096,
    "torch_dtype": "bfloat16", "use_bias": true, "use_cache": true, "vocab_size": 49152})");
  EXPECT_EQ(weights(coder), 3'030'371'328);
  EXPECT_EQ(coder.spec.model.window, 4096);
}

// huggingface.co/bigcode/gpt_bigcode-santacoder
TEST(HuggingFaceFamilies, GptBigcode) {
  const Imported santa = import(R"({"activation_function": "gelu_pytorch_tanh",
    "architectures": ["GPTBigCodeForCausalLM"], "attention_softmax_in_fp32": true,
    "multi_query": true, "attn_pdrop": 0.1, "bos_token_id": 49152, "embd_pdrop": 0.1,
    "eos_token_id": 49152, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
    "model_type": "gpt_bigcode", "n_embd": 2048, "n_head": 16, "n_inner": 8192, "n_layer": 24,
    "n_positions": 2048, "resid_pdrop": 0.1, "scale_attention_softmax_in_fp32": true,
    "scale_attn_weights": true, "use_cache": true, "vocab_size": 49280})");
  EXPECT_EQ(weights(santa), 1'124'886'528);
  EXPECT_EQ(santa.spec.model.kv(), 1);
}

// huggingface.co/openbmb/MiniCPM-2B-sft-bf16
TEST(HuggingFaceFamilies, MiniCpm) {
  EXPECT_EQ(weights(import(R"({"architectures": ["MiniCPMForCausalLM"], "bos_token_id": 1,
    "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 2304, "initializer_range": 0.1,
    "intermediate_size": 5760, "max_position_embeddings": 2048, "model_type": "minicpm",
    "num_attention_heads": 36, "num_hidden_layers": 40, "num_key_value_heads": 36,
    "rms_norm_eps": 1e-05, "rope_scaling": null, "torch_dtype": "bfloat16", "use_cache": true,
    "vocab_size": 122753, "scale_emb": 12, "dim_model_base": 256, "scale_depth": 1.4})")),
            2'724'880'896);
}

// huggingface.co/microsoft/phi-2
TEST(HuggingFaceFamilies, Phi) {
  EXPECT_EQ(weights(import(R"({"architectures": ["PhiForCausalLM"], "attention_dropout": 0.0,
    "bos_token_id": 50256, "embd_pdrop": 0.0, "eos_token_id": 50256, "hidden_act": "gelu_new",
    "hidden_size": 2560, "initializer_range": 0.02, "intermediate_size": 10240,
    "layer_norm_eps": 1e-05, "max_position_embeddings": 2048, "model_type": "phi",
    "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
    "partial_rotary_factor": 0.4, "qk_layernorm": false, "resid_pdrop": 0.1, "rope_scaling": null,
    "rope_theta": 10000.0, "tie_word_embeddings": false, "torch_dtype": "float16",
    "transformers_version": "4.37.0", "use_cache": true, "vocab_size": 51200})")),
            2'779'683'840);
}

// huggingface.co/openai/gpt-oss-20b; 20.91 B and 3.61 B per token without the input table
// (arXiv 2508.10925, table 1)
TEST(HuggingFaceFamilies, GptOss) {
  std::string types;
  for (int i = 0; i < 12; ++i) types += R"("sliding_attention", "full_attention", )";
  types.resize(types.size() - 2);
  const Imported oss = import(R"({"architectures": ["GptOssForCausalLM"], "attention_bias": true,
    "attention_dropout": 0.0, "eos_token_id": 200002, "experts_per_token": 4, "head_dim": 64,
    "hidden_act": "silu", "hidden_size": 2880, "initial_context_length": 4096,
    "initializer_range": 0.02, "intermediate_size": 2880, "layer_types": [)" +
                              types + R"(],
    "max_position_embeddings": 131072, "model_type": "gpt_oss", "num_attention_heads": 64,
    "num_experts_per_tok": 4, "num_hidden_layers": 24, "num_key_value_heads": 8,
    "num_local_experts": 32, "output_router_logits": false, "pad_token_id": 199999,
    "rms_norm_eps": 1e-05, "rope_theta": 150000, "router_aux_loss_coef": 0.9,
    "sliding_window": 128, "swiglu_limit": 7.0, "tie_word_embeddings": false,
    "transformers_version": "4.55.0.dev0", "use_cache": true, "vocab_size": 201088})");
  EXPECT_EQ(weights(oss), 20'914'757'184);
  EXPECT_EQ(oss.spec.model.window_of(0), 128);
  EXPECT_EQ(oss.spec.model.window_of(1), 0);
  EXPECT_TRUE(oss.findings.empty());
}

// huggingface.co/PrimeIntellect/INTELLECT-3, GLM-4.5-Air without its layer for multi-token
// prediction
TEST(HuggingFaceFamilies, Glm4Moe) {
  const Imported glm = import(R"({"architectures": ["Glm4MoeForCausalLM"], "attention_bias": true,
    "attention_dropout": 0.0, "dtype": "bfloat16", "first_k_dense_replace": 1, "head_dim": 128,
    "hidden_act": "silu", "hidden_size": 4096, "initializer_range": 0.02,
    "intermediate_size": 10944, "max_position_embeddings": 131072, "model_type": "glm4_moe",
    "moe_intermediate_size": 1408, "n_group": 1, "n_routed_experts": 128, "n_shared_experts": 1,
    "norm_topk_prob": true, "num_attention_heads": 96, "num_experts_per_tok": 8,
    "num_hidden_layers": 46, "num_key_value_heads": 8, "num_nextn_predict_layers": 1,
    "partial_rotary_factor": 0.5, "rms_norm_eps": 1e-05, "rope_scaling": null,
    "rope_theta": 1000000, "routed_scaling_factor": 1.0, "tie_word_embeddings": false,
    "topk_group": 1, "use_cache": false, "use_qk_norm": false, "vocab_size": 151552})");
  EXPECT_EQ(glm.findings.count(FindingCode::key_without_effect), 0u);
  EXPECT_EQ(glm.spec.model.mtp_layers, 1);
  Model main = glm.spec.model;
  main.mtp_layers = 0;
  EXPECT_EQ(count_parameters(main).total, 106'852'251'264);
  EXPECT_EQ(glm.spec.model.moe->first_dense, 1);
}

// state-spaces/mamba2-2.7b in Transformers' form: 2.7 B.
TEST(HuggingFaceFamilies, Mamba2) {
  const Imported mamba = import(R"({"model_type": "mamba2", "hidden_size": 2560, "num_heads": 80,
    "head_dim": 64, "state_size": 128, "n_groups": 1, "expand": 2, "conv_kernel": 4,
    "chunk_size": 256, "num_hidden_layers": 64, "vocab_size": 50288, "tie_word_embeddings": true,
    "use_bias": false, "use_conv_bias": true, "hidden_act": "silu", "rms_norm": true,
    "residual_in_fp32": true, "time_step_rank": 160})");
  EXPECT_NEAR(static_cast<double>(weights(mamba)) / 1e9, 2.7, 0.01);
  EXPECT_TRUE(check_spec(mamba.spec));
}

// nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B: 31.6 B.
TEST(HuggingFaceFamilies, NemotronH) {
  const std::string rest = R"("hidden_size": 2688, "num_hidden_layers": 52,
    "num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 128, "mamba_num_heads": 64,
    "mamba_head_dim": 64, "ssm_state_size": 128, "conv_kernel": 4, "n_groups": 8, "chunk_size": 128,
    "intermediate_size": 1856, "moe_intermediate_size": 1856, "n_routed_experts": 128,
    "num_experts_per_tok": 6, "n_shared_experts": 1, "moe_shared_expert_intermediate_size": 3712,
    "vocab_size": 131072, "mlp_hidden_act": "relu2", "tie_word_embeddings": false})";
  const Imported nano = import(R"({"model_type": "nemotron_h", "hybrid_override_pattern":
    "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", )" +
                               rest);
  EXPECT_NEAR(static_cast<double>(weights(nano)) / 1e9, 31.6, 0.05);
  EXPECT_EQ(nano.spec.model.mamba->chunk, 128);
  EXPECT_TRUE(check_spec(nano.spec));
  std::string list;
  for (const char symbol : nano.spec.model.pattern) {
    const char* const type = symbol == 'M' ? "mamba" : symbol == '*' ? "attention" : "moe";
    list += (list.empty() ? "\"" : ", \"") + std::string(type) + "\"";
  }
  const Imported listed =
      import(R"({"model_type": "nemotron_h", "layers_block_type": [)" + list + "], " + rest);
  EXPECT_EQ(listed.spec.model.pattern, nano.spec.model.pattern);
}

// Layers with a window in any order are not modeled: counted, not dropped.
TEST(HuggingFaceFamilies, LayerTypesWithoutAPeriod) {
  const Imported odd = import(R"({"model_type": "gpt_oss", "hidden_size": 64,
    "num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 16, "num_hidden_layers": 4,
    "layer_types": ["sliding_attention", "full_attention", "full_attention",
                    "sliding_attention"]})");
  EXPECT_EQ(odd.findings.count(FindingCode::key_without_effect), 1u);
}

TEST(HuggingFaceFamilies, UnknownOnesNameTheNearest) {
  Spec spec;
  Findings findings;
  const auto done =
      import_into(spec, R"({"model_type": "olmo", "hidden_size": 8})", "m.json", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::input_unsupported);
  EXPECT_THAT(done.error().hint, HasSubstr("did you mean \"olmo2\"?"));
  EXPECT_THAT(done.error().hint, HasSubstr("starcoder2, t5, vit"));
}

// A model without layers was one layer once, of 1,024 features.
TEST(HuggingFaceFamilies, AShapeIsNeverAssumed) {
  Spec spec;
  Findings findings;
  const auto done =
      import_into(spec, R"({"model_type": "llama", "hidden_size": 64})", "m.json", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::config_missing_key);
  EXPECT_EQ(done.error().where, "m.json:/num_hidden_layers");
}

}  // namespace
}  // namespace orrery::workload
