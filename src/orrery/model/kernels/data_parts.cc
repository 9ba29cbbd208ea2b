// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/data_parts.h"

#include "orrery/graph/content_hash.h"

namespace orrery::model {

int part_of(std::span<const graph::Kernel> row, std::uint64_t seed) {
  graph::ContentHash hash;
  hash.add(seed);
  for (const graph::Kernel& kernel : row) hash.add(graph::hash_of(kernel));
  return static_cast<int>(hash.value() % kParts);
}

}  // namespace orrery::model
