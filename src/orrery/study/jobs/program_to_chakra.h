// SPDX-License-Identifier: Apache-2.0
//
// A program on disk: Chakra traces, one per rank, and their groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Files are written for so many ranks at most.
inline constexpr std::uint64_t kMaxTraceFiles = 1ull << 20;

struct ChakraWriteOptions {
  std::string prefix;  ///< "out/gpt3" → out/gpt3.0.et …, out/gpt3.json (groups)
  bool overwrite = false;
  std::function<void(std::uint64_t)> progress = {};  ///< ranks written; may be empty
  /// Longer traces are not kept whole, but made anew for each rank, so many bytes at a time.
  std::size_t block = 64 << 20;
};

struct ChakraWriteReport {
  std::uint64_t ranks = 0;
  std::uint64_t nodes = 0;  ///< over all ranks
  std::uint64_t bytes = 0;
  std::uint64_t groups = 0;
};

/// Every rank's trace and the groups (numbers as names, equally many digits: a reference reads them
/// as integers). A role is unrolled once; ranks differ in groups and peers only, and those are
/// patched in. Files appear whole or not at all; when one fails those before it are removed. Errc:
/// output_exists (also for traces of a larger job under this name), output_failed, limit_exceeded.
[[nodiscard]] Result<ChakraWriteReport> write_chakra(const workload::Program& program,
                                                     const ChakraWriteOptions& options);

}  // namespace orrery::study
