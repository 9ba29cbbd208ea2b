// SPDX-License-Identifier: Apache-2.0
//
// Reads the model from Megatron-LM's arguments (megatron/training/arguments.py: names and
// defaults), also in NeMo's spelling.
#include "orrery/job_formats/importers/megatron/megatron.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/core/text/text.h"
#include "orrery/job_formats/importers/megatron/shell_script.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

constexpr std::int64_t kMaxLayers = 65536;

/// The shortest prefix whose repetition is `list`.
std::vector<std::int64_t> period_of(const std::vector<std::int64_t>& list) {
  for (std::size_t size = 1; size < list.size(); ++size) {
    if (list.size() % size == 0 &&
        std::equal(list.begin() + static_cast<std::ptrdiff_t>(size), list.end(), list.begin()))
      return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(size)};
  }
  return list;
}

/// "1": every layer, N: layers 0, N, 2 N …; or a Python list such as "([0]*3+[1]*58)".
Result<void> read_layer_frequency(KeyReader& keys, const Json& file, const Model& model, Moe& moe) {
  if (!keys.has("moe_layer_freq")) return {};
  const Json& value = file["moe_layer_freq"];
  std::vector<std::int64_t> list;
  if (value.is_number() || value == "1") {  // in YAML also as text
    const std::int64_t each =
        value == "1" ? 1 : std::max<std::int64_t>(whole(keys, "moe_layer_freq", 1), 1);
    if (each > kMaxLayers)
      return fail(Errc::config_range, keys.place("moe_layer_freq"), fmt::format("is {}", each));
    list.assign(static_cast<std::size_t>(each), 0);
    list.front() = 1;
  } else {
    // in YAML it may be a list
    const std::string text = value.is_array() ? value.dump() : keys.text("moe_layer_freq", "");
    auto read = python_list(text, kMaxLayers);
    if (!read)
      return fail(Errc::config_range, keys.place("moe_layer_freq"),
                  in_quotes(text) + " is not a number or a list of layers",
                  "use a Python list of 0 and 1 for at most 65536 layers, e.g. ([0]*3+[1]*58)");
    list = *std::move(read);
    if (list.size() != static_cast<std::size_t>(model.layers))
      return fail(Errc::config_conflict, keys.place("moe_layer_freq"),
                  fmt::format("lists {} layers, but the model has {}", list.size(), model.layers));
  }
  const auto first = std::find(list.begin(), list.end(), 1);
  const bool plain = std::all_of(first, list.end(), [](std::int64_t each) { return each == 1; });
  if (plain && first != list.end()) {
    moe.first_dense = first - list.begin();
  } else {
    moe.pattern = period_of(list);
  }
  return {};
}

/// Megatron-DeepSpeed's experts: in every `expert_interval`-th layer, 2 by default; its routers
/// choose one (megatron/arguments.py, megatron/model/transformer.py).
void read_deepspeed_experts(KeyReader& keys, const Json& file, Moe& moe, Findings& findings) {
  const bool stated = keys.has("expert_interval");
  const std::int64_t interval = whole(keys, "expert_interval", 2);
  const std::int64_t chosen = whole(keys, "topk", 1);
  if (file.contains("moe_router_topk") || file.contains("moe_layer_freq")) return;
  moe.top_k = chosen;
  if (interval < 2 || interval > kMaxLayers) return;
  moe.pattern.assign(static_cast<std::size_t>(interval), 0);
  moe.pattern.back() = 1;
  if (!stated) findings.add(FindingCode::default_assumed, keys.place("expert_interval") + " = 2");
}

