// SPDX-License-Identifier: Apache-2.0
//
// Choices of a tuner plug-in, in the CSV format of NCCL's example plug-in.
//
// Source: NVIDIA/nccl, plugins/tuner/example (README.md, plugin.c): the format as facts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/collective/nccl/tuning.h"

namespace orrery::model::nccl {

/// One line: a condition and a choice. -1 in a condition: any; in `channels`: NCCL's own number.
struct TunerLine {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t lower = 0, upper = 0;  ///< bytes, both included
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::int64_t channels = -1, nodes = -1, ranks = -1, operations = -1, registered = -1;

  friend bool operator==(const TunerLine&, const TunerLine&) = default;
};

/// Parses lines of the form "collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,
/// nRanks[,numPipeOps[,regBuff]]".
/// Empty lines and lines that begin with '#' are ignored. Errc: config_type, config_range at
/// "where:line"; limit_exceeded beyond 100,000 lines.
[[nodiscard]] Result<std::vector<TunerLine>> parse_tuner(std::string_view text,
                                                         const std::string& where);

/// The text of such a file. The last two cells of a line are written only if they are set.
[[nodiscard]] std::string write_tuner(std::span<const TunerLine> lines);

/// The choice of the first matching line whose algorithm and protocol can run; the time is that of
/// the cost model. Empty: no line matches. (If a line has no number of channels, the plug-in's code
/// sets one channel, but its README specifies NCCL's own number; this function uses the latter.)
[[nodiscard]] std::optional<Choice> tuner_choice(std::span<const TunerLine> lines,
                                                 graph::CollectiveType type, std::int64_t bytes,
                                                 const Shape& shape, const Machine& machine);

/// Chooses by the lines of a tuner, otherwise the allowed choice with the lowest cost.
struct Chooser {
  Allowed allowed{};
  std::vector<TunerLine> tuner{};

  [[nodiscard]] std::optional<Choice> operator()(graph::CollectiveType type, std::int64_t bytes,
                                                 const Shape& shape, const Machine& machine) const {
    auto choice = tuner_choice(tuner, type, bytes, shape, machine);
    return choice ? choice : choose(type, bytes, shape, machine, allowed);
  }
};

}  // namespace orrery::model::nccl
