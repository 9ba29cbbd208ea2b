// SPDX-License-Identifier: Apache-2.0
//
// Fits neural networks for embedding lookups to measured tables.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/model/kernels/learned/lookup_net.h"

namespace orrery::study {

/// Networks for lookups, fitted to measured tables (model::read_lookup_rows).
struct LookupFit {
  std::vector<model::DeviceLookupNet> nets;
  std::size_t lookups = 0;
  std::string file;  ///< for model::LookupNets::read
};

/// Errc: those of model::read_lookup_rows and model::fit_lookup_nets.
[[nodiscard]] Result<LookupFit> fit_lookups(
    const std::vector<std::string>& files, int epochs, std::uint64_t seed,
    const std::function<void(const model::DeviceLookupNet&)>& on_net);

}  // namespace orrery::study
