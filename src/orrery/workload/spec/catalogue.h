// SPDX-License-Identifier: Apache-2.0
//
// Models by name, each with its source and the number of weights its authors print.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "orrery/workload/spec/model.h"

namespace orrery::workload {

/// What a published count counts.
enum class Counted : std::uint8_t {
  all,
  without_input_table,  ///< all but the tables that tokens and positions are looked up in
  without_tables,       ///< … nor the head's matrix
};

struct ModelEntry {
  std::string_view name;          ///< "llama-3.1-70b"
  std::string_view title;         ///< "Llama 3.1 70B"
  std::int64_t seq = 0;           ///< tokens of the sequences it was (mostly) trained on, not the
                                  ///< most that it can read; 0: not a language model
  std::string_view published;     ///< as printed: "70.6B", "8,030,261,248"
  std::string_view source;        ///< of the shape
  std::string_view count_source;  ///< of the count
  Model (*model)() = nullptr;
  Counted counted = Counted::all;
  std::string_view active = {};  ///< weights per token as printed, of models with experts
  Counted active_counted = Counted::all;
  std::string_view note = {};  ///< what the shape leaves out, what the count means
};

/// In alphabetical order.
[[nodiscard]] std::span<const ModelEntry> models();
[[nodiscard]] const ModelEntry* find_model(std::string_view name);
/// What `counted` says of a count.
[[nodiscard]] std::int64_t counted_part(const ParameterCount& count, std::int64_t total,
                                        Counted counted);
/// docs/reference/models.md
[[nodiscard]] std::string models_reference();

}  // namespace orrery::workload