Result<void> read_experts(KeyReader& keys, const Json& file, Model& model, Findings& findings) {
  const std::int64_t experts = whole(keys, {"num_experts", "num_moe_experts"}, 0);
  Moe moe = model.moe.value_or(Moe{});
  moe.experts = experts;
  moe.top_k = whole(keys, "moe_router_topk", 2);
  moe.ffn = whole(keys, "moe_ffn_hidden_size", 0);
  moe.shared_ffn = whole(keys, "moe_shared_expert_intermediate_size", 0);
  moe.shared_experts = moe.shared_ffn > 0 ? 1 : 0;
  moe.shared_gate = keys.flag("moe_shared_expert_gate") && moe.shared_experts > 0;
  moe.router_bias = keys.flag("moe_router_enable_expert_bias");
  if (keys.has("moe_expert_capacity_factor"))
    moe.capacity_factor = keys.number("moe_expert_capacity_factor", 0);
  moe.pad_to_capacity = keys.flag("moe_pad_expert_input_to_capacity");
  if (auto fine = read_layer_frequency(keys, file, model, moe); !fine) return fine;
  if (experts > 1 && (file.contains("deepspeed") || file.contains("expert_interval")))
    read_deepspeed_experts(keys, file, moe, findings);
  // A hybrid model has experts only where its pattern has E.
  if (experts > 1 && (model.pattern.empty() || model.layers_of(LayerSymbol::experts) > 0))
    model.moe = moe;
  if (!model.pattern.empty() && model.moe) {
    model.moe->first_dense = 0;
    model.moe->pattern.clear();
  }
  return {};
}

void read_latent_attention(KeyReader& keys, Model& model) {
  const bool latent = keys.flag("multi_latent_attention");
  Mla mla;
  mla.q_rank = whole(keys, "q_lora_rank", 0);
  mla.kv_rank = whole(keys, "kv_lora_rank", 512);
  mla.nope_dim = whole(keys, "qk_head_dim", 128);
  mla.rope_dim = whole(keys, "qk_pos_emb_head_dim", 64);
  mla.v_dim = whole(keys, "v_head_dim", 128);
  if (!latent) return;
  model.mla = mla;
  model.head_dim = 0;
  model.qk_norm = false;  // these norms apply to the compressed vectors
}

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != std::string::npos;
}

constexpr std::array kPatternKeys = {"hybrid_layer_pattern", "hybrid_override_pattern"};

/// The pattern of a hybrid model; empty: the file has none.
std::string pattern_of(const Json& file) {
  for (const char* const key : kPatternKeys) {
    const auto found = file.find(key);
    if (found != file.end() && found->is_string()) return found->get<std::string>();
  }
  return {};
}

/// Whether the file describes a model of state-space layers: by NeMo's key of its Mamba models, by
/// Megatron's list of modules, or by the program of the script.
bool has_mamba_layers(const MegatronArguments& file) {
  return file.options.contains("mamba_ssm_ngroups") ||
         mentions(file.options.value("spec", Json("")).dump(), "mamba") ||
         file.options.value("model_type", Json("")) == "mamba" ||  // Primus
         file.program.text.ends_with("pretrain_mamba.py");
}

/// Replaces mixers by `symbol`, one after each `between` mixers that stay, rounded.
void place_evenly(std::string& pattern, char symbol, double between) {
  double ahead = between;
  for (char& layer : pattern) {
    if (layer != 'M') continue;
    const bool here = ahead < 0.5;
    if (here) layer = symbol;
    ahead += here ? between : -1.0;
  }
}

/// The layers of a hybrid model that states shares: attention evenly between equal runs of mixers,
/// then MLPs evenly among the mixers, the last one at the end. Counts round half to even. From
/// Megatron-LM's core/ssm/mamba_hybrid_layer_allocation.py; without shares every layer is a mixer.
std::string pattern_by_shares(std::int64_t layers, double attention, double mlp) {
  std::string pattern(static_cast<std::size_t>(std::max<std::int64_t>(layers, 0)), 'M');
  const double attention_layers = std::nearbyint(static_cast<double>(layers) * attention);
  const double mlp_layers = std::nearbyint(static_cast<double>(layers) * mlp);
  const double mixers = static_cast<double>(layers) - attention_layers;
  place_evenly(pattern, '*', mixers / (attention_layers + 1));
  if (mlp_layers > 0) place_evenly(pattern, '-', (mixers - mlp_layers) / mlp_layers);
  return pattern;
}

