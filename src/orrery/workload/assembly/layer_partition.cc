// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/layer_partition.h"

#include <algorithm>

namespace orrery::workload {

std::vector<std::int64_t> even_layers(std::int64_t layers, std::size_t stages) {
  const auto count = static_cast<std::int64_t>(stages);
  std::vector<std::int64_t> out(stages, layers / count);
  std::int64_t left = layers % count;
  for (std::int64_t stage = count - 2; stage >= 0 && left > 0; --stage, --left)
    ++out[static_cast<std::size_t>(stage)];
  return out;
}

std::vector<std::vector<PartRun>> partition(const LoweredModel& model, const Schedule& schedule,
                                            std::size_t stages) {
  std::int64_t layers = 0;
  for (const PartRun& run : model.order) {
    if (model.parts[run.part].part.is_layer) layers += run.count;
  }
  std::vector<std::int64_t> room = schedule.stage_layers;
  if (room.size() != stages) room = even_layers(layers, stages);

  std::vector<std::vector<PartRun>> out(stages);
  std::vector<PartRun> waiting;  // parts that are no layers and wait for the next layer
  std::size_t stage = 0;
  bool has_placed_layer = false;
  for (PartRun run : model.order) {
    if (!model.parts[run.part].part.is_layer) {
      waiting.push_back(run);
      continue;
    }
    while (run.count > 0) {
      while (room[stage] == 0 && stage + 1 < stages) ++stage;
      // The embedding is on the first stage even if that stage has no layer.
      std::vector<PartRun>& here = out[has_placed_layer ? stage : 0];
      here.insert(here.end(), waiting.begin(), waiting.end());
      waiting.clear();
      has_placed_layer = true;
      const auto taken = static_cast<std::uint32_t>(
          stage + 1 < stages ? std::min<std::int64_t>(run.count, room[stage]) : run.count);
      out[stage].push_back({run.part, taken, run.layer});
      room[stage] -= taken;
      run.count -= taken;
      if (run.layer >= 0) run.layer += static_cast<std::int32_t>(taken);
    }
  }
  std::vector<PartRun>& last = out[layers > 0 ? stages - 1 : 0];
  last.insert(last.end(), waiting.begin(), waiting.end());
  return out;
}

}  // namespace orrery::workload
