// SPDX-License-Identifier: Apache-2.0
//
// The simulation kernel. One queue owns time and order; everything else reacts to its events.
//
// Layers, each in a file of its own: agenda (what ranks do by themselves), nodes (dependencies and
// resources), collectives (chunks and queues), streams (packets of one phase), trees, point to
// point, custom collectives, transport.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/model/collective/closed_form.h"
#include "orrery/model/collective/tree.h"
#include "orrery/model/memory/shared_bus.h"
#include "orrery/sim/accounts.h"
#include "orrery/sim/agendas.h"
#include "orrery/sim/customs.h"
#include "orrery/sim/devices.h"
#include "orrery/sim/guard.h"
#include "orrery/sim/mailboxes.h"
#include "orrery/sim/messages.h"
#include "orrery/sim/nodes.h"
#include "orrery/sim/parties.h"
#include "orrery/sim/repeat.h"
#include "orrery/sim/run.h"
#include "orrery/sim/simulate.h"
#include "orrery/sim/themis.h"
#include "orrery/sim/transport.h"

namespace orrery::sim {

class Engine : private Messages::Ends, private Nodes::Work, private Customs::Ends {
 public:
  Engine(const graph::Workload& workload, const platform::Platform& platform,
         const Options& options);

  /// One part of what `whole` has set up.
  Engine(Engine& whole, std::uint32_t part);

  [[nodiscard]] Result<SimResult> run();
  /// Whether what run() returned is to be thrown away: in parts it cannot be simulated, or not
  /// well.
  [[nodiscard]] bool wants_one_part() const { return wants_one_part_; }
  /// Not empty: what run() gave is no result, because ranks that are alike need not do the same.
  /// Every rank has to be simulated.
  [[nodiscard]] const std::string& fold_failed() const { return run_.fold_failed; }
  /// The same, because nothing moved any more while ranks waited for others to begin phases that
  /// are worked out: when it would have stopped moving, only their messages tell.
  [[nodiscard]] bool closed_forms_failed() const { return closed_forms_failed_; }

 private:
  friend class Repeater;

  // engine.cc: setting up, the loop, the result
  [[nodiscard]] Result<void> set_up();
  void set_up_ranks();
  void dispatch(const Event& event);
  [[nodiscard]] SimResult summarise();
  void track_memory(std::uint32_t rank);

  // engine_fold.cc: one rank for all that are alike
  [[nodiscard]] Result<void> set_up_folding();
  void set_up_slots();
  void doubt_folding();
  /// The member of `group` (one that stands for others) that `rank` is.
  [[nodiscard]] std::uint32_t member_of(const Communicator& group, std::uint32_t rank) const;
  // engine_parts.cc: ranks that only send each other messages, simulated side by side
  [[nodiscard]] bool find_parts();
  [[nodiscard]] Result<SimResult> run_parts();
  [[nodiscard]] bool run_windows(std::span<const std::unique_ptr<Engine>> engines);
  void tell(std::span<const std::unique_ptr<Engine>> engines) const;
  void run_window();
  void absorb(Engine& part);
  void take_in();

  void message_ends(const Endpoint& who) override;
  void run_local(std::uint32_t rank, const LocalEvent& event);

  void starts_watched() override { repeats_.pass_marker(); }
  void begin(std::uint32_t rank, graph::NodeId node) override;
  void start_collective(std::uint32_t rank, graph::NodeId node);
  void custom_ends(std::uint32_t rank, graph::NodeId node) override;

  void count_sent_so_far();

