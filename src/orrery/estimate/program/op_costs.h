// SPDX-License-Identifier: Apache-2.0
//
// What each op of a program takes by itself, asked of the simulator once.
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

/// Knows ops of all programs that it was asked about: computation by kernel, FLOPs and bytes,
/// collectives by type, size and the ranks of their group, messages by size and distance. What it
/// does not know it simulates: one after another, all ranks of a stage at once, in nobody's way.
/// Thus whatever says how long things take in a simulation (kernel models, measured collectives,
/// algorithms, chunks) says it here. Whatever it was asked before, it says the same. Not
/// thread-safe.
class OpCosts {
 public:
  struct Cost {
    std::int64_t duration = 0;     ///< picoseconds
    bool product = false;          ///< a kernel that waits for arithmetic rather than for memory
    std::int64_t each_launch = 0;  ///< of the host, picoseconds
    std::int64_t launches = 1;
    /// Collectives and copies: what they take of a device that kernels beside them lack, as shares
    /// of what products and all others have. Of those across stages nothing: it is not looked at.
    double of_products = 0, of_others = 0;
    /// Of a collective whose chunks share dimensions with those of others; outlived by OpCosts.
    const ChunkWork* chunks = nullptr;
  };

  explicit OpCosts(std::shared_ptr<const study::Cluster> cluster);
  ~OpCosts();
  OpCosts(const OpCosts&) = delete;
  OpCosts& operator=(const OpCosts&) = delete;

  /// By body and op; registers take nothing.
  struct Times {
    std::vector<std::vector<Cost>> of;
    RankClasses classes;
    /// To whom or from whom, by player of the cast; and what sending takes.
    struct Message {
      std::uint32_t peer = 0;
      std::int64_t duration = 0;
    };
    /// By player, body and op.
    std::map<std::array<std::uint32_t, 3>, Message> messages;
    /// By axis: collectives of axes with the same number wait for each other, as they use the same
    /// links; 0: for nobody else's (or across stages, where it is not looked at).
    std::array<std::uint8_t, workload::kAxes> queue{};
    /// Where no library runs collectives, links are shared chunk by chunk, and nobody knows those
    /// (on fabrics): of two axes, which share of the shorter one's time both take longer at once.
    /// 0: they are not in each other's way.
    std::array<std::array<double, workload::kAxes>, workload::kAxes> shares{};
    ChunkQueueing queues;
  };
  /// Errc: those of simulations; stall.
  [[nodiscard]] Result<Times> of(const workload::Program& program);

  /// What ops that a program's first role would run take by themselves, in groups of its mesh;
  /// what collectives take of kernels is left out. In those across stages all take part; its roles
  /// are whole stages. No messages. Errc: as `of`.
  [[nodiscard]] Result<std::vector<Cost>> alone(const workload::Program& program,
                                                const std::vector<workload::Op>& ops);
  /// What a collective takes of a device that such a kernel beside it lacks, as a share. Both have
  /// been asked about. Errc: as `of`.
  [[nodiscard]] Result<double> slowdown(const workload::Program& program,
                                        const workload::Op& collective, const workload::Op& kernel);
  /// Of two collectives of the first role at once: by which share of the shorter one they take
  /// longer than the longer one. Both have been asked about. Errc: as `of`.
  [[nodiscard]] Result<double> together(const workload::Program& program, const workload::Op& a,
                                        const workload::Op& b) {
    return shared_time(program, 0, a, b);
  }
  /// A message from one rank to another, in nobody's way, in picoseconds.
  [[nodiscard]] std::int64_t message(std::uint32_t from, std::uint32_t to,
                                     std::int64_t bytes) const;

  [[nodiscard]] const study::Cluster& cluster() const { return *cluster_; }
  /// How many ops were simulated so far.
  [[nodiscard]] std::size_t known() const { return known_.size(); }

 private:
  [[nodiscard]] std::string key(const workload::Program& program, const workload::Op& op);
  void add_messages(const workload::Program& program, Times& times) const;
  [[nodiscard]] Result<void> learn(const workload::Program& program);
  [[nodiscard]] Result<void> take_times(const workload::Program& program,
                                        const std::vector<std::vector<workload::Op>>& by_role,
                                        const std::vector<std::string>& keys);
  [[nodiscard]] Result<double> slowdown_by(const workload::Program& program,
                                           const std::vector<std::vector<workload::Op>>& collective,
                                           const std::string& key, const workload::Op& kernel);
  [[nodiscard]] Result<void> measure_slowdown(
      const workload::Program& program,
      const std::map<std::string, std::vector<std::vector<workload::Op>>>& felt);
  /// Whether collectives are known chunk by chunk.
  [[nodiscard]] bool by_chunks() const;
  void take_chunks(const sim::SimResult& result, const std::vector<std::string>& keys);
  void add_shares(const workload::Program& program, const workload::Op& op,
                  const std::array<std::string, 2>& concurrent, Cost& cost);

  [[nodiscard]] Result<double> shared_time(const workload::Program& program, std::size_t role,
                                           const workload::Op& a, const workload::Op& b);
  [[nodiscard]] Result<void> find_queues(const workload::Program& program, Times& times);

  std::shared_ptr<const study::Cluster> cluster_;
  std::unique_ptr<model::Network> network_;
  graph::KernelTable kernels_;
  std::map<std::string, Cost> known_;
  std::map<std::string, ChunkWork> known_chunks_;
  std::map<std::string, double> known_shares_;  // of kernels that a collective takes, by both keys
  std::map<std::string, double> known_shared_;  // times of two at once, by both keys
};

}  // namespace orrery::estimate