/// Reads a hybrid model: --hybrid-layer-pattern, before 2026 --hybrid-override-pattern, and
/// --mamba-*. Default of the chunk: core/ssm/mamba_mixer.py.
Result<void> read_hybrid_layers(KeyReader& keys, const MegatronArguments& arguments, Model& model) {
  const Json& file = arguments.options;
  constexpr std::int64_t kChunk = 128;
  const std::string pattern = pattern_of(file);
  for (const char* const key : kPatternKeys) static_cast<void>(keys.has(key));
  Mamba mamba;
  mamba.state = whole(keys, "mamba_state_dim", 128);
  mamba.heads = whole(keys, "mamba_num_heads", 0);
  mamba.head_dim = whole(keys, "mamba_head_dim", 64);
  mamba.groups = whole(keys, {"mamba_num_groups", "mamba_ssm_ngroups"}, 8);
  mamba.chunk = kChunk;
  const double attention = keys.number("hybrid_attention_ratio", 0);
  const double mlp = keys.number("hybrid_mlp_ratio", 0);
  if (pattern.empty() && (attention > 0 || mlp > 0 || has_mamba_layers(arguments))) {
    if (model.layers > kMaxLayers)
      return fail(Errc::config_range, keys.place("num_layers"), fmt::format("is {}", model.layers));
    if (!(attention >= 0 && mlp >= 0 && attention + mlp <= 1))
      return fail(Errc::config_range, keys.place("hybrid_attention_ratio"),
                  fmt::format("and hybrid_mlp_ratio are {} and {}", attention, mlp),
                  "give shares of the layers from 0 to 1, and no more than 1 together");
    model.pattern = pattern_by_shares(model.layers, attention, mlp);
    if (mamba.heads == 0 && mamba.head_dim > 0) mamba.heads = 2 * model.hidden / mamba.head_dim;
    if (model.layers_of(LayerSymbol::mamba) > 0) model.mamba = mamba;
  }
  if (pattern.empty()) return {};
  if (const std::size_t at = pattern.find_first_of("|/"); at != std::string::npos)
    return fail(Errc::input_unsupported,
                keys.place(file.contains(kPatternKeys[0]) ? kPatternKeys[0] : kPatternKeys[1]),
                fmt::format("has '{}': stages and prediction modules in a pattern are not "
                            "supported",
                            pattern[at]),
                "give one symbol per layer: M, *, - or E");
  model.pattern = pattern;
  if (model.layers_of(LayerSymbol::mamba) > 0) model.mamba = mamba;
  return {};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

Positions positions_of(KeyReader& keys) {
  const std::string positions = keys.text("position_embedding_type", "learned_absolute");
  const bool none = keys.flag("no_position_embedding") ||
                    (keys.has("add_position_embedding") && !keys.flag("add_position_embedding"));
  if (keys.flag("use_rotary_position_embeddings") || mentions(positions, "rope") ||
      positions == "yarn")
    return Positions::rope;
  if (positions == "relative") return Positions::relative;
  if (positions == "alibi") return Positions::alibi;  // forks of Megatron-LM
  return positions == "none" || none ? Positions::none : Positions::learned;
}

/// "128,0" or "(128, 0)": window before and after a token.
std::int64_t window_of(KeyReader& keys, const Json& file) {
  if (!keys.has("window_size")) return 0;
  const Json& value = file["window_size"];
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '(' || c == ')'; }, ' ');
  if (!value.is_array()) text = "[" + text + "]";
  const auto sides = python_list(text, 2);
  if (!sides || sides->empty()) {
    keys.fail(Errc::config_type, keys.place("window_size"),
              in_quotes(text) + " is not a pair of numbers");
    return 0;
  }
  return sides->front() + 1;
}

