// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_band.h"

#include <cmath>
#include <utility>

namespace orrery::workload {
namespace {

std::int64_t share(std::int64_t bytes, double of) {
  return std::llround(static_cast<double>(bytes) * of);
}

}  // namespace

Doubt doubt_of(MemoryKind kind) {
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

MemoryBand band_of(const RoleMemory& memory) {
  MemoryBand band;
  band.allocated = {memory.peak, memory.peak};
  band.total = {memory.total(), memory.total()};
  const std::pair<MemoryKind, std::int64_t> parts[] = {
      {MemoryKind::activations, memory.activations},     {MemoryKind::working, memory.working},
      {MemoryKind::communication, memory.communication}, {MemoryKind::workspace, memory.workspace},
      {MemoryKind::fragmentation, memory.fragmentation}, {MemoryKind::context, memory.context},
      {MemoryKind::communicators, memory.communicators}};
  for (const auto& [kind, bytes] : parts) {
    const Doubt doubt = doubt_of(kind);
    const std::int64_t below = share(bytes, doubt.below), above = share(bytes, doubt.above);
    band.total.least -= below;
    band.total.most += above;
    const bool outside = kind == MemoryKind::fragmentation || kind == MemoryKind::context ||
                         kind == MemoryKind::communicators;
    if (!outside) {
      band.allocated.least -= below;
      band.allocated.most += above;
    }
    if (below + above <= band.unsure_least + band.unsure_most) continue;
    band.unsure = kind;
    band.unsure_least = below;
    band.unsure_most = above;
  }
  return band;
}

Fits fits(const RoleMemory& memory, std::int64_t capacity) {
  const MemoryBand band = band_of(memory);
  if (band.total.most <= capacity) return Fits::yes;
  return band.total.least <= capacity ? Fits::perhaps : Fits::no;
}

}  // namespace orrery::workload
