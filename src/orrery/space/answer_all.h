// SPDX-License-Identifier: Apache-2.0
//
// All runs of a space, by a few threads, with what is known of earlier.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/space/kept.h"
#include "orrery/space/space.h"

namespace orrery::space {

struct AnswerOptions {
  std::uint32_t threads = 0;  ///< 0: all cores
  std::string file;           ///< where results are kept; empty: nowhere
  /// One call at a time, from any thread; may be empty.
  std::function<void(std::size_t done, std::size_t of)> progress{};
};

/// Of one run.
struct Answered {
  std::optional<Error> error;  ///< it could not be simulated, and `values` are none
  Values values{};
};

struct Answers {
  std::vector<Answered> runs;   ///< as asked
  std::size_t simulated = 0;    ///< all others were known
  std::size_t out_of_date = 0;  ///< of these: stored, but inputs or models changed since
};

/// The same for any number of threads, and whether or not some were known: also the file's bytes,
/// which in the end has the runs' lines in their order. A run that fails is asked again next time.
/// Errc: limit_exceeded, config_not_found, output_failed, all of the file.
[[nodiscard]] Result<Answers> answer_all(const Space& space, std::span<const Run> runs,
                                         const AnswerOptions& options);

}  // namespace orrery::space
