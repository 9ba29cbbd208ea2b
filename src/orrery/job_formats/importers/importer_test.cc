// SPDX-License-Identifier: Apache-2.0
//
// Files as their owners publish them (facts only; each test says where from), held against
// published numbers of weights where a model is all there.
#include "orrery/job_formats/importers/importer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orrery::workload {
namespace {

using ::testing::HasSubstr;

struct ImportedFile {
  Spec spec;
  Findings findings;
};

ImportedFile import_file(std::string_view text, Spec base = {}) {
  ImportedFile result;
  result.spec = std::move(base);
  const auto done = import_into(result.spec, text, "file", result.findings);
  EXPECT_TRUE(done.has_value()) << (done ? "" : to_string(done.error()));
  return result;
}

std::int64_t weights_of(const ImportedFile& imported) {
  return count_parameters(imported.spec.model).total;
}

// huggingface.co/meta-llama/Llama-3.1-8B, config.json; 8,030,261,248 weights on the same page.
TEST(HuggingFace, Llama31) {
  const ImportedFile llama = import_file(R"({
    "architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
    "bos_token_id": 128000, "eos_token_id": 128001, "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 131072,
    "mlp_bias": false, "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
    "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                     "original_max_position_embeddings": 8192, "rope_type": "llama3"},
    "rope_theta": 500000.0, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    "transformers_version": "4.43.0.dev0", "use_cache": true, "vocab_size": 128256})");
  EXPECT_EQ(weights_of(llama), 8'030'261'248);
  EXPECT_TRUE(llama.findings.empty());
}

// huggingface.co/meta-llama/Llama-3.2-3B: a head size that is not hidden / heads would be, tied
// tables; 3,212,749,824 weights.
TEST(HuggingFace, TiedTables) {
  EXPECT_EQ(weights_of(import_file(R"({"model_type": "llama", "head_dim": 128, "hidden_act": "silu",
    "hidden_size": 3072, "intermediate_size": 8192, "num_attention_heads": 24,
    "num_hidden_layers": 28, "num_key_value_heads": 8, "tie_word_embeddings": true,
    "vocab_size": 128256})")),
            3'212'749'824);
}

// huggingface.co/openai-community/gpt2: 124 M, in full 124,439,808.
TEST(HuggingFace, Gpt2) {
  EXPECT_EQ(weights_of(import_file(R"({"activation_function": "gelu_new", "architectures":
    ["GPT2LMHeadModel"], "attn_pdrop": 0.1, "bos_token_id": 50256, "embd_pdrop": 0.1,
    "eos_token_id": 50256, "initializer_range": 0.02, "layer_norm_epsilon": 1e-05,
    "model_type": "gpt2", "n_ctx": 1024, "n_embd": 768, "n_head": 12, "n_layer": 12,
    "n_positions": 1024, "resid_pdrop": 0.1, "vocab_size": 50257})")),
            124'439'808);
}

// huggingface.co/mistralai/Mixtral-8x7B-v0.1: 46,702,792,704 weights.
TEST(HuggingFace, Mixtral) {
  const ImportedFile mixtral = import_file(R"({"model_type": "mixtral", "hidden_act": "silu",
    "hidden_size": 4096, "intermediate_size": 14336, "max_position_embeddings": 32768,
    "num_attention_heads": 32, "num_experts_per_tok": 2, "num_hidden_layers": 32,
    "num_key_value_heads": 8, "num_local_experts": 8, "output_router_logits": false,
    "rms_norm_eps": 1e-05, "rope_theta": 1000000.0, "router_aux_loss_coef": 0.02,
    "sliding_window": null, "tie_word_embeddings": false, "vocab_size": 32000})");
  EXPECT_EQ(weights_of(mixtral), 46'702'792'704);
  EXPECT_EQ(mixtral.spec.model.window, 0);
}

// huggingface.co/Qwen/Qwen3-30B-A3B: 30,532,122,624 weights; the head size is 128, not 2048 / 32.
TEST(HuggingFace, Qwen3Experts) {
  EXPECT_EQ(weights_of(import_file(R"({"model_type": "qwen3_moe", "attention_bias": false,
    "decoder_sparse_step": 1, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048,
    "intermediate_size": 6144, "max_window_layers": 48, "mlp_only_layers": [],
    "moe_intermediate_size": 768, "norm_topk_prob": true, "num_attention_heads": 32,
    "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48,
    "num_key_value_heads": 4, "sliding_window": null, "tie_word_embeddings": false,
    "use_sliding_window": false, "vocab_size": 151936})")),
            30'532'122'624);
}

// huggingface.co/deepseek-ai/DeepSeek-V3: 671 B in the main model (its report, section 1).
TEST(HuggingFace, DeepSeekV3) {
  const ImportedFile deepseek = import_file(R"({"model_type": "deepseek_v3", "ep_size": 1,
    "first_k_dense_replace": 3, "hidden_act": "silu", "hidden_size": 7168,
    "intermediate_size": 18432, "kv_lora_rank": 512, "max_position_embeddings": 163840,
    "moe_intermediate_size": 2048, "moe_layer_freq": 1, "n_group": 8, "n_routed_experts": 256,
    "n_shared_experts": 1, "norm_topk_prob": true, "num_attention_heads": 128,
    "num_experts_per_tok": 8, "num_hidden_layers": 61, "num_key_value_heads": 128,
    "num_nextn_predict_layers": 1, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "routed_scaling_factor": 2.5, "scoring_func": "sigmoid",
    "tie_word_embeddings": false, "topk_group": 4, "topk_method": "noaux_tc", "v_head_dim": 128,
    "vocab_size": 129280})");
  EXPECT_EQ(deepseek.spec.model.mtp_layers, 1);
  Model main = deepseek.spec.model;
  main.mtp_layers = 0;
  EXPECT_EQ(count_parameters(main).total / 1'000'000'000, 671);
  EXPECT_EQ(count_parameters(main).active / 1'000'000'000, 37);
}

// huggingface.co/google-t5/t5-small (60,506,624), google-bert/bert-base-uncased without the
// pre-training heads (109,482,240), facebook/opt-125m (125,239,296).
TEST(HuggingFace, OlderFamilies) {
  EXPECT_EQ(weights_of(import_file(R"({"model_type": "t5", "d_ff": 2048, "d_kv": 64, "d_model": 512,
    "dropout_rate": 0.1, "feed_forward_proj": "relu", "is_encoder_decoder": true, "num_heads": 8,
    "num_layers": 6, "relative_attention_num_buckets": 32, "vocab_size": 32128})")),
            60'506'624);
  EXPECT_EQ(weights_of(import_file(R"({"model_type": "opt", "activation_function": "relu",
    "do_layer_norm_before": true, "ffn_dim": 3072, "hidden_size": 768, "layerdrop": 0.0,
    "max_position_embeddings": 2048, "num_attention_heads": 12, "num_hidden_layers": 12,
    "vocab_size": 50272, "word_embed_proj_dim": 768})")),
            125'239'296);
}

TEST(HuggingFace, AnUnknownFamilyIsRefusedWithWhatIsNeeded) {
  Spec spec;
  Findings findings;
  const auto done =
      import_into(spec, R"({"model_type": "jamba", "hidden_size": 8})", "m.json", findings);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Errc::input_unsupported);
  EXPECT_EQ(done.error().where, "m.json:/model_type");
  EXPECT_THAT(done.error().hint, HasSubstr("kv_heads"));
}

TEST(HuggingFace, KeysNobodyKnowsAreCounted) {
  const ImportedFile odd = import_file(R"({"model_type": "llama", "hidden_size": 64,
    "num_hidden_layers": 2, "num_attention_heads": 4, "twisted": 3})");
  EXPECT_EQ(odd.findings.count(FindingCode::key_ignored), 1u);
}

// Layers that lack experts one by one, and tables narrower than the model, are not modeled.
TEST(HuggingFace, ShapesThatAreNotModeledAreCounted) {
  const ImportedFile moe = import_file(R"({"model_type": "qwen3_moe", "num_experts": 8,
    "hidden_size": 64, "num_hidden_layers": 6, "num_attention_heads": 4,
    "mlp_only_layers": [2, 5]})");
  EXPECT_EQ(moe.findings.count(FindingCode::key_without_effect), 1u);
  const ImportedFile opt = import_file(R"({"model_type": "opt", "hidden_size": 1024,
    "word_embed_proj_dim": 512, "do_layer_norm_before": false})");
  EXPECT_EQ(opt.findings.count(FindingCode::key_without_effect), 2u);
}

