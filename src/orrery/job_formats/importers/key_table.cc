// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/key_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {

using config::Json;

namespace {

void add_paths(const Json& value, const std::string& path, Json& flat) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, inner] : value.items())
      add_paths(inner, path.empty() ? key : path + "." + key, flat);
  } else if (!value.is_null()) {
    flat[path] = value;
  }
}

const KeyRow* row_of(std::span<const KeyRow> rows, std::string_view key) {
  const KeyRow* best = nullptr;
  for (const KeyRow& row : rows) {
    if (row.key == key) return &row;
    if (!row.key.ends_with(".*")) continue;
    const std::string_view begin = row.key.substr(0, row.key.size() - 1);
    const bool below = key.starts_with(begin) || key == begin.substr(0, begin.size() - 1);
    if (below && (best == nullptr || best->key.size() < row.key.size())) best = &row;
  }
  return best;
}

/// A value as a specification writes it: 2.0 is 2.
std::string plain_text(const Json& value) {
  if (value.is_number_float()) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    const double number = value.get<double>();
    if (std::abs(number) <= kExact && number == std::floor(number))
      return std::to_string(static_cast<std::int64_t>(number));
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool is_off(const Json& value) {
  return value == false || value == 0 || value == "" || value == "none" || value == "None" ||
         (value.is_array() && value.empty()) || (value.is_object() && value.empty());
}

/// Whether the name begins as one of those without effect.
bool is_ignored(const KnownKeys& keys, std::string_view key) {
  return std::any_of(keys.ignored.begin(), keys.ignored.end(),
                     [&](std::string_view begin) { return key.starts_with(begin); });
}

/// Applies the values of one file.
class Rows {
 public:
  Rows(const KnownKeys& keys, const std::string& where, Spec& spec, Findings& findings)
      : keys_(keys), where_(where), spec_(spec), findings_(findings) {}

  Result<void> apply(const Json& flat) {
    for (const auto& [key, value] : flat.items()) {
      std::string path = key;
      std::replace(path.begin(), path.end(), '.', '/');
      place_ = where_ + ":/" + path;
      const KeyRow* const row = row_of(keys_.rows, key);
      if (row == nullptr) {
        if (!is_ignored(keys_, key)) findings_.add(FindingCode::key_ignored, place_);
        continue;
      }
      const KeyRow* const meant =
          meant_by(*row, [&](std::string_view name) { return flat.contains(std::string(name)); });
      if (meant == nullptr) continue;
      if (auto done = apply_row(*meant, value); !done) return done;
    }
    return {};
  }

  /// Applies the rows that `keys` does not read itself.
  Result<void> apply_others(config::KeyReader& keys, const Json& section, std::string_view path) {
    ask_for_rows(keys, path);
    for (const auto& [key, value] : section.items()) {
      const std::string whole = path.empty() ? key : fmt::format("{}.{}", path, key);
      const KeyRow* row = row_of(keys_.rows, whole);
      if (row == nullptr ? !is_ignored(keys_, whole)
                         : known_row(keys_, row->key)->use == KeyUse::read)
        continue;
      static_cast<void>(keys.has(key));
      place_ = keys.place(key);
      if (row != nullptr)
        row = meant_by(*row, [&](std::string_view name) {
          return section.contains(std::string(path.empty() ? name : name.substr(path.size() + 1)));
        });
      if (row == nullptr) continue;
      if (auto done = apply_row(*row, value); !done) return done;
    }
    return {};
  }

  [[nodiscard]] std::int64_t world() const { return world_; }

 private:
  /// The row of the key that another name stands for; null if the file has that key, or another
  /// name that precedes this one.
  template <class IsThere>
  [[nodiscard]] const KeyRow* meant_by(const KeyRow& row, const IsThere& is_there) const {
    const KeyRow* at = &row;
    for (; at->use == KeyUse::other_name; at = row_of(keys_.rows, at->what))
      if (is_there(at->what)) return nullptr;
    return at;
  }

  /// Marks the rows of a section as read, so that they are suggested for keys with typing errors.
  void ask_for_rows(config::KeyReader& keys, std::string_view path) const {
    for (const KeyRow& row : keys_.rows) {
      std::string_view key = row.key;
      if (!path.empty()) {
        if (!key.starts_with(path) || key.size() <= path.size() || key[path.size()] != '.')
          continue;
        key.remove_prefix(path.size() + 1);
      }
      if (known_row(keys_, row.key)->use != KeyUse::read && key.find('.') == std::string_view::npos)
        static_cast<void>(keys.has(key));
    }
  }

  Result<void> apply_row(const KeyRow& row, const Json& value) {
    switch (row.use) {
      case KeyUse::sets:
        return set_all(row, value);
      case KeyUse::not_modeled:
        if (plain_text(value) != row.what && !(row.what.empty() && is_off(value)))
          findings_.add(FindingCode::key_without_effect, place_);
        return {};
      case KeyUse::refused:
        if (is_off(value)) return {};
        return fail(Errc::input_unsupported, place_,
                    fmt::format("is {}, which is not supported", in_quotes(plain_text(value))),
                    std::string(row.what));
      case KeyUse::read:
      case KeyUse::no_effect:
      case KeyUse::other_name:
        break;
    }
    return {};
  }

  /// The specification's word for `text`; empty: it changes nothing. Errc: config_range.
  Result<std::string> word_of(const KeyRow& row, const std::string& text) {
    const auto known = std::find_if(row.words.begin(), row.words.end(),
                                    [&](const KeyWord& word) { return word.theirs == text; });
    if (known != row.words.end()) return std::string(known->ours);
    if (row.words.back().theirs == kOtherWords) {
      findings_.add(FindingCode::key_without_effect, fmt::format("{} = {}", place_, text));
      return std::string();
    }
    std::vector<std::string_view> allowed;
    for (const KeyWord& word : row.words)
      if (!word.theirs.empty()) allowed.push_back(word.theirs);
    const std::string near = did_you_mean(text, allowed);
    return fail(Errc::config_range, place_,
                fmt::format("{} is not one of {}", in_quotes(text), join(allowed)),
                near.empty() ? fmt::format("leave it out, and give --set {}=VALUE",
                                           row.what.substr(0, row.what.find(' ')))
                             : near);
  }

  Result<void> set_all(const KeyRow& row, const Json& value) {
    std::string text = plain_text(value);
    if (text.find("${") != std::string::npos || text == "auto") {
      findings_.add(FindingCode::key_ignored, fmt::format("{} = {}", place_, text));
      return {};
    }
    if (!row.words.empty()) {
      auto word = word_of(row, text);
      if (!word) return tl::unexpected(word.error());
      if (word->empty()) return {};
      text = *std::move(word);
    }
    if (row.what == kAccumulated) return set_whole(value, spec_.batch.accumulated);
    if (row.what == kWorld) return set_whole(value, world_);
    for (std::string_view rest = row.what; !rest.empty();) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      if (auto done = set(spec_, rest.substr(0, end), text); !done)
        return fail(done.error().code, place_, done.error().what, done.error().hint);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  }

  Result<void> set_whole(const Json& value, std::int64_t& target) {
    constexpr std::int64_t kMost = std::int64_t{1} << 40;
    const bool whole = value.is_number_integer() && value.get<double>() >= 0 &&
                       value.get<double>() <= static_cast<double>(kMost);
    if (!whole)
      return fail(Errc::config_type, place_,
                  fmt::format("{} is not a whole number", in_quotes(plain_text(value))));
    target = value.get<std::int64_t>();
    return {};
  }

  const KnownKeys& keys_;
  const std::string& where_;
  Spec& spec_;
  Findings& findings_;
  std::string place_;
  std::int64_t world_ = 0;
};

/// The value that a reference without braces means; null: unknown.
Json meaning_of(std::string_view reference, const Json& root, const Json& section) {
  if (reference.starts_with('.')) {
    const auto found = section.find(std::string(reference.substr(1)));
    return found == section.end() ? Json() : *found;
  }
  const Json* at = &root;
  for (std::string_view rest = reference; at->is_object();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const auto found = at->find(std::string(rest.substr(0, dot)));
    if (found == at->end()) break;
    at = &*found;
    if (dot == rest.size()) return *at;
    rest.remove_prefix(dot + 1);
  }
  const std::size_t colon = reference.find(':');
  if (colon == std::string_view::npos || reference.substr(0, 3) == "oc.") return {};
  const Json typed = Json::parse(reference.substr(colon + 1), nullptr, false);
  return typed.is_primitive() && !typed.is_discarded() && !typed.is_null()
             ? typed
             : Json(std::string(reference.substr(colon + 1)));
}

/// Resolves the references of one text; `depth` ends circles.
Json resolved_text(const std::string& text, const Json& root, const Json& section, int depth) {
  const std::size_t begin = text.find("${");
  const std::size_t end = begin == std::string::npos ? begin : text.find('}', begin);
  constexpr int kDeepestReference = 16;
  if (end == std::string::npos || depth > kDeepestReference) return text;
  const Json meant =
      meaning_of(std::string_view(text).substr(begin + 2, end - begin - 2), root, section);
  if (meant.is_null() || !meant.is_primitive()) return text;
  if (begin == 0 && end + 1 == text.size())
    return meant.is_string() ? resolved_text(meant.get<std::string>(), root, section, depth + 1)
                             : meant;
  return resolved_text(text.substr(0, begin) + plain_text(meant) + text.substr(end + 1), root,
                       section, depth + 1);
}

Json resolved_in(const Json& value, const Json& root, const Json& section) {
  if (value.is_string()) return resolved_text(value.get<std::string>(), root, section, 0);
  if (!value.is_object()) return value;
  Json made = Json::object();
  for (const auto& [key, inner] : value.items()) made[key] = resolved_in(inner, root, value);
  return made;
}

}  // namespace

