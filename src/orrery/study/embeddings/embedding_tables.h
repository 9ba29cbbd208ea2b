// SPDX-License-Identifier: Apache-2.0
//
// CSV files of embedding tables to place on devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/graph/kernel.h"
#include "orrery/model/embedding/reuse.h"

namespace orrery::study {

struct EmbeddingTable {
  std::string name;
  std::int64_t rows = 1, features = 1;
  double pooling = 1;  ///< mean number of rows summed per sample
  graph::Format format = graph::Format::fp32;
  std::optional<model::ReuseHistogram> reuse;  ///< empty: uniform indices

  [[nodiscard]] double bytes() const {
    return static_cast<double>(rows) * static_cast<double>(features) * graph::bits_of(format) / 8;
  }
};

inline constexpr std::size_t kMaxEmbeddingTables = 100'000;

/// Parses CSV. The first line names the columns, in any order: `name`, `rows`, `features`,
/// `pooling`, and optionally `format` (fp32, fp16, bf16, int8 …) and `reuse` (17 shares separated
/// by blanks, or empty for uniform indices). Lines that begin with # are ignored. Errc:
/// input_corrupt, input_range, input_empty, input_missing_attr (a column), input_duplicate_id (a
/// name), limit_exceeded.
[[nodiscard]] Result<std::vector<EmbeddingTable>> read_embedding_tables(std::string_view text,
                                                                        const std::string& where);

}  // namespace orrery::study
