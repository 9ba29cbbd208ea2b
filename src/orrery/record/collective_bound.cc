// SPDX-License-Identifier: Apache-2.0
//
// Lower bounds of the times of collectives.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "orrery/record/make_run_internal.h"

namespace orrery::record {

using graph::CollectiveType;

Bandwidth port_bandwidth(const platform::Dimension& dim) {
  switch (dim.block) {
    case platform::Block::ring:
      return dim.bandwidth * 2.0;  // both neighbors
    case platform::Block::fully_connected:
      return dim.bandwidth * static_cast<double>(dim.size - 1);
    case platform::Block::switched:
      break;
  }
  return dim.bandwidth;
}

std::vector<std::uint64_t> extents(const std::vector<platform::Dimension>& dims,
                                   const std::vector<std::uint32_t>& ranks) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t product = 1;
  std::uint32_t stride = 1;
  for (const platform::Dimension& dim : dims) {
    const auto size = static_cast<std::uint32_t>(dim.size);
    if (ranks.empty()) {
      sizes.push_back(size);
    } else {
      std::set<std::uint32_t> coordinates;
      for (const std::uint32_t rank : ranks) coordinates.insert(rank / stride % size);
      sizes.push_back(coordinates.size());
    }
    stride *= size;
    product *= sizes.back();
  }
  if (!ranks.empty() && product != ranks.size()) return {};
  return sizes;
}

namespace {

/// Bytes that each rank of a block must send out of it, for M blocks of G ranks. If switches
/// between the blocks reduce, only the block's sum leaves it.
double bytes_leaving_block(CollectiveType type, double bytes, double blocks, double block_size,
                           bool sums) {
  const double part = (blocks - 1) / blocks;
  switch (type) {
    case CollectiveType::all_reduce:
      return (sums ? 1 : 2 * part) * bytes / block_size;
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
    case CollectiveType::all_gather:
      return part * bytes / block_size;
    case CollectiveType::all_to_all:
      return part * bytes;
    default:
      return 0;
  }
}

std::string dimension_names(std::uint32_t set) {
  std::vector<std::size_t> dims;
  for (std::size_t d = 0; d < 32; ++d) {
    if ((set >> d & 1u) != 0) dims.push_back(d);
  }
  std::string text;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : i + 1 == dims.size() ? " and " : ", ", dims[i]);
  }
  return (dims.size() == 1 ? "dimension " : "dimensions ") + text;
}

}  // namespace

std::optional<CollectiveBound> collective_bound(const RecordingSource& source, CollectiveType type,
                                                Bytes bytes,
                                                const std::vector<std::uint32_t>& ranks) {
  // The route of one pair does not determine how much a rank can send over all its routes.
  if (source.platform.fabric != nullptr) return std::nullopt;
  constexpr std::size_t kMaxDims = 10;
  const std::vector<platform::Dimension>& dims = source.platform.dims;
  const std::vector<std::uint64_t> sizes = extents(dims, ranks);
  if (sizes.empty() || sizes.size() > kMaxDims) return std::nullopt;
  double n = 1;
  for (const std::uint64_t size : sizes) n *= static_cast<double>(size);
  double longest = 0;
  std::uint32_t by = 0;
  for (std::uint32_t set = 1; set < 1u << sizes.size(); ++set) {
    double blocks = 1, bandwidth = 0;
    bool real = true, sums = false;
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      if ((set >> d & 1u) == 0) continue;
      if (sizes[d] == 1) real = false;
      blocks *= static_cast<double>(sizes[d]);
      bandwidth += port_bandwidth(dims[d]).count();
      sums = sums || dims[d].in_network.has_value();
    }
    if (!real || !(bandwidth > 0)) continue;
    const double sent =
        bytes_leaving_block(type, static_cast<double>(bytes.count()), blocks, n / blocks, sums);
    // Prefers the smaller set if both give the same bound.
    if (sent / bandwidth > longest * (1 + 1e-12)) {
      longest = sent / bandwidth;
      by = set;
    }
  }
  if (by == 0 || !(longest < 4e6)) return std::nullopt;
  return CollectiveBound{Time(static_cast<std::int64_t>(std::floor(longest * 1e12))),
                         dimension_names(by)};
}

}  // namespace orrery::record
