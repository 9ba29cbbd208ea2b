// SPDX-License-Identifier: Apache-2.0
//
// Sends and receives from point to point.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "orrery/sim/engine/messages/mailboxes.h"
#include "orrery/sim/engine/messages/part_border.h"
#include "orrery/sim/engine/messages/transport.h"
#include "orrery/sim/engine/run/engine_run.h"
#include "orrery/sim/engine/run/folding_guard.h"
#include "orrery/sim/engine/run/time_accounting.h"

namespace orrery::sim {

/// What is on its way or waited for.
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
  /// By part that has been absorbed: where its senders begin; empty: there were no parts.
  std::vector<std::size_t> first_senders;
};

/// The k-th send matches the k-th receive with the same tag, source, destination and size. A send
/// ends when its message arrives, a receive when it has been posted, too; under the rendezvous
/// protocol the receiver announces itself first, and the message waits for that.
class P2pMessages {
 public:
  /// Who wants to know what has ended.
  class Ends {
   public:
    virtual ~Ends() = default;
    virtual void message_ends(const Endpoint& who) = 0;
  };

  P2pMessages(EngineRun& run, FoldingGuard& guard, Transport& transport, TimeAccounting& accounts,
              Ends& ends, PartBorder* border = nullptr)
      : run_(run),
        guard_(guard),
        transport_(transport),
        accounting_(accounts),
        ends_(ends),
        border_(border) {}

  /// What a send or receive of the rank means, as its receiver calls it. Empty: the run has failed.
  [[nodiscard]] std::optional<MessageKey> key(std::uint32_t rank, graph::NodeId node);
  /// For errors: a node of the rank, or one of the trace that its collective runs.
  struct Place {
    std::uint32_t rank;
    graph::NodeId node;
    std::optional<std::uint64_t> within{};  ///< id in that trace
  };
  [[nodiscard]] std::string text(const Place& place) const;
  /// The same in another graph, whose ranks are numbered otherwise.
  [[nodiscard]] std::optional<MessageKey> key(const graph::Graph& graph, std::uint32_t rank,
                                              graph::NodeId node, bool sends, const Place& place);

  void send(const Endpoint& who, const MessageKey& key);
  void receive(const Endpoint& who, const MessageKey& key);

  /// Events of the kinds p2p_….
  void handle(const Event& event);
  /// A message from a part that is simulated beside this one; all before `done` has been.
  void take_in(const CrossPartMessage& abroad, std::int64_t done);

  [[nodiscard]] MessageState& state() { return state_; }
  [[nodiscard]] const MessageState& state() const { return state_; }

  /// Goes on from where another has come to.
  void resume(const P2pMessages& other) { state_ = other.state_; }

 private:
  [[nodiscard]] bool is_across_parts(const MessageKey& key) const {
    return border_ != nullptr &&
           border_->part_of(key.src % run_.fabric.rank_count()) != border_->part;
  }
  [[nodiscard]] std::uint32_t new_message(const P2pMessage& message);
  [[nodiscard]] P2pMessage take_message(std::uint32_t number);
  void transmit(const Endpoint& who, const MessageKey& key);
  void send_across_parts(std::uint32_t number, std::int64_t delay);
  void note_dims(const Endpoint& who, const MessageKey& key);
  void sent(const MessageKey& key, std::int64_t when);
  void arrives(const P2pMessage& message);
  void announced(std::uint32_t receive);
  [[nodiscard]] std::uint32_t new_receive(const Endpoint& who, const MessageKey& key);
  void post(std::uint32_t receive);
  void receive_begins(std::uint32_t receive, std::int64_t when);
  void receive_done(std::uint32_t receive);
  void drop_if_empty(const MessageKey& key, const Mailbox& box);

  EngineRun& run_;
  FoldingGuard& guard_;
  Transport& transport_;
  TimeAccounting& accounting_;
  Ends& ends_;
  PartBorder* border_;
  MessageState state_;
};

}  // namespace orrery::sim
