// SPDX-License-Identifier: Apache-2.0
#include "gloo_tensors.h"

#include <ATen/ATen.h>

#include <cstddef>
#include <numeric>
#include <stdexcept>

namespace orrery::bench {

at::Tensor gloo_tensor(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kBFloat16:
    case at::kShort:
      return tensor.view(at::kHalf);
    case at::kBool:
      return tensor.view(at::kByte);
    case at::kComplexHalf:
      return tensor.view(at::kHalf);
    case at::kComplexFloat:
      return tensor.view(at::kFloat);
    case at::kComplexDouble:
      return tensor.view(at::kDouble);
    default:
      return tensor;
  }
}

at::Tensor flattened(const at::Tensor& tensor) { return tensor.contiguous().view({-1}); }

std::vector<at::Tensor> parts_of(const at::Tensor& row, std::int64_t n) {
  if (n < 1 || row.numel() % n != 0)
    throw std::runtime_error("a tensor of " + std::to_string(row.numel()) +
                             " elements cannot be shared by " + std::to_string(n) + " ranks");
  std::vector<at::Tensor> parts;
  for (std::int64_t i = 0; i < n; ++i)
    parts.push_back(row.narrow(0, i * (row.numel() / n), row.numel() / n));
  return parts;
}

at::Tensor ReceiveBuffers::row_for(const at::Tensor& tensor) {
  const bool whole = at::isIntegralType(tensor.scalar_type(), /*includeBool=*/true);
  if (tensor.is_contiguous() && !whole) return tensor.view({-1});
  at::Tensor row = tensor.contiguous().view({-1});
  if (whole) return row.is_alias_of(tensor) ? row.clone() : row;
  then_copy(row, tensor);
  return row;
}

void ReceiveBuffers::take() {
  // Reverse order: the source of an earlier copy may be the target of a later one.
  for (auto copy = copies_.rbegin(); copy != copies_.rend(); ++copy)
    copy->second.copy_(copy->first.view(copy->second.sizes()));
  copies_.clear();
}

std::vector<std::int64_t> splits_of(const std::vector<std::int64_t>& recorded,
                                    std::int64_t elements, std::int64_t peers) {
  if (recorded.empty()) {
    if (elements % peers != 0) throw std::runtime_error("elements cannot be shared equally");
    return std::vector<std::int64_t>(static_cast<std::size_t>(peers), elements / peers);
  }
  std::vector<std::int64_t> splits = recorded;
  std::int64_t sum = 0;
  for (const std::int64_t split : splits) {
    if (split < 0 || split > elements) throw std::runtime_error("a split that cannot be");
    sum += split;
  }
  if (static_cast<std::int64_t>(splits.size()) != peers ||
      (sum == 0 ? elements != 0 : elements % sum != 0))
    throw std::runtime_error("its splits do not fit what is sent");
  for (std::int64_t& split : splits) split *= sum == 0 ? 1 : elements / sum;
  return splits;
}

}  // namespace orrery::bench
