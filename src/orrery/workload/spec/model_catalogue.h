// SPDX-License-Identifier: Apache-2.0
//
// Models by name, each with its source and the number of weights its authors print:
// data/catalogue/models.
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

/// What a published count counts.
enum class CountScope : std::uint8_t {
  all,
  without_input_table,  ///< all but the tables that tokens and positions are looked up in
  without_tables,       ///< … nor the head's matrix
};

struct ModelEntry {
  std::string name;          ///< "llama-3.1-70b"
  std::string title;         ///< "Llama 3.1 70B"
  std::int64_t seq = 0;      ///< tokens of the sequences it was (mostly) trained on, not the most
                             ///< that it can read; 0: not a language model
  std::string published;     ///< as printed: "70.6B", "8,030,261,248"
  std::string source;        ///< of the shape
  std::string count_source;  ///< of the count
  Model model;
  CountScope counted = CountScope::all;
  std::string active = {};  ///< weights per token as printed, of models with experts
  CountScope active_counted = CountScope::all;
  std::string note = {};  ///< what the shape leaves out, what the count means

  static constexpr auto fields = std::tuple{
      config::field("name", &ModelEntry::name, "as a specification names it").required(),
      config::field("title", &ModelEntry::title, "as its authors write it").required(),
      config::field("seq", &ModelEntry::seq, "tokens of most sequences in pre-training",
                    config::at_least(1)),
      config::field("published", &ModelEntry::published, "weights as printed").required(),
      config::field("source", &ModelEntry::source, "of the shape").required(),
      config::field("count_source", &ModelEntry::count_source, "of the count").required(),
      config::field("model", &ModelEntry::model, "the shape").required(),
      config::field("counted", &ModelEntry::counted, "what `published` counts"),
      config::field("active", &ModelEntry::active, "weights per token as printed"),
      config::field("active_counted", &ModelEntry::active_counted, "what `active` counts"),
      config::field("note", &ModelEntry::note, "what the shape leaves out")};
};

/// In alphabetical order.
[[nodiscard]] std::span<const ModelEntry> models();
[[nodiscard]] const ModelEntry* find_model(std::string_view name);
/// What is wrong with the catalogue, which would be our mistake: reads all entries.
[[nodiscard]] Result<void> check_models();
/// What `counted` says of a count.
[[nodiscard]] std::int64_t count_in_scope(const ParameterCount& count, std::int64_t total,
                                          CountScope counted);
/// docs/reference/models.md
[[nodiscard]] std::string models_reference();

}  // namespace orrery::workload

namespace orrery::config {
template <>
struct EnumNames<workload::CountScope> {
  static constexpr std::array names = {
      EnumName<workload::CountScope>{"all", workload::CountScope::all},
      EnumName<workload::CountScope>{"without_input_table",
                                     workload::CountScope::without_input_table},
      EnumName<workload::CountScope>{"without_tables", workload::CountScope::without_tables}};
};
}  // namespace orrery::config