  // engine_collectives.cc
  void begin_collective(std::uint32_t rank, graph::NodeId node, graph::CollectiveType type,
                        std::int64_t size);
  void issue_chunks(std::uint32_t op, std::uint32_t communicator, graph::CollectiveType type,
                    const model::Chunking& cutting, std::uint32_t topology_number,
                    std::int64_t priority);
  [[nodiscard]] std::optional<std::uint32_t> communicator_of(std::uint32_t rank,
                                                             graph::NodeId node);
  [[nodiscard]] Stream& new_stream(std::uint32_t communicator, Communicator& group,
                                   std::uint32_t rank, graph::NodeId node);
  [[nodiscard]] std::uint32_t new_block(std::uint32_t communicator, Communicator& group);
  void drop_block(std::uint32_t number);
  void enqueue(Stream& stream);
  void pump(std::uint32_t rank, std::uint32_t queue);
  void start_waiting(std::uint64_t queue);
  bool settle();
  [[nodiscard]] bool rescue();
  [[nodiscard]] bool peer_has_begun(const Block& block, const Stream& stream) const;
  [[nodiscard]] bool peers_are_here(const Block& block, const Stream& stream) const;
  template <class Wanted>
  bool begin_beyond(std::uint64_t queue, const Wanted& wanted, bool one);
  [[nodiscard]] std::optional<std::pair<std::int64_t, graph::NodeId>> oldest_of_those_here();
  [[nodiscard]] static std::uint64_t bytes_sent(const Stream& stream);
  [[nodiscard]] std::uint32_t common_phases(Block& block, const ChunkPlan* plan,
                                            std::uint32_t chosen);
  void note_gather(ChunkQueue& queue, const Stream& stream);
  void end_phase(Stream& stream);
  void chunk_done(Stream& stream);
  void collective_done(std::uint32_t op);
  [[nodiscard]] std::int64_t next_priority(std::uint32_t rank, graph::NodeId node);

  // engine_order.cc: which dimension first, which chunk first
  void order_chunk(const Stream& stream, ChunkRequest& request, std::int64_t left,
                   std::int64_t chunk, const model::LogicalTopology& topology);
  [[nodiscard]] std::vector<std::uint8_t> next_rotation(const Stream& stream, std::size_t dims,
                                                        bool gather);
  void insert_waiting(ChunkQueue& queue, Stream& stream);
  void insert_arrived(ChunkQueue& queue);
  [[nodiscard]] bool goes_before(const Stream& newcomer, const Stream& waiting);
  [[nodiscard]] bool comes_before(Block& one, Block& other);
  void doubt_order();
  [[nodiscard]] bool goes_before_astra(const Stream& newcomer, const Stream& waiting) const;
  [[nodiscard]] std::size_t phases_left(const Stream& stream) const;
  [[nodiscard]] const model::PhaseRequest& phase_of(const Stream& stream) const;
  [[nodiscard]] std::int64_t largest_data(const Stream& stream) const;

  // engine_streams.cc
  void begin_phase(Stream& stream);
  void insert_packet(Stream& stream);
  void packets_free(Stream& stream, std::uint16_t count);
  void packet_free(Stream& stream);
  void send_held(Stream& stream);
  void try_send(Stream& stream);
  void send_packet(Stream& stream);
  void post_receive(Stream& stream, std::uint32_t key);
  void deliver(const Event& event);
  void deliver_one(Block& block, const model::PhaseSpec& spec, std::uint32_t from, std::uint32_t to,
                   std::uint32_t key);
  void deliver_late(const Event& event);
  void packet_received(Stream& stream);
  [[nodiscard]] std::int64_t message_delay(const Stream& stream, std::uint32_t key,
                                           std::uint32_t to) const;
  // … a message whose receiver is in another phase
  void deliver_astray(Stream& stream, const model::PhaseSpec& sent, std::uint32_t from,
                      std::uint32_t key);
  [[nodiscard]] bool take_early(Stream& stream, std::uint32_t from, std::uint32_t key);
  [[nodiscard]] MessageKey early_key(const Stream& stream, const model::PhaseSpec& spec,
                                     std::uint32_t from, std::uint32_t key) const;

