// SPDX-License-Identifier: Apache-2.0
//
// Reads NeMo's YAML: Megatron's arguments in sections.
#include "orrery/job_formats/importers/megatron.h"

namespace orrery::workload {

using config::Json;

namespace {

/// The number 16 as "16", since NeMo writes both.
Json enum_name(const Json& value) { return value.is_number() ? Json(value.dump()) : value; }

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
  return flat;
}

Result<void> import_nemo(Spec& spec, const Json& file, const std::string& where,
                         Findings& findings) {
  if (auto read = import_megatron(spec, {nemo_arguments(file)}, where, findings); !read)
    return read;
  return import_nemo_lora(spec, file, where, findings);
}

}  // namespace

const Importer kNemoImporter{.name = "nemo",
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
