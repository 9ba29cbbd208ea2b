// SPDX-License-Identifier: Apache-2.0
//
// Writes a job as the arguments of Megatron-LM's pretrain_gpt.py.
#pragma once

#include <string>
#include <vector>

#include "orrery/workload/spec/spec.h"

namespace orrery::workload {

struct MegatronArgument {
  std::string name;                 ///< "--num-layers"
  std::vector<std::string> values;  ///< "32"; empty for a flag
};

struct MegatronJob {
  std::vector<MegatronArgument> arguments;
  /// Properties of the job for which Megatron-LM has no argument, one text each: "schedule.kind
  /// zb_h1".
  std::vector<std::string> unsupported;

  /// The arguments for a shell, one per line, joined by backslashes.
  [[nodiscard]] std::string text() const;
};

/// The arguments for model, plan, batch, precision, optimizer and recomputation. The launcher sets
/// the number of processes, and thus dp. import_into restores the job from the arguments, except
/// for what `unsupported` lists. Source: megatron/training/arguments.py, names and defaults.
[[nodiscard]] MegatronJob to_megatron(const Spec& spec);

}  // namespace orrery::workload
