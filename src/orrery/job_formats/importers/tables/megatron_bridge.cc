// SPDX-License-Identifier: Apache-2.0
//
// Reads the resolved configuration that Megatron-Bridge saves with a checkpoint (run_config.yaml;
// NVIDIA-NeMo/Megatron-Bridge, training/config.py: sections and names). Its keys are those of
// Megatron-Core's configurations, in sections.
#include <string>
#include <utility>

#include "orrery/job_formats/importers/megatron/megatron.h"
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace megatron_bridge {
namespace {

using config::Json;

constexpr const char* kSections[] = {"model", "train",           "dataset",      "optimizer", "ddp",
                                     "dist",  "mixed_precision", "comm_overlap", "tokenizer"};

/// "_target_" and others say which Python object a section makes.
bool names_an_object(const std::string& key) { return key.starts_with('_'); }

/// The last part of a class' or a function's name: "torch.nn.functional.silu" is "silu".
std::string last_part(const Json& target) {
  const std::string name = target.is_string() ? target.get<std::string>() : "";
  return name.substr(name.rfind('.') + 1);
}

/// An activation and its gate as one word, as NeMo has them.
void add_activation(const Json& model, Json& flat) {
  const auto found = model.find("activation_func");
  const std::string name = found == model.end() ? "gelu"
                           : found->is_object() ? last_part(found->value("_target_", Json()))
                                                : last_part(*found);
  const bool gated = flag_at(model, "gated_linear_unit");
  flat.erase("activation_func");
  flat.erase("gated_linear_unit");
  flat["activation"] = !gated ? name : name == "silu" ? "swiglu" : "geglu";
}

constexpr KeyRow kRows[] = {
    {"activation_func", KeyUse::read, "model.mlp, with gated_linear_unit"},
    {"gated_linear_unit", KeyUse::read, "model.mlp, with activation_func"},
    {"grad_reduce_in_fp32", KeyUse::other_name, "accumulate_allreduce_grads_in_fp32"},
    {"mixed_precision", KeyUse::read, "precision.weights, precision.activations: fp16, else bf16"},
    {"sequence_length", KeyUse::other_name, "seq_length"},
};

Json arguments_of(const Json& document) {
  Json flat = Json::object();
  for (const char* const section : kSections) {
    const auto found = document.find(section);
    if (found == document.end() || !found->is_object()) continue;
    for (const auto& [key, value] : found->items())
      if (!names_an_object(key) && !value.is_null() && !value.is_object()) flat[key] = value;
  }
  const Json& model = document["model"];
  add_activation(model, flat);
  if (const auto mixed = document.find("mixed_precision");
      mixed != document.end() && mixed->is_string())
    flat["precision"] = mixed->get<std::string>().rfind("fp16", 0) == 0 ? "16" : "bf16";
  return renamed({kRows}, std::move(flat));
}

Result<void> import_bridge(Spec& spec, const Json& document, const std::string& where,
                           Findings& findings) {
  MegatronArguments arguments{arguments_of(document)};
  arguments.names.push_back(last_part(document["model"].value("_target_", Json())));
  return import_megatron(spec, arguments, where, findings);
}

bool is_bridge(const Json& document) {
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return false;
  const auto target = model->find("_target_");
  const bool provider = target != model->end() && target->is_string() &&
                        target->get_ref<const std::string&>().find("bridge") != std::string::npos;
  return provider || (model->contains("num_layers") && has(document, {"train", "checkpoint"}) &&
                      has_any(document, {"ddp", "dist", "rng"}));
}

}  // namespace
}  // namespace megatron_bridge

const Importer kMegatronBridgeImporter{
    .name = "megatron_bridge",
    .tool = "Megatron-Bridge",
    .files = "`run_config.yaml`, which it saves with each checkpoint",
    .reads = "as Megatron-LM",
    .refuses = "recipes in Python",
    .is_document = megatron_bridge::is_bridge,
    .import_document = megatron_bridge::import_bridge};
constinit const ImporterTable kMegatronBridgeTable{
    &kMegatronBridgeImporter, {megatron_bridge::kRows}, &kMegatronTable};

}  // namespace orrery::workload
