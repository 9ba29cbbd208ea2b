// SPDX-License-Identifier: Apache-2.0
//
// Reads the rows of embedding tables that a batch looks up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace {

/// The lookups of one table in one batch.
struct TableLookups {
  std::string table;                  ///< name or number; may be empty
  std::vector<std::int64_t> indices;  ///< row numbers, never negative
  /// Per bag: its end in `indices`; the last is the number of indices.
  std::vector<std::int64_t> ends;

  [[nodiscard]] std::int64_t bags() const { return static_cast<std::int64_t>(ends.size()); }
};

/// The bags of files that contain only indices. At most one of the first three members is set.
struct BagShape {
  std::string offsets;  ///< file with the first position of each bag, and optionally the end of the
                        ///< last bag
  std::string lengths;  ///< file with the number of lookups of each bag
  std::int64_t pooling = 0;  ///< number of lookups in every bag
  std::int64_t tables = 1;   ///< number of tables; bags are ordered by table
};

/// Reads a file of indices, with or without gzip or zstd. The format is detected by content:
/// - NumPy's .npy: integers in one dimension.
/// - CSV with a line of column names: `index`, optionally `table` and `bag`.
/// - Other text: one bag per line, its indices separated by commas or blanks. An empty line is an
///   empty bag.
///
/// Lines that begin with # are skipped. `shape` applies to .npy, and to text with one index per
/// line; without it, each index is a bag. Errc: input_not_found, input_read, input_empty,
/// input_corrupt, input_truncated, input_unsupported (PyTorch's .pt and .pth, pickles, .npz,
/// several dimensions, numbers with decimal points), input_range (a negative index; offsets that do
/// not ascend or do not fit), usage (a shape for a file that contains bags), limit_exceeded (more
/// than kMaximumIndices).
[[nodiscard]] Result<std::vector<TableLookups>> read_lookups(const std::string& path,
                                                             const BagShape& shape);

/// Reads from a source; `shape` must not name files.
[[nodiscard]] Result<std::vector<TableLookups>> read_lookups(std::unique_ptr<ByteSource> source,
                                                             const std::string& where,
                                                             const BagShape& shape);

inline constexpr std::size_t kMaximumIndices = 1ull << 28;

}  // namespace orrery::trace
