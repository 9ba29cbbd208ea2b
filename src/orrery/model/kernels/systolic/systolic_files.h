// SPDX-License-Identifier: Apache-2.0
//
// SCALE-Sim's files: the configuration of an array, and layers as CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/model/kernels/systolic/systolic_array.h"

namespace orrery::model {

/// What a configuration says that matters here.
struct SystolicConfig {
  std::string name;  ///< run_name; may be empty
  SystolicArray array{};
};

/// A configuration: sections [general], [architecture_presets], [layout], [sparsity],
/// [run_presets], "key = value" or "key : value", names in any case, comments after # or ; at the
/// beginning of a line. ArrayHeight, ArrayWidth and Dataflow (os, ws or is) have to be there. SRAMs
/// are 64 kB without their keys, Bandwidth is 10 words per cycle, InterfaceBandwidth CALC.
/// Findings: default_assumed for those; key_ignored for sections and keys that SCALE-Sim does not
/// have; key_without_effect for those that change nothing here (offsets, banks, layouts, sparsity
/// …). Errc: config_syntax, config_missing_key, config_type, config_range, limit_exceeded.
[[nodiscard]] Result<SystolicConfig> parse_systolic_config(std::string_view text,
                                                           const std::string& where,
                                                           Findings& findings);

/// One row of a topology.
struct SystolicLayer {
  std::string name;
  SystolicProduct product{};
};

/// A topology: a header, then rows "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter Width,
/// Channels, Num Filter, Strides" (`-i conv`) or "Layer, M, N, K" (`-i gemm`); a header whose
/// second column is M tells the latter. Rows may end in a comma, and empty rows are passed over. A
/// further column (sparsity, or the stride across) is left out with a finding, key_without_effect,
/// if it would change something. Errc: input_empty, input_corrupt, input_range, limit_exceeded.
[[nodiscard]] Result<std::vector<SystolicLayer>> parse_systolic_layers(std::string_view text,
                                                                       const std::string& where,
                                                                       Findings& findings);

/// The same from files. Errc: config_not_found, limit_exceeded, and those above.
[[nodiscard]] Result<SystolicConfig> read_systolic_config(const std::string& path,
                                                          Findings& findings);
[[nodiscard]] Result<std::vector<SystolicLayer>> read_systolic_layers(const std::string& path,
                                                                      Findings& findings);

}  // namespace orrery::model
