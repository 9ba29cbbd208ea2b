// SPDX-License-Identifier: Apache-2.0
//
// AICB's workloads for SimAI (formats/astra_text.h) as work that can be simulated and counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "orrery/core/collective_type.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/graph/workload.h"
#include "orrery/intake/formats/astra_text.h"

namespace orrery::intake {

/// Whether a file is text of AICB or ASTRA-sim 1.0, by its first line. False if it cannot be read.
[[nodiscard]] bool is_astra_text_file(const std::string& path);
/// Whether a file is a workload of AICB. False if it cannot be read.
[[nodiscard]] bool is_aicb_file(const std::string& path);

/// Checks the plan, and completes it with the number of devices (0: unknown; then the file must
/// state it). Errc: input_range (sizes that do not divide), config_conflict (another number of
/// devices).
[[nodiscard]] Result<GroupSizes> group_sizes(const AicbPlan& plan, std::uint32_t devices,
                                             const std::string& where);

/// Reads text of AICB or ASTRA-sim 1.0 as one graph that all ranks share, with groups on axes "tp",
/// "dp", "ep" and "dp_ep". `devices`: number of ranks; 0: as the file states. Sizes of all-gathers
/// are those of a rank's input, 1 / group size of what AICB writes. Collectives among one rank are
/// left out. Errc: as read_astra_text, group_sizes and GraphBuilder::finish.
[[nodiscard]] Result<graph::Workload> load_astra_text(const std::string& path,
                                                      std::uint32_t devices);

/// Contents of a workload of AICB, per rank.
struct AicbCount {
  struct Traffic {
    AstraGroup group = AstraGroup::all;
    CollectiveType type = CollectiveType::all_reduce;
    std::uint32_t group_size = 1;
    std::int64_t operations = 0;
    std::int64_t bytes = 0;  ///< the larger of a rank's input and output, all operations together
  };
  AicbPlan plan;
  std::uint32_t data_parallel = 1;
  std::int64_t layers = 0;
  Time forward{}, input_gradient{}, weight_gradient{};
  std::vector<Traffic> traffic;  ///< by group, then type
};

/// Errc: as load_astra_text; input_unsupported (not of AICB).
[[nodiscard]] Result<AicbCount> count_aicb(const std::string& path, std::uint32_t devices,
                                           Findings& findings);

}  // namespace orrery::intake