// calculon-ai/calculon, examples/3072_t4_p64_d12_mbs4_full.json and models/megatron-1T.json
TEST(Calculon, ModelAndRun) {
  const ImportedFile model =
      import_file(R"({"hidden": 25600, "feedforward": 102400, "seq_size": 2048,
    "attn_heads": 160, "attn_size": 160, "num_blocks": 128})");
  const ImportedFile job = import_file(R"({"num_procs": 3072, "tensor_par": 4, "pipeline_par": 64,
    "data_par": 12, "tensor_par_net": 0, "pipeline_par_net": 1, "data_par_net": 1,
    "batch_size": 3072, "microbatch_size": 4, "datatype": "float16", "fused_activation": true,
    "attention_type": "multihead", "activation_recompute": "full", "pipeline_interleaving": 1,
    "optimizer_sharding": true, "tensor_par_comm_type": "rs_ag", "tensor_par_overlap": "none",
    "seq_par_ag_redo": false, "data_par_overlap": false, "weight_offload": false,
    "activations_offload": false, "optimizer_offload": false, "training": true})",
                                       model.spec);
  EXPECT_EQ(job.spec.model.layers, 128);
  EXPECT_EQ(job.spec.model.hidden, 25600);
  EXPECT_EQ(job.spec.parallel.world(), 3072);
  EXPECT_TRUE(job.spec.parallel.sp);
  EXPECT_EQ(job.spec.parallel.sharding, Sharding::zero1);
  EXPECT_EQ(job.spec.recompute.kind, RecomputeKind::full);
  EXPECT_EQ(job.spec.microbatches(), 64);
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 1u);  // seq_par_ag_redo
  EXPECT_TRUE(check_spec(job.spec).has_value());
}

