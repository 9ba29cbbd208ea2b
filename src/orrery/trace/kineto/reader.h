// SPDX-License-Identifier: Apache-2.0
//
// Reads Chrome trace JSON as PyTorch's profiler (Kineto) writes it, from 2021 to today.
#pragma once

#include <memory>
#include <string>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/profile/profile.h"
#include "orrery/trace/io/byte_source.h"

namespace orrery::trace::kineto {

struct ReadOptions {
  std::string where;                    ///< names the source in errors
  std::shared_ptr<StringPool> strings;  ///< must be set
};

/// Reads a complete trace: CUDA, ROCm, MTIA or the CPU alone; every historic spelling of categories
/// and arguments; complete ("X") and begin/end ("B", "E") events. Of damaged files it reads the
/// intact parts. The result is indexed. Every record is counted (Profile::account). Errc:
/// input_corrupt (no trace), input_empty (no event), limit_exceeded. Linear time; memory for the
/// profile and one block of input.
[[nodiscard]] Result<profile::Profile> read(std::unique_ptr<ByteSource> source,
                                            const ReadOptions& options, Findings& findings);

}  // namespace orrery::trace::kineto
