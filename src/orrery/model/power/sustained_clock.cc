// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/power/sustained_clock.h"

#include <algorithm>
#include <array>

#include "orrery/model/power/device_power.h"

namespace orrery::model {
namespace {

constexpr double kPico = 1e-12;
/// J per byte of stacked memory and of GDDR (8 bits of O'Connor et al.'s 3.9 and 14 pJ).
constexpr double kStackedByte = 31 * kPico, kGddrByte = 112 * kPico;
/// Chips with more bytes/s than this have stacked memory.
constexpr double kStackedFrom = 1.2e12;

struct ClassEnergy {
  std::string_view architecture;  ///< its name begins with this
  double flop16, flop8;           ///< J
};

/// At the boost clock: the power that is left for operations, per rate, times the square of the
/// ratio of the boost clock to the sustained clock. The sustained clock is the rate per 0.95 of the
/// peak.
constexpr std::array<ClassEnergy, 5> kClasses = {{{"ampere", 1.62 * kPico, 0},
                                                  {"hopper", 1.23 * kPico, 0.93 * kPico},
                                                  {"blackwell", 1.18 * kPico, 0.82 * kPico},
                                                  {"rtx-blackwell", 1.51 * kPico, 1.02 * kPico},
                                                  {"ada", 4.36 * kPico, 3.77 * kPico}}};

/// Clocks below this share are not sustained by lower voltage: the device stops instead.
constexpr double kLeastClock = 0.1;

}  // namespace

OperationEnergy operation_energy(std::string_view architecture, double bandwidth) {
  for (const ClassEnergy& one : kClasses)
    if (architecture.starts_with(one.architecture))
      return {one.flop16, one.flop8, bandwidth > kStackedFrom ? kStackedByte : kGddrByte};
  return {};
}

double slowdown_under_limit(const KernelLoad& load, double board, double limit) {
  if (!(limit < board) || !(limit > 0)) return 1;
  const double idle = kIdlePowerShare * board;
  const double moving = std::min(load.bytes * load.byte, board - idle);
  const double left = board - idle - moving;  // for operations, at the board's power
  const double wanted = load.flop > 0 ? load.flops * load.flop : left;
  const double computing = load.matrix ? std::min(wanted, left) : 0;
  // The kernel at `rate` of its speed: bytes follow the rate, operations the cube of the clock.
  const auto power = [&](double rate) {
    return idle + moving * rate + computing * rate * rate * rate;
  };
  if (power(1) <= limit) return 1;
  double slow = kLeastClock, fast = 1;
  for (int halving = 0; halving < 50; ++halving) {
    const double middle = (slow + fast) / 2;
    (power(middle) <= limit ? slow : fast) = middle;
  }
  return 1 / slow;
}

}  // namespace orrery::model
