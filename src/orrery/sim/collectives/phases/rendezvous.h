// SPDX-License-Identifier: Apache-2.0
//
// The announcements that come before the messages of a phase under the rendezvous protocol.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "orrery/sim/collectives/chunks/chunk_pool.h"
#include "orrery/sim/engine/messages/mailboxes.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/run/engine_run.h"

namespace orrery::sim {

/// The receiver announces itself to the sender it expects; the payload's receive is posted when
/// that announcement has arrived, and the payload leaves when the sender has both asked to send and
/// seen the announcement.
class Rendezvous {
 public:
  Rendezvous(EngineRun& run, const ChunkPool& chunks, Transport& transport)
      : run_(run), chunks_(chunks), transport_(transport) {}

  /// `receiver` expects a message from member `from`; `key` comes back with the announcement, an
  /// event of kind ready_to_send.
  void announce(const Stream& receiver, std::uint32_t from, std::uint32_t key);
  /// `sender` has a message for member `to`. It leaves when meet() gives it, or with an event of
  /// kind ready_late if the announcement was here first. `step` is its matching key, or where in a
  /// tree the sender has the receiver.
  void ask(const Stream& sender, std::uint32_t to, std::uint32_t step);
  /// The announcement of `receiver` is at its sender: the message that waits for it.
  [[nodiscard]] std::optional<AnnouncedSend> meet(const Stream& receiver, std::uint32_t from,
                                                  std::uint32_t step);
  /// Of an event of kind ready_late.
  [[nodiscard]] const AnnouncedSend& asked(std::uint32_t number) const { return sends_[number]; }

  /// Goes on from where another has come to.
  void resume(const Rendezvous& other) {
    boxes_ = other.boxes_;
    next_ = other.next_;
    sends_ = other.sends_;
  }

 private:
  [[nodiscard]] MessageKey key(const Stream& sender, const model::PhaseSpec& spec, std::uint32_t to,
                               std::uint32_t step) const;

  EngineRun& run_;
  const ChunkPool& chunks_;
  Transport& transport_;
  Mailboxes boxes_;
  std::vector<std::uint32_t> next_;  // links of what waits
  std::vector<AnnouncedSend> sends_;
};

}  // namespace orrery::sim
