// SPDX-License-Identifier: Apache-2.0
//
// What layers cost on a systolic array: cycles, and what moves between array, SRAMs and DRAM.
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
  std::string where;  ///< the layers' file
  model::SystolicConfig config{};
  std::vector<Layer> layers;
  model::SystolicCost all{};  ///< sums; utilisation over all cycles
  Findings findings;
};

/// SCALE-Sim's topology on SCALE-Sim's array. Errc: those of model::read_systolic_layers and
/// read_systolic_config; input_range for counts that do not fit in 64 bits.
[[nodiscard]] Result<SystolicReport> report_systolic_layers(const std::string& layers,
                                                            const std::string& array);

}  // namespace orrery::study
