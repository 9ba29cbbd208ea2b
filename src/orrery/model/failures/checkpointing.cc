// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/failures/checkpointing.h"

#include <cmath>
#include <initializer_list>

#include "orrery/core/statistics/exact_math.h"

namespace orrery::model {

double young_interval(double write, double mtbf) { return std::sqrt(2 * write * mtbf); }

double daly_interval(double write, double mtbf) {
  if (!std::isfinite(mtbf)) return mtbf;
  if (write >= 2 * mtbf) return mtbf;
  const double part = write / (2 * mtbf);
  return std::sqrt(2 * write * mtbf) * (1 + std::sqrt(part) / 3 + part / 9) - write;
}

double best_interval(double write, double mtbf) {
  if (!(write > 0)) return 0;
  if (!std::isfinite(mtbf)) return mtbf;
  // (1 - x) exp(x) falls from 1 to 0 between x = 0 and x = 1.
  const double wanted = exact_exp(-write / mtbf);
  double low = 0, high = 1;
  for (int step = 0; step < 60; ++step) {
    const double x = (low + high) / 2;
    ((1 - x) * exact_exp(x) > wanted ? low : high) = x;
  }
  return (low + high) / 2 * mtbf;
}

double erlang_loss(std::int64_t servers, double load) {
  double blocked = 1;  // of no servers
  for (std::int64_t n = 1; n <= servers; ++n)
    blocked = load * blocked / (static_cast<double>(n) + load * blocked);
  return blocked;
}

namespace {

/// exp(x) - 1; by its series where the difference would cancel.
double exp_minus_one(double x) {
  return x < 1e-4 ? x * (1 + x / 2 * (1 + x / 3 * (1 + x / 4))) : exact_exp(x) - 1;
}

/// While no node is missing.
TimeShares shares_of_running(const CheckpointedJob& job) {
  if (!std::isfinite(job.mtbf)) {
    const double training =
        std::isfinite(job.interval) ? job.interval / (job.interval + job.write) : 1;
    return {.training = training, .writing = 1 - training};
  }
  TimeShares shares;
  const double kept = exact_exp(-job.restart / job.mtbf);
  const double segment = (job.interval + job.write) / job.mtbf;
  // Without checkpoints in between, x / (exp(x) - 1) is 1.
  shares.training = segment > 0 ? kept * (job.interval / job.mtbf) / exp_minus_one(segment) : kept;
  shares.writing = job.interval > 0 ? shares.training * job.write / job.interval : 0;
  shares.restarting = 1 - kept;
  shares.lost = 1 - shares.training - shares.writing - shares.restarting;
  return shares;
}

}  // namespace

TimeShares time_shares(const CheckpointedJob& job, const SpareNodes& nodes) {
  TimeShares shares = shares_of_running(job);
  if (nodes.always_free || !std::isfinite(job.mtbf)) return shares;
  shares.waiting = erlang_loss(nodes.spares + 1, nodes.repair / job.mtbf);
  const double running = 1 - shares.waiting;
  for (double* part : {&shares.training, &shares.writing, &shares.lost, &shares.restarting})
    *part *= running;
  return shares;
}

}  // namespace orrery::model
