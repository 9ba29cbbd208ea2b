// SPDX-License-Identifier: Apache-2.0
//
// Which tool a file is of, and what all importers share.
#include "orrery/workload/importers/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "orrery/workload/importers/import_internal.h"
#include "orrery/workload/spec/legal_internal.h"

namespace orrery::workload {

using config::Json;
using config::KeyReader;

namespace {

bool has(const Json& object, std::initializer_list<const char*> keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&](const char* key) { return object.contains(key); });
}

bool has_any(const Json& object, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const char* key) { return object.contains(key); });
}

/// By the keys of a JSON or YAML document.
std::optional<ImportFormat> format_of(const Json& file) {
  if (!file.is_object()) return std::nullopt;
  if (file.contains("model_type") || has(file, {"architectures", "hidden_size"}))
    return ImportFormat::hugging_face;
  if (file.contains("peft_type")) return ImportFormat::peft;
  if (has(file, {"hidden", "attn_heads", "num_blocks"})) return ImportFormat::calculon_model;
  if (has(file, {"tensor_par", "pipeline_par"})) return ImportFormat::calculon_run;
  if (has(file, {"num_gpus", "tensor_parallel_size", "max_length"})) return ImportFormat::vtrain;
  if (has_any(file, {"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"}))
    return ImportFormat::deepspeed;
  const auto model = file.find("model");
  if (model != file.end() && model->is_object() &&
      has_any(*model, {"tensor_model_parallel_size", "encoder_seq_length", "num_attention_heads"}))
    return ImportFormat::nemo;
  if (has_any(file, {"num_layers", "tensor_model_parallel_size"}) ||
      has(file, {"language_model", "model_parallel"}))
    return ImportFormat::megatron;
  if (model != file.end()) return ImportFormat::spec;
  return std::nullopt;
}

/// A shell script, by its first line or by how a line begins.
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
  for (const std::string_view sign :
       {"--num-layers", "--num_layers", "--hidden-size", "--hidden_size",
        "--tensor-model-parallel-size", "--tensor_model_parallel_size"}) {
    if (text.find(sign) != std::string_view::npos) return true;
  }
  return looks_like_script(text);
}

bool looks_like_simai(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  return head.find("all_gpus:") != std::string_view::npos &&
         head.find("model_parallel_NPU_group:") != std::string_view::npos;
}

Result<Json> parse(std::string_view text, const std::string& where) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  return json ? config::parse_json(text, where) : config::parse_yaml(text, where);
}

/// Keys without a value are as good as absent.
Json without_nulls(Json file) {
  for (auto it = file.begin(); it != file.end();) it = it->is_null() ? file.erase(it) : ++it;
  return file;
}

tl::unexpected<Error> unknown(const std::string& where) {
  return fail(Errc::input_unsupported, where, "is no file that describes a training job",
              "what is known: our specification, config.json of Hugging Face, Megatron arguments, "
              "NeMo, DeepSpeed, Calculon, vTrain, SimAI");
}

Result<void> import_document(Spec& spec, ImportFormat format, const Json& file,
                             const std::string& where, Findings& findings) {
  switch (format) {
    case ImportFormat::hugging_face:
      return import_hugging_face(spec, file, where, findings);
    case ImportFormat::peft:
      return import_lora(spec, file, where, findings);
    case ImportFormat::megatron:
      return import_megatron(spec, {flat_sections(file, {"language_model", "model_parallel"})},
                             where, findings);
    case ImportFormat::nemo:
      if (auto read = import_megatron(spec, {nemo_arguments(file)}, where, findings); !read)
        return read;
      return import_nemo_lora(spec, file, where, findings);
    case ImportFormat::deepspeed:
      return import_deepspeed(spec, file, where, findings);
    case ImportFormat::calculon_model:
      return import_calculon_model(spec, file, where, findings);
    case ImportFormat::calculon_run:
      return import_calculon_run(spec, file, where, findings);
    case ImportFormat::vtrain:
      return import_vtrain(spec, file, where, findings);
    case ImportFormat::spec:
    case ImportFormat::simai:
      break;
  }
  return unknown(where);
}

}  // namespace

