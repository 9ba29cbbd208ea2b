// SPDX-License-Identifier: Apache-2.0
//
// Reads NVIDIA Nsight Systems reports that were exported to SQLite.
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
  /// Reads only this process (a report of a node contains one per rank). Empty: all processes,
  /// separated by their lanes and correlations.
  std::optional<std::int64_t> process = std::nullopt;
};

/// Reads the export at `path` (read-only): kernels, copies, memsets, complete CUDA graphs, runtime
/// calls, NVTX ranges, library calls, synchronizations and the events that they wait for, and
/// NCCL's NVTX payloads if present. Tables and columns may be missing, depending on the version.
/// Views and virtual tables are ignored. Ranks of a communicator are stored as global ranks,
/// because an export does not contain global ranks. The result is indexed. Errc: input_not_found,
/// input_read, input_corrupt, input_unsupported (no Nsight tables), input_empty, limit_exceeded.
[[nodiscard]] Result<profile::Profile> read(const std::string& path, const ReadOptions& options,
                                            Findings& findings);

/// Reads an export from its bytes.
[[nodiscard]] Result<profile::Profile> read(std::span<const std::byte> bytes,
                                            const std::string& where, const ReadOptions& options,
                                            Findings& findings);

/// The processes that used a device, ascending. Errc: as read.
[[nodiscard]] Result<std::vector<std::int64_t>> processes_in(const std::string& path);

}  // namespace orrery::trace::nsys
