// SPDX-License-Identifier: Apache-2.0
//
// Importers as tables: each key of a tool's file, and what it becomes. docs/reference/importers.md
// is made from these tables. Private to this folder and those below it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "orrery/job_formats/importers/importer_internal.h"
#include "orrery/job_formats/importers/named_file.h"

namespace orrery::workload {

enum class KeyUse : std::uint8_t {
  sets,         ///< `what`: the path in a specification, or several, separated by spaces
  read,         ///< the importer's own code reads it; `what` says what it becomes
  no_effect,    ///< the key does not affect a step
  not_modeled,  ///< the key affects a step, and is not modeled unless it has the value `what`
  refused,      ///< any value that is not empty, 0 or false is an error; `what`: what to give
  other_name,   ///< as the key `what`, unless the file has that, too
};

/// A word of the tool and of a specification. Without a meaning (`ours` is empty) the word changes
/// nothing.
struct KeyWord {
  std::string_view theirs;
  std::string_view ours;
};

/// The last word of a row whose other words are a finding (key_without_effect), so that the
/// specification's own value stays. In a row without it, another word is an error: use it only
/// where a step is of use although Orrery does not model that word.
inline constexpr std::string_view kOtherWords = "others";

struct KeyRow {
  std::string_view key;  ///< a path with dots; "a.*" stands for all keys below `a`
  KeyUse use = KeyUse::no_effect;
  std::string_view what{};
  std::span<const KeyWord> words{};  ///< `sets`: values; without it the value itself
};

/// Paths for `sets` that are not keys of a specification.
inline constexpr std::string_view kAccumulated = "accumulated microbatches";
inline constexpr std::string_view kWorld = "ranks";

/// The file of a tool with nested objects as paths: {"a": {"b": 1}} is {"a.b": 1}. Keys without a
/// value are left out.
[[nodiscard]] config::Json flat_paths(const config::Json& document);

/// What an importer knows of a tool's keys.
struct KnownKeys {
  std::span<const KeyRow> rows;
  std::span<const std::string_view> ignored{};  ///< beginnings of names that do not affect a step
};

/// The row of a key, that of the key which it is another name of; null: not known.
[[nodiscard]] const KeyRow* known_row(const KnownKeys& keys, std::string_view key);

/// Applies the rows to each value of `flat`. A value that still has a reference ("${…}") and a key
/// that is not known are findings (key_ignored). Returns the number of ranks; 0: not given. Errc:
/// config_* at the key, also for a word that its row does not have; input_unsupported for refused
/// keys.
[[nodiscard]] Result<std::int64_t> apply_keys(const KnownKeys& keys, const config::Json& flat,
                                              const std::string& where, Spec& spec,
                                              Findings& findings);

/// The same for the keys of one object, below `path` in the rows ("training"; empty: the root), for
/// importers that read some keys by `keys`, which their rows call KeyUse::read. Marks all others as
/// read; `keys` reports those that are neither in the rows nor read (finish()).
[[nodiscard]] Result<std::int64_t> apply_other_keys(const KnownKeys& known, config::KeyReader& keys,
                                                    const config::Json& section,
                                                    std::string_view path, Spec& spec,
                                                    Findings& findings);

/// The keys of `flat` with another tool's names: rows of KeyUse::other_name become the names that
/// they stand for, unless `flat` has these; keys without effect are left out.
[[nodiscard]] config::Json renamed(const KnownKeys& keys, config::Json flat);

/// Replaces "${name}", "${.name}", "${section.name}" and "${NAME:default}" by what they refer to
/// in the document (OmegaConf's and Primus' notation). Unknown ones stay.
[[nodiscard]] config::Json resolved(const config::Json& document);

/// The values of `flat`: a text, an integer, a flag; `fallback` if it is missing or of another
/// type.
[[nodiscard]] std::string text_at(const config::Json& flat, std::string_view key,
                                  std::string fallback = {});
[[nodiscard]] std::int64_t whole_at(const config::Json& flat, std::string_view key,
                                    std::int64_t fallback);
[[nodiscard]] bool flag_at(const config::Json& flat, std::string_view key, bool fallback = false);

/// Sets the model that a file names: one of the catalog, or a folder with config.json. A model that
/// `spec` has already stays if the name is unknown. Errc: config_missing_key.
[[nodiscard]] Result<void> use_named_model(Spec& spec, const std::string& name,
                                           const std::string& place, const std::string& where,
                                           Findings& findings);

/// A tool with a table, for the documentation.
struct ImporterTable {
  const Importer* importer;
  KnownKeys keys;
  const ImporterTable* others = nullptr;  ///< has the keys that this table lacks
};
extern const ImporterTable kHuggingFaceTable;

}  // namespace orrery::workload
