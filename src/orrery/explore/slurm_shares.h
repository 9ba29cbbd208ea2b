// SPDX-License-Identifier: Apache-2.0
//
// Splits a search into independent shares for job launchers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/explore.h"

namespace orrery::explore {

struct SearchShare {
  std::uint32_t number = 0;  ///< from 1
  std::uint64_t points = 0;
  std::uint64_t open = 0;  ///< number of unevaluated points
};

/// The shares of `--part K/N`, according to the file named by `options` and its part files. Errc:
/// usage (points of `evolve`); those of expressions and of reading.
[[nodiscard]] Result<std::vector<SearchShare>> search_shares_of(const SearchSpace& space,
                                                                const ExploreOptions& options,
                                                                std::uint32_t parts);

/// Resources and command of a Slurm job.
struct ShareScript {
  std::string folder;                ///< its working folder, an absolute path
  std::vector<std::string> command;  ///< without the part and the threads
  std::string logs;                  ///< folder of its output, an absolute path
  std::string name;                  ///< name of the job
  std::uint32_t threads = 0;         ///< threads per share; 0: as many as Slurm assigns
  std::vector<std::string> options;  ///< "account=me"
};

/// Returns a script for `sbatch` with an array of the shares that have unevaluated points. By hand,
/// its first argument is the number of a share. Errc: usage (an option or a path that is invalid in
/// a script).
[[nodiscard]] Result<std::string> share_script(const ShareScript& how,
                                               const std::vector<SearchShare>& shares);

/// Columns of all shares: number, points, open, the file they are stored in.
[[nodiscard]] std::string share_manifest(const std::vector<SearchShare>& shares,
                                         const std::string& file);

}  // namespace orrery::explore
