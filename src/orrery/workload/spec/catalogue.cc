// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/spec/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "orrery/workload/spec/catalogue_internal.h"

namespace orrery::workload {
namespace {

std::vector<ModelEntry> sorted_models() {
  std::vector<ModelEntry> all;
  for (const std::span<const ModelEntry> part :
       {gpt_models(), llama_models(), small_models(), expert_models(), other_models()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end(),
            [](const ModelEntry& a, const ModelEntry& b) { return a.name < b.name; });
  return all;
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

Model gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads, std::int64_t vocab,
          std::int64_t positions) {
  Model model;
  model.layers = layers;
  model.hidden = hidden;
  model.heads = heads;
  model.vocab = vocab;
  model.max_positions = positions;
  return model;
}

Model llama(const LlamaShape& shape) {
  Model model;
  model.layers = shape.layers;
  model.hidden = shape.hidden;
  model.ffn = shape.ffn;
  model.heads = shape.heads;
  model.kv_heads = shape.kv_heads;
  model.vocab = shape.vocab;
  model.mlp = Mlp::swiglu;
  model.norm = Norm::rmsnorm;
  model.positions = Positions::rope;
  model.qkv_bias = model.out_bias = model.mlp_bias = false;
  model.tied_embeddings = shape.tied;
  return model;
}

std::span<const ModelEntry> models() {
  static const std::vector<ModelEntry> all = sorted_models();
  return all;
}

const ModelEntry* find_model(std::string_view name) {
  const std::span<const ModelEntry> all = models();
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const ModelEntry& entry, std::string_view key) { return entry.name < key; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}

std::int64_t counted_part(const ParameterCount& count, std::int64_t total, Counted counted) {
  switch (counted) {
    case Counted::all:
      return total;
    case Counted::without_input_table:
      return total - count.embedding;
    case Counted::without_tables:
      break;
  }
  return total - count.embedding - count.head;
}

std::string models_reference() {
  std::string text =
      "# Models by name\n\n"
      "<!-- Generated from src/orrery/workload/catalogue*.cc. To renew it, run the workload tests "
      "with ORRERY_UPDATE_DOCS=1. -->\n\n"
      "`model: llama-3.1-70b` is short for `model: {is: llama-3.1-70b}`; keys beside `is` override "
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
    const ParameterCount count = count_parameters(each.model());
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
