// SPDX-License-Identifier: Apache-2.0
//
// NVIDIA Nsight Systems reports, exported to SQLite.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"

namespace orrery::trace::nsys {

struct ReadOptions {
  std::shared_ptr<StringPool> strings;  ///< must be set
  Findings* findings = nullptr;         ///< must be set
};

/// Reads the export at `path` (read-only): kernels, copies, memsets, runtime calls, NVTX ranges,
/// synchronisations, NCCL's NVTX payloads where they are. Tables and columns that a version lacks
/// are done without. The result is indexed. Errc: input_not_found, input_corrupt,
/// input_unsupported (no Nsight tables), input_empty, limit_exceeded.
[[nodiscard]] Result<profile::Profile> read(const std::string& path, const ReadOptions& options);

}  // namespace orrery::trace::nsys
