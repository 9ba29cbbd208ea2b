// SPDX-License-Identifier: Apache-2.0
//
// The announcements before the messages of a phase under the rendezvous protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/core/state/state_reader.h"
#include "orrery/core/state/state_writer.h"
#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/engine/messages/mailboxes.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// The receiver announces itself to its sender. When the announcement has arrived, the receive of
/// the payload is posted. The payload leaves when the sender has both asked to send and received
/// the announcement.
class Rendezvous {
 public:
  Rendezvous(EngineRun& run, const ChunkPool& chunks, Transport& transport)
      : run_(run), chunks_(chunks), transport_(transport) {}

  /// `receiver` expects a message from member `from`. The announcement, an event of kind
  /// ready_to_send, carries `key`.
  void announce(const Stream& receiver, std::uint32_t from, std::uint32_t key);
  /// `sender` has a message for member `to`. The message leaves when match() returns
  /// it, or with an event of kind ready_late if the announcement arrived first. `step`: its
  /// matching key, or the receiver's slot at the sender in a tree.
  void request_send(const Stream& sender, std::uint32_t to, std::uint32_t step);
  /// The announcement of `receiver` has reached its sender. Returns the message that waits for it.
  [[nodiscard]] std::optional<AnnouncedSend> match(const Stream& receiver, std::uint32_t from,
                                                   std::uint32_t step);
  /// The message of an event of kind ready_late.
  [[nodiscard]] const AnnouncedSend& announced_send(std::uint32_t number) const {
    return sends_[number];
  }

  /// Continues from the state of `other`.
  void resume(const Rendezvous& other) {
    boxes_ = other.boxes_;
    next_ = other.next_;
    sends_ = other.sends_;
  }
  /// For checkpoints. `planner` has the same specs as when the messages were saved.
  void save(StateWriter& to) const;
  void load(StateReader& from, const CollectivePlanner& planner);

 private:
  [[nodiscard]] MessageKey key(const Stream& sender, const model::PhaseSpec& spec, std::uint32_t to,
                               std::uint32_t step) const;

  EngineRun& run_;
  const ChunkPool& chunks_;
  Transport& transport_;
  Mailboxes boxes_;
  std::vector<std::uint32_t> next_;  // links of the waiting entries
  std::vector<AnnouncedSend> sends_;
};

}  // namespace orrery::sim
