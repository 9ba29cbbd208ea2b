// SPDX-License-Identifier: Apache-2.0
//
// Which rows of embedding tables a batch looks up, as files have it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

/// One table's lookups in one batch.
struct TableLookups {
  std::string table;                  ///< name or number; may be empty
  std::vector<std::int64_t> indices;  ///< none below zero
  std::vector<std::int64_t> ends;     ///< of each bag, among `indices`; the last is their number

  [[nodiscard]] std::int64_t bags() const { return static_cast<std::int64_t>(ends.size()); }
};

/// What files of indices alone leave open. One of the first three at most.
struct BagShape {
  std::string offsets;  ///< file of each bag's first place; an end behind the last may be there
  std::string lengths;  ///< file of each bag's lookups
  std::int64_t pooling = 0;  ///< so many lookups in every bag
  std::int64_t tables = 1;   ///< bags are those of the first table, then of the second …
};

/// Reads a file of indices, plain, gzip or zstd, known by its content:
/// NumPy's .npy, whole numbers in one dimension; CSV with a line of column names, `index` and
/// perhaps `table` and `bag`; else text with a bag a line, its indices between commas or blanks,
/// and empty lines for empty bags. Lines that begin with # are passed over. `shape` is for the
/// first and for text with one index a line. Without anything each index is a bag of its own. Errc:
/// input_not_found, input_read, input_empty, input_corrupt, input_truncated, input_unsupported
/// (PyTorch's .pt and .pth, pickles, .npz, several dimensions, numbers with points), input_range
/// (an index below zero; offsets that do not ascend or do not fit), usage (a shape for a file that
/// says it itself), limit_exceeded (more than kMaximumIndices).
[[nodiscard]] Result<std::vector<TableLookups>> read_lookups(const std::string& path,
                                                             const BagShape& shape);

/// The same from a source; `shape` has no files.
[[nodiscard]] Result<std::vector<TableLookups>> read_lookups(std::unique_ptr<ByteSource> source,
                                                             const std::string& where,
                                                             const BagShape& shape);

inline constexpr std::size_t kMaximumIndices = 1ull << 28;

}  // namespace orrery::trace
