// SPDX-License-Identifier: Apache-2.0
//
// Lookups of pooled embeddings: the traffic of Lin et al. at the rates of this device.
#include <algorithm>
#include <cmath>

#include "orrery/model/embedding/cache_hits.h"
#include "orrery/model/kernels/heuristic/chip.h"
#include "orrery/model/kernels/heuristic/heuristic_model.h"

namespace orrery::model {
namespace {

using graph::Kernel;

enum LookupSize : std::uint8_t {
  kBagTables,
  kBagBatch,
  kBagPooling,
  kBagRows,
  kBagFeatures,
  kBagUnique,
  kBagHot,
  kBagHotLookups
};

}  // namespace

std::optional<Lookup> lookup_of(const Kernel& kernel) {
  if (kernel.operation != graph::Operation::embedding_bag) return std::nullopt;
  for (std::size_t size = kBagTables; size <= kBagFeatures; ++size)
    if (kernel.sizes[size] <= 0) return std::nullopt;
  const auto launches = std::max<std::int64_t>(1, kernel.launches);
  Lookup is{std::max<std::int64_t>(1, kernel.sizes[kBagTables] / launches), kernel.sizes[kBagBatch],
            kernel.sizes[kBagPooling], kernel.sizes[kBagRows], kernel.sizes[kBagFeatures]};
  is.number_bytes = std::max<std::int64_t>(1, std::llround(bytes_each(kernel.a)));
  is.index_bytes = 8;
  // Larger lookups fit into no memory, and their sizes could overflow 64 bits.
  if (is.features > std::int64_t{1} << 40) return std::nullopt;
  if (std::log2(static_cast<double>(is.batch)) + std::log2(static_cast<double>(is.pooling)) > 50)
    return std::nullopt;
  return is;
}

LookupDevice lookup_device(const Chip& chip) {
  LookupDevice is;
  is.processors = std::llround(chip.processors);
  is.cache = chip.cache;
  is.cache_rate = chip.figures.cached * chip.clock * chip.processors / 1e9;
  is.peak = peak_for(graph::Format::fp32, chip.silicon) / 1e9;
  // A launch, then the rate of long copies: the last part of the curve applies to all sizes.
  is.memory = {-1, -1, chip.memory * chip.figures.moving / 1e9, chip.figures.small * 1e6};
  return is;
}

LookupHits lookup_hits(const Kernel& kernel, const Lookup& lookup, const LookupDevice& device) {
  LookupHits is;
  is.cached = cached_rows(lookup, device);
  const ReuseSummary known = {std::min(kernel.sizes[kBagUnique], lookup.rows),
                              kernel.sizes[kBagHot], kernel.sizes[kBagHotLookups]};
  is.from_reuse = known.unique > 0;
  is.share = is.from_reuse ? reuse_hits(groups_of(known, lookup.lookups()), is.cached)
                           : uniform_hits(lookup.rows, lookup.lookups(), is.cached);
  return is;
}

double lookup_seconds(const Kernel& kernel, const Chip& chip) {
  const std::optional<Lookup> lookup = lookup_of(kernel);
  if (!lookup || !(chip.memory > 0)) return 0;
  const LookupDevice device = lookup_device(chip);
  if (kernel.pass != graph::Pass::forward) return backward_us(*lookup, device) * 1e-6;
  return forward_us(*lookup, lookup_hits(kernel, *lookup, device).share, device) * 1e-6;
}

}  // namespace orrery::model
