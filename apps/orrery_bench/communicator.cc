// SPDX-License-Identifier: Apache-2.0
#include "communicator.h"

#include <time.h>

#include <algorithm>

#include "clock.h"

namespace orrery::bench {
namespace {

/// Sleeping threads wake up late: the remaining time is spent spinning.
constexpr std::int64_t kAwakeNs = 100'000;

class DelayCommunicator final : public Communicator {
 public:
  explicit DelayCommunicator(const Program& program)
      : program_(program), free_(program.groups.size(), 0), busy_(program.exchanges.size()) {}

  void begin(std::size_t exchange, const std::vector<at::Tensor>& /*sent*/,
             const std::vector<at::Tensor>& /*received*/) override {
    const Exchange& what = program_.exchanges[exchange];
    std::int64_t& free = free_[what.group];
    TimeSpan& busy = busy_[exchange];
    busy.begin_ns = std::max(wall_ns(), free);
    busy.end_ns = busy.begin_ns + std::max<std::int64_t>(what.delay_ns, 0);
    free = busy.end_ns;
  }

  TimeSpan wait(std::size_t exchange) override {
    const TimeSpan busy = busy_[exchange];
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
  std::vector<std::int64_t> free_;  // by group: end of its last communication
  std::vector<TimeSpan> busy_;
};

}  // namespace

std::unique_ptr<Communicator> make_delay_communicator(const Program& program) {
  return std::make_unique<DelayCommunicator>(program);
}

}  // namespace orrery::bench
