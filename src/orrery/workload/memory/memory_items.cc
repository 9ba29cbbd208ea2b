// SPDX-License-Identifier: Apache-2.0
#include "orrery/workload/memory/memory_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace orrery::workload {
namespace {

/// "12 layers", "1 layer", "3 x"
std::string times(std::uint64_t count, const Part& part) {
  if (!part.is_layer) return fmt::format("{} x", count);
  return fmt::format("{} layer{}", count, count == 1 ? "" : "s");
}

/// How many times a part's activations are alive at a moment.
struct Copies {
  std::uint64_t all = 0;
  std::uint64_t each = 0;  ///< in each live microbatch; 0: differs between them
  std::uint64_t microbatches = 0;

  void add(std::uint64_t layers, std::uint64_t count) {
    if (layers == 0 || count == 0) return;
    each = all == 0 || each == layers ? layers : 0;
    all += layers * count;
    microbatches += count;
  }
};

/// "layer.scores"; the name of an item often contains that of its part.
std::string named(const Part& part, const char* item) {
  if (std::string_view(item).rfind(part.name + ".", 0) == 0) return item;
  return fmt::format("{}.{}", part.name, item);
}

std::string named(const Part& part, const char* item, const Copies& copies) {
  const std::string name = named(part, item);
  if (copies.each == 0) {
    return fmt::format("{}, {} in all microbatches", name, times(copies.all, part));
  }
  const char* const plural = copies.microbatches == 1 ? "" : "es";
  if (!part.is_layer && copies.each == 1) {
    return fmt::format("{}, {} microbatch{}", name, copies.microbatches, plural);
  }
  return fmt::format("{}, {} x {} microbatch{}", name, times(copies.each, part),
                     copies.microbatches, plural);
}

/// The current pass has activations on places first … last-1 of its chunk.
struct Range {
  std::size_t first = 0, last = 0;
};

/// Places up to the current one of the pass, inclusive.
Range reached(const TaskPeak& moment, const ChunkProfile& chunk) {
  return {0, std::min(moment.pass_peak.place + 1, chunk.parts.size())};
}

Range kept_range(const TaskPeak& moment, const ChunkProfile& chunk) {
  const TaskKind kind = moment.task.kind;
  if (kind == TaskKind::step || kind == TaskKind::weight_grad) return {};
  if (kind == TaskKind::input_grad) return {0, moment.pass_peak.split_from};
  return reached(moment, chunk);
}

Range redone_range(const TaskPeak& moment) {
  if (moment.task.kind == TaskKind::input_grad)
    return {moment.pass_peak.place, moment.pass_peak.split_from};
  return {};
}

Range halfway_range(const TaskPeak& moment, const ChunkProfile& chunk) {
  if (moment.task.kind == TaskKind::input_grad)
    return {moment.pass_peak.split_from, chunk.parts.size()};
  if (moment.task.kind == TaskKind::weight_grad) return reached(moment, chunk);
  return {};
}

/// Whether the pass holds the tensor that the chunk's parts share.
bool holds_shared(const TaskPeak& moment, const ChunkProfile& chunk) {
  if (moment.task.kind == TaskKind::input_grad) return true;
  return chunk.shared_place < reached(moment, chunk).last;
}

std::uint64_t count_of(const ChunkProfile& chunk, Range range, std::uint32_t part) {
  std::uint64_t count = 0;
  for (std::size_t i = range.first; i < range.last; ++i) count += chunk.parts[i] == part ? 1 : 0;
  return count;
}

/// Number of times each part is on the role.
std::map<std::uint32_t, std::uint64_t> parts_of(const Role& role) {
  std::map<std::uint32_t, std::uint64_t> counts;
  for (const auto& chunk : role.chunks) {
    for (const PartRun& run : chunk) counts[run.part] += run.count;
  }
  return counts;
}

void add_activations(const Program& program, const Role& role,
                     const std::vector<ChunkProfile>& chunks, const TaskPeak& moment,
                     std::vector<MemoryItem>& items) {
  for (const auto& entry : parts_of(role)) {
    const std::uint32_t index = entry.first;
    const Part& part = program.parts[index];
    Copies retained, redone, halfway;
    for (std::size_t c = 0; c < chunks.size(); ++c) {
      const ChunkProfile& chunk = chunks[c];
      const std::uint64_t all = count_of(chunk, {0, chunk.parts.size()}, index);
      retained.add(all, moment.in_flight[c] - moment.awaiting_weight_half[c]);
      halfway.add(all, moment.awaiting_weight_half[c]);
      if (moment.task.kind == TaskKind::step || c != moment.task.chunk) continue;
      retained.add(count_of(chunk, kept_range(moment, chunk), index), 1);
      redone.add(count_of(chunk, redone_range(moment), index), 1);
      halfway.add(count_of(chunk, halfway_range(moment, chunk), index), 1);
    }
    for (const RetainedTensor& item : part.retained) {
      items.push_back({MemoryKind::activations, named(part, item.name, retained),
                       static_cast<std::int64_t>(retained.all) * item.bytes});
    }
    items.push_back({MemoryKind::activations, named(part, "recomputed", redone),
                     static_cast<std::int64_t>(redone.all) * recomputed_bytes(part)});
    items.push_back({MemoryKind::activations, named(part, "stored for the weight half", halfway),
                     static_cast<std::int64_t>(halfway.all) * split_backward_bytes(part)});
  }
}

/// Adds the tensor that all parts on a stage store once.
void add_shared(const Program& program, const std::vector<ChunkProfile>& chunks,
                const TaskPeak& moment, std::vector<MemoryItem>& items) {
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const ChunkProfile& chunk = chunks[c];
    if (chunk.shared_place >= chunk.parts.size()) continue;
    const Part& part = program.parts[chunk.parts[chunk.shared_place]];
    Copies copies;
    copies.add(1, moment.in_flight[c]);
    const bool own = moment.task.kind != TaskKind::step && c == moment.task.chunk;
    if (own && holds_shared(moment, chunk)) copies.add(1, 1);
    items.push_back({MemoryKind::activations, named(part, part.shared.name, copies),
                     static_cast<std::int64_t>(copies.all) * part.shared.bytes});
  }
}

