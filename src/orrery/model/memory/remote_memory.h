// SPDX-License-Identifier: Apache-2.0
//
// Memory beyond the accelerator: private, shared by the accelerators of a node, or one pool for
// all.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "orrery/core/error.h"
#include "orrery/core/quantity.h"
#include "orrery/model/time_estimate.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// As ASTRA-sim has it (MemoryPools: as Orrery does): serves loads and stores in order of arrival,
/// per_npu without limit, per_node and pool one at a time. Time of one access: latency + size /
/// bandwidth, in whole nanoseconds, truncated.
class RemoteMemory {
 public:
  struct Access {
    std::uint32_t device;  ///< whose it is, as the platform numbers them
    std::uint32_t rank;    ///< whatever the caller calls it
    std::uint32_t node;
    Bytes size;
  };

  explicit RemoteMemory(const platform::Platform& platform);

  /// How long `size` takes once it is served. Errc: config_range; `where` is for the caller.
  [[nodiscard]] Result<TimeEstimate> time(Bytes size) const;

  /// True: `access` is served now. False: it waits for its turn.
  bool request(const Access& access);

  /// The access of `device` is done; the next one that waited for the same memory, now being
  /// served.
  std::optional<Access> release(std::uint32_t device);

  /// Accesses waiting for `device`'s memory.
  [[nodiscard]] std::size_t waiting(std::uint32_t device) const {
    return servers_.empty() ? 0 : servers_[server(device)].waiting.size();
  }

 private:
  struct Server {
    bool busy = false;
    std::deque<Access> waiting;
  };
  [[nodiscard]] std::size_t server(std::uint32_t device) const;

  platform::RemoteMemory config_;
  std::vector<Server> servers_;  // empty: nobody ever waits
};

/// How long `size` takes in the device's own memory. Errc: config_range; `where` is for the caller.
[[nodiscard]] Result<TimeEstimate> local_memory(Bytes size, const platform::Device& device);

/// The bandwidth of a device's memory and the one beside it together, where `beyond` (0 to 1) of
/// all bytes lie in the latter, and of those of every kernel alike. In turn: 1 / ((1 - beyond) /
/// own + beyond / beside); at once: the slower of own / (1 - beyond) and beside / beyond. That of
/// its own where nothing is beyond, or nothing is beside it. Source: COMET (arXiv 2211.16648),
/// whose nodes have such memories; its formula is not at hand, this one follows from bytes that are
/// spread evenly.
[[nodiscard]] Bandwidth combined_bandwidth(const platform::Device& device, double beyond);

}  // namespace orrery::model
