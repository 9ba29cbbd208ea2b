// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/systolic/systolic_model.h"

#include <algorithm>

namespace orrery::model {
namespace {

using graph::Kernel;
using graph::Operation;
using graph::Pass;

/// The product of factors; 0: it does not fit (sizes are never 0).
std::int64_t product_or_0(std::initializer_list<std::int64_t> factors) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors)
    if (factor < 1 || __builtin_mul_overflow(product, factor, &product)) return 0;
  return product;
}

std::vector<SystolicWork> grouped(std::int64_t groups, std::int64_t rows, std::int64_t n,
                                  std::int64_t k) {
  if (groups < 1) return {};
  const std::int64_t share = rows / groups, longer = rows % groups;
  std::vector<SystolicWork> work;
  if (longer > 0) work.push_back({{share + 1, n, k}, longer});
  if (share > 0) work.push_back({{share, n, k}, groups - longer});
  return work;
}

std::vector<SystolicWork> convolved(const Kernel& kernel) {
  const auto& size = kernel.sizes;  // batch, in, out, height, width, filter_h, filter_w, stride
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (std::max({size[5], size[6], size[7]}) > kMost) return {};
  const std::int64_t stride = std::max<std::int64_t>(size[7], 1);
  const std::int64_t m = product_or_0({size[0], size[3], size[4]}), n = size[2];
  const std::int64_t k = product_or_0({size[1], size[5], size[6]});
  if (m < 1 || n < 1 || k < 1 || std::max(size[3], size[4]) > kMost) return {};
  const std::int64_t seen_h = (size[3] - 1) * stride + size[5];
  const std::int64_t seen_w = (size[4] - 1) * stride + size[6];
  const std::int64_t seen = product_or_0({size[0], size[1], seen_h, seen_w});
  // If strides are wider than the filter, some numbers of the input are not used.
  const std::int64_t all = product_or_0({m, k});
  const std::int64_t used = seen > 0 ? std::min(seen, all) : all;
  switch (kernel.pass) {
    case Pass::forward:
      return {{{m, n, k, used}, 1}};
    case Pass::input_grad:
      return {{{m, k, n}, 1}};
    case Pass::weight_grad:
      return {{{n, k, m}, 1}};
    case Pass::backward:
      return {{{m, k, n}, 1}, {{n, k, m}, 1}};
  }
  return {};
}

}  // namespace

std::vector<SystolicWork> systolic_work(const Kernel& kernel) {
  const auto& size = kernel.sizes;
  std::vector<SystolicWork> work;
  switch (kernel.operation) {
    case Operation::gemm:
      work = {{{size[0], size[1], size[2]}, 1}};
      break;
    case Operation::batched_gemm:
      work = {{{size[1], size[2], size[3]}, size[0]}};
      break;
    case Operation::grouped_gemm:
      work = grouped(size[0], size[1], size[2], size[3]);
      break;
    case Operation::convolution:
      work = convolved(kernel);
      break;
    default:
      break;
  }
  return work;
}

SystolicModel::SystolicModel(const SystolicArray& array, std::int64_t arrays)
    : array_(array), arrays_(std::max<std::int64_t>(arrays, 1)) {}

std::optional<KernelTime> SystolicModel::time(const Kernel& kernel, const Silicon& silicon) const {
  const double clock = array_.clock > 0 ? array_.clock : silicon.clock;
  const std::vector<SystolicWork> work = systolic_work(kernel);
  if (!(clock > 0) || work.empty()) return std::nullopt;
  SystolicArray array = array_;
  array.word_bytes = std::max(array.word_bytes, std::int64_t{graph::bits_of(kernel.a)} / 8);
  double cycles = 0;
  for (const SystolicWork& part : work) {
    const std::optional<SystolicCost> cost = systolic_cost(array, part.product);
    if (!cost || part.count < 1) return std::nullopt;
    const std::int64_t rounds = (part.count - 1) / arrays_ + 1;
    cycles += static_cast<double>(rounds) * static_cast<double>(cost->total);
  }
  return KernelTime{.seconds = cycles / clock, .source = TimeSource::systolic};
}

}  // namespace orrery::model
