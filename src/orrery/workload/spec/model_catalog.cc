// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/model_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/config/built_in_list.h"

namespace orrery::workload {

extern const std::string_view kModelsText;  // cmake/OrreryEmbed.cmake

namespace {

config::BuiltInList<ModelEntry>& model_list() {
  static config::BuiltInList<ModelEntry> list([] {
    std::vector<config::EntryText> texts = config::split_entries(kModelsText);
    std::sort(texts.begin(), texts.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    return texts;
  }());
  return list;
}

/// "1,234,567"
std::string with_commas(std::int64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

}  // namespace

std::span<const ModelEntry> models() { return model_list().all(); }
const ModelEntry* find_model(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // without the organization
  std::string plain = config::plain_spelling(name);
  for (;;) {
    if (const ModelEntry* const entry = model_list().find(plain)) return entry;
    if (plain.starts_with("metallama")) {
      plain.erase(0, 4);
      continue;
    }
    const std::size_t size = plain.size();
    for (const std::string_view end : {"hf", "chat", "instruct", "thinking", "it", "base", "v0.1",
                                       "v1.0", "2507", "deduped", "gptq", "awq"})
      if (plain.size() == size && plain.size() > end.size() && plain.ends_with(end))
        plain.resize(size - end.size());
    if (plain.size() == size) return nullptr;
  }
}
Result<void> check_models() { return model_list().check(); }

std::int64_t count_in_scope(const ParameterCount& count, std::int64_t total, CountScope counted) {
  switch (counted) {
    case CountScope::all:
      return total;
    case CountScope::without_input_table:
      return total - count.embedding;
    case CountScope::without_tables:
      break;
  }
  return total - count.embedding - count.head;
}

std::string models_reference() {
  std::string text =
      "# Models by name\n\n"
      "<!-- Generated from data/catalog/models. To renew it, run the workload tests "
      "with ORRERY_UPDATE_DOCS=1. -->\n\n"
      "`model: llama-3.1-70b` is short for `model: {is: llama-3.1-70b}`; keys next to `is` "
      "override "
      "its figures. Weights are counted from the shape; a test holds every count against what the "
      "authors print, to the last printed digit. \"Trained on\" is the length of most "
      "sequences in pre-training, in tokens (the default of `batch.seq`), not the most that a "
      "model "
      "can read.\n\n"
      "| name | model | trained on | weights | per token | published | source of the shape | "
      "source "
      "of "
      "the count |\n|---|---|---|---|---|---|---|---|\n";
  for (const ModelEntry& each : models()) {
    const ParameterCount count = count_parameters(each.model);
    text += fmt::format("| `{}` | {} | {} | {} | {} | {}{}{} | {} | {} |\n", each.name, each.title,
                        each.seq > 0 ? std::to_string(each.seq) : "", with_commas(count.total),
                        count.active != count.total ? with_commas(count.active) : "",
                        each.published, each.active.empty() ? "" : ", per token ", each.active,
                        each.source, each.count_source);
  }
  text += "\n## Notes\n\n";
  for (const ModelEntry& each : models()) {
    if (!each.note.empty()) text += fmt::format("- `{}`: {}\n", each.name, each.note);
  }
  return text;
}

}  // namespace orrery::workload
