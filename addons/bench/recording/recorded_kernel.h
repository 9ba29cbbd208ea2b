// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "orrery/graph/kernel.h"
#include "orrery/profile/profile.h"

namespace orrery::bench {

/// What an operator of an execution trace computes, as trace::operators::kernel_of_operator says;
/// nothing where that does not know it.
[[nodiscard]] std::optional<graph::Kernel> recorded_kernel(const profile::Profile& profile,
                                                           profile::EventId event);

}  // namespace orrery::bench
