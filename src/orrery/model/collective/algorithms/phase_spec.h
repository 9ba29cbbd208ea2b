// SPDX-License-Identifier: Apache-2.0
//
// One algorithm in one dimension, computed once and shared by all ranks that run it.
#pragma once

#include <cstdint>
#include <vector>

#include "orrery/graph/graph.h"
#include "orrery/platform/platform.h"

namespace orrery::model {

/// Members m, m + stride, … of one ring. A member's position is (m / stride) mod size.
struct RingShape {
  std::uint32_t size = 1;
  std::uint32_t stride = 1;

  [[nodiscard]] std::uint32_t position(std::uint32_t member) const {
    return member / stride % size;
  }
  /// The member `offset` positions clockwise of `member`, which is at `position`. offset < size.
  [[nodiscard]] std::uint32_t clockwise(std::uint32_t member, std::uint32_t position,
                                        std::uint32_t offset) const {
    const std::uint32_t base = member - position * stride;
    const std::uint32_t target = position + offset;
    return base + (target < size ? target : target - size) * stride;
  }

  friend bool operator==(const RingShape&, const RingShape&) = default;
};

/// The properties of a communicator that determine durations of a library such as NCCL.
struct LibraryGroup {
  std::uint32_t nodes = 0;  ///< 0: no library runs the collective
  double intra_share = 1;   ///< usable share of the links in nodes, of the worst member's ports …
  double inter_share = 1;   ///< … and of the network between nodes
  std::int64_t extra_latency = 0;  ///< picoseconds that the worst member's port adds to a message

  friend bool operator==(const LibraryGroup&, const LibraryGroup&) = default;
};

/// The input of a phase.
struct PhaseRequest {
  platform::AlgorithmSpec algorithm;
  graph::CollectiveType type = graph::CollectiveType::all_reduce;
  RingShape ring;
  std::uint32_t dim = 0;  ///< dimension in whose queues the phase waits
  std::int64_t data = 0;  ///< bytes this rank holds when the phase begins
  bool anticlockwise = false;
  bool min_tree = false;   ///< double binary tree: true: the min tree, false: the max tree
  bool sub_group = false;  ///< a communicator smaller than the system
  /// Neighbors in the ring are neighbors in dimension `dim`. Otherwise message times must be
  /// determined rank by rank.
  bool along_dim = true;
  graph::ExpertExchange exchange;  ///< expert tokens that a library or switches carry, if any
  LibraryGroup library;            ///< the communicator, if a library runs the collective

  friend bool operator==(const PhaseRequest&, const PhaseRequest&) = default;
};

/// Size of one of `parts` equal parts of `data` bytes. ASTRA rules round down, Orrery rules up.
[[nodiscard]] std::int64_t share(std::int64_t data, std::int64_t parts, platform::Rules rules);

/// Bytes that a rank holds after a phase: reduce_scatter divides them by the ring size, all_gather
/// multiplies them, all_reduce and all_to_all do not change them.
[[nodiscard]] std::int64_t data_after(graph::CollectiveType type, std::int64_t data,
                                      std::int64_t ring_size, platform::Rules rules);

/// The receivers of a member's messages.
enum class Peers : std::uint8_t {
  next,        ///< always the next position of the ring
  each,        ///< every other position, one after another
  exchange,    ///< pairs send to each other, at the step's distance, a power of two
  tree,        ///< parent and children (tree_place)
  in_switches  ///< no member: switches run the phase when all members have begun
};

/// The message of a step: one for all steps, or one per step for exchanges.
struct PhaseMessage {
  std::int64_t bytes = 0;
  std::int64_t reduce = 0;     ///< picoseconds to reduce it into the local buffer
  std::uint32_t distance = 1;  ///< exchange: partner at this distance
};

/// The properties of a phase that do not depend on the rank.
///
/// A "packet" is one turn of the algorithm at one rank. It is inserted: `window` packets at the
/// start, one more with each arrival. It waits for the endpoint delay and, if it carries data to
/// reduce, for the reduction time. Then it is free: the rank sends its oldest free packet and posts
/// the receive. The phase ends when all steps are sent and `window` packets are free.
struct PhaseSpec {
  PhaseRequest request;
  Peers peers = Peers::next;
  std::uint32_t id = 0;         ///< assigned by the owner of the specs
  std::int32_t steps = 0;       ///< messages that each rank sends
  std::int32_t window = 1;      ///< packets inserted at the start
  std::int32_t plain_run = 1;   ///< length of runs of packets that are never reduced
  std::int32_t reduce_run = 1;  ///< length of runs that may be reduced; both runs alternate
  std::int32_t barrier = 0;  ///< direct all-reduce: the second half starts after this many arrivals
  std::int64_t endpoint = 0;       ///< picoseconds
  std::vector<PhaseMessage> step;  ///< one, or one per packet (exchange)
  std::vector<std::int64_t>
      delay_by_key;  ///< message time by key if request.along_dim: [0], [distance] or [packet];
                     ///< empty: times differ between ranks, for example if ports deviate
  bool lockstep = false;   ///< Peers::next or exchange, and message times by key are known
  bool burst = false;      ///< Peers::each, and all messages have one time
  std::uint32_t keys = 1;  ///< distinct matching keys: next 1, each size, exchange packets

