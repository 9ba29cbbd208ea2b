// SPDX-License-Identifier: Apache-2.0
//
// A job that writes checkpoints and restarts after failures: the share of its time that trains, in
// closed form.
//
// Failures are a Poisson process while the job computes, writes or restarts. After a failure the
// job waits for a node if no spare is free, restarts, and repeats the work since the last
// checkpoint. A failure during a restart begins a new restart.
#pragma once

#include <cstdint>

namespace orrery::model {

/// All times in seconds.
struct CheckpointedJob {
  double mtbf = 0;      ///< mean time between failures of the job, M; infinite: none
  double write = 0;     ///< training stops so long for a checkpoint, δ
  double restart = 0;   ///< from a failure until training continues, R, without waiting for a node
  double interval = 0;  ///< training between two checkpoints, τ
};

/// Nodes that replace failed ones. Each failure takes one node, which returns after its repair.
struct SpareNodes {
  bool always_free = true;  ///< a spare is never missing; what follows is ignored
  std::int64_t spares = 0;
  double repair = 0;  ///< mean time until a failed node is usable again, seconds
};

/// Shares of the elapsed time; their sum is 1.
struct TimeShares {
  double training = 1;  ///< work that is kept: the goodput
  double writing = 0;   ///< complete checkpoints
  double lost = 0;      ///< work and incomplete checkpoints before a failure
  double restarting = 0;
  double waiting = 0;  ///< for a node
};

/// sqrt(2 δ M). Source: J. W. Young, "A first order approximation to the optimum checkpoint
/// interval", Communications of the ACM 17(9), 1974.
[[nodiscard]] double young_interval(double write, double mtbf);

/// sqrt(2 δ M) (1 + sqrt(δ / 2M) / 3 + δ / 18M) - δ for δ < 2M, else M. Source: J. T. Daly, "A
/// higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation
/// Computer Systems 22(3), 2006.
[[nodiscard]] double daly_interval(double write, double mtbf);

/// The interval with the largest goodput: (1 - τ/M) exp(τ/M) = exp(-δ/M), by bisection. Infinite
/// without failures; 0 if checkpoints are free.
[[nodiscard]] double best_interval(double write, double mtbf);

/// Exact for this model. While no node is missing, training is the share
///   τ / (M exp(R/M) (exp((τ+δ)/M) - 1))
/// (Daly 2006: the expected time is M exp(R/M) (exp((τ+δ)/M) - 1) Ts / τ for the work Ts),
/// and restarts are 1 - exp(-R/M). The job waits for the share B(s + 1, repair / M), Erlang's loss
/// formula: s + 1 missing nodes stop the job, so further failures are "lost". It depends on the
/// mean of the repair time only.
[[nodiscard]] TimeShares time_shares(const CheckpointedJob& job, const SpareNodes& nodes = {});

/// Erlang's loss formula: the probability that all servers are busy. `load`: arrivals × mean
/// service time. O(servers).
[[nodiscard]] double erlang_loss(std::int64_t servers, double load);

}  // namespace orrery::model
