// SPDX-License-Identifier: Apache-2.0
//
// Point-to-point sends and receives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "orrery/sim/engine/messages/mailboxes.h"
#include "orrery/sim/engine/messages/part_border.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"
#include "orrery/sim/engine/run/time_accounting.h"

namespace orrery::sim {

/// Messages in flight and pending receives.
struct MessageState {
  Mailboxes mailboxes;
  std::vector<std::uint32_t> next_receive;  ///< links of the receives waiting in a mailbox
  std::vector<P2pMessage> messages;
  std::vector<std::uint32_t> free_messages;
  std::vector<Receive> receives;
  std::vector<std::uint32_t> free_receives;
  Mailboxes announcements;  ///< rendezvous
  std::vector<std::uint32_t> next_announced;
  std::vector<std::pair<std::uint32_t, graph::NodeId>>
      senders;  ///< (rank, node): NodeTimes::sender
  /// By absorbed part: index of its first entry in `senders`; empty: there were no parts.
  std::vector<std::size_t> first_senders;
};

/// The k-th send matches the k-th receive with the same tag, source, destination and size. A send
/// ends when its message arrives; a receive ends when, in addition, it has been posted. Under the
/// rendezvous protocol, the receiver announces itself first, and the message waits for the
/// announcement.
class P2pMessages {
 public:
  /// The observer of finished sends and receives.
  class CompletionObserver {
   public:
    virtual ~CompletionObserver() = default;
    virtual void on_message_end(const Endpoint& who) = 0;
  };

  P2pMessages(EngineRun& run, FoldingGuard& guard, Transport& transport, TimeAccounting& accounts,
              CompletionObserver& observer, PartBorder* border = nullptr)
      : run_(run),
        guard_(guard),
        transport_(transport),
        accounting_(accounts),
        observer_(observer),
        border_(border) {}

  /// The key of a rank's send or receive, as its receiver states it. Empty: the run has failed.
  [[nodiscard]] std::optional<MessageKey> key(std::uint32_t rank, graph::NodeId node);
  /// For errors: a node of the rank, or a node of the trace that its collective runs.
  struct Place {
    std::uint32_t rank;
    graph::NodeId node;
    std::optional<std::uint64_t> within{};  ///< id in the trace of a custom collective
  };
  [[nodiscard]] std::string text(const Place& place) const;
  /// The same in another graph, with its own rank numbers.
  [[nodiscard]] std::optional<MessageKey> key(const graph::Graph& graph, std::uint32_t rank,
                                              graph::NodeId node, bool sends, const Place& place);

  void send(const Endpoint& who, const MessageKey& key);
  void receive(const Endpoint& who, const MessageKey& key);

  /// Events of the kinds p2p_….
  void handle(const Event& event);
  /// Accepts a message from a part that is simulated concurrently. This part has processed all
  /// events before `done`.
  void receive_message(const CrossPartMessage& abroad, std::int64_t done);

  // p2p_prefetch.cc: ranks that are not in step read other memory in each event.
  /// Loads what send() or receive() of this node reads into the cache.
  void prefetch_mailbox(std::uint32_t rank, graph::NodeId node) const;
  /// Loads what handle() of this event reads into the cache. At most `before` events come before
  /// it. The closer the event, the more pointers this function follows.
  void prefetch(const Event& event, std::size_t before) const;

  [[nodiscard]] MessageState& state() { return state_; }
  [[nodiscard]] const MessageState& state() const { return state_; }

  /// Its state, for copies and checkpoints.
  static auto fields(auto& self) {
    auto& [run, guard, transport, accounting, observer, border, state] = self;
    return std::tie(state);
  }
  /// Continues from the state of `other`.
  void resume(const P2pMessages& other) { fields(*this) = fields(other); }

 private:
  [[nodiscard]] bool is_across_parts(const MessageKey& key) const {
    return border_ != nullptr &&
           border_->part_of(key.src % run_.fabric.rank_count()) != border_->part;
  }
  [[nodiscard]] std::uint32_t new_message(const P2pMessage& message);
  [[nodiscard]] P2pMessage take_message(std::uint32_t number);
  void prefetch_end(const Endpoint& who) const;
  [[nodiscard]] const Receive* prefetch_receiver(const MessageKey& key) const;
  void prefetch_next_sends(const Endpoint& who) const;
  void transmit(const Endpoint& who, const MessageKey& key);
  void send_across_parts(std::uint32_t number, std::int64_t delay);
  void note_dims(const Endpoint& who, const MessageKey& key);
  void start_receive(const MessageKey& key, std::int64_t when);
  void deliver(const P2pMessage& message);
  void on_announcement(std::uint32_t receive);
  [[nodiscard]] std::uint32_t new_receive(const Endpoint& who, const MessageKey& key);
  void post(std::uint32_t receive);
  void begin_receive(std::uint32_t receive, std::int64_t when);
  void finish_receive(std::uint32_t receive);
  void drop_if_empty(const MessageKey& key, const Mailbox& box);

  EngineRun& run_;
  FoldingGuard& guard_;
  Transport& transport_;
  TimeAccounting& accounting_;
  CompletionObserver& observer_;
  PartBorder* border_;
  MessageState state_;
};

}  // namespace orrery::sim
