// SPDX-License-Identifier: Apache-2.0
//
// What names in Megatron's arguments say: the vocabulary by its tokenizer, the kind of model by its
// program.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/job_formats/importers/megatron/megatron.h"
#include "orrery/job_formats/importers/vocabulary.h"

namespace orrery::workload {

using config::Json;

namespace {

/// The text of that option; empty: it has none.
std::string text_of(const Json& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() && found->is_string() ? found->get<std::string>() : "";
}

std::int64_t whole_of(const Json& options, const char* name, std::int64_t fallback) {
  const auto found = options.find(name);
  return found != options.end() && found->is_number_integer() ? found->get<std::int64_t>()
                                                              : fallback;
}

/// A program of Megatron-LM that trains another kind of model.
struct OtherProgram {
  std::string_view name;
  std::string_view trains;
  std::string_view instead;
};
constexpr OtherProgram kOtherPrograms[] = {
    {"pretrain_bert.py", "BERT", "--model bert-large, or the model's config.json, and the plan"},
    {"pretrain_t5.py", "T5", "--model t5-3b, or the model's config.json, and the plan"},
    {"pretrain_retro.py", "RETRO, which retrieves text", "a plain decoder of the same sizes"},
    {"pretrain_ict.py", "a retriever of two encoders", "each encoder as a job of its own"},
    {"pretrain_vlm.py", "a vision-language model", "its language model as a job of its own"},
    {"pretrain_vision_classify.py", "a vision model",
     "the model's config.json (vit), and the plan"},
    {"pretrain_vision_inpaint.py", "a vision model", "the model's config.json (vit), and the plan"},
    {"pretrain_vision_dino.py", "a vision model", "the model's config.json (vit), and the plan"}};

}  // namespace

void choose_megatron_vocabulary(Model& model, const MegatronArguments& file,
                                const std::string& where, Findings& findings) {
  VocabularyHints hints;
  for (const char* const key : {"tokenizer_model", "tokenizer_name_or_path", "tokenizer_type",
                                "vocab_file", "tokenizer_prompt_format"})
    if (std::string text = text_of(file.options, key); !text.empty())
      hints.tokenizers.push_back(std::move(text));
  for (const char* const key :
       {"load", "pretrained_checkpoint", "save", "restore_from_path", "name", "wandb_exp_name"})
    if (std::string text = text_of(file.options, key); !text.empty())
      hints.names.push_back(std::move(text));
  hints.names.insert(hints.names.end(), file.names.begin(), file.names.end());
  // GPT-2's tokens in multiples (training/tokenizer, vocab_size_with_padding).
  const std::string type = text_of(file.options, "tokenizer_type");
  const bool merges =
      type.empty() && file.unknown.count("tokenizer_type") == 0 &&
      (file.options.contains("merge_file") || file.unknown.count("merge_file") != 0);
  if (type == "GPT2BPETokenizer" || merges) {
    const std::int64_t multiple =
        product({whole_of(file.options, "make_vocab_size_divisible_by", 128),
                 whole_of(file.options, "tensor_model_parallel_size", 1)});
    constexpr std::int64_t kTokens = 50257;
    if (multiple >= 1 && multiple <= kTokens * 16) {
      model.vocab = (kTokens + multiple - 1) / multiple * multiple;
      findings.add(
          FindingCode::chosen_by_default,
          fmt::format("{}: vocab = {}, GPT-2's in multiples of {}", where, model.vocab, multiple));
      return;
    }
  }
  choose_vocabulary(model, std::move(hints), 51200, where, findings);
}

Result<void> refuse_other_megatron_models(const MegatronArguments& file, const std::string& where) {
  std::string_view name;
  std::string place = where;
  if (!file.program.empty()) {
    name = std::string_view(file.program.text).substr(file.program.text.rfind('/') + 1);
    place = file.program.where;
  }
  if (file.options.value("retro_add_retriever", Json(false)) == true) name = "pretrain_retro.py";
  if (file.options.contains("decoder_num_layers")) name = "pretrain_t5.py";
  for (const char* const key :
       {"img_h", "patch_dim", "language_model_type", "vision_model_type"})  // the last two: LLaVA
    if (file.options.contains(key) || file.unknown.count(key) != 0) name = "pretrain_vlm.py";
  if (name.empty() && (text_of(file.options, "tokenizer_type").starts_with("BertWordPiece") ||
                       file.options.contains("bert_no_binary_head")))
    name = "pretrain_bert.py";
  const bool serves =
      std::any_of(file.options.items().begin(), file.options.items().end(),
                  [](const auto& option) { return option.key().starts_with("inference_"); });
  if (serves && !file.options.contains("micro_batch_size"))
    return fail(Errc::input_unsupported, place, "has arguments of inference; only training is read",
                "see orrery infer --help");
  for (const OtherProgram& each : kOtherPrograms)
    if (each.name == name)
      return fail(Errc::input_unsupported, place,
                  fmt::format("trains {} ({}); of Megatron's arguments only those of decoders are "
                              "read",
                              each.trains, each.name),
                  fmt::format("give {}", each.instead));
  return {};
}

}  // namespace orrery::workload