/// Reads what the table does not set.
void read_shape(KeyReader& keys, const Json& file, Model& model) {
  // num_key_value_heads: Megatron-DeepSpeed.
  const std::int64_t groups = whole(keys, {"num_query_groups", "num_key_value_heads"}, 0);
  const bool grouped = keys.flag("group_query_attention");
  model.kv_heads = grouped ? std::max<std::int64_t>(groups, 1) : groups > 1 ? groups : 0;
  const std::string activation = keys.text("activation", "gelu") + keys.text("activation_func", "");
  model.mlp = keys.flag("swiglu") || mentions(activation, "swiglu")       ? Mlp::swiglu
              : keys.flag("quick_geglu") || mentions(activation, "geglu") ? Mlp::geglu
              : mentions(activation, "relu") || keys.flag("squared_relu") ? Mlp::relu
                                                                          : Mlp::gelu;
  // Two products of a gated MLP have the size of one: megatron/training/arguments.py,
  // yaml_arguments.
  const bool two_thirds =
      keys.flag("swiglu") || mentions(keys.text("activation_func", ""), "swiglu");
  if (model.ffn == 0 && two_thirds) model.ffn = product({model.hidden, 8}) / 3 / 64 * 64;
  const bool rms = lower_case(keys.text("normalization", "LayerNorm")) == "rmsnorm";
  model.norm = rms ? Norm::rmsnorm : Norm::layernorm;
  model.positions = positions_of(keys);
  bool biases = !keys.flag("disable_bias_linear");
  for (const char* const key : {"bias", "add_bias_linear"})
    biases = biases && (!keys.has(key) || keys.flag(key));
  model.out_bias = model.mlp_bias = biases;
  model.qkv_bias = keys.flag("add_qkv_bias") || biases;
  model.tied_embeddings = !keys.flag("untie_embeddings_and_output_weights");
  if (keys.has("share_embeddings_and_output_weights"))
    model.tied_embeddings = keys.flag("share_embeddings_and_output_weights");
  model.window = window_of(keys, file);
  // Both dropouts default to 0.1.
  const double hidden = keys.number("hidden_dropout", 0.1);
  const double attention = keys.number("attention_dropout", 0.1);
  model.dropout = hidden > 0 || attention > 0;
}

/// Resolves "${.seq}" or "${model.seq}": the value of the last name in `section`; null if it has
/// none.
const Json& reference(const Json& value, const Json& section) {
  static const Json kNothing;
  if (!value.is_string()) return value;
  const std::string& text = value.get_ref<const std::string&>();
  if (text.rfind("${", 0) != 0 || text.back() != '}') return value;
  const std::size_t begin = text.find_last_of("{.") + 1;
  const auto found = section.find(text.substr(begin, text.size() - 1 - begin));
  return found == section.end() || found->is_string() ? kNothing : *found;
}

constexpr std::array<std::string_view, 3> kNeeded = {"num_layers", "hidden_size",
                                                     "num_attention_heads"};

