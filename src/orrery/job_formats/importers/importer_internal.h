// SPDX-License-Identifier: Apache-2.0
//
// What importers share. Private to this room.
//
// Each asks a file for the keys that it understands, and leaves the others to
// KeyReader::report_unread.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/key_reader.h"
#include "orrery/job_formats/importers/importer.h"

namespace orrery::workload {

/// Keys that say nothing about what is computed (names, tokens, learning rates): asked for and
/// passed over.
void ignore_keys(config::KeyReader& keys, std::initializer_list<std::string_view> names);

/// Counts (option_not_modelled) each of these keys whose value is there and is not the one that our
/// models have anyway.
void report_unmodelled(config::KeyReader& keys, const config::Json& file,
                       const std::vector<std::pair<const char*, config::Json>>& ours,
                       Findings& findings);

/// A whole number between 0 and 2^40, `fallback` when the key is missing or null.
[[nodiscard]] std::int64_t whole(config::KeyReader& keys, std::string_view key,
                                 std::int64_t fallback);
/// The first of `names` that is there.
[[nodiscard]] std::int64_t whole(config::KeyReader& keys,
                                 std::initializer_list<std::string_view> names,
                                 std::int64_t fallback);

/// Their product, or the largest number there is where it is beyond that: files may say anything,
/// and `check_spec` judges later.
[[nodiscard]] std::int64_t product(std::initializer_list<std::int64_t> factors);

/// Sets dp from the number of devices and the rest of the plan. Files are often templates: a number
/// that does not go with the plan is left alone and counted (option_not_modelled).
void set_world_size(Spec& spec, std::int64_t world, const std::string& where, Findings& findings);

/// `keys`' error, or nothing; then counts what was not asked for.
[[nodiscard]] Result<void> finish(config::KeyReader& keys, Findings& findings);

/// Whether a document has all of these keys, or any.
[[nodiscard]] bool has(const config::Json& object, std::initializer_list<const char*> keys);
[[nodiscard]] bool has_any(const config::Json& object, std::initializer_list<const char*> keys);

/// Something in a script, and where it stands: "run.sh:12".
struct ShellSource {
  std::string where;
  std::string text;

  [[nodiscard]] bool empty() const { return where.empty(); }
};
/// Megatron's arguments.
struct MegatronArguments {
  config::Json options = config::Json::object();  ///< names with underscores, flags true
  std::map<std::string, ShellSource> unknown{};   ///< options whose value a script does not say
  ShellSource missing_file{};  ///< the first file that a script reads and that is not there
};
/// A model needs --num-layers, --hidden-size and --num-attention-heads. Arguments that say nothing
/// of a model keep the one that `spec` has. Errc: config_missing_key when there is none; config_*.
[[nodiscard]] Result<void> import_megatron(Spec& spec, const MegatronArguments& file,
                                           const std::string& where, Findings& findings);
/// The arguments in a shell script or in a list. Variables are put in where the text says what they
/// are, branches are followed as without arguments and environment, and files that the script
/// sources are read where they lie beside it. Options whose value is not known are left out and
/// counted (key_ignored). Errc: limit_exceeded, config_not_found.
[[nodiscard]] Result<MegatronArguments> megatron_arguments(std::string_view text,
                                                           const std::string& where,
                                                           Findings& findings);
/// The section model.peft of NeMo's YAML, where there is one.
[[nodiscard]] Result<void> import_nemo_lora(Spec& spec, const config::Json& file,
                                            const std::string& where, Findings& findings);

}  // namespace orrery::workload