std::string_view name(ImportFormat format) {
  switch (format) {
    case ImportFormat::spec:
      return "specification";
    case ImportFormat::hugging_face:
      return "hugging_face";
    case ImportFormat::peft:
      return "peft";
    case ImportFormat::megatron:
      return "megatron";
    case ImportFormat::nemo:
      return "nemo";
    case ImportFormat::deepspeed:
      return "deepspeed";
    case ImportFormat::calculon_model:
      return "calculon_model";
    case ImportFormat::calculon_run:
      return "calculon_run";
    case ImportFormat::vtrain:
      return "vtrain";
    case ImportFormat::simai:
      break;
  }
  return "simai";
}

Result<ImportFormat> sniff(std::string_view text, const std::string& where) {
  if (looks_like_simai(text)) return ImportFormat::simai;
  if (looks_like_arguments(text)) return ImportFormat::megatron;
  const Result<Json> file = parse(text, where);
  if (!file) return tl::unexpected(file.error());
  if (const auto format = format_of(*file)) return *format;
  return unknown(where);
}

namespace {

Result<void> import_text(Spec& spec, std::string_view text, const std::string& where,
                         Findings& findings) {
  if (looks_like_simai(text)) return import_simai(spec, text, where, findings);
  if (looks_like_arguments(text)) {
    const auto arguments = megatron_arguments(text, where, findings);
    if (!arguments) return tl::unexpected(arguments.error());
    return import_megatron(spec, *arguments, where, findings);
  }
  const Result<Json> file = parse(text, where);
  if (!file) return tl::unexpected(file.error());
  const auto format = format_of(*file);
  if (!format) return unknown(where);
  if (*format != ImportFormat::spec)
    return import_document(spec, *format, without_nulls(*file), where, findings);
  auto own = parse_spec_like(spec, text, where);
  if (!own) return tl::unexpected(own.error());
  spec = *std::move(own);
  return {};
}

}  // namespace

Result<void> import_into(Spec& spec, std::string_view text, const std::string& where,
                         Findings& findings) {
  if (auto read = import_text(spec, text, where, findings); !read) return read;
  // Later files and flags would be blamed for what this one says.
  Result<void> fine = in_ranges(spec, true);
  if (!fine) fine.error().where = where + ":" + fine.error().where;
  return fine;
}

void pass_over(KeyReader& keys, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) static_cast<void>(keys.has(name));
}

void note_others(KeyReader& keys, const Json& file,
                 const std::vector<std::pair<const char*, Json>>& ours, Findings& findings) {
  for (const auto& each : ours) {
    const auto found = file.find(each.first);
    if (keys.has(each.first) && found != file.end() && *found != each.second)
      findings.add(FindingCode::key_without_effect, keys.place(each.first));
  }
}

std::int64_t whole(KeyReader& keys, std::string_view key, std::int64_t fallback) {
  return keys.has(key) ? keys.integer(key, fallback, 0, std::int64_t{1} << 40) : fallback;
}

std::int64_t whole(KeyReader& keys, std::initializer_list<std::string_view> names,
                   std::int64_t fallback) {
  std::int64_t value = fallback;
  bool found = false;
  for (const std::string_view name : names) {
    const std::int64_t here = whole(keys, name, fallback);
    if (!found && keys.has(name)) {
      value = here;
      found = true;
    }
  }
  return value;
}

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t value = 1;
  for (const std::int64_t factor : factors) {
    if (__builtin_mul_overflow(value, factor, &value))
      return std::numeric_limits<std::int64_t>::max();
  }
  return value;
}

void set_world(Spec& spec, std::int64_t world, const std::string& where, Findings& findings) {
  const std::int64_t model = product({spec.parallel.tp, spec.parallel.pp, spec.parallel.cp});
  if (world < 1) return;
  if (model < 1 || world % model != 0) {
    findings.add(
        FindingCode::key_without_effect,
        fmt::format("{}: {} devices; the plan needs a multiple of {}", where, world, model));
    return;
  }
  spec.parallel.dp = world / model;
}

Result<void> finish(KeyReader& keys, Findings& findings) {
  if (keys.error()) return tl::unexpected(*keys.error());
  keys.report_unread(findings);
  return {};
}

}  // namespace orrery::workload