  std::int64_t latency = 0;      ///< library: duration without bytes, picoseconds
  std::int32_t sms = 0;          ///< library: SMs that its channels occupy
  std::int64_t memory_rate = 0;  ///< library: its traffic in a device's memory, bytes/s
  bool on_bus =
      false;  ///< packets cross the shared memory bus instead of waiting the endpoint delay

  [[nodiscard]] const PhaseMessage& step_of(std::uint32_t packet) const {
    return step[packet < step.size() ? packet : 0];
  }

  /// Sum of the sizes of the first `messages` messages.
  [[nodiscard]] std::uint64_t bytes_of(std::uint32_t messages) const {
    if (step.size() == 1) return static_cast<std::uint64_t>(step.front().bytes) * messages;
    std::uint64_t bytes = 0;
    for (std::uint32_t packet = 0; packet < messages; ++packet)
      bytes += static_cast<std::uint64_t>(step[packet].bytes);
    return bytes;
  }

  /// The matching key of the `packet`-th packet: 0 for Peers::next, the distance for Peers::each,
  /// otherwise `packet`.
  [[nodiscard]] std::uint32_t key_of(std::uint32_t packet) const {
    if (peers == Peers::next) return 0;
    if (peers == Peers::each) return 1 + packet % (request.ring.size - 1);
    return packet;
  }

  /// The member to which `member` (at `position`) sends the message with this key.
  [[nodiscard]] std::uint32_t destination(std::uint32_t member, std::uint32_t position,
                                          std::uint32_t key) const {
    return peer(member, position, key, !request.anticlockwise);
  }
  /// The member from which `member` (at `position`) receives the message with this key.
  [[nodiscard]] std::uint32_t source(std::uint32_t member, std::uint32_t position,
                                     std::uint32_t key) const {
    return peer(member, position, key, request.anticlockwise);
  }

  /// Whether the `packet`-th inserted packet belongs to a run that is never reduced.
  [[nodiscard]] bool plain(std::uint32_t packet) const {
    return packet % static_cast<std::uint32_t>(plain_run + reduce_run) <
           static_cast<std::uint32_t>(plain_run);
  }

  /// Shared memory bus: whether the packet crosses it a second time. Packets that are not plain do,
  /// except for the last `window` packets of a run.
  [[nodiscard]] bool returns(std::uint32_t packet) const {
    const auto cycle = static_cast<std::uint32_t>(plain_run + reduce_run);
    return !plain(packet) && packet % cycle + static_cast<std::uint32_t>(window) < cycle;
  }

  /// Whether the `packet`-th inserted packet carries data to reduce.
  [[nodiscard]] bool reduces(std::uint32_t packet) const {
    const auto type = request.type;
    if (type != graph::CollectiveType::all_reduce && type != graph::CollectiveType::reduce_scatter)
      return false;
    const auto cycle = static_cast<std::uint32_t>(plain_run + reduce_run);
    if (packet < static_cast<std::uint32_t>(plain_run)) return false;
    if (packet < cycle) return true;
    if (cycle == 0) return false;
    if (packet % cycle < static_cast<std::uint32_t>(plain_run)) return false;
    return type == graph::CollectiveType::reduce_scatter || packet / cycle % 2 == 0;
  }

 private:
  [[nodiscard]] std::uint32_t peer(std::uint32_t member, std::uint32_t position, std::uint32_t key,
                                   bool clockwise) const {
    const RingShape& ring = request.ring;
    std::uint32_t offset = key;
    if (peers == Peers::next) {
      offset = 1;
    } else if (peers == Peers::exchange) {
      offset = step_of(key).distance;
      clockwise =
          (position & offset) == 0;  // floor(position / offset) is even; offset is a power of two
    }
    return ring.clockwise(member, position, clockwise ? offset : ring.size - offset);
  }
};

}  // namespace orrery::model
