// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_bounds.h"

#include <cmath>
#include <utility>

namespace orrery::workload {
namespace {

std::int64_t share(std::int64_t bytes, double of) {
  return std::llround(static_cast<double>(bytes) * of);
}

}  // namespace

MemoryDeviation memory_deviation(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::weights:
    case MemoryKind::gradients:
    case MemoryKind::optimizer:
      return {};
    case MemoryKind::activations:
      return {0.06, 0.06};
    case MemoryKind::fragmentation:
      return {1, 2};
    case MemoryKind::communicators:
      return {0.6, 0.6};
    case MemoryKind::working:
    case MemoryKind::communication:
    case MemoryKind::workspace:
    case MemoryKind::context:
      break;
  }
  return {0.5, 0.5};
}

MemoryBounds memory_bounds(const RoleMemory& memory) {
  MemoryBounds band;
  band.allocated = {memory.peak, memory.peak};
  band.total = {memory.total(), memory.total()};
  const std::pair<MemoryKind, std::int64_t> parts[] = {
      {MemoryKind::activations, memory.activations},     {MemoryKind::working, memory.working},
      {MemoryKind::communication, memory.communication}, {MemoryKind::workspace, memory.workspace},
      {MemoryKind::fragmentation, memory.fragmentation}, {MemoryKind::context, memory.context},
      {MemoryKind::communicators, memory.communicators}};
  for (const auto& [kind, bytes] : parts) {
    const MemoryDeviation doubt = memory_deviation(kind);
    const std::int64_t below = share(bytes, doubt.below), above = share(bytes, doubt.above);
    band.total.lower -= below;
    band.total.upper += above;
    const bool outside = kind == MemoryKind::fragmentation || kind == MemoryKind::context ||
                         kind == MemoryKind::communicators;
    if (!outside) {
      band.allocated.lower -= below;
      band.allocated.upper += above;
    }
    if (below + above <= band.widest_below + band.widest_above) continue;
    band.widest_kind = kind;
    band.widest_below = below;
    band.widest_above = above;
  }
  return band;
}

MemoryNeed memory_need(const RoleMemory& memory) {
  const MemoryRange total = memory_bounds(memory).total;
  return {Bytes(memory.total()), Bytes(total.lower), Bytes(total.upper)};
}

}  // namespace orrery::workload
