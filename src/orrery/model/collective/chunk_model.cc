// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/collective/chunk_model.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace orrery::model {

using platform::IntraDimension;

ChunkModel::ChunkModel(const ChunkRules& rules)
    : rules_(rules), queues_(std::size_t{rules.dims} * rules.queues_per_dim) {}

// Assigns queues round-robin among those that the pass of a phase may use.
void ChunkModel::choose_queues() {
  const std::uint32_t q = rules_.queues_per_dim;
  std::vector<std::uint32_t> next(std::size_t{rules_.dims} * 3);
  first_choice_.clear();
  queues_chosen_.clear();
  for (const ChunkPath* path : paths_) {
    first_choice_.push_back(static_cast<std::uint32_t>(queues_chosen_.size()));
    for (const ChunkPhaseTime& step : *path) {
      std::uint32_t& turn = next[step.dim * 3U + static_cast<std::uint32_t>(step.queues)];
      const std::uint32_t first = step.queues == QueueUse::second_half ? q / 2 : 0;
      const std::uint32_t count = step.queues == QueueUse::all          ? q
                                  : step.queues == QueueUse::first_half ? std::max(q / 2, 1U)
                                                                        : q - q / 2;
      queues_chosen_.push_back(step.dim * q + first + turn);
      turn = (turn + 1) % count;
    }
  }
}

// The priority of a waiting chunk: lower first, then the longest wait, then the earlier chunk.
std::int64_t ChunkModel::rank_of(std::uint32_t chunk) const {
  const auto left = static_cast<std::int64_t>(paths_[chunk]->size() - done_[chunk]);
  switch (rules_.within) {
    case IntraDimension::smallest_first:
      return left == 1 ? std::numeric_limits<std::int64_t>::max() : step_of(chunk).largest;
    case IntraDimension::less_remaining_phases_first:
      return left;
    case IntraDimension::rg:
    case IntraDimension::fifo:
      break;
  }
  return 0;
}

void ChunkModel::wait(std::uint32_t chunk) {
  const std::uint32_t number = queue_of(chunk);
  Queue& queue = queues_[number];
  if (rules_.within == IntraDimension::rg) {
    queue.arrived.push_back(chunk);
  } else {
    queue.waiting.push({rank_of(chunk), now_, chunk});
  }
  if (!std::exchange(queue.touched, true)) touched_.push_back(number);
}

void ChunkModel::end_phase(std::uint32_t chunk) {
  const std::uint32_t number = queue_of(chunk);
  Queue& queue = queues_[number];
  --queue.running;
  if (!std::exchange(queue.touched, true)) touched_.push_back(number);
  if (queue.last_at != now_ || chunk > queue.last_chunk) {
    queue.last_at = now_;
    queue.last_chunk = chunk;
    queue.last_was_gather = step_of(chunk).gather;
  }
  ++phases_;
  if (++done_[chunk] < paths_[chunk]->size()) wait(chunk);
}

// rg: queues arrived chunks. A chunk of the kind (gather or scatter) that did not end last precedes
// the first chunk of the other kind, unless the last chunk in line is of its own kind.
void ChunkModel::line_up(Queue& queue) {
  std::sort(queue.arrived.begin(), queue.arrived.end());
  for (const std::uint32_t chunk : queue.arrived) {
    auto place = queue.in_line.end();
    const auto wanted = [&](std::uint32_t one) {
      return step_of(one).gather != queue.last_was_gather;
    };
    if (wanted(chunk) && !queue.in_line.empty() && !wanted(queue.in_line.back())) {
      place = std::find_if_not(queue.in_line.begin(), queue.in_line.end(), wanted);
    }
    queue.in_line.insert(place, chunk);
  }
  queue.arrived.clear();
}

void ChunkModel::start_touched() {
  for (const std::uint32_t number : touched_) {
    Queue& queue = queues_[number];
    queue.touched = false;
    line_up(queue);
    while (queue.running < rules_.servers && !(queue.waiting.empty() && queue.in_line.empty())) {
      std::uint32_t chunk = 0;
      if (queue.in_line.empty()) {
        chunk = queue.waiting.top().chunk;
        queue.waiting.pop();
      } else {
        chunk = queue.in_line.front();
        queue.in_line.erase(queue.in_line.begin());
      }
      ++queue.running;
      ends_.push({now_ + step_of(chunk).time, chunk});
    }
  }
  touched_.clear();
}

std::int64_t ChunkModel::time_of(std::span<const ChunkPath* const> paths) {
  paths_ = paths;
  now_ = 0;
  done_.assign(paths.size(), 0);
  for (Queue& queue : queues_) {
    queue.last_was_gather = false;
    queue.last_at = -1;
  }
  choose_queues();
  for (std::uint32_t chunk = 0; chunk < paths.size(); ++chunk)
    if (!paths[chunk]->empty()) wait(chunk);
  start_touched();
  while (!ends_.empty()) {
    now_ = ends_.top().at;
    while (!ends_.empty() && ends_.top().at == now_) {
      const std::uint32_t chunk = ends_.top().chunk;
      ends_.pop();
      end_phase(chunk);
    }
    start_touched();
  }
  return now_;
}

}  // namespace orrery::model
