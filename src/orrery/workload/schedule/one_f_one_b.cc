// SPDX-License-Identifier: Apache-2.0
//
// 1F1B (Narayanan et al., SOSP 2019 and SC 2021).
#include <algorithm>

#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {

/// Stage s is p-1-s forward passes ahead of its backward passes.
void one_f_one_b(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    StageWriter line = stage_writer(order, s);
    line.repeat(order.stages - 1 - s, {kForwardChunk0});
    line.repeat(order.microbatches, {kForwardChunk0, kBackwardChunk0});
  }
}

const ScheduleEntry kOneFOneB{
    .kind = ScheduleKind::one_f_one_b,
    .order = one_f_one_b,
    .bubble = fill_drain_bubble,
    .in_flight =
        [](const ScheduleSize& size) {
          return std::optional(std::min(size.microbatches, size.stages));
        },
    .page = {.title = "1F1B",
             .bubble = "(*p* - 1)(*F* + *B*)",
             .exact_when = "always",
             .in_flight = "min(*m*, *p*); stage *s*: *p* - *s*",
             .source = "Narayanan et al., SOSP 2019 and SC 2021",
             .text = "Stage *s* first runs *p* - 1 - *s* forward passes. It then alternates one "
                     "forward and one backward pass. The bubble equals GPipe's, but at most *p* "
                     "microbatches are in flight."}};

}  // namespace orrery::workload
