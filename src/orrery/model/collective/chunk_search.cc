// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/chunk_search.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/random.h"

namespace orrery::model {

ChunkSearch::ChunkSearch(const ChunkRules& rules, std::span<const OrderPaths> paths,
                         std::size_t chunks)
    : paths_(paths), model_(rules), chunks_(chunks) {}

std::int64_t ChunkSearch::time_of(std::span<const std::uint16_t> orders) {
  chosen_.clear();
  for (std::size_t i = 0; i < orders.size(); ++i) {
    const OrderPaths& paths = paths_[orders[i]];
    chosen_.push_back(i + 1 == orders.size() ? &paths.last : &paths.full);
  }
  return model_.time_of(chosen_);
}

void ChunkSearch::consider(std::string_view from, std::vector<std::uint16_t> orders) {
  ORRERY_CHECK(orders.size() == chunks_);
  const std::int64_t time = time_of(orders);
  if (best_.orders.empty() || time < best_.time) best_ = {from, std::move(orders), time};
}

void ChunkSearch::improve(std::uint64_t seed, std::uint64_t steps, std::int64_t enough) {
  if (best_.orders.empty() || paths_.size() < 2) return;
  const std::uint64_t end = model_.phases() + steps;
  std::vector<std::uint16_t> at = best_.orders;
  std::int64_t time = best_.time;
  for (std::uint64_t turn = 0; model_.phases() < end && best_.time > enough; ++turn) {
    const auto draw = [&](std::uint64_t what, std::size_t below) {
      return static_cast<std::size_t>(mix_bits(mix_bits(seed + turn) + what) % below);
    };
    std::vector<std::uint16_t> next = at;
    const std::size_t i = draw(1, chunks_), j = draw(2, chunks_);
    switch (draw(0, 3)) {
      case 0:
        next[i] = static_cast<std::uint16_t>(draw(3, paths_.size()));
        break;
      case 1:
        std::swap(next[i], next[j]);
        break;
      default:
        if (i < j)
          std::rotate(next.begin() + static_cast<std::ptrdiff_t>(i),
                      next.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      next.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        if (j < i)
          std::rotate(next.begin() + static_cast<std::ptrdiff_t>(j),
                      next.begin() + static_cast<std::ptrdiff_t>(i),
                      next.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        break;
    }
    if (next == at) {
      if (chunks_ == 1 && turn > 4 * paths_.size()) return;
      continue;
    }
    const std::int64_t took = time_of(next);
    if (took > time) continue;
    at = std::move(next);
    time = took;
    if (took < best_.time) best_ = {"search", at, took};
  }
}

std::vector<DimOrder> orders_of(std::size_t dims) {
  DimOrder order(dims);
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  std::vector<DimOrder> all;
  for (std::size_t d = 1; d < dims; ++d) {
    all.push_back(order);
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
  all.push_back(order);
  std::sort(order.begin(), order.end());
  while (all.size() < kMaxOrders && std::next_permutation(order.begin(), order.end()))
    if (std::find(all.begin(), all.end(), order) == all.end()) all.push_back(order);
  return all;
}

std::vector<std::size_t> round_mixture(std::span<const OrderShare> mixture, std::size_t chunks) {
  std::vector<double> credit(mixture.size());
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < chunks; ++i) {
    for (std::size_t m = 0; m < mixture.size(); ++m) credit[m] += mixture[m].share;
    const auto maximum = std::max_element(credit.begin(), credit.end());
    *maximum -= 1;
    all.push_back(static_cast<std::size_t>(maximum - credit.begin()));
  }
  return all;
}

}  // namespace orrery::model
