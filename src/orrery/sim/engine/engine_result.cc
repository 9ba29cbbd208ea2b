// SPDX-License-Identifier: Apache-2.0
//
// The result of a run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "orrery/sim/engine/engine.h"
#include "orrery/sim/observe/exposed_communication.h"
#include "orrery/sim/observe/path_error_classes.h"
#include "orrery/sim/observe/run_critical_path.h"
#include "orrery/sim/observe/stall_report.h"
#include "orrery/sim/observe/tensor_memory_curve.h"

namespace orrery::sim {

namespace {

// Computes the peak of tensor memory: always under Orrery rules, with track-local-mem under ASTRA
// rules.
void track_memory(EngineRun& run, std::uint32_t rank) {
  if (run.pages != nullptr || (!run.policy.follows_memory && !run.platform.track_local_memory))
    return;
  const auto when = [&](graph::NodeId node) -> std::optional<std::pair<Time, Time>> {
    const NodeTimes& times = run.times_of(rank, node);
    if (times.start < 0 || times.end < 0) return std::nullopt;
    return std::pair{Time(times.start), Time(times.end)};
  };
  if (const auto held = tensor_memory_curve(run.graph_of(rank), when))
    run.shared.results[rank].peak_memory = held->peak;
}

template <typename Weight>
void note_unmatched(const Mailboxes& mailboxes, const Weight& weight, Findings& findings) {
  std::vector<const Mailboxes::Entry*> left = mailboxes.sorted();
  std::erase_if(left, [](const Mailboxes::Entry* entry) { return entry->box.arrived == 0; });
  for (std::size_t i = 0; i < left.size(); ++i) {
    const MessageKey& key = left[i]->key;
    const std::string where = i < Findings::kPlaces
                                  ? fmt::format("rank {} to rank {}, {} bytes, tag {}", key.src,
                                                key.dst, key.size, key.tag)
                                  : std::string();
    findings.add(FindingCode::unmatched_send, where, left[i]->box.arrived * weight(key.src));
  }
}

}  // namespace

void Engine::add_predictions(const Engine& from) {
  const std::vector<PredictedCollective> predicted = from.planner_.predicted();
  run_.result.predicted.insert(run_.result.predicted.end(), predicted.begin(), predicted.end());
  const std::vector<ChunkChoice> choices = from.collectives_.choices();
  run_.result.chunk_choices.insert(run_.result.chunk_choices.end(), choices.begin(), choices.end());
}

void Engine::note_memory() {
  std::vector<RecordedLevel> curves;
  const auto add = [&](MemoryLevel level, std::uint64_t sharing) {
    run_.result.memory.push_back(std::move(level));
    if (recording_) curves.push_back(recording_->memory_traffic().level(sharing));
  };
  const std::vector<model::StageCapacity>& stages = device_work_.pools().stages();
  const auto devices = static_cast<double>(run_.platform.npu_count());
  const model::StageTraffic over_network = device_work_.network_memory().traffic();
  if (over_network != model::StageTraffic{}) {
    const model::StageCapacity all = model::network_memory_capacity(run_.platform);
    add({all.name, over_network.loaded, over_network.stored, all.bytes_per_ns * 1e9,
         all.half_duplex},
        1);
  }
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const model::StageTraffic traffic = device_work_.pools().traffic(s);
    if (traffic == model::StageTraffic{}) continue;
    const auto sharing = static_cast<double>(stages[s].devices);
    const double each = run_.platform.remote_memory.in_switch ? stages[s].bytes_per_ns / sharing
                                                              : stages[s].bytes_per_ns;
    add({stages[s].name, traffic.loaded, traffic.stored, std::ceil(devices / sharing) * each * 1e9,
         stages[s].half_duplex},
        static_cast<std::uint64_t>(stages[s].devices));
  }
  if (!recording_ || curves.empty()) return;
  run_.result.recording->memory_bin = recording_->memory_traffic().bin();
  run_.result.recording->memory = std::move(curves);
}

SimResult Engine::summarize() {
  for (std::uint32_t rank = 0; rank < run_.shared.results.size(); ++rank) {
    RankResult& rank_result = run_.shared.results[rank];
    track_memory(run_, rank);
    if (!rank_result.finish) continue;
    run_.result.end = std::max(run_.result.end, *rank_result.finish);
    // ASTRA rules: if overlapping nodes sum to more than the finish time, nothing is exposed.
    rank_result.exposed_comm =
        run_.policy.exposed_is_the_rest
            ? std::max(Time{}, *rank_result.finish - Time(run_.shared.gpu_time[rank]))
            : rank_result.comm_only;
  }
  collectives_.count_sent_so_far();
  for (auto& [key, total] : times_.totals()) {
    total.type = key.first;
    total.group_size = key.second;
    run_.result.collectives.push_back(total);
  }
  if (nodes_.finished() < run_.workload.rank_count()) {
    run_.result.stall = stall_report(run_, messages_.state(), chunks_);
    run_.result.stall->network = run_.network.why_stalled();
  }
  note_unmatched(
      messages_.state().mailboxes,
      [&](std::uint32_t sender) {
        return run_.weight(run_.folded_workload.rank_for(sender % run_.fabric.rank_count()));
      },
      run_.result.findings);
  run_.result.packets = run_.network.packet_totals();
  run_.network.add_findings(run_.result.findings);
  run_.format_notes();
  add_predictions(*this);
  sort_predicted_collectives(run_.result.predicted);
  sort_choices(run_.result.chunk_choices);
  // Before releases are settled, which happens rank by rank.
  if (recording_) recording_->find_equal_times();
  if (run_.pages == nullptr) {
    if (run_.options.exposed_by_group) run_.result.exposed = exposed_by_group(run_);
    run_.result.path = critical_path(run_, nodes_, collectives_, messages_.state());
    run_.result.error_classes =
        error_classes(run_.result.path, run_,
                      {device_work_.models(), nodes_, custom_collectives_, collectives_, planner_},
                      run_.result.time_by_provenance);
  }
  if (recording_ && !run_.policy.first_come)
    nodes_.settle_releases_of_first(recording_->equal_times());
  if (recording_)
    run_.result.recording = std::move(*recording_).finish(std::move(run_.shared.times));
  note_memory();
  run_.result.ranks = RankResults(std::move(run_.shared.results),
                                  std::move(run_.shared.folded_workload).class_of());
  return std::move(run_.result);
}

}  // namespace orrery::sim
