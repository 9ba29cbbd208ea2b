// SPDX-License-Identifier: Apache-2.0
//
// Orders of many sizes, for tests.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "orrery/workload/schedule/pipeline_order.h"

namespace orrery::workload::schedule_testing {

/// Orders of all these sizes that the schedule supports.
inline std::vector<PipelineOrder> orders_of(const ScheduleEntry& schedule) {
  std::vector<PipelineOrder> orders;
  for (const std::uint32_t p : {1u, 2u, 3u, 4u, 6u, 8u, 12u}) {
    for (const std::uint32_t m : {1u, 2u, 3u, 4u, 8u, 12u, 16u, 24u, 25u, 48u}) {
      for (const std::uint32_t v : {1u, 2u, 3u, 6u}) {
        if (auto order = pipeline_order(schedule.kind, p, m, v))
          orders.push_back(*std::move(order));
      }
    }
  }
  return orders;
}

inline ScheduleSize size_of(const PipelineOrder& order) {
  return {order.stages, order.microbatches, order.chunks};
}
inline std::string size_text(const PipelineOrder& order) {
  return fmt::format("p {} m {} v {}", order.stages, order.microbatches, order.chunks);
}

}  // namespace orrery::workload::schedule_testing
