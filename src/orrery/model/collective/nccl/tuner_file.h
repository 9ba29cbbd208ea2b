// SPDX-License-Identifier: Apache-2.0
//
// A tuner's choices as NCCL's example plug-in reads them: CSV, a line each.
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

/// For what a tuner chooses what. -1: any, and of `channels`: as many as NCCL finds.
struct TunerLine {
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  std::int64_t lower = 0, upper = 0;  ///< bytes, both included
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::int64_t channels = -1, nodes = -1, ranks = -1, operations = -1, registered = -1;

  friend bool operator==(const TunerLine&, const TunerLine&) = default;
};

/// "collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks[,numPipeOps[,regBuff]]";
/// empty lines and those that begin with '#' say nothing. Errc: config_type, config_range at
/// "where:line"; limit_exceeded beyond 100,000 lines.
[[nodiscard]] Result<std::vector<TunerLine>> parse_tuner(std::string_view text,
                                                         const std::string& where);

/// The lines as such a file has them, each "nNodes" and "nRanks" as they are; the last two cells
/// only where they say something.
[[nodiscard]] std::string write_tuner(std::span<const TunerLine> lines);

/// What the first line that fits chooses, of those whose algorithm and protocol can run here; the
/// time is the cost model's. Nothing where none fits. (The plug-in's code sets one channel for
/// every collective that it is asked about unless the line says how many; its README says NCCL's
/// own number, which is taken here.)
[[nodiscard]] std::optional<Choice> tuner_choice(std::span<const TunerLine> lines,
                                                 graph::CollectiveType type, std::int64_t bytes,
                                                 const Shape& shape, const Machine& machine);

/// Who chooses: a tuner's lines, else the least cost of what is allowed.
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
