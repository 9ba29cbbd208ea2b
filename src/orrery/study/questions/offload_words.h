// SPDX-License-Identifier: Apache-2.0
//
// What a job offloads, in words: "optimizer,activations:12".
#pragma once

#include <string>
#include <string_view>

#include "orrery/core/error.h"
#include "orrery/workload/spec/spec.h"

namespace orrery::study {

/// Offloads what the words name, and nothing else: optimizer, weights, activations (of all layers),
/// activations:N (of the first N layers of each chunk), or none. `where`: the place in errors.
/// Errc: config_range.
[[nodiscard]] Result<void> set_offload(std::string_view words, const std::string& where,
                                       workload::Spec& spec);

/// Whether the job offloads anything.
[[nodiscard]] bool offloads(const workload::Spec& spec);

}  // namespace orrery::study
