// SPDX-License-Identifier: Apache-2.0
//
// orrery kernels context: kernels in the steps they were recorded in, beside what they take alone.
#pragma once

#include <string>
#include <vector>

#include "orrery/study/kernels/kernel_estimates.h"
#include "session.h"

namespace orrery::app {

struct KernelContextOptions {
  std::vector<std::string> traces;
  std::vector<std::string> devices;   ///< of the catalogue: at most one, of all ranks
  study::KernelModelSources sources;  ///< a table, or a fitted model, of kernels alone
  std::string compute;                ///< the model that says what they take alone; empty: the best
  bool shapes = false;                ///< a row for each shape
};

int kernel_context(const KernelContextOptions& options, Session& session);

}  // namespace orrery::app
