// SPDX-License-Identifier: Apache-2.0
//
// Reads rocpd databases, which rocprofv3 writes for AMD devices.
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
  /// Reads only this process, one of `processes_in`. Empty: all processes, separated by their lanes
  /// and correlations.
  std::optional<std::int64_t> process = std::nullopt;
};

/// Reads the database at `path` (read-only): kernels, copies, calls of HIP and HSA, other regions
/// (ROCTX ranges, RCCL functions) and allocations as annotations. Supports both layouts: times and
/// places in each row, or in separate tables. The sets of tables of several processes, each with a
/// suffix, are read together. Tables and columns may be missing; views are ignored. The result is
/// indexed. Errc: input_not_found, input_read, input_corrupt, input_unsupported (no rocpd tables),
/// input_empty, limit_exceeded.
[[nodiscard]] Result<profile::Profile> read(const std::string& path, const ReadOptions& options,
                                            Findings& findings);

/// Reads a database from its bytes.
[[nodiscard]] Result<profile::Profile> read(std::span<const std::byte> bytes,
                                            const std::string& where, const ReadOptions& options,
                                            Findings& findings);

/// The processes that used a device, ascending. If another set of tables has the same process id
/// (containers count from 1), bits above the lower 32 distinguish them. Errc: as read.
[[nodiscard]] Result<std::vector<std::int64_t>> processes_in(const std::string& path);

}  // namespace orrery::trace::rocpd
