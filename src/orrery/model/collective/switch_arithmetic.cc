// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/switch_arithmetic.h"

#include <optional>

#include "orrery/platform/cluster/fabric/fabric.h"

namespace orrery::model {
namespace {

using platform::Summand;

/// The summand by the format in memory: TF32 is stored as FP32; formats with block scales cannot be
/// added.
std::optional<Summand> summand_of(graph::Format numbers) {
  switch (numbers) {
    case graph::Format::fp64:
      return Summand::fp64;
    case graph::Format::fp32:
    case graph::Format::tf32:
      return Summand::fp32;
    case graph::Format::bf16:
      return Summand::bf16;
    case graph::Format::fp16:
      return Summand::fp16;
    case graph::Format::fp8:
      return Summand::fp8;
    case graph::Format::int8:
      return Summand::int8;
    case graph::Format::int32:
      return Summand::int32;
    case graph::Format::int64:
      return Summand::int64;
    case graph::Format::unsaid:
    case graph::Format::fp8_block:
    case graph::Format::fp8_mx:
    case graph::Format::fp4_block:
      break;
  }
  return std::nullopt;
}

}  // namespace

SwitchArithmetic::SwitchArithmetic(const platform::Platform& platform) {
  if (platform.fabric != nullptr) {
    for (const auto& reducer : platform.fabric->reducers)
      common_formats_ &= supported_formats(reducer.figures);
    return;
  }
  for (const platform::Dimension& dim : platform.dims) {
    by_dim_.push_back(dim.in_network ? supported_formats(*dim.in_network) : kAllFormats);
    common_formats_ &= by_dim_.back();
  }
}

bool SwitchArithmetic::can_add(const LogicalDim& dim, graph::Format numbers) const {
  if (numbers == graph::Format::unsaid) return true;
  const bool one = dim.along_dim && dim.dim < by_dim_.size();
  const std::uint16_t can = one ? by_dim_[dim.dim] : common_formats_;
  if (can == kAllFormats) return true;
  const auto summand = summand_of(numbers);
  return summand && (can & platform::InNetwork::bit(*summand)) != 0;
}

bool is_reduction(graph::CollectiveType type, const graph::ExpertExchange& exchange) {
  return type == graph::CollectiveType::all_reduce ||
         type == graph::CollectiveType::reduce_scatter ||
         (type == graph::CollectiveType::all_to_all && exchange.is_combine());
}

}  // namespace orrery::model
