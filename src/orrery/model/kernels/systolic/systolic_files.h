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

/// The used part of a configuration.
struct SystolicConfig {
  std::string name;  ///< run_name; may be empty
  SystolicArray array{};
};

/// Parses a configuration: sections [general], [architecture_presets], [layout], [sparsity],
/// [run_presets] with lines "key = value" or "key : value", names in any case, and comments after #
/// or ; at the begin of a line. ArrayHeight, ArrayWidth and Dataflow (os, ws or is) are required.
/// Defaults: SRAMs of 64 kB, Bandwidth 10 words per cycle, InterfaceBandwidth CALC. Findings:
/// default_assumed for defaults; key_ignored for sections and keys that SCALE-Sim does not have;
/// key_without_effect for keys without effect here (offsets, banks, layouts, sparsity …). Errc:
/// config_syntax, config_missing_key, config_type, config_range, limit_exceeded.
[[nodiscard]] Result<SystolicConfig> parse_systolic_config(std::string_view text,
                                                           const std::string& where,
                                                           Findings& findings);

/// One row of a topology.
struct SystolicLayer {
  std::string name;
  SystolicProduct product{};
};

/// Parses a topology: a header, then rows "Layer, IFMAP Height, IFMAP Width, Filter Height, Filter
/// Width, Channels, Num Filter, Strides" (`-i conv`) or "Layer, M, N, K" (`-i gemm`). If the second
/// column of the header is M, rows have the latter form. Rows may end in a comma; empty rows are
/// skipped. A further column (sparsity, or the horizontal stride) is ignored, with the finding
/// key_without_effect if it would change the result. Errc: input_empty, input_corrupt, input_range,
/// limit_exceeded.
[[nodiscard]] Result<std::vector<SystolicLayer>> parse_systolic_layers(std::string_view text,
                                                                       const std::string& where,
                                                                       Findings& findings);

/// Like the functions above, from files. Errc: config_not_found, limit_exceeded, and those above.
[[nodiscard]] Result<SystolicConfig> read_systolic_config(const std::string& path,
                                                          Findings& findings);
[[nodiscard]] Result<std::vector<SystolicLayer>> read_systolic_layers(const std::string& path,
                                                                      Findings& findings);

}  // namespace orrery::model
