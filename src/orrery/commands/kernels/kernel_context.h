// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels context: compares kernel times in recorded steps with their times alone.
#pragma once

#include <string>
#include <vector>

#include "orrery/commands/context.h"
#include "orrery/study/kernels/kernel_estimates.h"

namespace orrery::commands {

struct KernelContextOptions {
  std::vector<std::string> traces;
  std::vector<std::string> devices;   ///< from the catalog: at most one, for all ranks
  study::KernelModelSources sources;  ///< a table or a fitted model of kernels alone
  std::string compute;                ///< the model of times alone; empty: as `auto`
  bool shapes = false;                ///< one row per shape
};

int kernel_context(const KernelContextOptions& options, Context& context);

}  // namespace orrery::commands
