// SPDX-License-Identifier: Apache-2.0
//
// Who looks at the points of a space: threads of this process, processes that MPI started, or jobs
// of Slurm's.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/explore/slurm_shares.h"
#include "question_options.h"
#include "session.h"

namespace orrery::app {

enum class Who : std::uint8_t { threads, mpi, slurm };

}  // namespace orrery::app

namespace orrery::config {

template <>
struct EnumNames<app::Who> {
  static constexpr std::array<EnumName<app::Who>, 3> names{
      {{"threads", app::Who::threads}, {"mpi", app::Who::mpi}, {"slurm", app::Who::slurm}}};
};

}  // namespace orrery::config

namespace orrery::app {

struct ExecutorOptions {
  Who who = Who::threads;
  std::uint32_t shares = 64;
  std::vector<std::string> slurm;

  static constexpr auto fields = std::tuple{
      QuestionField{"who", &ExecutorOptions::who, "--executor", "WHO", kNothing, "slurm",
                    "Who looks at a space's points: threads; mpi: the processes that mpirun "
                    "starts; or slurm: write a job array"},
      QuestionField{"shares", &ExecutorOptions::shares, "--shares", "N", kNothing, "4",
                    "Into how many jobs --executor slurm cuts it"}
          .between(1, explore::limits::kParts)
          .shows_default(),
      QuestionField{"slurm", &ExecutorOptions::slurm, "--slurm-option", "NAME=VALUE", kNothing,
                    "account=me",
                    "What these jobs ask for, as sbatch has it: account=me, time=2:00:00"}
          .one_each()};
};

/// A space that is searched, and what its file says.
struct SearchedSpace {
  const explore::SearchSpace& space;
  std::string path;
};

/// Writes what Slurm runs, and says how to go on. `rows` as the command line has it. The exit code.
[[nodiscard]] int write_shares(const SearchedSpace& searched, const explore::ExploreOptions& how,
                               const ExecutorOptions& options, std::size_t rows, Session& session);

}  // namespace orrery::app
