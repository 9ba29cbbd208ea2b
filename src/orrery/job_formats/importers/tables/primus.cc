// SPDX-License-Identifier: Apache-2.0
//
// Reads AMD Primus' YAML (AMD-AGI/Primus, primus/configs and examples/megatron/configs): a model's
// file, or an experiment that names one. Its keys are Megatron's arguments.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "orrery/job_formats/importers/megatron/megatron.h"
#include "orrery/job_formats/importers/tables/tables.h"

namespace orrery::workload {
namespace primus {
namespace {

using config::Json;

constexpr int kDeepest = 16;  ///< files that extend files

/// The names in `extends` (a text or a list).
std::vector<std::string> bases_of(const Json& document) {
  std::vector<std::string> names;
  for (const char* const key : {"extends", "bases"}) {
    const auto found = document.find(key);
    if (found == document.end()) continue;
    if (found->is_string()) names.push_back(found->get<std::string>());
    if (!found->is_array()) continue;
    for (const Json& each : *found)
      if (each.is_string()) names.push_back(each.get<std::string>());
  }
  return names;
}

Result<Json> read_file(const NamedFile& file, Findings& findings) {
  std::vector<std::string> repeated;
  auto read = config::parse_yaml(file.text, file.path, &repeated);
  report_repeated(repeated, findings);
  return read;
}

/// The module that trains: before or after other training, in a mapping or, today, in a list; null:
/// the document has none.
const Json* trainer_of(const Json& document) {
  const auto modules = document.find("modules");
  if (modules == document.end()) return nullptr;
  for (const char* const name : {"pre_trainer", "post_trainer"}) {
    if (modules->is_object() && modules->contains(name) && (*modules)[name].is_object())
      return &(*modules)[name];
    if (!modules->is_array()) continue;
    for (const Json& each : *modules)
      if (each.is_object() && each.value("name", Json("")) == name) return &each;
  }
  return nullptr;
}

/// The keys of a file over those of the files that it extends.
Result<Json> extended(const Json& document, const std::string& where, int depth,
                      Findings& findings) {
  Json merged = Json::object();
  for (const std::string& name : bases_of(document)) {
    const auto base = file_beside(where, name);
    if (!base) {
      findings.add(FindingCode::key_ignored,
                   fmt::format("{}:/extends: {} is not there", where, name));
      continue;
    }
    if (depth >= kDeepest)
      return fail(Errc::limit_exceeded, where + ":/extends",
                  fmt::format("more than {} files extend each other", kDeepest),
                  "files must not extend each other recursively");
    const auto read = read_file(*base, findings);
    if (!read) return tl::unexpected(read.error());
    if (!read->is_object()) continue;
    auto inner = extended(resolved(*read), base->path, depth + 1, findings);
    if (!inner) return inner;
    merged.update(*inner);
  }
  for (const auto& [key, value] : document.items())
    if (key != "extends" && key != "bases") merged[key] = value;
  return merged;
}

/// Adds the file that an experiment names, from the places where Primus keeps such files; returns
/// whether it is there.
Result<bool> add_file(const std::string& name, const char* folder, const std::string& where,
                      Json& merged, Findings& findings) {
  if (name.empty()) return true;
  auto file = file_beside(where, name);
  if (!file) file = file_beside(where, fmt::format("primus/configs/{}/megatron/{}", folder, name));
  if (!file) {
    findings.add(FindingCode::key_ignored, fmt::format("{}: {} is not there", where, name));
    return false;
  }
  const auto read = read_file(*file, findings);
  if (!read) return tl::unexpected(read.error());
  if (!read->is_object()) return true;
  auto inner = extended(resolved(*read), file->path, 0, findings);
  if (!inner) return tl::unexpected(inner.error());
  merged.update(*inner);
  return true;
}

/// `missing` becomes the name of the model's file if that is not there.
Result<Json> experiment(const Json& trainer, const std::string& where, std::string& missing,
                        Findings& findings) {
  const std::string framework = text_at(trainer, "framework", "megatron");
  if (framework.find("megatron") == std::string::npos)
    return fail(Errc::input_unsupported, where + ":/modules/framework",
                fmt::format("is {}; of Primus' experiments those of megatron are read", framework),
                framework == "torchtitan" ? "give torchtitan's own TOML"
                                          : "give the model and the plan as options");
  Json merged = Json::object();
  if (auto done = add_file(text_at(trainer, "config"), "modules", where, merged, findings); !done)
    return tl::unexpected(done.error());
  const std::string model = text_at(trainer, "model");
  const auto there = add_file(model, "models", where, merged, findings);
  if (!there) return tl::unexpected(there.error());
  if (!*there) missing = model;
  const auto overrides = trainer.find("overrides");
  if (overrides != trainer.end() && overrides->is_object()) merged.update(*overrides);
  return merged;
}

Result<void> import_primus(Spec& spec, const Json& original, const std::string& where,
                           Findings& findings) {
  const Json document = resolved(original);
  if (const std::string framework = text_at(document, "framework", "megatron");
      framework != "megatron")
    return fail(Errc::input_unsupported, where + ":/framework",
                fmt::format("is {}; of AMD Primus' files those of megatron are read", framework),
                "give the model and the plan as options");
  const Json* const trainer = trainer_of(document);
  std::string missing;
  auto merged = trainer != nullptr ? experiment(*trainer, where, missing, findings)
                                   : extended(document, where, 0, findings);
  if (!merged) return tl::unexpected(merged.error());
  // Primus' models of today have rotary positions; only its oldest files leave out the key.
  if (!merged->contains("position_embedding_type") && merged->contains("num_layers")) {
    (*merged)["position_embedding_type"] = "rope";
    findings.add(FindingCode::default_assumed, where + ": position_embedding_type = rope");
  }
  MegatronArguments arguments{flat_sections(*merged, {})};
  // A model lists every argument with its default; one that is off says nothing.
  for (auto it = arguments.options.begin(); it != arguments.options.end();)
    it = *it == false && !it.key().starts_with("add_") ? arguments.options.erase(it) : ++it;
  if (const std::string name = text_at(document, "exp_name"); !name.empty())
    arguments.names.push_back(name);
  if (trainer != nullptr) arguments.names.push_back(text_at(*trainer, "model"));
  if (!missing.empty()) arguments.missing_file = {where, missing};
  return import_megatron(spec, arguments, where, findings);
}

bool is_primus(const Json& document) {
  if (trainer_of(document) != nullptr) return true;
  if (text_at(document, "framework") == "megatron_bridge" && document.contains("task")) return true;
  const std::vector<std::string> bases = bases_of(document);
  return !bases.empty() && std::all_of(bases.begin(), bases.end(), [](const std::string& name) {
    return name.ends_with(".yaml") || name.ends_with(".yml");
  });
}

}  // namespace
}  // namespace primus

const Importer kPrimusImporter{
    .name = "primus",
    .tool = "AMD Primus",
    .files = "the YAML of a model or an experiment, with the files that they extend",
    .reads = "as Megatron-LM",
    .refuses = "experiments with torchtitan, MaxText or Megatron-Bridge",
    .is_document = primus::is_primus,
    .import_document = primus::import_primus};

}  // namespace orrery::workload
