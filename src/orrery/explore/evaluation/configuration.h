// SPDX-License-Identifier: Apache-2.0
//
// A point of a space as runnable files: for Orrery, and as arguments of Megatron-LM.
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
  Json job;           ///< keys of a specification, with the recomputation that fits
  Json cluster;       ///< keys of a cluster file; null: see `named`
  std::string named;  ///< cluster by name in the catalog or by file, "b200:16"; else empty
  workload::MegatronJob megatron;
};

/// Returns the configuration of a point that fits. Errc: those of Evaluator::plan.
[[nodiscard]] Result<Configuration> configuration_of(const SearchSpace& space, std::uint64_t number,
                                                     Evaluator& evaluator);

/// Calls `use` with the configuration of each of `numbers`, in their order; `threads` threads
/// compute them (0: all cores). Errc: the first failure.
[[nodiscard]] Result<void> each_configuration(const SearchSpace& space,
                                              const std::vector<std::uint64_t>& numbers,
                                              std::uint32_t threads,
                                              const std::function<void(Configuration)>& use);

}  // namespace orrery::explore
