// SPDX-License-Identifier: Apache-2.0
//
// A job as the arguments of Megatron-LM's pretrain_gpt.py.
#pragma once

#include <string>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

struct MegatronArgument {
  std::string name;                 ///< "--num-layers"
  std::vector<std::string> values;  ///< "32"; none: a flag
};

struct MegatronJob {
  std::vector<MegatronArgument> arguments;
  /// Of the job what has no argument there, a piece of text each: "schedule.kind zb_h1".
  std::vector<std::string> unsupported;

  /// An argument a line, joined by backslashes, for a shell.
  [[nodiscard]] std::string text() const;
};

/// Model, plan, batch, precision, optimizer and recomputation; how many processes there are (and so
/// dp) is up to the launcher. Reading the arguments (import_into) gives the job again, but for what
/// `unsupported` lists. Source: megatron/training/arguments.py, names and defaults.
[[nodiscard]] MegatronJob to_megatron(const Spec& spec);

}  // namespace orrery::workload
