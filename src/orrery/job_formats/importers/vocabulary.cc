// SPDX-License-Identifier: Apache-2.0
#include "orrery/job_formats/importers/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "orrery/config/built_in_list.h"
#include "orrery/workload/spec/model_catalog.h"

namespace orrery::workload {

namespace {

using Entries = std::vector<const ModelEntry*>;

bool is_text_model(const ModelEntry& entry) { return entry.seq > 0 && entry.model.vocab > 0; }

std::int64_t kv_heads(const Model& model) {
  return model.kv_heads != 0 ? model.kv_heads : model.heads;
}

/// Whether the models have the same layers and widths; a size that `shape` leaves open fits.
bool same_layer(const Model& shape, const Model& model) {
  const std::int64_t width = model.ffn > 0 ? model.ffn : 4 * model.hidden;
  const bool same_ffn = shape.ffn == 0 || shape.ffn == width;
  const auto gated = [](const Model& one) {
    return one.mlp == Mlp::swiglu || one.mlp == Mlp::geglu;
  };
  const std::int64_t experts = shape.moe ? shape.moe->experts : 0;
  return shape.hidden == model.hidden && shape.heads == model.heads && same_ffn &&
         experts == (model.moe ? model.moe->experts : 0) && gated(shape) == gated(model) &&
         (shape.mla.has_value() || kv_heads(shape) == kv_heads(model));
}

/// "llama-3.1-8b" without its sizes: "llama3.1".
std::string name_without_size(std::string_view name) {
  std::string family;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('-', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    const bool size = part.size() > 1 && (part.back() == 'b' || part.back() == 'm') &&
                      std::any_of(part.begin(), part.end() - 1,
                                  [](unsigned char c) { return std::isdigit(c) != 0; });
    if (begin > 0 && size) break;
    family += part;
    begin = end + 1;
  }
  return family;
}

/// The models if they agree on the vocabulary.
std::optional<KnownVocabulary> agreed(const Entries& entries) {
  if (entries.empty()) return std::nullopt;
  const std::int64_t size = entries.front()->model.vocab;
  for (const ModelEntry* each : entries)
    if (each->model.vocab != size) return std::nullopt;
  return KnownVocabulary{size, entries.front()->name};
}

/// Of `entries` those that have the sizes of `shape`.
Entries of_shape(const Entries& entries, const Model& shape, bool with_layers) {
  Entries fitting;
  for (const ModelEntry* each : entries)
    if (same_layer(shape, each->model) && (!with_layers || shape.layers == each->model.layers))
      fitting.push_back(each);
  return fitting;
}

/// The models that one part of a path names: exactly, or by a family ("llama3").
Entries named_by(const Entries& all, std::string_view part) {
  constexpr std::size_t kShortest = 4;
  if (const ModelEntry* const entry = find_model(part); entry != nullptr && is_text_model(*entry))
    return {entry};
  std::string plain = config::plain_spelling(part);
  if (plain.starts_with("metallama")) plain.erase(0, 4);
  for (const std::string_view end : {"tokenizer", "tokenizer.model", "tokenizer.json"})
    if (plain.size() > end.size() && plain.ends_with(end)) plain.resize(plain.size() - end.size());
  Entries found;
  std::size_t longest = 0;
  for (const ModelEntry* each : all) {
    const std::string name = config::plain_spelling(each->name);
    const bool family = plain.size() >= kShortest && name.starts_with(plain);
    const bool whole = name.size() >= kShortest && plain.starts_with(name);
    if (!family && !whole) continue;
    const std::size_t shared = std::min(name.size(), plain.size());
    if (shared < longest) continue;
    if (shared > longest) found.clear();
    longest = shared;
    found.push_back(each);
  }
  return found;
}

std::optional<KnownVocabulary> by_tokenizer(const Entries& all, const Model& shape,
                                            std::string_view path) {
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    const Entries named = named_by(all, part);
    if (const auto known = agreed(named)) return known;
    if (const auto known = agreed(of_shape(named, shape, false))) return known;
    if (slash == std::string_view::npos) break;
    path = path.substr(0, slash);
  }
  return std::nullopt;
}

/// Of `entries` those with the longest family that one of the names contains.
Entries in_names(const Entries& entries, const std::vector<std::string>& names) {
  Entries found;
  std::size_t longest = 0;
  for (const ModelEntry* each : entries) {
    const std::string family = config::plain_spelling(name_without_size(each->name));
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return config::plain_spelling(name).find(family) != std::string::npos;
    });
    if (!named || family.size() < longest) continue;
    if (family.size() > longest) found.clear();
    longest = family.size();
    found.push_back(each);
  }
  return found;
}

}  // namespace

std::optional<KnownVocabulary> known_vocabulary(const Model& shape, const VocabularyHints& hints) {
  Entries all;
  for (const ModelEntry& each : models())
    if (is_text_model(each)) all.push_back(&each);
  for (const std::string& tokenizer : hints.tokenizers)
    if (const auto known = by_tokenizer(all, shape, tokenizer)) return known;
  const Entries fitting = of_shape(all, shape, true);
  if (const auto known = agreed(fitting)) return known;
  if (const auto known = agreed(in_names(fitting, hints.names))) return known;
  // A model with fewer layers than the published one, for a test.
  return agreed(in_names(of_shape(all, shape, false), hints.names));
}

void choose_vocabulary(Model& model, VocabularyHints hints, std::int64_t usual,
                       const std::string& where, Findings& findings) {
  hints.names.push_back(where.substr(where.rfind('/') + 1));
  const auto known = known_vocabulary(model, hints);
  model.vocab = known ? known->size : usual;
  if (known)
    findings.add(FindingCode::chosen_by_default,
                 fmt::format("{}: vocab = {}, as {} has it", where, known->size, known->model));
  else
    findings.add(FindingCode::default_assumed, fmt::format("{}: vocab = {}", where, usual));
}

}  // namespace orrery::workload
