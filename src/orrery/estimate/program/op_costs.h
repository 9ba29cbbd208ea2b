// SPDX-License-Identifier: Apache-2.0
//
// The duration of each op of a program without contention, simulated once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/estimate/program/chunk_traffic.h"
#include "orrery/estimate/program/rank_classes.h"
#include "orrery/graph/kernel.h"
#include "orrery/study/questions/inputs/inputs.h"
#include "orrery/workload/program/program.h"

namespace orrery::model {
class Network;
}
namespace orrery::sim {
struct SimResult;
}

namespace orrery::estimate {

/// A cache of op durations for all programs: kernels by kernel, FLOPs and bytes; collectives by
/// type, size and the ranks of their group; messages by size and distance. A missing op is
/// simulated: ops run in sequence, concurrently on all ranks of a stage, without contention. So
/// durations come from the same kernel models, measured collectives, algorithms and chunks as in a
/// simulation. Results do not depend on earlier queries. Not thread-safe.
class OpCosts {
 public:
  struct Cost {
    std::int64_t duration = 0;     ///< picoseconds
    bool product = false;          ///< a kernel bound by arithmetic, not by memory
    std::int64_t each_launch = 0;  ///< host time per launch, picoseconds
    std::int64_t launches = 1;
    bool host_waits = false;  ///< the host waits until the kernel has ended
    /// For collectives and copies: the share of the device that concurrent kernels lose, for
    /// products and for all others. 0 for collectives across stages, where it is not modeled.
    double product_slowdown = 0, other_slowdown = 0;
    /// Chunks of a collective that contend with those of others; null: unknown. OpCosts owns them.
    const ChunkWork* chunks = nullptr;
  };

  explicit OpCosts(std::shared_ptr<const study::Cluster> cluster);
  ~OpCosts();
  OpCosts(const OpCosts&) = delete;
  OpCosts& operator=(const OpCosts&) = delete;

  /// `costs`: by body and op; register ops have none.
  struct ProgramCosts {
    std::vector<std::vector<Cost>> costs;
    RankClasses classes;
    /// A message from or to a rank class, and the duration of sending.
    struct Message {
      std::uint32_t peer = 0;
      std::int64_t duration = 0;
    };
    /// By rank class, body and op.
    std::map<std::array<std::uint32_t, 3>, Message> messages;
    /// By axis: collectives of axes with equal numbers wait for each other, since they use the same
    /// links. 0: they wait for no other axis (or cross stages, where it is not modeled).
    std::array<std::uint8_t, workload::kAxes> queue{};
    /// Without a collective library, collectives share links chunk by chunk; on fabrics the chunks
    /// are unknown. For two axes: the time that both together take beyond the longer collective, as
    /// a share of the shorter one. 0: no contention.
    std::array<std::array<double, workload::kAxes>, workload::kAxes> shares{};
    ChunkQueueing queues;
  };
  /// Costs of all ops of a program. Errc: those of simulations; stall.
  [[nodiscard]] Result<ProgramCosts> costs_of(const workload::Program& program);

  /// Durations of ops of a program's first role without contention, in groups of its mesh.
  /// Slowdowns of kernels by collectives are excluded. All stages take part in ops across stages.
  /// The roles of the program must be complete stages, and `ops` contain no messages. Errc: as
  /// costs_of().
  [[nodiscard]] Result<std::vector<Cost>> isolated_costs(const workload::Program& program,
                                                         const std::vector<workload::Op>& ops);
  /// The share of the device that `collective` takes from a concurrent `kernel`. The costs of both
  /// must be cached. Errc: as costs_of().
  [[nodiscard]] Result<double> slowdown(const workload::Program& program,
                                        const workload::Op& collective, const workload::Op& kernel);
  /// For two concurrent collectives of the first role: (duration of both - the longer) / the
  /// shorter. The costs of both must be cached. Errc: as costs_of().
  [[nodiscard]] Result<double> contention(const workload::Program& program, const workload::Op& a,
                                          const workload::Op& b) {
    return shared_time(program, 0, a, b);
  }
  /// The duration of a message from one rank to another without contention, in picoseconds.
  [[nodiscard]] std::int64_t message_time(std::uint32_t from, std::uint32_t to,
                                          std::int64_t bytes) const;

  [[nodiscard]] const study::Cluster& cluster() const { return *cluster_; }
  /// Number of ops simulated so far.
  [[nodiscard]] std::size_t simulated_ops() const { return known_.size(); }

 private:
  [[nodiscard]] std::string key(const workload::Program& program, const workload::Op& op);
  void add_messages(const workload::Program& program, ProgramCosts& times) const;
  [[nodiscard]] Result<void> simulate_missing(const workload::Program& program);
  [[nodiscard]] Result<void> store_durations(const workload::Program& program,
                                             const std::vector<std::vector<workload::Op>>& by_role,
                                             const std::vector<std::string>& keys);
  [[nodiscard]] Result<double> slowdown_by(const workload::Program& program,
                                           const std::vector<std::vector<workload::Op>>& collective,
                                           const std::string& key, const workload::Op& kernel);
  [[nodiscard]] Result<void> measure_slowdown(
      const workload::Program& program,
      const std::map<std::string, std::vector<std::vector<workload::Op>>>& slowing);
  /// Whether the chunks of collectives are known.
  [[nodiscard]] bool has_chunk_contention() const;
  void store_chunks(const sim::SimResult& result, const std::vector<std::string>& keys);
  void add_shares(const workload::Program& program, const workload::Op& op,
                  const std::array<std::string, 2>& concurrent, Cost& cost);

  [[nodiscard]] Result<double> shared_time(const workload::Program& program, std::size_t role,
                                           const workload::Op& a, const workload::Op& b);
  [[nodiscard]] Result<void> find_queues(const workload::Program& program, ProgramCosts& times);

  std::shared_ptr<const study::Cluster> cluster_;
  std::unique_ptr<model::Network> network_;
  graph::KernelTable kernels_;
  std::map<std::string, Cost> known_;
  std::map<std::string, ChunkWork> known_chunks_;
  std::map<std::string, double> slowdown_cache_;    // collective from kernel, by both keys
  std::map<std::string, double> contention_cache_;  // two concurrent collectives, by both keys
};

}  // namespace orrery::estimate
