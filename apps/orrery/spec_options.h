// SPDX-License-Identifier: Apache-2.0
//
// A training job as a command's input: specification files, other tools' files, and flags.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/workload/program.h"
#include "session.h"

namespace CLI {
class App;
}

namespace orrery::app {

/// What was typed.
struct SpecOptions {
  std::vector<std::string> files;             ///< read in order; later ones add to earlier ones
  std::map<std::string, std::string> values;  ///< by path in the specification; empty = not given
  std::vector<std::string> sets;              ///< --set PATH=VALUE
  bool sp = false;

  /// Whether a job is described at all.
  [[nodiscard]] bool given() const;
  /// What to call it: the first file, or the model.
  [[nodiscard]] const std::string& name() const;
};

/// Adds --spec, --model, --tp … --set. With `positional`, files can be given without --spec.
void add_spec_options(CLI::App& command, SpecOptions& options, bool positional);

/// The cluster that a job is to fill. No devices: none is given.
struct ClusterSize {
  std::int64_t devices = 0;
  std::string where;
};

/// The specification: files first (on top of --model), then flags, then --set, then what these
/// leave open (workload::settle); legal. Errc: usage, config_*.
[[nodiscard]] Result<workload::Spec> read_spec_options(const SpecOptions& options,
                                                       const ClusterSize& cluster,
                                                       Findings& findings);

/// The same, assembled.
[[nodiscard]] Result<workload::Program> assemble_options(const SpecOptions& options,
                                                         const ClusterSize& cluster,
                                                         Findings& findings);

/// "512 ranks: tp 8 (sp), pp 4, dp 16"
[[nodiscard]] std::string plan_text(const workload::Program& program);
/// "1f1b, 32 microbatches of 1, 1,024 tokens each"
[[nodiscard]] std::string batch_text(const workload::Spec& spec);

}  // namespace orrery::app
