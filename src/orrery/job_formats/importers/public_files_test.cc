// SPDX-License-Identifier: Apache-2.0
//
// What public configurations and scripts contain that is easily misread; found with
// tests/public_configurations. The texts here are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "orrery/job_formats/importers/importer_internal.h"
#include "orrery/workload/spec/defaults.h"

namespace orrery::workload {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct PublicFile {
  Spec spec = unresolved_spec();
  Findings findings{};
  std::optional<Error> error{};
};

PublicFile read_public(std::string_view text, const std::string& where = "job.yaml") {
  PublicFile file;
  const auto done = import_into(file.spec, text, where, file.findings);
  if (!done) file.error = done.error();
  return file;
}

std::string why(std::string_view text) {
  const PublicFile file = read_public(text);
  return file.error ? to_string(*file.error) : "";
}

/// Arguments of Megatron-LM for a small model, with more.
PublicFile megatron(const std::string& more) {
  return read_public(
      "torchtrain --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 "
      "--micro-batch-size 1 --bf16 " +
          more + "\n",
      "job.sh");
}

TEST(PublicMegatron, AGatedMlpHasTwoThirdsOfTheWidth) {
  EXPECT_EQ(megatron("--swiglu --vocab-size 32000").spec.model.ffn, 2688);  // 8/3 h, in 64s
  EXPECT_EQ(megatron("--swiglu --ffn-hidden-size 4096 --vocab-size 32000").spec.model.ffn, 4096);
  EXPECT_EQ(megatron("--vocab-size 32000").spec.model.ffn, 0);
}

TEST(PublicMegatron, ForksHaveOtherArguments) {
  const Model model = megatron(
                          "--position-embedding-type alibi --embed-layernorm "
                          "--num-key-value-heads 4 --vocab-size 32000")
                          .spec.model;
  EXPECT_EQ(model.positions, Positions::alibi);
  EXPECT_TRUE(model.embedding_norm);
  EXPECT_EQ(model.kv_heads, 4);
  const Spec plan = megatron(
                        "--vocab-size 32000 --deepspeed --zero-stage 2 --cpu-optimizer "
                        "--checkpoint-activations")
                        .spec;
  EXPECT_EQ(plan.parallel.sharding, Sharding::zero2);
  EXPECT_TRUE(plan.offload.optimizer);
  EXPECT_EQ(plan.recompute.kind, RecomputeKind::full);
}

TEST(PublicMegatron, DeepSpeedsExpertsAreInEverySecondLayer) {
  const PublicFile file =
      megatron("--vocab-size 32000 --deepspeed --num-experts 8 --moe-expert-parallel-size 4");
  ASSERT_TRUE(file.spec.model.moe);
  EXPECT_THAT(file.spec.model.moe->pattern, testing::ElementsAre(0, 1));
  EXPECT_EQ(file.spec.model.moe->top_k, 1);
  EXPECT_EQ(file.spec.parallel.ep, 4);
  EXPECT_EQ(file.findings.count(FindingCode::default_assumed), 1u);
  const PublicFile every = megatron("--vocab-size 32000 --num-experts 8 --expert-interval 1");
  EXPECT_TRUE(every.spec.model.moe->pattern.empty());
}

TEST(PublicMegatron, Gpt2TokensAreInMultiplesOfTheRanks) {
  const std::string files = "--vocab-file gpt2-vocab.json --merge-file gpt2-merges.txt";
  EXPECT_EQ(megatron(files).spec.model.vocab, 50304);
  EXPECT_EQ(megatron(files + " --tensor-model-parallel-size 8").spec.model.vocab, 51200);
  EXPECT_EQ(megatron("--tokenizer-type GPT2BPETokenizer --make-vocab-size-divisible-by 256")
                .spec.model.vocab,
            50432);
}

TEST(PublicMegatron, NamesOfOptionsAreExpanded) {
  const PublicFile file = read_public(
      "#!/bin/bash\nDTYPE=bf16\ntorchrun --nproc_per_node 8 pretrain_gpt.py --${DTYPE} "
      "--num-layers 4 --hidden-size 1024 --num-attention-heads 16 --micro-batch-size 1 "
      "--vocab-size 32000\n",
      "job.sh");
  EXPECT_EQ(file.spec.precision.weights, Dtype::bf16);
  EXPECT_EQ(file.spec.parallel.dp, 8) << "one node, unless the script says otherwise";
}

TEST(PublicMegatron, OtherJobsAreRefusedByName) {
  const auto error = [](const std::string& more) {
    const PublicFile file = megatron(more);
    return file.error ? to_string(*file.error) : "";
  };
  EXPECT_THAT(error("--bert-no-binary-head"), HasSubstr("BERT"));
  EXPECT_THAT(error("--img-h 336 --patch-dim 14"), HasSubstr("vision-language"));
  EXPECT_THAT(why("MODE: inference\nMODEL_ARGS:\n  --num-layers: 4\n"), HasSubstr("inference"));
  EXPECT_THAT(why("#!/bin/bash\npython run_clm.py\n"), HasSubstr("run_clm.py"));
  EXPECT_THAT(why("MODEL_ARGS: !include other.yaml\n"), HasSubstr("!include"));
}

TEST(PublicNemo, KeysOfItsOwn) {
  const std::string sizes =
      "num_layers: 4, hidden_size: 1024, num_attention_heads: 16, encoder_seq_length: 1024";
  const Model model = read_public("model: {" + sizes +
                                  ", override_vocab_size: 65024, qkv_bias: true, bias: false, "
                                  "num_query_groups: 1}\n")
                          .spec.model;
  EXPECT_EQ(model.vocab, 65024);
  EXPECT_TRUE(model.qkv_bias);
  EXPECT_FALSE(model.out_bias);
  EXPECT_EQ(model.kv_heads, 1);
  EXPECT_THAT(why("model: {" + sizes + ", bert_binary_head: true}\n"), HasSubstr("BERT"));
  EXPECT_THAT(why("model: {encoder_seq_length: 512, encoder: {num_layers: 2}, decoder: "
                  "{num_layers: 2}}\n"),
              HasSubstr("T5"));
  EXPECT_THAT(why("gpt_model_file: x.nemo\nmodel: {tensor_model_parallel_size: 1}\n"),
              HasSubstr("inference"));
}

// EleutherAI/gpt-neox, megatron/model/transformer.py.
TEST(PublicNeox, GatedWidths) {
  const auto width = [](const std::string& more) {
    return read_public(
               "num_layers: 4\nhidden_size: 1024\nnum_attention_heads: 16\n"
               "pipe_parallel_size: 1\nactivation: swiglu\n" +
               more)
        .spec.model.ffn;
  };
  EXPECT_EQ(width(""), 1536);                             // 4 x 1024 x 2/3 / 2, in 256s
  EXPECT_EQ(width("intermediate_size: 86016\n"), 28672);  // LLaMA 2 70B
  EXPECT_EQ(width("mlp_type: llama\n"), 2816);            // 8/3 x 1024, in 256s
  EXPECT_EQ(width("mlp_type: llama\nintermediate_size: 14336\n"), 14336);
}

TEST(PublicYaml, ARepeatedKeyIsAFindingInFilesOfOthers) {
  const PublicFile file = read_public(
      "num_layers: 2\nnum_layers: 4\nhidden_size: 1024\nnum_attention_heads: 16\n"
      "pipe_parallel_size: 1\n");
  ASSERT_FALSE(file.error);
  EXPECT_EQ(file.spec.model.layers, 4);
  EXPECT_EQ(file.findings.count(FindingCode::key_ignored), 1u);
  EXPECT_THAT(why("model: {layers: 4}\nmodel: {layers: 2}\n"), HasSubstr("twice"));
}

TEST(PublicAxolotl, AModelTypeIsNotAConfigJson) {
  const std::string job =
      "base_model: NousResearch/Llama-2-7b-hf\nsequence_len: 4096\n"
      "micro_batch_size: 1\n";
  const PublicFile file = read_public(job + "model_type: LlamaForCausalLM\n");
  ASSERT_FALSE(file.error) << to_string(*file.error);
  EXPECT_EQ(count_parameters(file.spec.model).total, 6'738'415'616);
  EXPECT_THAT(why(job + "model_type: AutoModelForSequenceClassification\n"), HasSubstr("reward"));
  EXPECT_THAT(why("base_model: nobody/knows\nsequence_len: 4096\nrl: dpo\n"), HasSubstr("dpo"));
  EXPECT_THAT(why(job + "processor_type: AutoProcessor\n"), HasSubstr("images"));
}

class PublicFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::create_directories(folder_ / "models");
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  fs::path folder_;
};

constexpr const char* kMaxTextSizes =
    "base_emb_dim: 1024\nbase_num_query_heads: 16\nbase_num_kv_heads: 16\nbase_mlp_dim: 4096\n"
    "base_num_decoder_layers: 4\n";

TEST_F(PublicFolder, MaxTextsFilesMayNameEachOther) {
  const std::string more = "per_device_batch_size: 1\n";
  write("models/a.yml", more + "model_name: b\n");
  write("models/b.yml", std::string(kMaxTextSizes) + "vocab_size: 262_144\nmodel_name: a\n");
  const std::string run = "model_name: b\n" + more;
  const PublicFile file = read_public(run, write("run.yml", run));
  ASSERT_FALSE(file.error) << to_string(*file.error);
  EXPECT_EQ(file.spec.model.vocab, 262144);
  EXPECT_FALSE(file.spec.model.tied_embeddings);
  const std::string circle = "model_name: a\n" + more;
  EXPECT_FALSE(has_model(read_public(circle, write("circle.yml", circle)).spec));  // a has no sizes
}

TEST(PublicMaxText, Families) {
  const auto block = [](const std::string& name) {
    return read_public(std::string(kMaxTextSizes) + "vocab_size: 1000\ndecoder_block: " + name +
                       "\n");
  };
  EXPECT_EQ(block("gemma2").spec.model.layers, 8);  // pairs
  EXPECT_EQ(block("llama2").spec.model.layers, 4);
  EXPECT_THAT(to_string(*block("qwen3_next").error), HasSubstr("linear attention"));
}

TEST(PublicPrimus, TrainersInOtherForms) {
  EXPECT_THAT(why("modules:\n  - {name: pre_trainer, framework: torchtitan}\n"),
              HasSubstr("torchtitan"));
  EXPECT_THAT(why("modules: {post_trainer: {framework: megatron, model: missing.yaml}}\n"),
              HasSubstr("missing.yaml"));
  EXPECT_THAT(why("framework: megatron_bridge\ntask: posttrain\n"), HasSubstr("megatron_bridge"));
}

TEST(PublicOlmo, FilesOfTheFirstMonthsHaveGelu) {
  const std::string model = "model: {d_model: 1024, n_heads: 16, n_layers: 4, vocab_size: 1000}\n";
  EXPECT_EQ(read_public(model).spec.model.mlp, Mlp::swiglu);
  const PublicFile old = read_public(model + "algorithms: {gradient_clipping: {}}\n");
  EXPECT_EQ(old.spec.model.mlp, Mlp::gelu);
  EXPECT_TRUE(old.spec.model.mlp_bias);
  EXPECT_THAT(why("model: {model_name: mamba, d_model: 1024, n_layers: 4}\n"), HasSubstr("mamba"));
}

TEST(PublicTorchtitan, NamesOfTheFirstVersions) {
  const PublicFile file = read_public(
      "[model]\nname = \"llama\"\nflavor = \"7B\"\nconverters = \"float8\"\n[training]\n"
      "seq_len = 2048\n",
      "job.toml");
  ASSERT_FALSE(file.error) << to_string(*file.error);
  EXPECT_EQ(file.spec.model.layers, 32);
  EXPECT_EQ(file.spec.precision.products, Dtype::fp8);
}

TEST(PublicDeepSpeed, OlderAndNewerKeys) {
  const Spec spec = read_public(
                        "{\"train_micro_batch_size_per_gpu\": 1, \"tensor_parallel\": "
                        "{\"autotp_size\": 4}, \"zero_optimization\": {\"stage\": 2, "
                        "\"cpu_offload\": true}}",
                        "ds.json")
                        .spec;
  EXPECT_EQ(spec.parallel.tp, 4);
  EXPECT_TRUE(spec.offload.optimizer);
}

}  // namespace
}  // namespace orrery::workload
