// SPDX-License-Identifier: Apache-2.0
//
// Shared by the importers. Private to this folder.
//
// Each importer reads the keys that it knows. KeyReader::report_unread reports the others.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/config/key_reader.h"
#include "orrery/job_formats/importers/importer.h"

namespace orrery::workload {

struct ModelEntry;

/// Findings (key_ignored) for keys that a YAML file has twice, from parse_yaml.
void report_repeated(const std::vector<std::string>& places, Findings& findings);
/// Marks keys as read that do not affect the workload (names, tokens, learning rates).
void ignore_keys(config::KeyReader& keys, std::initializer_list<std::string_view> names);

/// Reports each of these keys if the file has another value than `ours`, which the models assume
/// (finding key_without_effect).
void report_unmodeled(config::KeyReader& keys, const config::Json& file,
                      const std::vector<std::pair<const char*, config::Json>>& ours,
                      Findings& findings);

/// An integer from 0 to 2^40; `fallback` if the key is missing or null.
[[nodiscard]] std::int64_t whole(config::KeyReader& keys, std::string_view key,
                                 std::int64_t fallback);
/// The value of the first of `names` that exists; else `fallback`.
[[nodiscard]] std::int64_t whole(config::KeyReader& keys,
                                 std::initializer_list<std::string_view> names,
                                 std::int64_t fallback);

/// The product, saturated at the largest std::int64_t: files may contain any number, and
/// `check_spec` validates them later.
[[nodiscard]] std::int64_t product(std::initializer_list<std::int64_t> factors);

/// Sets dp from the number of devices and the other degrees of the plan. Since files are often
/// templates, a number that does not fit the plan is ignored and reported (finding
/// key_without_effect).
void set_world_size(Spec& spec, std::int64_t world, const std::string& where, Findings& findings);

/// Sets the model of the catalog.
void use_catalog_model(Spec& spec, const ModelEntry& entry);

/// Returns the error of `keys`, if any; otherwise reports unread keys.
[[nodiscard]] Result<void> finish(config::KeyReader& keys, Findings& findings);

/// `has`: whether a document has all of these keys. `has_any`: whether it has at least one.
[[nodiscard]] bool has(const config::Json& object, std::initializer_list<const char*> keys);
[[nodiscard]] bool has_any(const config::Json& object, std::initializer_list<const char*> keys);

/// A text in a script and its place: "run.sh:12".
struct ShellSource {
  std::string where;
  std::string text;

  [[nodiscard]] bool empty() const { return where.empty(); }
};
/// Megatron's arguments.
struct MegatronArguments {
  config::Json options = config::Json::object();  ///< names have underscores instead of hyphens;
                                                  ///< flags are true
  std::map<std::string, ShellSource> unknown{};   ///< options whose value the script does not
                                                  ///< determine
  ShellSource missing_file{};                     ///< the first sourced file that does not exist
  ShellSource program{};                          ///< the Python program that the script runs
  std::vector<std::string> names{};               ///< what else may name the model
};
/// Sets the job of the arguments. A model needs --num-layers, --hidden-size and
/// --num-attention-heads; arguments without model options keep the model of `spec`. Errc:
/// config_missing_key if neither has a model; config_*.
[[nodiscard]] Result<void> import_megatron(Spec& spec, const MegatronArguments& file,
                                           const std::string& where, Findings& findings);
/// Whether most keys of a document are Megatron's arguments, and at least three are.
[[nodiscard]] bool lists_megatron_arguments(const config::Json& document);
/// Whether these are arguments of a model without its sizes.
[[nodiscard]] bool is_part_of_megatron_model(const config::Json& document);
/// Extracts the arguments from a shell script or a list. Replaces variables whose values the text
/// contains, follows branches as without arguments and environment, and reads sourced files from
/// the script's folder. Options with unknown values are omitted and reported (finding key_ignored).
/// Errc: limit_exceeded, config_not_found.
[[nodiscard]] Result<MegatronArguments> megatron_arguments(std::string_view text,
                                                           const std::string& where,
                                                           Findings& findings);
/// Reads the section model.peft of NeMo's YAML, if it exists.
[[nodiscard]] Result<void> import_nemo_lora(Spec& spec, const config::Json& file,
                                            const std::string& where, Findings& findings);

}  // namespace orrery::workload
