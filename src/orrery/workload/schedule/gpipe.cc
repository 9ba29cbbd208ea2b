// SPDX-License-Identifier: Apache-2.0
//
// GPipe (Huang et al., NeurIPS 2019).
#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

void order_gpipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    StageWriter line = stage_writer(order, s);
    line.repeat(order.microbatches, {kOneForward});
    line.repeat(order.microbatches, {kOneBackward});
  }
}

}  // namespace

const ScheduleEntry kGpipe{
    .kind = ScheduleKind::gpipe,
    .order = order_gpipe,
    .bubble = fill_drain_bubble,
    .in_flight = [](const ScheduleSize& size) { return std::optional(size.microbatches); },
    .page = {.title = "GPipe",
             .bubble = "(*p* - 1)(*F* + *B*)",
             .exact_when = "always",
             .in_flight = "*m*",
             .source = "Huang et al., NeurIPS 2019",
             .text = "All forward passes, then all backward passes. Every microbatch is in flight "
                     "at once."}};

}  // namespace orrery::workload
