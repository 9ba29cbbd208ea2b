// SPDX-License-Identifier: Apache-2.0
//
// Reads NeMo's YAML: Megatron's arguments in sections.
#include <string>

#include "orrery/job_formats/importers/megatron/megatron.h"

namespace orrery::workload {

using config::Json;

namespace {

/// The number 16 as "16", since NeMo writes both.
Json enum_name(const Json& value) { return value.is_number() ? Json(value.dump()) : value; }

/// Texts below `value` at keys that name a tokenizer or a model.
void add_names(const Json& value, const std::string& key, MegatronArguments& arguments) {
  if (value.is_object()) {
    for (const auto& [inner, each] : value.items()) add_names(each, inner, arguments);
  } else if (value.is_string() &&
             (key == "name" || key == "results_dir" || key == "explicit_log_dir" ||
              key == "restore_from_path" || key == "exp_dir")) {
    arguments.names.push_back(value.get<std::string>());
  }
}

/// The tokenizer's section: its name or path under Megatron's key.
void add_tokenizer(const Json& file, Json& flat) {
  const auto model = file.find("model");
  if (model == file.end() || !model->is_object()) return;
  const auto section = model->find("tokenizer");
  if (section == model->end() || !section->is_object()) return;
  for (const char* const key : {"type", "model", "tokenizer_model", "vocab_file"}) {
    const auto found = section->find(key);
    if (found == section->end() || !found->is_string()) continue;
    const bool path = found->get_ref<const std::string&>().find('/') != std::string::npos;
    if (path || !flat.contains("tokenizer_model")) flat["tokenizer_model"] = *found;
  }
}

/// NeMo's sections as arguments of Megatron.
Json nemo_arguments(const Json& file) {
  Json sections = Json::object();
  for (const char* const section : {"model", "trainer"}) {
    if (file.contains(section)) sections[section] = file[section];
  }
  Json flat = flat_sections(sections, {"model", "trainer"});
  for (auto it = flat.begin(); it != flat.end();) it = it->is_array() ? flat.erase(it) : ++it;
  if (flat.contains("precision")) flat["precision"] = enum_name(flat["precision"]);
  const auto model = file.find("model");
  if (model != file.end() && model->is_object() && model->contains("optim") &&
      (*model)["optim"].is_object() && (*model)["optim"].contains("name"))
    flat["optimizer"] = (*model)["optim"]["name"];
  add_tokenizer(file, flat);
  return flat;
}

Result<void> import_nemo(Spec& spec, const Json& file, const std::string& where,
                         Findings& findings) {
  MegatronArguments arguments{nemo_arguments(file)};
  add_names(file, "", arguments);
  if (auto read = import_megatron(spec, arguments, where, findings); !read) return read;
  return import_nemo_lora(spec, file, where, findings);
}

}  // namespace

const Importer kNemoImporter{.name = "nemo",
                             .tool = "NeMo",
                             .files = "its YAML",
                             .reads = "as Megatron-LM; low-rank adapters",
                             .refuses = "other adapters; hybrid models by shares of layers",
                             .is_document =
                                 [](const Json& document) {
                                   const auto model = document.find("model");
                                   return model != document.end() && model->is_object() &&
                                          has_any(*model,
                                                  {"tensor_model_parallel_size",
                                                   "encoder_seq_length", "num_attention_heads"});
                                 },
                             .import_document = import_nemo};

}  // namespace orrery::workload
