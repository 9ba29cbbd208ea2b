// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/lookup_traffic.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {
namespace {

constexpr double kTableBytes = 32, kOffsetBytes = 64;

/// Rounds up to sectors of 32 bytes.
double in_sectors(std::int64_t bytes) { return static_cast<double>((bytes + 31) / 32 * 32); }

double row_bytes(const Lookup& is) { return in_sectors(is.number_bytes * is.features); }
double fixed_bytes(const Lookup& is) {
  return kTableBytes + kOffsetBytes + in_sectors(is.index_bytes * is.pooling) + row_bytes(is);
}
double bags(const Lookup& is) {
  return static_cast<double>(is.tables) * static_cast<double>(is.batch);
}

}  // namespace

std::int64_t cached_rows(const Lookup& lookup, const LookupDevice& device) {
  const std::int64_t warps = std::max<std::int64_t>(device.processors, 1) * device.warps_each;
  const std::int64_t tables = (warps + lookup.batch - 1) / std::max<std::int64_t>(lookup.batch, 1);
  const double room = 0.9 * device.cache / static_cast<double>(std::max<std::int64_t>(tables, 1)) /
                      static_cast<double>(lookup.number_bytes) /
                      static_cast<double>(std::max<std::int64_t>(lookup.features, 1));
  return std::min({static_cast<std::int64_t>(std::min(room, 1e15)), lookup.rows, lookup.lookups()});
}

LookupTraffic forward_traffic(const Lookup& lookup, double hits) {
  const double rows = static_cast<double>(lookup.pooling) * row_bytes(lookup);
  return {bags(lookup) * (fixed_bytes(lookup) + (1 - hits) * rows), bags(lookup) * hits * rows};
}

double backward_bytes(const Lookup& lookup) {
  return bags(lookup) *
         (fixed_bytes(lookup) + 2 * static_cast<double>(lookup.pooling) * row_bytes(lookup));
}

double narrow_factor(std::int64_t features) {
  if (features > 64) return 1;
  return features > 32 ? 1.1 : 1.55;
}

double forward_us(const Lookup& lookup, double hits, const LookupDevice& device) {
  const LookupTraffic moved = forward_traffic(lookup, hits);
  const double memory = device.memory(std::llround(moved.memory));
  const double cache = device.cache_rate > 0 ? moved.cache / (device.cache_rate * 1e3) : 0;
  return std::max(memory, cache) * narrow_factor(lookup.features);
}

double backward_us(const Lookup& lookup, const LookupDevice& device) {
  const double memory = device.memory(std::llround(backward_bytes(lookup)));
  const double flops = bags(lookup) * 4 * static_cast<double>(lookup.pooling) *
                       static_cast<double>(lookup.features / 4);
  return std::max(memory, device.peak > 0 ? flops / device.peak / 1e3 : 0);
}

double bag_hits(const Lookup& lookup, std::int64_t cached) {
  double all = 1;
  for (std::int64_t i = 0; i < lookup.pooling && i < lookup.rows; ++i)
    all *= std::max(0.0, static_cast<double>(cached - i) / static_cast<double>(lookup.rows - i));
  return std::min(all, 1.0);
}

}  // namespace orrery::model
