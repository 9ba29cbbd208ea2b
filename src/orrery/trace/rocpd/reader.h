// SPDX-License-Identifier: Apache-2.0
//
// rocpd databases, which rocprofv3 writes for AMD's devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::trace::rocpd {

struct ReadOptions {
  std::shared_ptr<StringPool> strings;  ///< must be set
  /// Only what this one of `processes_in` did; empty: all of them, kept apart by their lanes and
  /// correlations.
  std::optional<std::int64_t> process = std::nullopt;
};

/// Reads the database at `path` (read-only): kernels, copies, calls of HIP and HSA, other regions
/// (ROCTX ranges, RCCL's functions) and allocations as annotations. Both layouts: times and places
/// in each row, or in tables of their own. The tables of several processes, each set with a suffix
/// of its own, are read as one. Tables and columns that are missing are done without; views are not
/// looked at. The result is indexed. Errc: input_not_found, input_read, input_corrupt,
/// input_unsupported (no rocpd tables), input_empty, limit_exceeded.
[[nodiscard]] Result<profile::Profile> read(const std::string& path, const ReadOptions& options,
                                            Findings& findings);

/// The same from a database's bytes.
[[nodiscard]] Result<profile::Profile> read(std::span<const std::byte> bytes,
                                            const std::string& where, const ReadOptions& options,
                                            Findings& findings);

/// The processes that used a device, ascending. One whose number another set of tables has, too
/// (containers count from 1), is told apart above the number's 32 bits. Errc: as read.
[[nodiscard]] Result<std::vector<std::int64_t>> processes_in(const std::string& path);

}  // namespace orrery::trace::rocpd