Json flat_paths(const Json& document) {
  Json flat = Json::object();
  add_paths(document, "", flat);
  return flat;
}

const KeyRow* known_row(const KnownKeys& keys, std::string_view key) {
  const KeyRow* row = row_of(keys.rows, key);
  while (row != nullptr && row->use == KeyUse::other_name) row = row_of(keys.rows, row->what);
  return row;
}

Result<std::int64_t> apply_keys(const KnownKeys& keys, const Json& flat, const std::string& where,
                                Spec& spec, Findings& findings) {
  Rows all(keys, where, spec, findings);
  if (auto done = all.apply(flat); !done) return tl::unexpected(done.error());
  return all.world();
}

Result<std::int64_t> apply_other_keys(const KnownKeys& known, config::KeyReader& keys,
                                      const Json& section, std::string_view path, Spec& spec,
                                      Findings& findings) {
  const std::string where;
  Rows all(known, where, spec, findings);
  if (auto done = all.apply_others(keys, section, path); !done) return tl::unexpected(done.error());
  return all.world();
}

Json renamed(const KnownKeys& keys, Json flat) {
  const Json original = flat;
  for (const auto& [key, value] : original.items()) {
    const KeyRow* const row = row_of(keys.rows, key);
    const bool other = row != nullptr && row->use == KeyUse::other_name;
    const std::string name(other ? row->what : std::string_view());
    if (other && !original.contains(name)) flat[name] = value;
    const bool ignored = row == nullptr ? is_ignored(keys, key) : row->use == KeyUse::no_effect;
    if (other || ignored) flat.erase(key);
  }
  return flat;
}

