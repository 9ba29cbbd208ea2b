// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include <time.h>

#include <algorithm>

#include "clock.h"

namespace orrery::replay {
namespace {

/// Sleepers wake up late; the rest is waited for awake.
constexpr std::int64_t kAwakeNs = 100'000;

class Delays final : public Communicator {
 public:
  explicit Delays(const Program& program)
      : program_(program), free_(program.groups.size(), 0), busy_(program.exchanges.size()) {}

  void begin(std::size_t exchange, const std::vector<at::Tensor>& /*sent*/,
             const std::vector<at::Tensor>& /*received*/) override {
    const Exchange& what = program_.exchanges[exchange];
    std::int64_t& free = free_[what.group];
    Busy& busy = busy_[exchange];
    busy.begin_ns = std::max(wall_ns(), free);
    busy.end_ns = busy.begin_ns + std::max<std::int64_t>(what.delay_ns, 0);
    free = busy.end_ns;
  }

  Busy wait(std::size_t exchange) override {
    const Busy busy = busy_[exchange];
    const std::int64_t left = busy.end_ns - wall_ns();
    if (left > kAwakeNs) {
      const std::int64_t until = busy.end_ns - kAwakeNs;
      const timespec then{until / 1'000'000'000, until % 1'000'000'000};
      ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &then, nullptr);
    }
    while (wall_ns() < busy.end_ns) {
    }
    return busy;
  }

 private:
  const Program& program_;
  std::vector<std::int64_t> free_;  // by group: when the last one is over
  std::vector<Busy> busy_;
};

}  // namespace

std::unique_ptr<Communicator> delays_of(const Program& program) {
  return std::make_unique<Delays>(program);
}

}  // namespace orrery::replay
