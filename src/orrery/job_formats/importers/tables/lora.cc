// SPDX-License-Identifier: Apache-2.0
//
// Reads low-rank adapters of other tools: adapter_config.json of Hugging Face's PEFT (class
// LoraConfig), and the section model.peft of NeMo's YAML.

#include <algorithm>
#include <array>

#include "orrery/config/parameters.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/importer_internal.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

/// A family's name of a matrix, and our names for it; several if it covers several matrices.
struct Module {
  std::string_view name;
  std::array<std::string_view, 4> words;
};
constexpr Module kModules[] = {
    {"q_proj", {"q"}},  // LLaMA and most families derived from it
    {"k_proj", {"k"}},
    {"v_proj", {"v"}},
    {"o_proj", {"out"}},
    {"gate_proj", {"gate"}},
    {"up_proj", {"up"}},
    {"down_proj", {"mlp_down"}},
    {"qkv_proj", {"qkv"}},  // Phi-3
    {"gate_up_proj", {"mlp_up"}},
    {"q_a_proj", {"q_down"}},  // DeepSeek
    {"q_b_proj", {"q_up"}},
    {"kv_a_proj_with_mqa", {"kv_down"}},
    {"kv_b_proj", {"kv_up"}},
    {"query_key_value", {"qkv"}},  // GPT-NeoX, BLOOM, Falcon
    {"dense_h_to_4h", {"mlp_up"}},
    {"dense_4h_to_h", {"mlp_down"}},
    {"c_attn", {"qkv"}},  // GPT-2
    {"c_fc", {"mlp_up"}},
    {"c_proj", {"out", "mlp_down"}},
    {"out_proj", {"out"}},  // OPT, GPT-J
    {"fc1", {"mlp_up"}},
    {"fc2", {"mlp_down"}},
    {"fc_in", {"mlp_up"}},
    {"fc_out", {"mlp_down"}},
    {"query", {"q"}},  // BERT, ViT
    {"key", {"k"}},
    {"value", {"v"}},
    {"q", {"q"}},  // T5
    {"k", {"k"}},
    {"v", {"v"}},
    {"o", {"out"}},
    {"wi", {"mlp_up"}},
    {"wi_0", {"gate"}},
    {"wi_1", {"up"}},
    {"wo", {"mlp_down"}},
    {"linear_qkv", {"qkv"}},  // Megatron-Core
    {"linear_proj", {"out"}},
    {"linear_fc1", {"mlp_up"}},
    {"linear_fc2", {"mlp_down"}},
    {"attention_qkv", {"qkv"}},  // NeMo
    {"attention_dense", {"out"}},
    {"attention", {"qkv", "out"}},
    {"mlp_fc1", {"mlp_up"}},
    {"mlp_fc2", {"mlp_down"}},
    {"mlp", {"mlp_up", "mlp_down"}},
    {"all", {"qkv", "out", "mlp_up", "mlp_down"}},
};

void add_word(std::vector<std::string>& words, std::string_view word) {
  if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end())
    words.emplace_back(word);
}

/// "self_attn.q_proj" → "q_proj": PEFT compares suffixes of names.
std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

/// Adds our names for `name` to `words`. "dense" is the attention's output; in BERT and ViT it is
/// every matrix except queries, keys and values.
bool add_module(const Model& model, std::string_view name, std::vector<std::string>& words) {
  const std::string_view last = last_part(name);
  if (last == "dense") {
    add_word(words, "out");
    const bool others = model.kind == ModelKind::encoder || model.kind == ModelKind::vit;
    if (!others || name.find("attention") != std::string_view::npos) return true;
    add_word(words, "mlp_up");
    add_word(words, "mlp_down");
    return true;
  }
  for (const Module& module : kModules) {
    if (module.name != last) continue;
    for (const std::string_view word : module.words)
      add_word(words, word == "up" && !is_gated(model.mlp) ? "mlp_up" : word);
    return true;
  }
  return false;
}

Result<std::vector<std::string>> words_of(KeyReader& keys, const Model& model,
                                          const std::vector<std::string>& modules) {
  std::vector<std::string> words;
  if (modules.empty())
    keys.fail(Errc::config_range, keys.place("target_modules"), "lists no module");
  for (const std::string& module : modules) {
    if (add_module(model, module, words)) continue;
    std::vector<std::string_view> known;
    for (const Module& each : kModules) known.push_back(each.name);
    const std::string near = did_you_mean(module, known);
    return fail(Errc::input_unsupported, keys.place("target_modules"),
                in_quotes(module) + " is not a matrix that supports adapters",
                near.empty() ? "supported are " + join(known) : near);
  }
  return words;
}

/// Families with one matrix for queries, keys and values in transformers, by the prefix of their
/// names there and in the catalog.
constexpr std::string_view kFused[] = {"gpt2",   "gpt_neox",   "gpt-neox", "pythia", "bloom",
                                       "falcon", "RefinedWeb", "phi3",     "phi-3"};

/// "all-linear": every matrix of the family except the head. PEFT also adds adapters to routed
/// experts and routers if they are separate modules.
std::vector<std::string> all_linear(const Model& model, const std::string& place,
                                    Findings& findings) {
  if (model.moe) findings.add(FindingCode::key_without_effect, place + " (routed experts)");
  const bool fused = std::any_of(std::begin(kFused), std::end(kFused), [&](std::string_view name) {
    return model.name.starts_with(name);
  });
  if (!fused) return {};
  return {"qkv", "out", "mlp_up", "mlp_down"};
}