// VIA-Research/vTrain, config/case_study_1/config_mtnlg_16_10_105.json
TEST(VTrain, CaseStudy) {
  const ImportedFile job =
      import_file(R"({"num_gpus": 3360, "gpu_name": "A100", "tensor_parallel_size": 16,
    "data_parallel_size": 10, "pipeline_parallel_size": 105, "global_batch_size": 1920,
    "micro_batch_size": 1, "num_layers": 105, "hidden_size": 20480, "num_attention_heads": 128,
    "max_length": 2048, "use_gradient_bucket": false, "use_checkpoint": true,
    "pipeline_scheduling": "1f1b", "inter_node_bandwidth": 800, "intra_node_bandwidth": 150,
    "node_size": 8, "trace_path": "trace"})");
  EXPECT_EQ(job.spec.parallel.world(), 16800);
  EXPECT_EQ(job.spec.model.layers, 105);
  EXPECT_EQ(job.spec.recompute.kind, RecomputeKind::full);
  // The file's own number of devices does not go with its plan.
  EXPECT_EQ(job.findings.count(FindingCode::key_without_effect), 1u);
}

// aliyun/aicb, workload/simAI/model_workload: the header of its GPT-13B on 16 devices
TEST(SimAi, HeaderGivesThePlan) {
  const ImportedFile job = import_file(
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 40 ga: 2 "
      "all_gpus: 16 checkpoints: 0 checkpoint_initiates: 0\n2\ngrad_gather -1 1 NONE 0\n");
  EXPECT_EQ(job.spec.parallel.tp, 8);
  EXPECT_EQ(job.spec.parallel.dp, 2);
  EXPECT_EQ(job.spec.microbatches(), 2);
}

// DeepSpeed's documentation, "DeepSpeed Configuration JSON" and its ZeRO tutorial
TEST(DeepSpeed, ZeroThree) {
  const ImportedFile job =
      import_file(R"({"train_batch_size": 256, "train_micro_batch_size_per_gpu": 4,
    "gradient_accumulation_steps": 8, "steps_per_print": 10, "gradient_clipping": 1.0,
    "bf16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
    "zero_optimization": {"stage": 3, "overlap_comm": true, "contiguous_gradients": true,
      "reduce_bucket_size": 5e8, "stage3_prefetch_bucket_size": "auto",
      "stage3_max_live_parameters": 1e9, "sub_group_size": 1e9}})");
  EXPECT_EQ(job.spec.parallel.sharding, Sharding::zero3);
  EXPECT_EQ(job.spec.parallel.dp, 8);
  EXPECT_EQ(job.spec.batch.micro, 4);
  EXPECT_EQ(job.spec.microbatches(), 8);
  EXPECT_EQ(job.spec.precision.reduce, Dtype::bf16);
  EXPECT_EQ(job.spec.parallel.bucket->count(), 1'000'000'000);
}

TEST(Sniff, NamesWhatItKnows) {
  EXPECT_EQ(*detect_importer("{\"what\": 1}", "x.json"), nullptr);
  Spec spec;
  Findings findings;
  const auto read = import_into(spec, "{\"what\": 1}", "x.json", findings);
  ASSERT_FALSE(read.has_value());
  EXPECT_THAT(read.error().hint, HasSubstr("Megatron"));
  EXPECT_EQ(*detect_importer("model: gpt2\n", "x.yaml"), &kSpecificationImporter);
}

}  // namespace
}  // namespace orrery::workload
