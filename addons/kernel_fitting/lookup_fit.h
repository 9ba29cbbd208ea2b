// SPDX-License-Identifier: Apache-2.0
//
// Nets for embedding lookups, fitted to tables of measured ones.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/learned/lookup_net.h"

namespace orrery::study {

/// Nets for lookups, fitted to tables of measured ones (model::read_lookup_rows).
struct LookupFit {
  std::vector<model::DeviceLookupNet> nets;
  std::size_t lookups = 0;
  std::string file;  ///< what model::LookupNets::read reads
};

/// Errc: those of model::read_lookup_rows and model::fit_lookup_nets.
[[nodiscard]] Result<LookupFit> fit_lookups(
    const std::vector<std::string>& files, int epochs, std::uint64_t seed,
    const std::function<void(const model::DeviceLookupNet&)>& on_net);

}  // namespace orrery::study
