// SPDX-License-Identifier: Apache-2.0
//
// The lines #SBATCH of a batch script (slurm.schedmd.com/sbatch.html). Private to this folder.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::workload {

/// 0: not given.
struct SlurmHeader {
  std::int64_t nodes = 0;
  std::int64_t tasks_per_node = 0;
  std::int64_t tasks = 0;
  std::int64_t devices = 0;  ///< per node
  std::string nodes_text;    ///< of --nodes, if it is no number: a range, a template
};

/// Reads --nodes, --ntasks, --ntasks-per-node, --gres, --gpus-per-node and --gpus, in any spelling;
/// ranges and templates are not given.
[[nodiscard]] SlurmHeader read_slurm_header(std::string_view script);
/// The variables that such a job has: SLURM_NNODES and others.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> slurm_variables(
    const SlurmHeader& header);

}  // namespace orrery::workload
