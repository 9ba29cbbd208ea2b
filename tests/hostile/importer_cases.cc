// SPDX-License-Identifier: Apache-2.0
//
// Other tools' descriptions of jobs that are damaged, absurd or too large.
#include <fmt/format.h>

#include "hostile_case.h"

namespace orrery::hostile {

namespace {

constexpr int kToolWrong = 2, kNoToolJob = 3, kToolTooLarge = 5;

/// A file of another tool, on top of a model.
Case tool(std::string name, std::string text, std::vector<std::string> says,
          int exit_code = kToolWrong) {
  return {"tool_" + std::move(name),
          "job count --model gpt3-175b --spec a.file",
          exit_code,
          std::move(says),
          {{"a.file", std::move(text)}}};
}

Case tool_survives(Case hostile, std::string reports) {
  hostile.exit_code = 0;
  hostile.reports = std::move(reports);
  return hostile;
}

std::vector<Case> script_cases() {
  const std::string huge = "1099511627776";
  const std::string sizes = "--hidden-size 64 --num-attention-heads 4 ";
  const std::string shape = "--num-layers 4 " + sizes;
  const std::string experts = shape + "--num-experts 8 --moe-layer-freq ";
  return {
      tool("megatron_circle",
           "A=${B}${B}\nB=${A}${A}\n"
           "--num-layers ${A} --hidden-size ${B} --num-attention-heads 4",
           {"a.file:3", "E1004", "--num-layers"}),
      tool("megatron_open_braces", "--num-layers " + repeated("${A:-", 100'000),
           {"a.file:1", "E1004"}),
      tool_survives(
          tool("megatron_growing",
               "v=" + repeated("x", 60) + "\n" + shape + repeated("A=$v$v$v$A ", 300'000), {}),
          "1 rank"),
      tool("megatron_huge",
           shape + "--tensor-model-parallel-size " + huge + " --pipeline-model-parallel-size " +
               huge + " --nnodes " + huge + " --nproc_per_node " + huge,
           {"a.file:/pipeline_model_parallel_size", "E1006"}),
      tool("megatron_1e300", "--num-layers 1e300 " + sizes, {"a.file:/num_layers", "1e+300"}),
      tool("megatron_text", "--num-layers many " + sizes, {"a.file:/num_layers", "E1005"}),
      tool("megatron_frequency", experts + "([0]*99999999999999999999+[1]*1)",
           {"a.file:/moe_layer_freq", "E1006"}),
      tool("megatron_frequency_deep", experts + repeated("(", 100'000) + "[1]",
           {"a.file:/moe_layer_freq", "E1006"}),
      tool("megatron_frequency_of_frequencies", experts + "([1]*65536)*65536*65536",
           {"a.file:/moe_layer_freq", "E1006"}),
      tool("megatron_frequency_of_others", experts + "[1]*5",
           {"a.file:/moe_layer_freq", "lists 5 layers, but the model has 4"}),
      tool("megatron_reads_itself", "source a.file\n" + shape, {"a.file:1", "E4000"},
           kToolTooLarge),
      tool_survives(tool("megatron_open_branch",
                         "if [ 1 = 2 ]\n" + shape + repeated("\nif true; then ", 100'000), {}),
                    "1 rank"),
      tool_survives(tool("megatron_open_quote", shape + "\"" + repeated("$(", 100'000), {}),
                    "1 rank"),
      {"tool_script_alone",
       "job count --spec a.sh",
       kToolWrong,
       {"a.sh:2", "model.sh", "E1004"},
       {{"a.sh", "#!/bin/bash\nsource /dev/zero/model.sh\ntorchrun pretrain_gpt.py $@\n"}}},
      {"tool_script_of_nothing",
       "job count --spec a.sh",
       kToolWrong,
       {"a.sh", "E1004"},
       {{"a.sh", "#!/bin/bash\n. /dev/zero\n. .\n"}}},
      {"tool_plan_of_nothing",
       "job count --spec a.json",
       kToolWrong,
       {"--model", "no model is given"},
       {{"a.json", R"({"train_micro_batch_size_per_gpu": 2})"}}},
      tool("megatron_parts",
           shape + "--pipeline-model-parallel-size " + huge +
               " --num-layers-per-virtual-pipeline-stage 16777216",
           {"a.file:/", "E10"}),
      tool("megatron_words", "--num-layers " + repeated("a ", 1'000'001), {"a.file", "E4000"},
           kToolTooLarge),
  };
}

std::vector<Case> argument_cases() {
  return {
      tool("megatron_negative", "--num-layers -4 --hidden-size 64 --num-attention-heads 4 ",
           {"a.file:/num_layers", "is -4"}),
      tool("megatron_no_value", "--num-layers --hidden-size 64 --num-attention-heads 4 ",
           {"a.file:/num_layers", "no value"}),
      tool("megatron_half_a_model", "--num-layers 4", {"a.file", "--hidden-size"}),
      tool("nemo_references",
           "model: {num_layers: \"${.num_layers}\", num_attention_heads: \"${\", hidden_size: 8}\n",
           {"a.file", "--num-layers", "E1004"}),
      tool("nemo_open_reference",
           "model: {num_layers: 2, num_attention_heads: \"${\", hidden_size: 8}\n",
           {"a.file:/num_attention_heads", "${", "E1004"}),
      tool("nemo_list_for_a_name",
           "model: {num_layers: 2, num_attention_heads: 2, hidden_size: 64, optim: {name: "
           "[adam]}}\n",
           {"a.file:/optimizer", "E1005"}),
  };
}

std::vector<Case> adapter_cases() {
  return {
      tool("peft_kind", R"({"peft_type": ["LORA"]})", {"a.file:/peft_type"}, kNoToolJob),
      tool("peft_rank", R"({"peft_type": "LORA", "r": 1e12, "target_modules": ["q_proj"]})",
           {"a.file:/lora/rank", "E1006"}),
      tool("peft_modules", R"({"peft_type": "LORA", "target_modules": [["q_proj"]]})",
           {"a.file:/target_modules/0", "E1005"}),
      tool("peft_pattern",
           "{\"peft_type\": \"LORA\", \"target_modules\": \"" + repeated("(q|", 100'000) + "\"}",
           {"a.file:/target_modules", "is a pattern"}, kNoToolJob),
  };
}

std::vector<Case> other_tool_cases() {
  const std::string huge = "1099511627776";
  return {
      tool("deepspeed_text", R"({"train_batch_size": "many"})",
           {"a.file:/train_batch_size", "E1005"}),
      tool("deepspeed_stage_text", R"({"zero_optimization": {"stage": "3"}})",
           {"a.file:/zero_optimization", "stage", "E1005"}),
      tool("deepspeed_stage_9", R"({"zero_optimization": {"stage": 9}})",
           {"a.file:/zero_optimization", "must be from 0 to 3"}),
      tool("deepspeed_no_micro",
           R"({"train_batch_size": 16, "train_micro_batch_size_per_gpu": 0, )"
           R"("gradient_accumulation_steps": 4})",
           {"a.file:/train_micro_batch_size_per_gpu", "E1006"}),
      tool("deepspeed_product",
           "{\"train_micro_batch_size_per_gpu\": " + huge +
               ", \"gradient_accumulation_steps\": " + huge + "}",
           {"a.file:/train_micro_batch_size_per_gpu", "E1006"}),
      tool("deepspeed_product_of_all",
           "{\"train_batch_size\": 16, \"train_micro_batch_size_per_gpu\": " + huge +
               ", \"gradient_accumulation_steps\": " + huge + "}",
           {"a.file:/train_micro_batch_size_per_gpu", "E1006"}),
      tool("calculon_negative", R"({"hidden": -1, "attn_heads": 8, "num_blocks": 4})",
           {"a.file:/hidden", "is -1"}),
      tool("calculon_huge", R"({"tensor_par": 1e12, "pipeline_par": 1e12})",
           {"a.file:/pipeline_par", "E1006"}),
      tool("calculon_type", R"({"tensor_par": 1, "pipeline_par": 1, "datatype": "int3"})",
           {"a.file:/datatype", "int3"}),
      tool("vtrain_huge",
           R"({"num_gpus": 1, "tensor_parallel_size": 1e12, "data_parallel_size": 1e12, )"
           R"("pipeline_parallel_size": 1e12, "max_length": 64})",
           {"a.file:/data_parallel_size", "E1006"}),
      tool("simai_word", "HYBRID model_parallel_NPU_group: x all_gpus: 8\n", {"a.file:1", "E1005"}),
      tool(
          "simai_huge",
          fmt::format("HYBRID model_parallel_NPU_group: {0} pp: {0} ga: {0} all_gpus: {0}\n", huge),
          {"a.file:/model_parallel_NPU_group", "E1006"}),
      tool("simai_2_to_66", "HYBRID model_parallel_NPU_group: 99999999999999999999 all_gpus: 8\n",
           {"a.file:1", "E1006"}),
  };
}

std::vector<Case> tool_cases() {
  const std::string huge = "1099511627776";
  const auto llama = [](const std::string& keys) { return R"({"model_type": "llama", )" + keys; };
  const auto sized = [&](const std::string& keys) {
    return llama(R"("num_hidden_layers": 2, "hidden_size": 64, )" + keys);
  };
  return {
      tool("hf_family", R"({"model_type": "mamba9"})", {"a.file:/model_type", "mamba9"},
           kNoToolJob),
      tool("hf_family_number", R"({"model_type": 7})", {"a.file:/model_type", "E1005"}),
      tool("hf_nan", llama(R"("hidden_size": NaN})"), {"a.file:1:", "E1002"}),
      tool("hf_text", llama(R"("hidden_size": "4096"})"), {"a.file:/hidden_size", "E1005"}),
      tool("hf_negative", llama(R"("hidden_size": -4096})"), {"a.file:/hidden_size", "-4096"}),
      tool("hf_no_heads", sized(R"("num_attention_heads": 0})"), {"a.file:/model/heads", "is 0"}),
      tool("hf_1e300", llama(R"("num_hidden_layers": 1e300})"), {"a.file:/num_hidden_layers"}),
      tool("hf_2_to_40",
           llama(R"("hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": )" + huge +
                 "}"),
           {"a.file:/model/layers"}),
      tool("hf_nothing", R"({"model_type": "llama"})", {"a.file:/num_hidden_layers", "E1004"}),
      tool("hf_layer_types",
           R"({"model_type": "gpt_oss", "num_hidden_layers": 2, "hidden_size": 64, )"
           R"("num_attention_heads": 8, "layer_types": 7})",
           {"a.file:/layer_types", "E1005"}),
      tool("hf_cut", llama(R"("hidden_size": 40)"), {"a.file:1:", "E1002"}),
      tool("hf_no_utf8", llama("\"vocab\xff\": 3}"), {"a.file:1:", "E1002"}),
      tool("hf_no_patch",
           R"({"model_type": "vit", "patch_size": 0, "num_hidden_layers": 2, )"
           R"("hidden_size": 64, "num_attention_heads": 4})",
           {"a.file:/model/vision"}),
      {"tool_binary_generate",
       "job generate a.bin -o t",
       kToolWrong,
       {"a.bin:byte", "E1002"},
       {{"a.bin", std::string("GGUF\x03\x00\x00\x00\xe8\x97", 10)}}},
  };
}

}  // namespace

std::vector<Case> tool_description_cases() {
  std::vector<Case> all = script_cases();
  for (const auto& some : {argument_cases(), adapter_cases(), tool_cases(), other_tool_cases()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace orrery::hostile
