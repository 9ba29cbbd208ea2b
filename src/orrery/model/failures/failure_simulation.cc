// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/failures/failure_simulation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <limits>
#include <queue>
#include <vector>

#include "orrery/core/random.h"
#include "orrery/core/statistics/exact_math.h"

namespace orrery::model {
namespace {

/// Exponential times with mean 1: a sequence of its own for each purpose.
class ExponentialTimes {
 public:
  ExponentialTimes(std::uint64_t seed, std::uint64_t run, std::uint64_t purpose)
      : key_(mix_bits(mix_bits(mix_bits(seed) + run) + purpose)) {}
  double next() { return -exact_log(uniform_double(mix_bits(key_ + ++drawn_))); }

 private:
  std::uint64_t key_, drawn_ = 0;
};

/// A job between two failures.
class FailingJob {
 public:
  FailingJob(const CheckpointedJob& job, const SpareNodes& nodes, double work)
      : job_(job), nodes_(nodes), left_(work) {}

  [[nodiscard]] bool done() const { return left_ <= 0; }

  /// Restarts, then trains until `uptime` has passed since the last failure, or all is done.
  void run(double uptime, bool restarts) {
    double time = uptime;
    if (restarts) {
      const double restart = std::min(job_.restart, time);
      spend(restart, made_.shares.restarting);
      time -= restart;
    }
    const double segment = job_.interval + job_.write;
    double segments = std::floor(time / segment);
    // The last segment needs no checkpoint.
    const double needed = std::max(0.0, std::ceil(left_ / job_.interval) - 1);
    const bool ends =
        needed <= segments && time - needed * segment >= left_ - needed * job_.interval;
    if (ends) segments = needed;
    train(segments * job_.interval);
    spend(segments * job_.write, made_.shares.writing);
    made_.checkpoints += static_cast<std::uint64_t>(segments);
    if (ends) {
      train(left_);
      left_ = 0;
    } else {
      spend(time - segments * segment, made_.shares.lost);
    }
  }

  /// A node fails: it is repaired from now on, and the job may have to wait for a node.
  void fail(double repair_time) {
    ++made_.failures;
    if (nodes_.always_free) return;
    while (!repaired_.empty() && repaired_.top() <= made_.elapsed) repaired_.pop();
    repaired_.push(made_.elapsed + repair_time);
    if (static_cast<std::int64_t>(repaired_.size()) <= nodes_.spares) return;
    spend(repaired_.top() - made_.elapsed, made_.shares.waiting);
    repaired_.pop();
  }

  SimulatedJob result() {
    for (double* part : {&made_.shares.training, &made_.shares.writing, &made_.shares.lost,
                         &made_.shares.restarting, &made_.shares.waiting})
      *part /= made_.elapsed;
    return made_;
  }

 private:
  void spend(double time, double& part) {
    made_.elapsed += time;
    part += time;
  }
  void train(double work) {
    spend(work, made_.shares.training);
    made_.work += work;
    left_ -= work;
  }

  const CheckpointedJob& job_;
  const SpareNodes& nodes_;
  double left_;
  SimulatedJob made_{.shares = {.training = 0}};
  std::priority_queue<double, std::vector<double>, std::greater<>> repaired_;  // when; next first
};

}  // namespace

SimulatedJob simulate_failures(const CheckpointedJob& job, const SpareNodes& nodes,
                               const SimulationLimit& limit, std::uint64_t seed,
                               std::uint64_t run) {
  ExponentialTimes failures(seed, run, 0), repairs(seed, run, 1);
  FailingJob running(job, nodes, limit.work);
  for (std::uint64_t failed = 0;; ++failed) {
    running.run(job.mtbf * failures.next(), failed > 0);
    if (running.done() || failed >= limit.failures) break;
    running.fail(nodes.always_free ? 0 : nodes.repair * repairs.next());
  }
  return running.result();
}

double simulated_best_interval(CheckpointedJob job, std::uint64_t failures, std::uint64_t seed) {
  const SimulationLimit limit{failures, std::numeric_limits<double>::infinity()};
  const double middle = best_interval(job.write, job.mtbf);
  const auto goodput = [&](double doublings) {
    job.interval = middle * exact_exp2(doublings);
    return simulate_failures(job, {}, limit, seed).shares.training;
  };
  constexpr double kGolden = 0.6180339887498949;
  double low = -2, high = 2;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = goodput(left), at_right = goodput(right);
  while (high - low > 0.02) {
    if (at_left > at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kGolden * (high - low);
      at_left = goodput(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kGolden * (high - low);
      at_right = goodput(right);
    }
  }
  return middle * exact_exp2((low + high) / 2);
}

}  // namespace orrery::model
