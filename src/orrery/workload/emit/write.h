// SPDX-License-Identifier: Apache-2.0
//
// The program on disk: Chakra traces, one per rank, and their groups; SimAI's text.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "orrery/core/error.h"
#include "orrery/workload/program/program.h"

namespace orrery::workload {

/// Files are written for so many ranks at most.
inline constexpr std::uint64_t kMostTraces = 1ull << 20;

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
/// patched in. Files appear whole or not at all; when one fails those before it are removed. Errc:
/// output_exists (also for traces of a larger job under this name), output_failed.
[[nodiscard]] Result<WriteReport> write_chakra(const Program& program, const WriteOptions& options);

/// How long an op computes, in nanoseconds.
using OpTime = std::function<std::int64_t(const Op&)>;

/// SimAI's (AICB's) text workload: the rows of the stage with most work, which stand for all ranks.
/// Left out, because the format has no group for them: the gradient norm, tied embeddings. Errc:
/// config_conflict for what it cannot say at all (context parallelism, ZeRO-3, HSDP, experts on an
/// axis of their own), limit_exceeded.
[[nodiscard]] Result<std::string> to_simai(const Program& program, const OpTime& time_of);
/// … with 1 ns for each, as AICB does without measurements.
[[nodiscard]] Result<std::string> to_simai(const Program& program);

}  // namespace orrery::workload
