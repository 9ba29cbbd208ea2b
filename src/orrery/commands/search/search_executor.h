// SPDX-License-Identifier: Apache-2.0
//
// Executors that evaluate the points of a space: threads of this process, MPI processes, or Slurm
// jobs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/commands/command_options.h"
#include "orrery/commands/context.h"
#include "orrery/explore/slurm_shares.h"

namespace orrery::commands {

enum class Who : std::uint8_t { threads, mpi, slurm };

}  // namespace orrery::commands

namespace orrery::config {

template <>
struct EnumNames<commands::Who> {
  static constexpr std::array<EnumName<commands::Who>, 3> names{
      {{"threads", commands::Who::threads},
       {"mpi", commands::Who::mpi},
       {"slurm", commands::Who::slurm}}};
};

}  // namespace orrery::config

namespace orrery::commands {

struct ExecutorOptions {
  Who who = Who::threads;
  std::uint32_t shares = 64;
  std::vector<std::string> slurm;

  static constexpr auto fields = std::tuple{
      QuestionField{"who", &ExecutorOptions::who, "--executor", "KIND", kNothing, "slurm",
                    "Evaluate points by threads, by mpi (processes of mpirun), or by slurm (writes "
                    "a job array)"}
          .advanced(),
      QuestionField{"shares", &ExecutorOptions::shares, "--shares", "N", kNothing, "4",
                    "Number of jobs of --executor slurm"}
          .between(1, explore::limits::kParts)
          .shows_default()
          .advanced(),
      QuestionField{"slurm", &ExecutorOptions::slurm, "--slurm-option", "NAME=VALUE", kNothing,
                    "account=me", "Option of sbatch for these jobs: account=me, time=2:00:00"}
          .one_each()
          .advanced()};
};

/// A space and the path of its file.
struct SearchedSpace {
  const explore::SearchSpace& space;
  std::string path;
};

/// Writes the job array for Slurm, and prints the next commands. `rows`: --top. Returns the exit
/// code.
[[nodiscard]] int write_shares(const SearchedSpace& searched, const explore::ExploreOptions& how,
                               const ExecutorOptions& options, std::size_t rows, Context& context);

}  // namespace orrery::commands
