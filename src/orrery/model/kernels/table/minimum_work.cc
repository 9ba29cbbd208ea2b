// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/kernels/table/minimum_work.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace orrery::model {
namespace {

using graph::Format;
using graph::Kernel;
using graph::Operation;
using graph::Pass;
using WorkSizes = std::array<double, graph::kKernelSizes>;

double bytes_of(Format format) {
  const int bits = graph::bits_of(format);
  return bits == 0 ? 2 : bits / 8.0;
}

MinimumWork product_work(const Kernel& kernel, double batch, double m, double n, double k) {
  return {2 * batch * m * n * k, batch * (m * k * bytes_of(kernel.a) + k * n * bytes_of(kernel.b) +
                                          m * n * bytes_of(kernel.out))};
}

/// If there are more groups than rows, some groups are empty and their weights are not read.
MinimumWork grouped_work(const Kernel& kernel, const WorkSizes& size) {
  MinimumWork work = product_work(kernel, 1, size[1], size[2], size[3]);
  const double groups = std::min(size[0], size[1]);
  work.bytes += std::max(0.0, groups - 1) * size[2] * size[3] * bytes_of(kernel.b);
  return work;
}

/// Number of (query, key) pairs. With a causal mask, the last query attends to the last key.
double pairs_of(const Kernel& kernel, const WorkSizes& size) {
  const double queries = size[3], keys = size[4];
  const double window = size[7] > 0 ? std::min(size[7], keys) : keys;
  if (!kernel.has(graph::kCausal)) return queries * window;
  const double first = std::max(1.0, keys - queries + 1);  // number of keys of the first query
  const double growing = std::clamp(window - first + 1, 0.0, queries);
  return growing * (first + (growing - 1) / 2) + (queries - growing) * window;
}

MinimumWork attention_work(const Kernel& kernel, const WorkSizes& size) {
  const double batch = size[0], heads = size[1], kv_heads = size[2], queries = size[3];
  const double keys = size[7] > 0 ? std::min(size[4], size[7] + queries) : size[4];
  const double dims = size[5] + size[6];
  // Backward: the scores again, and four products instead of two.
  const double times = kernel.pass == Pass::forward ? 1 : 2.5;
  const double passes = kernel.pass == Pass::forward ? 1 : 2;
  const double ends =
      heads * queries * (size[5] * bytes_of(kernel.a) + size[6] * bytes_of(kernel.out));
  const double cache = kv_heads * keys * dims * bytes_of(kernel.b);
  return {times * 2 * batch * heads * pairs_of(kernel, size) * dims,
          passes * batch * (ends + cache)};
}

MinimumWork convolution_work(const Kernel& kernel, const WorkSizes& size) {
  const double stride = std::max(size[7], 1.0);
  const double places = size[0] * size[3] * size[4],
               filters = size[1] * size[2] * size[5] * size[6];
  const double seen = size[0] * size[1] * size[3] * size[4] * stride * stride;
  const double times = kernel.pass == Pass::backward ? 2 : 1;
  return {times * 2 * places * filters,
          times * (seen * bytes_of(kernel.a) + filters * bytes_of(kernel.b) +
                   places * size[2] * bytes_of(kernel.out))};
}

/// The work of a kernel that reads `in` numbers, writes `out` numbers, and computes little.
MinimumWork passing_work(const Kernel& kernel, double in, double out) {
  const double times = kernel.pass == Pass::forward ? 1 : 2;
  return {times * std::max(in, out),
          times * (in * bytes_of(kernel.a) + out * bytes_of(kernel.out))};
}

}  // namespace

