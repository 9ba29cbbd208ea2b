// SPDX-License-Identifier: Apache-2.0
//
// Cost of layers on a systolic array: cycles, and traffic between array, SRAMs and DRAM.
#pragma once

#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/systolic/systolic_files.h"

namespace orrery::study {

struct SystolicReport {
  struct Layer {
    std::string name;
    model::SystolicProduct product{};
    model::SystolicCost cost{};
  };
  std::string where;  ///< file of layers
  model::SystolicConfig config{};
  std::vector<Layer> layers;
  model::SystolicCost all{};  ///< sums over layers; utilization over all cycles
  Findings findings;
};

/// Computes the cost of a SCALE-Sim topology on a SCALE-Sim array. Errc: those of
/// model::read_systolic_layers and read_systolic_config; input_range for counts that exceed 64
/// bits.
[[nodiscard]] Result<SystolicReport> report_systolic_layers(const std::string& layers,
                                                            const std::string& array);

}  // namespace orrery::study