/// The matrices in PEFT's target_modules: a list, or "all-linear". PEFT interprets any other text
/// as a regular expression.
Result<std::vector<std::string>> read_targets(KeyReader& keys, const Json& file, const Model& model,
                                              Findings& findings) {
  const auto found = file.find("target_modules");
  if (!keys.has("target_modules"))
    return fail(Errc::config_missing_key, keys.place("target_modules"), "is missing",
                "list the matrices with adapters, or use \"all-linear\"");
  if (!found->is_string()) return words_of(keys, model, keys.texts("target_modules"));
  if (*found == "all-linear") return all_linear(model, keys.place("target_modules"), findings);
  std::vector<std::string> words;
  if (add_module(model, found->get_ref<const std::string&>(), words)) return words;
  return fail(Errc::input_unsupported, keys.place("target_modules"),
              "is a pattern, which is not supported", "list the modules, or use \"all-linear\"");
}

Result<void> find_base(Spec& spec, KeyReader& keys) {
  const std::string base = keys.text("base_model_name_or_path", "");
  if (has_model(spec)) return {};
  const ModelEntry* const entry = find_model(base);
  if (entry == nullptr) {
    return fail(
        Errc::config_missing_key, keys.place("base_model_name_or_path"),
        base.empty() ? "names no model" : in_quotes(base) + " is not in the catalog of models",
        "give the model before its adapters, as its config.json or --model NAME");
  }
  use_catalog_model(spec, *entry);
  if (entry->seq > 0) spec.batch.seq = entry->seq;
  return {};
}

/// Rejects options that change the number of weights and are not modeled.
Result<void> refuse_others(KeyReader& keys, const Json& file) {
  for (const char* const key :
       {"rank_pattern", "layers_to_transform", "layer_replication", "exclude_modules",
        "target_parameters", "trainable_token_indices"}) {
    const auto found = file.find(key);
    if (!keys.has(key) || found->empty()) continue;
    return fail(Errc::input_unsupported, keys.place(key),
                "is given, but different adapters per layer are not supported",
                "use the same adapters with the same rank in every layer");
  }
  return {};
}

Result<void> import_lora(Spec& spec, const Json& file, const std::string& where,
                         Findings& findings) {
  KeyReader keys(file, where);
  const std::string type = keys.text("peft_type", "");
  if (type != "LORA") {
    return fail(Errc::input_unsupported, keys.place("peft_type"),
                in_quotes(type) + " is not supported", "use LORA");
  }
  Spec read = spec;
  if (auto found = find_base(read, keys); !found) return found;
  if (auto fine = refuse_others(keys, file); !fine) return fine;
  Lora lora;
  lora.rank = whole(keys, "r", 8);
  auto targets = read_targets(keys, file, read.model, findings);
  if (!targets) return tl::unexpected(targets.error());
  lora.targets = *std::move(targets);
  report_unmodeled(keys, file,
                   {{"bias", "none"},
                    {"lora_bias", false},
                    {"lora_dropout", 0},
                    {"modules_to_save", Json::array()},
                    {"use_dora", false}},
                   findings);
  // Scaling, names and initialization of adapters do not affect the workload.
  ignore_keys(keys, {"lora_alpha", "alpha_pattern", "auto_mapping", "corda_config", "eva_config",
                     "fan_in_fan_out", "inference_mode", "init_lora_weights", "layers_pattern",
                     "loftq_config", "megatron_config", "megatron_core", "peft_version",
                     "qalora_group_size", "revision", "task_type", "use_qalora", "use_rslora"});
  if (auto fine = finish(keys, findings); !fine) return fine;
  read.lora = std::move(lora);
  spec = std::move(read);
  return {};
}

}  // namespace

const Importer kPeftImporter{
    .name = "peft",
    .tool = "PEFT",
    .files = "`adapter_config.json`",
    .reads = "low-rank adapters, on top of an earlier model or one of the catalog",
    .refuses = "other adapters, adapters that differ by layer",
    .is_document = [](const Json& document) { return document.contains("peft_type"); },
    .import_document = import_lora};

Result<void> import_nemo_lora(Spec& spec, const Json& file, const std::string& where,
                              Findings& findings) {
  const auto model = file.find("model");
  if (model == file.end() || !model->is_object()) return {};
  const auto peft = model->find("peft");
  if (peft == model->end() || !peft->is_object()) return {};
  const auto scheme = peft->find("peft_scheme");
  if (scheme == peft->end() || scheme->is_null() || *scheme == "none") return {};
  const auto tuning = peft->find("lora_tuning");
  if (*scheme != "lora" || tuning == peft->end() || !tuning->is_object()) {
    return fail(Errc::input_unsupported, where + ":/model/peft/peft_scheme",
                *scheme == "lora" ? "is lora, but there is no lora_tuning" : "is not supported",
                "use lora, together with lora_tuning");
  }
  KeyReader inner(*tuning, where + ":/model/peft/lora_tuning");
  Lora lora;
  lora.rank = whole(inner, "adapter_dim", 32);
  std::vector<std::string> modules = {"attention_qkv"};
  if (inner.has("target_modules")) modules = inner.texts("target_modules");
  auto targets = words_of(inner, spec.model, modules);
  if (!targets) return tl::unexpected(targets.error());
  lora.targets = *std::move(targets);
  report_unmodeled(inner, *tuning,
                   {{"adapter_dropout", 0}, {"layer_selection", nullptr}, {"weight_tying", false}},
                   findings);
  ignore_keys(inner, {"alpha", "column_init_method", "row_init_method",
                      "position_embedding_strategy", "a2a_experimental", "variant"});
  if (auto fine = finish(inner, findings); !fine) return fine;
  spec.lora = std::move(lora);
  return {};
}

}  // namespace orrery::workload
