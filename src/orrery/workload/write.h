// SPDX-License-Identifier: Apache-2.0
//
// The program on disk: Chakra traces, one per rank, and their groups; SimAI's text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/workload/program.h"

namespace orrery::workload {

struct WriteOptions {
  std::string prefix;  ///< "out/gpt3" → out/gpt3.0.et …, out/gpt3.json (groups)
  bool overwrite = false;
  std::function<void(std::uint64_t)> progress;  ///< ranks written; may be empty
};

struct WriteReport {
  std::uint64_t ranks = 0;
  std::uint64_t nodes = 0;  ///< over all ranks
  std::uint64_t bytes = 0;
  std::uint64_t groups = 0;
};

/// Every rank's trace and the groups (numbers as names, equally many digits: a reference reads them
/// as integers). A role is unrolled once; ranks differ in groups and peers only, and those are
/// patched in. Files appear whole or not at all. Errc: output_exists, output_failed.
[[nodiscard]] Result<WriteReport> write_chakra(const Program& program, const WriteOptions& options);

/// SimAI's (AICB's) text workload: one row list that stands for all ranks.
[[nodiscard]] Result<std::string> to_simai(const Program& program);

}  // namespace orrery::workload