std::string option_of(std::string_view key) {
  std::string name = "--" + std::string(key);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// The error for a missing `key` that every model needs, with the reason if it is known.
Error missing(std::string_view key, const MegatronArguments& file, const std::string& where) {
  const std::string option = option_of(key);
  if (const auto found = file.unknown.find(std::string(key)); found != file.unknown.end()) {
    return {Errc::config_missing_key, found->second.where,
            fmt::format("{} is {}, which has no value", option, in_quotes(found->second.text)),
            "write the value in the script, or set the variable there"};
  }
  if (!file.missing_file.empty()) {
    return {Errc::config_missing_key, file.missing_file.where,
            fmt::format("reads {}, which does not exist, and no other argument gives {}",
                        in_quotes(file.missing_file.text), option),
            "put that file next to the script, or give it before the script: --spec FILE SCRIPT"};
  }
  const std::string_view program = file.program.text;
  const bool other = program.substr(program.rfind('/') + 1).rfind("pretrain_", 0) != 0;
  if (!file.program.empty() && other && file.options.empty())
    return {Errc::input_unsupported, file.program.where,
            fmt::format("runs {} without arguments of Megatron-LM", file.program.text),
            "give the model and the plan as options"};
  return {Errc::config_missing_key, where, fmt::format("does not give {}", option),
          "a model needs --num-layers, --hidden-size and --num-attention-heads; for arguments "
          "without a model, give another file or --model NAME"};
}

/// Whether the arguments describe a model. Errc: config_missing_key if they describe it partly, or
/// if neither they nor `spec` have a model.
Result<bool> describes_model(const Spec& spec, const MegatronArguments& file,
                             const std::string& where) {
  const auto given = [&](std::string_view key) { return file.options.contains(key); };
  const bool any = std::any_of(kNeeded.begin(), kNeeded.end(), given);
  const bool tried = std::any_of(kNeeded.begin(), kNeeded.end(), [&](std::string_view key) {
    return file.unknown.count(std::string(key)) != 0;
  });
  if (!any && !tried && has_model(spec)) return false;
  for (const std::string_view key : kNeeded) {
    if (!given(key)) return tl::unexpected(missing(key, file, where));
    const Json& value = file.options[std::string(key)];
    const std::string place = where + config::pointer(":", key);
    if (value.is_boolean()) return fail(Errc::config_type, place, "has no value");
    if (value.is_string() && value.get_ref<const std::string&>().find("${") != std::string::npos)
      return fail(Errc::config_missing_key, place,
                  fmt::format("is {}, which has no value", in_quotes(value.get<std::string>())),
                  "write the value in the file");
  }
  return true;
}

/// Whether a key of the table describes a model.
bool is_of_model(std::string_view key) {
  const KeyRow* const row = known_row(kMegatronTable.keys, key);
  return row != nullptr && row->what.starts_with("model.");
}

/// Arguments of a model other than that of the job have no effect.
void report_model_arguments(const KeyReader& keys, const Json& file, Findings& findings) {
  for (const auto& [key, value] : file.items())
    if (is_of_model(key)) findings.add(FindingCode::key_without_effect, keys.place(key));
}

}  // namespace

bool lists_megatron_arguments(const Json& document) {
  std::size_t known = 0;
  for (const auto& [key, value] : document.items())
    known += value.is_primitive() && known_row(kMegatronTable.keys, key) != nullptr ? 1 : 0;
  return known >= 3 && 2 * known >= document.size() && !document.contains("model");
}

bool is_part_of_megatron_model(const Json& document) {
  return lists_megatron_arguments(document) &&
         std::none_of(kNeeded.begin(), kNeeded.end(),
                      [&](std::string_view key) { return document.contains(std::string(key)); }) &&
         std::all_of(document.items().begin(), document.items().end(), [](const auto& each) {
           return is_of_model(each.key()) || known_row(kMegatronTable.keys, each.key()) == nullptr;
         });
}

Json flat_sections(const Json& file, std::initializer_list<const char*> sections) {
  Json flat = Json::object();
  for (const char* const section : sections) {
    const auto found = file.find(section);
    if (found == file.end() || !found->is_object()) continue;
    for (const auto& [key, value] : found->items()) {
      const Json& meant = reference(value, *found);
      if (!meant.is_null() && !meant.is_object()) flat[key] = meant;
    }
  }
  for (const auto& [key, value] : file.items()) {
    if (!value.is_null() && !value.is_object()) flat[key] = value;
  }
  return flat;
}

