// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/outcome/models_answer.h"

#include <optional>

#include "orrery/model/compute/step_overhead.h"
#include "orrery/model/kernels/silicon_of.h"
#include "orrery/study/questions/outcome/model_labels.h"

namespace orrery::study {

using platform::Dimension;
using platform::StepEffects;

namespace {

/// Effects of a step on kernels whose times a model predicts for each kernel alone.
void state_in_step(report::Answer& answer, const platform::Platform& platform) {
  const platform::Device& device = platform.device;
  const StepEffects& effects = device.in_step;
  answer.field("gap_ns", model::launch_gap_of(device, model::silicon_of(device)));
  report::Columns<StepEffects::Factor> columns;
  columns.field("bits", &StepEffects::Factor::bits)
      .field("factor", &StepEffects::Factor::factor)
      .field("low_error", &StepEffects::Factor::lower)
      .field("high_error", &StepEffects::Factor::upper);
  answer.table("factors", effects.factors, columns);
  answer.field("power_limit_w",
               device.power_limit_w > 0 ? std::optional(device.power_limit_w) : std::nullopt);
  const bool by_library = platform.collectives.library == platform::CollectiveLibrary::nccl;
  answer.object_or_null("overlapping_collectives", effects.overlap || by_library, [&] {
    answer.field("source", effects.overlap ? "stated" : "assumed");
    if (effects.overlap)
      answer.field("gemm_factor", effects.overlap->products)
          .field("other_factor", effects.overlap->others);
  });
  answer.object_or_null("collective_slowdown", by_library, [&] {
    answer.field("source", effects.collectives ? "stated" : "assumed")
        .field("factor", effects.collectives.value_or(1));
  });
}

void state_platform(report::Answer& answer, const Outcome& outcome) {
  const platform::Platform& platform = outcome.platform();
  answer.field("name", outcome.cluster_name).field("devices", platform.npu_count());
  answer.field("device", platform.device.name);
  report::Columns<Dimension> columns;
  columns.field("block", [](const Dimension& dim) { return name(dim.block); })
      .field("size", &Dimension::size)
      .field("bandwidth_bytes_per_s", &Dimension::bandwidth)
      .field("latency_ns", &Dimension::latency_ns);
  answer.table("dimensions", platform.dims, columns);
}

void state_workload(report::Answer& answer, const Outcome& outcome) {
  const graph::Workload& workload = outcome.workload();
  std::uint64_t nodes = 0;
  for (const std::uint32_t index : workload.graph_of_rank) nodes += workload.graphs[index]->size();
  answer.field("name", outcome.workload_name).field("ranks", workload.rank_count());
  answer.field("distinct_ranks", workload.graphs.size()).field("nodes", nodes);
}

}  // namespace

void state_models(report::Answer& answer, const Outcome& outcome) {
  if (!answer.is_json()) return;
  const platform::Platform& platform = outcome.platform();
  answer.field("rules", name(platform.rules)).field("network_model", name(platform.network));
  answer.field("compute_model", compute_label(platform));
  answer.object_or_null("in_step", predicts_kernels(platform),
                        [&] { state_in_step(answer, platform); });
  const std::string library = library_label(outcome.inputs.cluster->library.get());
  answer.field("collective_model", library.empty() ? "ideal" : library);
  answer.object("platform", [&] { state_platform(answer, outcome); });
  answer.object("workload", [&] { state_workload(answer, outcome); });
}

}  // namespace orrery::study
