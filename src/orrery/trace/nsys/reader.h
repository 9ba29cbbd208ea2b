// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA Nsight Systems reports, exported to SQLite.
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

namespace orrery::trace::nsys {

struct ReadOptions {
  std::shared_ptr<StringPool> strings;  ///< must be set
  /// Only what this process did (a report of a whole node holds one per rank); empty: all of them,
  /// kept apart by their lanes and correlations.
  std::optional<std::int64_t> process = std::nullopt;
};

/// Reads the export at `path` (read-only): kernels, copies, memsets, whole CUDA graphs, runtime
/// calls, NVTX ranges, library calls, synchronisations and the events they wait for, NCCL's NVTX
/// payloads where they are. Tables and columns that a version lacks are done without; views and
/// virtual tables are not looked at. Numbers of a communicator's ranks stand for global ranks: an
/// export does not say which they are. The result is indexed. Errc: input_not_found, input_read,
/// input_corrupt, input_unsupported (no Nsight tables), input_empty, limit_exceeded.
[[nodiscard]] Result<profile::Profile> read(const std::string& path, const ReadOptions& options,
                                            Findings& findings);

/// The same from an export's bytes.
[[nodiscard]] Result<profile::Profile> read(std::span<const std::byte> bytes,
                                            const std::string& where, const ReadOptions& options,
                                            Findings& findings);

/// The processes that used a device, ascending. Errc: as read.
[[nodiscard]] Result<std::vector<std::int64_t>> processes_in(const std::string& path);

}  // namespace orrery::trace::nsys
