// SPDX-License-Identifier: Apache-2.0
//
// The model catalog: models by name, each with its source and the number of weights that its
// authors publish. The data are in data/catalog/models.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "orrery/config/field.h"
#include "orrery/core/error.h"
#include "orrery/workload/spec/model.h"

namespace orrery::workload {

/// Which weights a published count includes.
enum class CountScope : std::uint8_t {
  all,
  without_input_table,  ///< without the token and position tables
  without_tables,       ///< without these tables and the head's matrix
};

struct ModelEntry {
  std::string name;          ///< "llama-3.1-70b"
  std::string title;         ///< "Llama 3.1 70B"
  std::int64_t seq = 0;      ///< length of most training sequences, in tokens, not the maximum
                             ///< context length; 0: not a language model
  std::string published;     ///< weights as published: "70.6B", "8,030,261,248"
  std::string source;        ///< source of the shape
  std::string count_source;  ///< source of the count
  Model model;
  CountScope counted = CountScope::all;
  std::string active = {};  ///< models with experts: weights per token, as published
  CountScope active_counted = CountScope::all;
  std::string note = {};  ///< what the shape omits, and what the count means

  static constexpr auto fields = std::tuple{
      config::field("name", &ModelEntry::name, "its name in specifications").required(),
      config::field("title", &ModelEntry::title, "its name as its authors write it").required(),
      config::field("seq", &ModelEntry::seq, "length of most sequences in pre-training, in tokens",
                    config::at_least(1)),
      config::field("published", &ModelEntry::published, "published number of weights").required(),
      config::field("source", &ModelEntry::source, "source of the shape").required(),
      config::field("count_source", &ModelEntry::count_source, "source of the count").required(),
      config::field("model", &ModelEntry::model, "the shape").required(),
      config::field("counted", &ModelEntry::counted, "what `published` counts"),
      config::field("active", &ModelEntry::active, "published number of weights per token"),
      config::field("active_counted", &ModelEntry::active_counted, "what `active` counts"),
      config::field("note", &ModelEntry::note, "what the shape omits")};
};

/// All models, by name in alphabetical order.
[[nodiscard]] std::span<const ModelEntry> models();
/// The entry of that name, however it is spelled, or of that name on Hugging Face
/// ("meta-llama/Llama-3.1-8B-Instruct"); null: none.
[[nodiscard]] const ModelEntry* find_model(std::string_view name);
/// Reads all entries of the built-in catalog. An error is a defect of Orrery, not of user input.
[[nodiscard]] Result<void> check_models();
/// `total` (`count.total` or `count.active`) without the weights that `counted` excludes.
[[nodiscard]] std::int64_t count_in_scope(const ParameterCount& count, std::int64_t total,
                                          CountScope counted);
/// The text of docs/reference/models.md.
[[nodiscard]] std::string models_reference();

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::CountScope> {
  static constexpr auto names = names_in_order<workload::CountScope::without_tables>(
      "all", "without_input_table", "without_tables");
};
}  // namespace orrery::config
