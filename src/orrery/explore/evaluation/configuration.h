// SPDX-License-Identifier: Apache-2.0
//
// A point of a space as files that can be run: ours, and Megatron-LM's arguments.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/explore/evaluation/evaluator.h"
#include "orrery/job_formats/exporters/write_megatron.h"

namespace orrery::explore {

struct Configuration {
  Json job;           ///< a specification's keys, with the recomputation that fits
  Json cluster;       ///< a cluster file's keys; null where it is
  std::string named;  ///< a name of the catalogue or a file: "b200:16"
  workload::MegatronJob megatron;
};

/// Of a point that fits. Errc: those of Evaluator::plan.
[[nodiscard]] Result<Configuration> configuration_of(const SearchSpace& space, std::uint64_t number,
                                                     Evaluator& evaluator);

/// Of each point by number, in that order, worked out by a few threads (0: all cores). Errc: the
/// first that goes wrong.
[[nodiscard]] Result<void> each_configuration(const SearchSpace& space,
                                              const std::vector<std::uint64_t>& numbers,
                                              std::uint32_t threads,
                                              const std::function<void(Configuration)>& use);

}  // namespace orrery::explore