Result<void> import_megatron(Spec& spec, const MegatronArguments& arguments,
                             const std::string& where, Findings& findings) {
  if (auto fine = refuse_other_megatron_models(arguments, where); !fine) return fine;
  MegatronArguments completed = arguments;
  // Since 2026 the pattern alone gives the number of layers.
  if (const std::string pattern = pattern_of(arguments.options);
      !pattern.empty() && !completed.options.contains("num_layers"))
    completed.options["num_layers"] = pattern.size();
  const Json& file = completed.options;
  const auto modeled = describes_model(spec, completed, where);
  if (!modeled) return tl::unexpected(modeled.error());
  KeyReader keys(file, where);
  Spec read = spec;
  read.model = Model{};
  read.model.name = "Megatron model";
  if (auto done = apply_other_keys(kMegatronTable.keys, keys, file, "", read, findings); !done)
    return tl::unexpected(done.error());
  Model model = std::exchange(read.model, spec.model);
  read_shape(keys, file, model);
  read_latent_attention(keys, model);
  if (auto fine = read_hybrid_layers(keys, completed, model); !fine && *modeled) return fine;
  if (auto fine = read_experts(keys, file, model, findings); !fine && *modeled) return fine;
  if (*modeled)
    read.model = std::move(model);
  else
    report_model_arguments(keys, file, findings);
  if (auto fine = read_megatron_plan(keys, file, where, read, findings); !fine) return fine;
  if (auto fine = finish(keys, findings); !fine) return fine;
  if (*modeled && !keys.has("vocab_size") && !keys.has("padded_vocab_size") &&
      !keys.has("pad_vocab_size_to"))
    choose_megatron_vocabulary(read.model, completed, where, findings);
  spec = std::move(read);
  return {};
}

namespace {

/// Detects a shell script by its first line or by the start of a line.
bool looks_like_script(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  if (head.rfind("#!", 0) == 0) return head.find("sh") != std::string_view::npos;
  for (const std::string sign : {"source ", ". ", "export ", "torchrun ", "srun "}) {
    if (text.rfind(sign, 0) == 0 || text.find("\n" + sign) != std::string_view::npos) return true;
  }
  return false;
}

bool looks_like_arguments(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return false;
  if (has_test_arguments(text)) return false;  // a document
  if (is_printed_arguments(text)) return true;
  for (const std::string_view sign :
       {"--num-layers", "--num_layers", "--hidden-size", "--hidden_size",
        "--tensor-model-parallel-size", "--tensor_model_parallel_size"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  return looks_like_script(text);
}

Result<void> import_arguments(Spec& spec, std::string_view text, const std::string& where,
                              Findings& findings) {
  const auto arguments = is_printed_arguments(text) ? printed_arguments(text, where, findings)
                                                    : megatron_arguments(text, where, findings);
  if (!arguments) return tl::unexpected(arguments.error());
  return import_megatron(spec, *arguments, where, findings);
}

}  // namespace

const Importer kMegatronImporter{
    .name = "megatron",
    .tool = "Megatron-LM",
    .files =
        "launch scripts with their `#SBATCH` lines, lists of arguments, YAML, the list that it "
        "prints at its start, its tests' and recipes' YAML (`MODEL_ARGS`, `ARGS`)",
    .reads = "model, plan, schedule, batch, recomputation, precision, kernels",
    .refuses = "programs for BERT, T5, RETRO, retrievers, vision",
    .is_text = looks_like_arguments,
    .is_document =
        [](const Json& document) {
          return has_any(document, {"num_layers", "tensor_model_parallel_size"}) ||
                 has_test_arguments(document) ||
                 has(document, {"language_model", "model_parallel"}) ||
                 lists_megatron_arguments(document);
        },
    .import_document =
        [](Spec& spec, const Json& document, const std::string& where, Findings& findings) {
          if (document.value("MODE", Json("")) == "inference")
            return Result<void>(fail(Errc::input_unsupported, where + ":/MODE",
                                     "is inference; only training is read",
                                     "see orrery infer --help"));
          if (has_test_arguments(document))
            return import_megatron(spec, test_arguments(document, where, findings), where,
                                   findings);
          return import_megatron(spec,
                                 {flat_sections(document, {"language_model", "model_parallel"})},
                                 where, findings);
        },
    .import_text = import_arguments};

}  // namespace orrery::workload
