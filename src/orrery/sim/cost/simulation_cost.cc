// SPDX-License-Identifier: Apache-2.0
#include "orrery/sim/cost/simulation_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "orrery/core/system/memory_limit.h"
#include "orrery/core/text/duration.h"
#include "orrery/core/text/units.h"
#include "orrery/network/noc_network.h"
#include "orrery/network/packet_network.h"
#include "orrery/sim/engine/messages/mailboxes.h"
#include "orrery/sim/engine/state/chunk_state.h"
#include "orrery/sim/engine/state/node_pages.h"
#include "orrery/sim/recording.h"

namespace orrery::sim {

namespace {

// Bytes per item. Those without sizeof are measured: benchmarks/simulation_cost.py compares the
// estimates of different kinds of simulations with their peak memory.
constexpr double kRank = 1070;                   // lanes, queues, local events, results
constexpr double kNode = sizeof(NodeTimes) + 4;  // and its number of dependencies
constexpr double kWorkloadRank = 4;              // the class of each rank
constexpr double kChunkState = sizeof(Stream);
constexpr double kRingState = sizeof(RingArrival) + 16;  // and the event of its end
constexpr double kFinishedChunk = sizeof(Chunk) + 32;
constexpr double kRunningChunk = 600;    // queued events of its messages, in runs …
constexpr double kContendedChunk = 300;  // … and if the network reports each arrival
constexpr double kSharingMessage = 610;  // in flight: links shared with others
constexpr double kQueuingMessage = 200;  // in flight: queued at links
constexpr double kAnnouncement = 460;    // in flight, with rendezvous …
constexpr double kAnnounced = 50;        // … and of every message
constexpr double kMailbox = 1.2 * sizeof(Mailboxes::Entry);
constexpr double kCustomNode = 4;
// Recording, and the run that is built from it.
constexpr double kRecordedNode = 18;
constexpr double kRecordedCollective = 60;
constexpr double kRecordedRank = 400;  // of the workload
constexpr double kRecording = 16e6;    // traffic over time

// Nanoseconds per item, measured on one of two virtual cores. Order of magnitude.
constexpr double kRankTime = 1000;
constexpr double kNodeTime = 260;
constexpr double kClosedPhaseTime = 200;
constexpr double kMessageTime = 70;
constexpr double kSharingMessageTime = 600;
constexpr double kQueuingMessageTime = 300;
constexpr double kAnnouncedMessageTime = 200;
// A packet with its acknowledgement: 620 ns in a permutation of 64 hosts with a window on two
// tiers, 2,300 ns in one of 1,024 hosts with NSCC on three.
constexpr double kPacketTime = 1200;
// In ns-3: 9,000 ns in a step of 16 devices on two tiers.
constexpr double kNs3PacketTime = 9000;
// A flit and a router that it passes: 64 ns in a ring of neighbors, 140 to 155 ns in a permutation
// and an all-to-all of 64 devices in a mesh or torus, 212 ns in a crossbar of 16.
constexpr double kFlitTime = 150;
// How many times longer a run with a run file lasts if it does not fold: GPT-3 175B on 128 ranks,
// every rank (two plans), with and without -o.
constexpr double kRecordingFactor = 1.7;  // links are not shared: most time is closed forms
constexpr double kRecordingFactorSharing = 1.15;
constexpr double kRecordingFactorQueuing = 1.2;

// Below this, the available memory is not read.
constexpr std::uint64_t kAlwaysFits = 64 << 20;

double real(std::uint64_t number) { return static_cast<double>(number); }

/// Whether messages share the rates of links; otherwise they queue there, if they contend at all.
bool shares_rates(const EngineRun& run) {
  return run.platform.network == platform::NetworkModelKind::flow;
}

/// Packets of all messages, if the network has packets. Each message has at least one.
double packets_of(const EngineRun& run, const SimulationWork& work) {
  if (run.platform.network != platform::NetworkModelKind::packet &&
      run.platform.network != platform::NetworkModelKind::ns3)
    return 0;
  const std::int64_t payload = model::complete_packet_settings(run.platform).payload->count();
  return real(work.messages) + real(work.message_bytes) / static_cast<double>(payload);
}

/// Flits of all messages, times the routers that they pass; 0 on other networks.
double flits_at_routers(const EngineRun& run, const SimulationWork& work) {
  const auto* network = dynamic_cast<const model::NocNetwork*>(&run.network);
  if (network == nullptr || work.messages == 0) return 0;
  const platform::NocSettings& settings = network->settings();
  const auto flit = static_cast<double>(settings.flit->count());
  const auto head = static_cast<double>(settings.head);
  const double each =
      std::max(1.0, std::ceil(real(work.message_bytes) / real(work.messages) / flit));
  const double packets = std::ceil(each / (static_cast<double>(settings.packet) - head));
  return real(work.messages) * (each + packets * head) * network->mean_routers();
}

double bytes_in_flight(const EngineRun& run, const SimulationWork& work) {
  if (run.network.traits().uncontended) return kRunningChunk * real(work.running_chunks);
  return kContendedChunk * real(work.running_chunks) +
         (shares_rates(run) ? kSharingMessage : kQueuingMessage) * real(work.messages_in_flight);
}

double bytes_of(const EngineRun& run, const SimulationWork& work) {
  const double nodes = run.options.keep_times || run.options.record
                           ? real(work.nodes)
                           : std::min(real(work.nodes), real(work.ranks) * 2 * NodePages::kPage);
  double bytes = kRank * real(work.ranks) + kNode * nodes +
                 kWorkloadRank * run.workload.rank_count() + kChunkState * real(work.chunk_states) +
                 kRingState * real(work.ring_states) + real(work.key_states) +
                 kFinishedChunk * real(work.finished_chunks) +
                 kCustomNode * real(work.custom_nodes) + bytes_in_flight(run, work);
  if (work.mailboxes > 0) bytes += kMailbox * real(std::bit_ceil(2 * work.mailboxes));
  if (run.platform.collectives.rendezvous)
    bytes += kAnnouncement * real(work.messages_in_flight) + kAnnounced * real(work.messages) / 2;
  if (run.options.record)
    bytes += kRecording + kRecordedNode * real(work.nodes) +
             kRecordedCollective * real(work.collectives) +
             kRecordedRank * run.workload.rank_count();
  return bytes;
}

double nanoseconds_of(const EngineRun& run, const SimulationWork& work) {
  const double message = run.platform.collectives.rendezvous ? kAnnouncedMessageTime
                         : run.network.traits().uncontended  ? kMessageTime
                         : shares_rates(run)                 ? kSharingMessageTime
                                                             : kQueuingMessageTime;
  const double packet =
      run.platform.network == platform::NetworkModelKind::ns3 ? kNs3PacketTime : kPacketTime;
  const double time =
      kRankTime * real(work.ranks) + kNodeTime * real(work.nodes + work.custom_nodes) +
      kClosedPhaseTime * real(work.phases_by_closed_form) + message * real(work.messages) +
      packet * packets_of(run, work) + kFlitTime * flits_at_routers(run, work);
  if (!run.options.record) return time;
  return time * (run.network.traits().uncontended ? kRecordingFactor
                 : shares_rates(run)              ? kRecordingFactorSharing
                                                  : kRecordingFactorQueuing);
}

/// What would need less memory.
std::string advice(const EngineRun& run, const SimulationWork& work) {
  std::vector<std::string> ways;
  const Savings& savings = run.result.savings;
  if (run.options.record && savings.unrecorded_representatives > 0) {
    ways.push_back(fmt::format("without a run file or page, {} representative ranks suffice",
                               savings.unrecorded_representatives));
  } else if (run.options.record) {
    ways.emplace_back("without a run file or page, the simulation stores less");
  }
  if (!run.folded_workload.is_folded() && !run.options.fold)
    ways.emplace_back("with --fold auto, equivalent ranks are simulated once");
  if (work.phases_by_messages > 0) {
    if (run.platform.rules == platform::Rules::astra)
      ways.emplace_back("with --rules orrery, closed forms replace the messages of collectives");
    else if (!run.network.traits().uncontended || run.platform.collectives.rendezvous)
      ways.emplace_back(
          "with --network analytical and without rendezvous, closed forms replace the messages of "
          "collectives");
    else if (!run.options.closed_forms)
      ways.emplace_back("with --collectives auto, closed forms replace messages");
  }
  if (run.platform.collectives.splits > 1 && run.options.library == nullptr &&
      2 * work.chunk_states > work.nodes)
    ways.push_back(fmt::format("collectives in fewer than {} chunks store less",
                               run.platform.collectives.splits));
  if (ways.empty()) ways.emplace_back("use fewer ranks, or a machine with more memory");
  std::string text;
  for (const std::string& way : ways) text += (text.empty() ? "" : "; ") + way;
  return text;
}

}  // namespace

SimulationEstimate estimate_simulation(const EngineRun& run, const SimulationWork& work) {
  SimulationEstimate made;
  made.work = work;
  made.bytes = static_cast<std::uint64_t>(bytes_of(run, work));
  made.cpu_seconds = nanoseconds_of(run, work) * 1e-9;
  return made;
}

Result<void> check_cpu_time(const EngineRun& run, const SimulationEstimate& estimate) {
  const double limit = run.options.max_cpu_seconds;
  if (limit <= 0 || estimate.cpu_seconds <= limit) return {};
  return fail(
      Errc::limit_exceeded, "",
      fmt::format("the simulation needs about {} of CPU time by its estimate, and the limit "
                  "is {}",
                  format_duration(estimate.cpu_seconds), format_duration(limit)),
      "use fewer ranks or a smaller job, or raise the limit");
}

Result<MemoryReservation> reserve_memory(const EngineRun& run, const SimulationEstimate& estimate) {
  if (estimate.bytes <= kAlwaysFits) return MemoryReservation();
  auto reserved = MemoryReservation::reserve(estimate.bytes);
  if (reserved) return *std::move(reserved);
  const std::uint64_t available = available_memory();
  const SimulationWork& work = estimate.work;
  std::string why;
  if (!run.folded_workload.is_folded() && run.options.fold)
    why = fmt::format(". Every rank is simulated, because {}", run.result.savings.unfolded_reason);
  return fail(Errc::limit_exceeded, "",
              fmt::format("the simulation of {} ranks with {} nodes and {} messages needs about {} "
                          "of memory, but {} are available{}",
                          format_count(static_cast<std::int64_t>(work.ranks)),
                          format_count(static_cast<std::int64_t>(work.nodes)),
                          format_count(static_cast<std::int64_t>(work.messages)),
                          format_bytes(Bytes(static_cast<std::int64_t>(estimate.bytes))),
                          format_bytes(Bytes(static_cast<std::int64_t>(available))), why),
              advice(run, work));
}

}  // namespace orrery::sim
