// SPDX-License-Identifier: Apache-2.0
//
// Who looks at the points of a space: threads of this process, processes that MPI started, or jobs
// of Slurm's.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "orrery/explore/shares.h"
#include "session.h"

namespace orrery::app {

enum class Who : std::uint8_t { threads, mpi, slurm };

struct ExecutorOptions {
  Who who = Who::threads;
  std::uint32_t shares = 64;
  std::vector<std::string> slurm;  ///< "account=me"
};

void add_executor_options(CLI::App& command, ExecutorOptions& options);

/// A space that is searched, and what its file says.
struct SearchedSpace {
  const explore::SearchSpace& space;
  std::string path;
};

/// Writes what Slurm runs, and says how to go on. `rows` as the command line has it. The exit code.
[[nodiscard]] int write_shares(const SearchedSpace& searched, const explore::ExploreOptions& how,
                               const ExecutorOptions& options, std::size_t rows, Session& session);

}  // namespace orrery::app
