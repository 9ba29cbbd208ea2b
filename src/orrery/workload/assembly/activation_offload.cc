// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/assembly/activation_offload.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace orrery::workload {
namespace {

Part without_kept(Part part) {
  for (const RetainedTensor& item : part.retained) part.offloaded += item.bytes;
  part.retained.clear();
  const auto working = std::find_if(
      part.working_tensors.begin(), part.working_tensors.end(),
      [](const RetainedTensor& item) { return std::string_view(item.name) == "working"; });
  if (working != part.working_tensors.end()) {
    working->bytes += part.offloaded;
  } else {
    part.working_tensors.push_back({"working", part.offloaded});
  }
  return part;
}

}  // namespace

void offload_activations(LoweredModel& model, std::vector<std::vector<PartRun>>& chunks,
                         std::int64_t layers) {
  std::map<std::uint32_t, std::uint32_t> copies;
  const auto copy_of = [&](std::uint32_t part) {
    const auto [known, is_new] =
        copies.try_emplace(part, static_cast<std::uint32_t>(model.parts.size()));
    if (is_new) {
      LoweredPart copy = model.parts[part];
      copy.part = without_kept(std::move(copy.part));
      model.parts.push_back(std::move(copy));
    }
    return known->second;
  };
  for (std::vector<PartRun>& chunk : chunks) {
    std::int64_t left = layers;
    std::vector<PartRun> runs;
    for (const PartRun& run : chunk) {
      const auto offloaded = static_cast<std::uint32_t>(
          model.parts[run.part].part.is_layer ? std::min<std::int64_t>(left, run.count) : 0);
      left -= offloaded;
      if (offloaded > 0) runs.push_back({copy_of(run.part), offloaded, run.layer});
      const std::int32_t next =
          run.layer < 0 ? run.layer : run.layer + static_cast<std::int32_t>(offloaded);
      if (offloaded < run.count) runs.push_back({run.part, run.count - offloaded, next});
    }
    chunk = std::move(runs);
  }
}

}  // namespace orrery::workload
