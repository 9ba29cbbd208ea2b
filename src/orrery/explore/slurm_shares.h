// SPDX-License-Identifier: Apache-2.0
//
// A search cut into shares that know nothing of each other, for launchers that start jobs.
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
  std::uint64_t open = 0;  ///< of them, those that nobody knows yet
};

/// The shares that `--part K/N` has, by what stands in the file that `options` names and in those
/// beside it. Errc: usage (points of `evolve`); those of expressions and of reading.
[[nodiscard]] Result<std::vector<SearchShare>> search_shares_of(const SearchSpace& space,
                                                                const ExploreOptions& options,
                                                                std::uint32_t parts);

/// What a job of Slurm's is asked for, and what it runs.
struct ShareScript {
  std::string folder;                ///< where it works; a whole path
  std::vector<std::string> command;  ///< but for the part and the threads
  std::string logs;                  ///< the folder of what it prints; a whole path
  std::string name;                  ///< of the job
  std::uint32_t threads = 0;         ///< of each share; 0: as many as it gets
  std::vector<std::string> options;  ///< "account=me"
};

/// A script for `sbatch`, with an array of the shares that have something open; by hand its first
/// word is the number of a share. Errc: usage (an option or a path that no such line can hold).
[[nodiscard]] Result<std::string> share_script(const ShareScript& how,
                                               const std::vector<SearchShare>& shares);

/// Columns of all shares: number, points, open, the file they are kept in.
[[nodiscard]] std::string share_manifest(const std::vector<SearchShare>& shares,
                                         const std::string& file);

}  // namespace orrery::explore
