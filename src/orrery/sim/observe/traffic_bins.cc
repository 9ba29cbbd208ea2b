// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/observe/traffic_bins.h"

#include <algorithm>
#include <bit>

namespace orrery::sim {

namespace {
constexpr std::size_t kCells = std::size_t{1} << 20;
constexpr std::size_t kMaxBins = 256, kFewestBins = 16;
}  // namespace

TrafficBins::TrafficBins(std::size_t slots, std::size_t like)
    : bins_(std::clamp(kCells / std::max<std::size_t>(1, like), kFewestBins, kMaxBins)) {
  bins_ -= bins_ % 2;
  cells_.assign(slots * bins_, 0);
  totals_.assign(slots, 0);
}

void TrafficBins::make_room(std::int64_t until) {
  while ((until - 1) / bin_ >= static_cast<std::int64_t>(bins_)) {
    for (std::size_t slot = 0; slot < totals_.size(); ++slot) {
      std::uint64_t* const cells = cells_.data() + slot * bins_;
      for (std::size_t b = 0; b < bins_ / 2; ++b) cells[b] = cells[2 * b] + cells[2 * b + 1];
      std::fill(cells + bins_ / 2, cells + bins_, 0);
    }
    used_ = (used_ + 1) / 2;
    bin_ *= 2;
  }
}

void TrafficBins::add(std::size_t slot, std::int64_t from, std::int64_t until, std::int64_t bytes,
                      std::uint32_t times) {
  if (bytes <= 0) return;
  until = std::max(until, from + 1);
  if (until > bin_ * static_cast<std::int64_t>(bins_)) make_room(until);
  totals_[slot] += static_cast<std::uint64_t>(bytes) * times;
  std::uint64_t* const cells = cells_.data() + slot * bins_;
  const int shift = std::countr_zero(static_cast<std::uint64_t>(bin_));  // a power of two
  const auto first = static_cast<std::size_t>(from >> shift);
  const auto last = static_cast<std::size_t>((until - 1) >> shift);
  used_ = std::max(used_, last + 1);
  if (first == last) {
    cells[last] += static_cast<std::uint64_t>(bytes) * times;
    return;
  }
  // Each bin gets the bytes carried by its end, rounded down, minus those of earlier bins; the last
  // bin gets the rest. Full bins get `share`, and one more whenever the remaining fractions add up
  // to one.
  const std::int64_t length = until - from;
  const auto head =
      static_cast<__int128>(bytes) * (static_cast<std::int64_t>(first + 1) * bin_ - from);
  const auto whole = static_cast<__int128>(bytes) * bin_;
  const auto share = static_cast<std::int64_t>(whole / length);
  const auto fraction = static_cast<std::int64_t>(whole % length);
  std::int64_t left_over = static_cast<std::int64_t>(head % length);
  auto carried = static_cast<std::int64_t>(head / length);
  std::int64_t given = carried;
  cells[first] += static_cast<std::uint64_t>(carried) * times;
  for (std::size_t b = first + 1; b < last; ++b) {
    carried = share;
    left_over += fraction;
    if (left_over >= length) {
      left_over -= length;
      ++carried;
    }
    cells[b] += static_cast<std::uint64_t>(carried) * times;
    given += carried;
  }
  cells[last] += static_cast<std::uint64_t>(bytes - given) * times;
}

std::span<const std::uint64_t> TrafficBins::curve(std::size_t slot) const {
  return {cells_.data() + slot * bins_, used_};
}

}  // namespace orrery::sim