MinimumWork minimum_work(const Kernel& kernel, const WorkSizes& size) {
  switch (kernel.operation) {
    case Operation::gemm:
      return product_work(kernel, 1, size[0], size[1], size[2]);
    case Operation::batched_gemm:
      return product_work(kernel, size[0], size[1], size[2], size[3]);
    case Operation::grouped_gemm:
      return grouped_work(kernel, size);
    case Operation::attention:
      return attention_work(kernel, size);
    case Operation::convolution:
      return convolution_work(kernel, size);
    case Operation::layer_norm:
    case Operation::rms_norm:
    case Operation::softmax:
    case Operation::cross_entropy:
      return passing_work(kernel, size[0] * size[1], size[0] * size[1]);
    case Operation::embedding:
      return passing_work(kernel, size[0] * size[2], size[0] * size[2]);
    case Operation::embedding_bag:
      return passing_work(kernel, size[0] * size[1] * size[2] * size[4],
                          size[0] * size[1] * size[4]);
    case Operation::interaction:
      return {
          size[0] * size[1] * size[1] * size[2],
          size[0] * size[1] * (size[2] * bytes_of(kernel.a) + size[1] / 2 * bytes_of(kernel.out))};
    case Operation::router:
      return passing_work(kernel, size[0] * size[1], size[0] * size[2]);
    default:
      return passing_work(kernel, size[0], size[0]);
  }
}

MinimumWork minimum_work(const Kernel& kernel) {
  WorkSizes sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = static_cast<double>(kernel.sizes[i]);
  return minimum_work(kernel, sizes);
}

Kernel canonical(const Kernel& kernel) {
  Kernel same = kernel;
  if (same.b == Format::unsaid) same.b = same.a;
  if (same.out == Format::unsaid) same.out = same.a;
  if (same.operation == Operation::attention) {
    if (same.sizes[2] == 0) same.sizes[2] = same.sizes[1];
    if (same.sizes[6] == 0) same.sizes[6] = same.sizes[5];
  }
  if (same.launches > 1 && same.sizes[0] > 0)
    same.sizes[0] = (same.sizes[0] - 1) / std::int64_t{same.launches} + 1;
  same.launches = 1;
  same.flops = same.bytes = 0;
  return same;
}

bool set_minimum_work(Kernel& kernel) {
  constexpr double kMaxWork = 9e18;
  const MinimumWork one = minimum_work(canonical(kernel));
  const double flops = one.flops * kernel.launches, bytes = one.bytes * kernel.launches;
  if (!(flops < kMaxWork && bytes < kMaxWork)) return false;
  if (kernel.flops == 0) kernel.flops = std::llround(flops);
  if (kernel.bytes == 0) kernel.bytes = std::llround(bytes);
  return true;
}

TablePlace place_of(const Kernel& kernel) {
  TablePlace place;
  for (std::size_t i = 0; i < place.size(); ++i)
    place[i] = kernel.sizes[i] > 0 ? static_cast<double>(kernel.sizes[i]) : 1.0;
  if (kernel.operation == Operation::attention) place[1] /= place[2];
  return place;
}

TableScale::TableScale(const Kernel& like, std::span<const TablePoint> points) : like_(like) {
  minimum_ = std::numeric_limits<double>::infinity();
  double flop_rate = 0, byte_rate = 0;
  for (const TablePoint& point : points) {
    const MinimumWork done = work(point.place);
    flop_rate = std::max(flop_rate, done.flops / point.seconds);
    byte_rate = std::max(byte_rate, done.bytes / point.seconds);
    minimum_ = std::min(minimum_, point.seconds);
  }
  seconds_per_flop_ = flop_rate > 0 ? 1 / flop_rate : 0;
  seconds_per_byte_ = byte_rate > 0 ? 1 / byte_rate : 0;
}

MinimumWork TableScale::work(const TablePlace& place) const {
  WorkSizes sizes = place;
  if (like_.operation == Operation::attention) sizes[1] *= place[2];
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (like_.sizes[i] == 0) sizes[i] = 0;
  return minimum_work(like_, sizes);
}

double TableScale::operator()(const TablePlace& place) const {
  const MinimumWork done = work(place);
  return done.flops * seconds_per_flop_ + done.bytes * seconds_per_byte_ + minimum_;
}

}  // namespace orrery::model
