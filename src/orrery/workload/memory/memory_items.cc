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

/// How often a part's activations are alive at a moment.
struct Copies {
  std::uint64_t all = 0;
  std::uint64_t each = 0;  ///< in every microbatch alive; 0 = differs
  std::uint64_t microbatches = 0;

  void add(std::uint64_t layers, std::uint64_t count) {
    if (layers == 0 || count == 0) return;
    each = all == 0 || each == layers ? layers : 0;
    all += layers * count;
    microbatches += count;
  }
};

/// "layer.scores"; items of a part often have its name already.
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

/// Activations of the pass at hand lie on places first … last-1 of its chunk.
struct Range {
  std::size_t first = 0, last = 0;
};

/// Places up to and with the one that the pass is at.
Range reached(const TaskPeak& moment, const ChunkProfile& chunk) {
  return {0, std::min(moment.worst.place + 1, chunk.parts.size())};
}

Range kept_range(const TaskPeak& moment, const ChunkProfile& chunk) {
  const TaskKind kind = moment.task.kind;
  if (kind == TaskKind::step || kind == TaskKind::weight_grad) return {};
  if (kind == TaskKind::input_grad) return {0, moment.worst.halved};
  return reached(moment, chunk);
}

Range redone_range(const TaskPeak& moment) {
  if (moment.task.kind == TaskKind::input_grad) return {moment.worst.place, moment.worst.halved};
  return {};
}

Range halfway_range(const TaskPeak& moment, const ChunkProfile& chunk) {
  if (moment.task.kind == TaskKind::input_grad) return {moment.worst.halved, chunk.parts.size()};
  if (moment.task.kind == TaskKind::weight_grad) return reached(moment, chunk);
  return {};
}

/// Whether the pass holds what the chunk's parts share.
bool holds_shared(const TaskPeak& moment, const ChunkProfile& chunk) {
  if (moment.task.kind == TaskKind::input_grad) return true;
  return chunk.sharing < reached(moment, chunk).last;
}

std::uint64_t count_of(const ChunkProfile& chunk, Range range, std::uint32_t part) {
  std::uint64_t count = 0;
  for (std::size_t i = range.first; i < range.last; ++i) count += chunk.parts[i] == part ? 1 : 0;
  return count;
}

/// How many of each part lie on the role.
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
    items.push_back({MemoryKind::activations, named(part, "computed again", redone),
                     static_cast<std::int64_t>(redone.all) * recomputed_bytes(part)});
    items.push_back({MemoryKind::activations, named(part, "held for the weight half", halfway),
                     static_cast<std::int64_t>(halfway.all) * halfway_bytes(part)});
  }
}

/// What all parts on a stage keep once.
void add_shared(const Program& program, const std::vector<ChunkProfile>& chunks,
                const TaskPeak& moment, std::vector<MemoryItem>& items) {
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const ChunkProfile& chunk = chunks[c];
    if (chunk.sharing >= chunk.parts.size()) continue;
    const Part& part = program.parts[chunk.parts[chunk.sharing]];
    Copies copies;
    copies.add(1, moment.in_flight[c]);
    const bool own = moment.task.kind != TaskKind::step && c == moment.task.chunk;
    if (own && holds_shared(moment, chunk)) copies.add(1, 1);
    items.push_back({MemoryKind::activations, named(part, part.shared.name, copies),
                     static_cast<std::int64_t>(copies.all) * part.shared.bytes});
  }
}

/// What a pass through `part` works with, one layer at a time.
void add_working(const Part& part, TaskKind kind, std::vector<MemoryItem>& items) {
  if (kind == TaskKind::weight_grad) return;
  const bool again = kind == TaskKind::backward && recomputed_bytes(part) > 0;
  items.push_back({MemoryKind::working, part.name + ".working", working_bytes(part)});
  if (!again) return;
  for (const RetainedTensor& item : part.transient) {
    if (std::string_view(item.name) == "working") continue;
    items.push_back({MemoryKind::working, named(part, item.name) + ", computed again", item.bytes});
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

std::vector<MemoryItem> alive_items(const Program& program, const Role& role,
                                    const std::vector<ChunkProfile>& chunks,
                                    const TaskPeak& moment) {
  std::vector<MemoryItem> items;
  add_activations(program, role, chunks, moment, items);
  add_shared(program, chunks, moment, items);
  const bool step = moment.task.kind == TaskKind::step;
  if (!step && !chunks[moment.task.chunk].parts.empty()) {
    const std::uint32_t at = chunks[moment.task.chunk].parts[moment.worst.place];
    add_working(program.parts[at], moment.task.kind, items);
  }
  std::int64_t whole = 0;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (moment.needs_weights(i)) whole += chunks[i].whole;
  }
  items.push_back(
      {MemoryKind::working, "input gathered for its weights' gradient", moment.gathered});
  items.push_back(
      {MemoryKind::activations, "on their way to remote memory, or back", moment.moving});
  const MemoryKind kind = MemoryKind::communication;
  items.push_back({kind, "gathered weights", moment.worst.gathered + whole});
  items.push_back({kind, "gradients on their way", moment.worst.gradients});
  items.push_back({kind, "message arriving", moment.arriving});
  items.push_back({kind, "message leaving", moment.leaving});
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
