// SPDX-License-Identifier: Apache-2.0
//
// Writes a program as Chakra traces, one per rank, and a file of groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::study {

/// Maximum number of ranks.
inline constexpr std::uint64_t kMaxTraceFiles = 1ull << 20;

struct ChakraWriteOptions {
  std::string prefix;  ///< "out/gpt3" → out/gpt3.0.et …, out/gpt3.json (groups)
  bool overwrite = false;
  std::function<void(std::uint64_t)> progress = {};  ///< ranks written; may be empty
  /// ^Traces of more bytes are not reused for other ranks: each is generated again and written in
  /// blocks of this size, so that memory is bounded.
  std::size_t block = 64 << 20;
};

struct ChakraWriteReport {
  std::uint64_t ranks = 0;
  std::uint64_t nodes = 0;  ///< over all ranks
  std::uint64_t bytes = 0;
  std::uint64_t groups = 0;
};

/// Writes the trace of every rank, and the groups. Group names are numbers with equally many
/// digits, since ASTRA-sim reads them as integers. Each role is unrolled once; ranks of a role
/// differ only in groups and peers, which are patched. Each file is written completely or not at
/// all; after an error no file remains. Errc: output_exists (also for traces of a larger job with
/// this prefix), output_failed, limit_exceeded.
[[nodiscard]] Result<ChakraWriteReport> write_chakra(const workload::Program& program,
                                                     const ChakraWriteOptions& options);

}  // namespace orrery::study