Json resolved(const Json& document) { return resolved_in(document, document, document); }

std::string text_at(const Json& flat, std::string_view key, std::string fallback) {
  const auto found = flat.find(std::string(key));
  return found != flat.end() && found->is_string() ? found->get<std::string>() : fallback;
}

std::int64_t whole_at(const Json& flat, std::string_view key, std::int64_t fallback) {
  const auto found = flat.find(std::string(key));
  return found != flat.end() && found->is_number_integer() ? found->get<std::int64_t>() : fallback;
}

bool flag_at(const Json& flat, std::string_view key, bool fallback) {
  const auto found = flat.find(std::string(key));
  return found != flat.end() && found->is_boolean() ? found->get<bool>() : fallback;
}

Result<void> use_named_model(Spec& spec, const std::string& name, const std::string& place,
                             const std::string& where, Findings& findings) {
  if (const ModelEntry* const entry = find_model(name); entry != nullptr) {
    use_catalog_model(spec, *entry);
    return {};
  }
  if (const auto config = name.empty() ? std::nullopt : file_beside(where, name + "/config.json"))
    return import_into(spec, config->text, config->path, findings);
  if (has_model(spec)) return {};
  return fail(Errc::config_missing_key, place,
              fmt::format("{} is not in the catalog of models", in_quotes(name)),
              "give its config.json before this file, or --model NAME");
}

}  // namespace orrery::workload
