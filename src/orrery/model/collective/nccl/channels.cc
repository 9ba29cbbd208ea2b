// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/nccl/channels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>

namespace orrery::model::nccl {
namespace {

constexpr int kMaxChannels = 24;
constexpr int kUsualChannels = 12;
constexpr int kNvlsChannels = 16;

// GB/s that the search tries, by generation.
constexpr std::array<double, 13> kInside = {40, 30, 20, 18, 15, 12, 10, 9, 7, 6, 5, 4, 3};
constexpr std::array<double, 11> kInsideHopper = {60, 50, 40, 30, 24, 20, 15, 12, 11, 6, 3};
constexpr std::array<double, 12> kInsideBlackwell = {90, 80, 70, 60, 50, 45,
                                                     40, 30, 24, 20, 19, 18};
constexpr std::array<double, 19> kBetween = {48, 30, 28, 24, 20, 18,  15,  12,  10, 9,
                                             7,  6,  5,  4,  3,  2.4, 1.2, .24, .12};
constexpr std::array<double, 17> kBetweenHopper = {48, 45, 42, 40, 30,  24,  22,  20, 17.5,
                                                   15, 12, 6,  3,  2.4, 1.2, .24, .12};
constexpr std::array<double, 20> kBetweenBlackwell = {
    96, 86, 80, 48, 45.1, 42, 40, 30, 24, 22, 20, 17.5, 15, 12, 6, 3, 2.4, 1.2, .24, .12};

std::span<const double> speeds_inside(Generation generation) {
  if (generation == Generation::blackwell) return kInsideBlackwell;
  if (generation == Generation::hopper) return kInsideHopper;
  return kInside;
}

std::span<const double> speeds_between(Generation generation) {
  if (generation == Generation::blackwell) return kBetweenBlackwell;
  if (generation == Generation::hopper) return kBetweenHopper;
  return kBetween;
}

/// The speed and number of channels that use most of `rate`.
Channels most_of(double rate, std::span<const double> speeds) {
  Channels best{1, rate, rate};  // if links are slower than all speeds: one channel at their rate
  double carried = 0;
  for (const double speed : speeds) {
    const int count = std::min(kMaxChannels, static_cast<int>(rate / speed + 1e-9));
    const double carries = count * speed;
    const bool equal = std::abs(carries - carried) < 1e-9;
    const bool usual = std::abs(count - kUsualChannels) < std::abs(best.count - kUsualChannels);
    if (count == 0 || carries < carried || (equal && !usual)) continue;
    best = {count, speed, speed};
    carried = carries;
  }
  return best;
}

/// The fastest speed that `rate` allows, or the rate itself.
double speed_within(double rate, std::span<const double> speeds) {
  for (const double speed : speeds)
    if (speed <= rate + 1e-9) return speed;
  return rate;
}

}  // namespace

double usable_share(const Hardware& hardware) {
  if (hardware.reached) return 1;
  if (hardware.usable > 0) return hardware.usable;
  if (!hardware.nvlink) return 12.0 / 16;
  switch (hardware.generation) {
    case Generation::volta:
    case Generation::ampere:
      return 20.0 / 25;
    case Generation::hopper:
      return 20.6 / 25;
    case Generation::blackwell:
      break;
  }
  return 40.1 / 50;
}

Machine machine_of(const Hardware& hardware, const Shape& shape) {
  Machine machine;
  machine.generation = hardware.generation;
  machine.nvlink = hardware.nvlink;
  machine.amd_host = hardware.amd_host;
  const double inside = hardware.intra * usable_share(hardware);
  const bool multicast = hardware.multicast && hardware.generation >= Generation::hopper;
  if (shape.nodes <= 1) {
    machine.ring = hardware.reached ? Channels{1, inside, inside}
                                    : most_of(inside, speeds_inside(hardware.generation));
    if (multicast) {
      const double each = speed_within(inside / kNvlsChannels, speeds_inside(hardware.generation));
      machine.nvls = {kNvlsChannels, each, each};
    }
    return machine;
  }
  const auto cards = static_cast<int>(std::clamp<std::int64_t>(shape.per_node(), 1, kMaxChannels));
  const double rate = cards > 1 ? std::min(hardware.inter, inside / cards) : hardware.inter;
  const double each = speed_within(rate, speeds_between(hardware.generation));
  machine.ring = {cards, each, each};
  if (multicast && cards > 1) machine.nvls = {cards, inside / cards, each};
  if (hardware.collnet) machine.collnet = {cards, each, each};
  return machine;
}

}  // namespace orrery::model::nccl
