// SPDX-License-Identifier: Apache-2.0
//
// Memory outside the accelerator: private, shared by the accelerators of a node, or one pool for
// all.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <tuple>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/model/time_estimate.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// The model of ASTRA-sim (Orrery's model: MemoryPools). Serves loads and stores in order of
/// arrival: per_npu without limit, per_node and pool one at a time. Time of one access: latency +
/// size / bandwidth, in whole nanoseconds, truncated.
class RemoteMemory {
 public:
  struct Access {
    std::uint32_t device;  ///< device that accesses, by its number in the platform
    std::uint32_t rank;    ///< for the caller; unused here, like `node`
    std::uint32_t node;
    Bytes size;
  };

  explicit RemoteMemory(const platform::Platform& platform);

  /// Service time of `size` bytes. Errc: config_range; the caller sets `where`.
  [[nodiscard]] Result<TimeEstimate> time(Bytes size) const;

  /// True: `access` is served now. False: it waits in the queue.
  bool request(const Access& access);

  /// The caller reports that the access of `device` is done. Returns the next access that waited
  /// for the same memory; it is served now.
  std::optional<Access> release(std::uint32_t device);

  /// Number of accesses that wait for the memory of `device`.
  [[nodiscard]] std::size_t waiting(std::uint32_t device) const {
    return servers_.empty() ? 0 : servers_[server(device)].waiting.size();
  }

  /// Its state, for checkpoints.
  static auto fields(auto& self) {
    auto& [config, servers] = self;
    return std::tie(servers);
  }

 private:
  struct Server {
    bool busy = false;
    std::deque<Access> waiting;
  };
  [[nodiscard]] std::size_t server(std::uint32_t device) const;

  platform::RemoteMemory config_;
  std::vector<Server> servers_;  // empty: no transfer ever waits
};

/// Time of `size` bytes in the device's own memory. Errc: config_range; the caller sets `where`.
[[nodiscard]] Result<TimeEstimate> local_memory(Bytes size, const platform::Device& device);

/// The combined bandwidth of a device's memory and its expansion, if the share `beyond` (0 to 1) of
/// the bytes of every kernel is in the expansion. Sequential access: 1 / ((1 - beyond) / own +
/// beyond / expansion). Concurrent access: the lower of own / (1 - beyond) and expansion / beyond.
/// The device's own bandwidth if `beyond` is 0 or there is no expansion. Source: COMET (arXiv
/// 2211.16648), whose nodes have such memories; its formula is not available, this one follows from
/// evenly spread bytes.
[[nodiscard]] Bandwidth combined_bandwidth(const platform::Device& device, double beyond);

}  // namespace orrery::model