/// Adds the working memory of a pass through `part`, one layer at a time.
void add_working(const Part& part, TaskKind kind, std::vector<MemoryItem>& items) {
  if (kind == TaskKind::weight_grad) return;
  const bool again = kind == TaskKind::backward && recomputed_bytes(part) > 0;
  items.push_back({MemoryKind::working, part.name + ".working", working_bytes(part)});
  if (!again) return;
  for (const RetainedTensor& item : part.working_tensors) {
    if (std::string_view(item.name) == "working") continue;
    items.push_back({MemoryKind::working, named(part, item.name) + ", recomputed", item.bytes});
  }
}

}  // namespace

std::vector<MemoryItem> state_items(const Program& program, const Role& role,
                                    const ModelState& state) {
  std::vector<MemoryItem> items;
  for (const auto& entry : parts_of(role)) {
    const Part& part = program.parts[entry.first];
    const std::uint64_t count = entry.second;
    const std::string often = count == 1 && !part.is_layer ? "" : ", " + times(count, part);
    const auto add = [&items, n = static_cast<std::int64_t>(count)](const std::string& name,
                                                                    const ModelStateBytes& bytes) {
      items.push_back({MemoryKind::weights, name, n * bytes.weights});
      items.push_back({MemoryKind::gradients, name, n * bytes.gradients});
      items.push_back({MemoryKind::optimizer, name, n * bytes.optimizer});
    };
    add(part.name + often, state.dense(part.weights, part.frozen));
    add(part.name + ".experts" + often, state.experts(part.weights, part.frozen));
    add(part.name + ".tables" + often, state.tables(part.weights));
  }
  return items;
}

std::vector<MemoryItem> live_items(const Program& program, const Role& role,
                                   const std::vector<ChunkProfile>& chunks,
                                   const TaskPeak& moment) {
  std::vector<MemoryItem> items;
  add_activations(program, role, chunks, moment, items);
  add_shared(program, chunks, moment, items);
  const bool step = moment.task.kind == TaskKind::step;
  if (!step && !chunks[moment.task.chunk].parts.empty()) {
    const std::uint32_t at = chunks[moment.task.chunk].parts[moment.pass_peak.place];
    add_working(program.parts[at], moment.task.kind, items);
  }
  std::int64_t always_gathered = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (moment.needs_weights(i)) always_gathered += chunks[i].always_gathered;
  }
  items.push_back({MemoryKind::working, "input gathered for the weight gradient", moment.gathered});
  items.push_back({MemoryKind::activations, "in transfer to or from remote memory",
                   moment.offload_in_transfer});
  const MemoryKind kind = MemoryKind::communication;
  items.push_back({kind, "gathered weights", moment.pass_peak.gathered + always_gathered});
  items.push_back({kind, "gradients in transfer", moment.pass_peak.gradients});
  items.push_back({kind, "message arriving", moment.incoming_message});
  items.push_back({kind, "message leaving", moment.outgoing_message});
  return items;
}

void sort_items(std::vector<MemoryItem>& items) {
  std::stable_sort(items.begin(), items.end(), [](const MemoryItem& a, const MemoryItem& b) {
    return std::tie(a.kind, a.name) < std::tie(b.kind, b.name);
  });
  std::vector<MemoryItem> merged;
  for (MemoryItem& item : items) {
    if (item.bytes == 0) continue;
    const bool same =
        !merged.empty() && merged.back().kind == item.kind && merged.back().name == item.name;
    if (same) {
      merged.back().bytes += item.bytes;
    } else {
      merged.push_back(std::move(item));
    }
  }
  std::stable_sort(merged.begin(), merged.end(),
                   [](const MemoryItem& a, const MemoryItem& b) { return a.bytes > b.bytes; });
  items = std::move(merged);
}

}  // namespace orrery::workload
