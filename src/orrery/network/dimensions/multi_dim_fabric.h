// SPDX-License-Identifier: Apache-2.0
//
// The multi-dimensional network without congestion: who is how many hops away, and how long a
// message takes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// What NCCL's kernels for sends and receives make of a link: one peer does not get all of it, and
/// no message is there sooner. In nodes [0] and between them [1].
///
/// Source: torch.distributed send and receive between two GPUs, measured by Vidur (microsoft/vidur
/// data/profiling/network, MIT). Fitted: in a node H100 7.3 us and 357 of 450 GB/s, A100 12.7 us
/// and 283 of 300; between nodes H100 20 us and 36 of 50 (docs/collectives.md). GPUs before Ampere
/// take A100's, those after Hopper H100's.
struct SendRecvLimits {
  std::size_t node_dims = 0;  ///< leading dimensions of one node
  double latency_ns[2] = {0, 0};
  double share[2] = {1, 1};
};

/// Of the platform's device.
[[nodiscard]] SendRecvLimits send_recv_limits(const platform::Platform& platform);

/// Stacked blocks (ring, fully connected, switch); rank = a0 + n0*(a1 + n1*(a2 + …)).
///
/// Time of a message: hops × latency + size / bandwidth, nobody in its way.
/// ASTRA rules: whole nanoseconds, truncated; only the lowest dimension in which the ranks differ
/// is charged. Orrery rules: picoseconds, rounded up; every dimension that differs is crossed
/// (cut-through: the hops' latencies add up, the slowest dimension's bandwidth counts once).
/// Source: ASTRA-sim 2.0 (ISPASS 2023) section on the analytical network; t = hops × latency +
/// bytes / bandwidth.
///
/// Ports that deviate: in each dimension that is crossed, the bandwidth is what the worse of the
/// sender's and the receiver's ports leaves, and both ports' extra latency is added. Ranks that a
/// message passes through are not asked.
///
/// Where a library runs the platform's collectives it sends the messages, too (see Sends).
class MultiDimFabric {
 public:
  /// What is left of a dimension at a rank's port, or between two.
  struct Port {
    double share = 1;       ///< of the dimension's bandwidth
    double latency_ns = 0;  ///< more

    friend auto operator<=>(const Port&, const Port&) = default;
  };

  explicit MultiDimFabric(const platform::Platform& platform);

  [[nodiscard]] std::uint32_t rank_count() const { return ranks_; }
  [[nodiscard]] std::size_t dim_count() const { return dims_.size(); }
  [[nodiscard]] const platform::Dimension& dim(std::size_t d) const { return dims_[d]; }
  /// Ranks between neighbours of dimension `d`: the product of the sizes below it.
  [[nodiscard]] std::uint32_t stride(std::size_t d) const { return strides_[d]; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t rank, std::size_t d) const {
    return rank / strides_[d] % static_cast<std::uint32_t>(dims_[d].size);
  }

  /// Hops between two coordinates of dimension `d`.
  [[nodiscard]] std::uint32_t hops(std::size_t d, std::uint32_t from, std::uint32_t to) const;

  /// Some port is not as the others are.
  [[nodiscard]] bool ports_deviate() const { return !port_class_.empty(); }
  /// Some port into dimension `d` is not.
  [[nodiscard]] bool ports_deviate(std::size_t d) const {
    return ports_deviate() && dim_deviates_[d];
  }
  /// Equal numbers: equal ports in all dimensions. 0: none deviates. O(1).
  [[nodiscard]] std::uint32_t port_class(std::uint32_t rank) const {
    return ports_deviate() ? port_class_[rank] : 0;
  }
  [[nodiscard]] Port port(std::uint32_t rank, std::size_t d) const {
    return ports_deviate() ? ports_[port_class_[rank] * dims_.size() + d] : Port{};
  }
  /// What the ports at both ends leave of dimension `d`.
  [[nodiscard]] Port between(std::uint32_t from, std::uint32_t to, std::size_t d) const;

  /// Time of `size` bytes over `hops` hops of dimension `d` between ports that do not deviate, in
  /// picoseconds; kTooLong when it does not fit.
  [[nodiscard]] std::int64_t delay_in_dim(std::size_t d, std::uint32_t hops,
                                          std::int64_t size) const;

  /// Time of `size` bytes from rank to rank, in picoseconds; 0 when they are the same; kTooLong
  /// when it does not fit.
  [[nodiscard]] std::int64_t delay(std::uint32_t from, std::uint32_t to, std::int64_t size) const;

  /// Beyond about 53 days a time is an error of the input.
  static constexpr std::int64_t kTooLong = std::int64_t{1} << 62;

 private:
  void set_ports(const std::vector<platform::Deviation>& deviations);
  [[nodiscard]] std::int64_t charge(double latency, double bytes_per_ns, std::int64_t size) const;

  std::vector<platform::Dimension> dims_;
  std::vector<std::uint32_t> strides_;
  std::vector<double> bytes_per_ns_;
  std::vector<std::uint32_t> port_class_;  // by rank; empty: no port deviates
  std::vector<Port> ports_;                // class × dimension; class 0 does not deviate
  std::vector<bool> dim_deviates_;
  std::optional<SendRecvLimits> send_recv_;  // of the library; empty: there is none
  std::uint32_t ranks_ = 1;
  bool astra_;
};

}  // namespace orrery::model
