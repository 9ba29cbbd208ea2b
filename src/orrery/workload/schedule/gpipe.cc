// SPDX-License-Identifier: Apache-2.0
//
// GPipe (Huang et al., NeurIPS 2019).
#include "orrery/workload/schedule/stage_writer.h"

namespace orrery::workload {
namespace {

void order_gpipe(PipelineOrder& order) {
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    StageWriter line = stage_writer(order, s);
    line.repeat(order.microbatches, {kForwardChunk0});
    line.repeat(order.microbatches, {kBackwardChunk0});
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
             .text = "All forward passes run first, then all backward passes. All microbatches "
                     "are in flight together."}};

}  // namespace orrery::workload