  // engine_lockstep.cc
  void run_agendas(const Event& event);
  [[nodiscard]] bool lone_step(std::uint32_t rank, Event& run);
  void deliver_run(const Event& event, Block& block, const model::PhaseSpec& spec);
  [[nodiscard]] bool lone_arrival(Stream& stream, std::uint32_t key, const model::PhaseSpec& spec,
                                  Event& run);
  [[nodiscard]] bool send_burst(Stream& stream, std::int32_t count);
  void restart(Event& run, const Event& event);
  void flush(Event& run);
  // engine_closed.cc: phases whose end is worked out
  [[nodiscard]] bool is_worked_out(const model::PhaseSpec& spec) const;
  void join_phase(Stream& stream);
  [[nodiscard]] std::int64_t even_duration(const model::PhaseSpec& spec);
  void end_together(Block& block, const model::PhaseSpec& spec, std::uint32_t base,
                    std::int64_t duration);
  void end_apart(Block& block, const model::PhaseSpec& spec, std::uint32_t base,
                 std::span<const std::uint32_t> members);
  void phases_end(const Event& event);
  // engine_tree.cc
  void begin_tree(Stream& stream);
  void tree_free(Stream& stream);
  void tree_send(Stream& stream, std::uint32_t slot);
  void tree_leaves(std::uint32_t block, const model::PhaseSpec& spec, std::uint32_t from,
                   std::uint32_t to, std::uint32_t rank);
  void tree_receive(Stream& stream, std::uint32_t slot);
  void tree_post(Stream& stream, std::uint32_t slot);
  [[nodiscard]] static std::uint32_t in_tree(const Stream& stream, std::uint32_t slot);
  void tree_arrival(const Event& event);
  void tree_late(const Event& event);
  void tree_received(Stream& stream);
  // engine_bus.cc
  void cross_bus(Stream& stream, std::uint32_t packet, model::SharedBus::Way way, bool reduce,
                 bool returns);
  void set_bus_timers(std::uint32_t rank);
  void run_bus(std::uint32_t rank, std::uint32_t code);
  // engine_rendezvous.cc
  void announce(Stream& stream, std::uint32_t from, std::uint32_t key);
  [[nodiscard]] MessageKey announcement_key(const Stream& sender, const model::PhaseSpec& spec,
                                            std::uint32_t to, std::uint32_t step) const;
  void send_payload(std::uint32_t announced);
  void send_when_announced(Stream& stream, std::uint32_t to, std::uint32_t step);
  void announcement_arrives(const Event& event);

  // engine_record.cc
  void note_join(std::uint32_t rank, graph::NodeId node, std::uint32_t communicator,
                 const model::LogicalTopology& topology);
  void note_queued(const Stream& stream);
  void note_begin(const Stream& stream);
  void note_end(const Stream& stream);
  void note_traffic(const Stream& stream, std::int64_t begun);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> slowest_message(const Stream& stream,
                                                                      std::uint32_t packet) const;
  [[nodiscard]] std::int64_t shared_links(const Stream& stream) const;
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> undisturbed(const Stream& stream);
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> work_out(const Stream& stream) const;

  // stall.cc
  [[nodiscard]] StallReport stall_report() const;
  [[nodiscard]] std::string why_waiting(std::uint32_t rank, graph::NodeId node) const;
  [[nodiscard]] std::vector<ChainLink> chain();

  Run run_;
  bool closed_forms_failed_ = false;
  std::uint64_t gathered_ = 0;  // members that wait for others to begin a phase that is worked out
  PartyBook parties_;
  Planner planner_;
  Guard guard_{run_, planner_};
  Agendas agendas_{run_, guard_};
  Transport transport_{run_};
  Accounts accounts_{run_};
  std::optional<Border> border_;  // in a part
  Messages messages_{run_, guard_, transport_, accounts_, *this, border_ ? &*border_ : nullptr};
  Nodes nodes_{run_, agendas_, accounts_, *this};
  Devices devices_{run_, agendas_};
  Customs customs_{run_, agendas_, messages_, *this};
  Themis themis_;

  std::int64_t next_time_ = 0, done_until_ = 0, window_end_ = 0, all_known_until_ = 0;
  std::uint64_t window_work_ = 0;  // events of the last window, by rank
  std::vector<Abroad> inbox_;
  bool wants_one_part_ = false;
  std::vector<std::size_t> first_senders_;  // by part that has been absorbed: in senders_

  std::deque<Block> blocks_;
  std::vector<std::uint32_t> free_blocks_;
  std::uint64_t chunks_ = 0;  // issued so far
  std::vector<CollectiveOp> ops_;
  std::vector<std::uint32_t> free_ops_;
  // What to look at when the tick is over.
  std::vector<std::uint64_t> unsettled_queues_, settling_queues_;  // in queues_
  std::unordered_map<MessageKey, std::int32_t, MessageKeyHash> early_;

  std::vector<std::unique_ptr<model::SharedBus>> buses_;  // by rank, once used
  std::vector<Crossing> crossings_;                       // by bus token
  std::vector<std::uint32_t> free_crossings_;

  Mailboxes announcements_;  // rendezvous
  std::vector<std::uint32_t> next_announced_;
  std::vector<AnnouncedSend> announced_sends_;

  std::vector<std::optional<std::int64_t>> even_;                   // by spec: model::even_duration
  std::vector<std::int64_t> begins_, ends_;                         // scratch of end_apart
  std::vector<std::pair<std::int64_t, std::int64_t>> undisturbed_;  // by spec; -1: not known yet

  Repeater repeats_{*this};
};

}  // namespace orrery::sim
