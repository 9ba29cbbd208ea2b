// SPDX-License-Identifier: Apache-2.0
//
// The multi-dimensional network without congestion: numbers of hops between ranks, and durations of
// messages.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/platform/platform.h"

namespace orrery::model {

/// Limits of NCCL's kernels for send and receive: the share of a link's bandwidth that one peer
/// gets at most, and the minimum latency of a message. Index 0: within a node; 1: between nodes.
///
/// Source: torch.distributed send and receive between two GPUs, measured by Vidur (microsoft/vidur
/// data/profiling/network, MIT). Fitted: in a node H100 7.3 us and 357 of 450 GB/s, A100 12.7 us
/// and 283 of 300; between nodes H100 20 us and 36 of 50 (docs/collectives.md). Within a node,
/// Volta, Turing and Ada use the values of A100; all other devices use those of H100.
struct SendRecvLimits {
  std::size_t node_dims = 0;  ///< number of leading dimensions within a node
  double latency_ns[2] = {0, 0};
  double share[2] = {1, 1};
};

/// The limits for the platform's device.
[[nodiscard]] SendRecvLimits send_recv_limits(const platform::Platform& platform);

/// Stacked blocks (ring, fully connected, switch); rank = a0 + n0*(a1 + n1*(a2 + …)).
///
/// Time of a message without contention: hops × latency + size / bandwidth.
/// ASTRA rules: whole nanoseconds, truncated; only the lowest dimension in which the ranks differ
/// counts. Orrery rules: picoseconds, rounded up; the message crosses every dimension in which the
/// ranks differ (cut-through: the latencies of all hops add up, the lowest bandwidth counts once).
/// Source: ASTRA-sim 2.0 (ISPASS 2023) section on the analytical network; t = hops × latency +
/// bytes / bandwidth.
///
/// Ports that deviate: in each crossed dimension, the bandwidth is multiplied by the smaller share
/// of the sender's and the receiver's port, and both ports add their extra latency. Ports of ranks
/// between sender and receiver have no effect.
///
/// If NCCL runs the platform's collectives, SendRecvLimits applies to messages (Orrery rules only).
class MultiDimFabric {
 public:
  /// Deviation of a rank's port into a dimension, or of two ports together.
  struct Port {
    double share = 1;       ///< usable share of the dimension's bandwidth
    double latency_ns = 0;  ///< added to the dimension's latency

    friend auto operator<=>(const Port&, const Port&) = default;
  };

  explicit MultiDimFabric(const platform::Platform& platform);

  [[nodiscard]] std::uint32_t rank_count() const { return ranks_; }
  [[nodiscard]] std::size_t dim_count() const { return dims_.size(); }
  [[nodiscard]] const platform::Dimension& dim(std::size_t d) const { return dims_[d]; }
  /// Difference of the numbers of ranks that are neighbors in dimension `d`: the product of the
  /// sizes of the dimensions below it.
  [[nodiscard]] std::uint32_t stride(std::size_t d) const { return strides_[d]; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t rank, std::size_t d) const {
    return rank / strides_[d] % static_cast<std::uint32_t>(dims_[d].size);
  }

  /// Hops between two coordinates of dimension `d`.
  [[nodiscard]] std::uint32_t hops(std::size_t d, std::uint32_t from, std::uint32_t to) const;

  /// Whether any port deviates.
  [[nodiscard]] bool ports_deviate() const { return !port_class_.empty(); }
  /// Whether any port into dimension `d` deviates.
  [[nodiscard]] bool ports_deviate(std::size_t d) const {
    return ports_deviate() && dim_deviates_[d];
  }
  /// Ranks with equal numbers have equal ports in all dimensions. 0: no port of the rank deviates.
  /// O(1).
  [[nodiscard]] std::uint32_t port_class(std::uint32_t rank) const {
    return ports_deviate() ? port_class_[rank] : 0;
  }
  [[nodiscard]] Port port(std::uint32_t rank, std::size_t d) const {
    return ports_deviate() ? ports_[port_class_[rank] * dims_.size() + d] : Port{};
  }
  /// The ports of both ranks in dimension `d` together: the smaller share, the sum of latencies.
  [[nodiscard]] Port ports_between(std::uint32_t from, std::uint32_t to, std::size_t d) const;

  /// Time of `size` bytes over `hops` hops of dimension `d` between ports that do not deviate, in
  /// picoseconds. kTooLong: it exceeds the range of the clock.
  [[nodiscard]] std::int64_t delay_in_dim(std::size_t d, std::uint32_t hops,
                                          std::int64_t size) const;

  /// Time of `size` bytes from rank to rank, in picoseconds. 0 if both are the same rank. kTooLong:
  /// it exceeds the range of the clock.
  [[nodiscard]] std::int64_t delay(std::uint32_t from, std::uint32_t to, std::int64_t size) const;

  /// About 53 days. A longer time is an error of the input.
  static constexpr std::int64_t kTooLong = std::int64_t{1} << 62;
  /// Rounded up; kTooLong for 46 days and more.
  [[nodiscard]] static std::int64_t picoseconds(double nanoseconds);

 private:
  void set_ports(const std::vector<platform::Deviation>& deviations);
  [[nodiscard]] std::int64_t message_time(double latency, double bytes_per_ns,
                                          std::int64_t size) const;

  std::vector<platform::Dimension> dims_;
  std::vector<std::uint32_t> strides_;
  std::vector<double> bytes_per_ns_;
  std::vector<std::uint32_t> port_class_;  // by rank; empty: no port deviates
  std::vector<Port> ports_;                // class × dimension; class 0 does not deviate
  std::vector<bool> dim_deviates_;
  std::optional<SendRecvLimits> send_recv_;  // empty: NCCL does not send the messages
  std::uint32_t ranks_ = 1;
  bool astra_;
};

}  // namespace orrery::model
