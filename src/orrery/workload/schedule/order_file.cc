// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes orders as text.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/workload/schedule/pipeline_order_internal.h"
#include "orrery/workload/schedule/slot_loops.h"

namespace orrery::workload {
namespace {

using config::Json;
using config::pointer;

constexpr std::pair<std::string_view, Placement> kPlacements[] = {
    {"round_robin", Placement::round_robin},
    {"v", Placement::v},
    {"both_ways", Placement::bidirectional}};

constexpr std::pair<char, Pass> kPasses[] = {
    {'F', Pass::forward}, {'B', Pass::backward}, {'I', Pass::input_grad}, {'W', Pass::weight_grad}};

/// Removes a number from the start of `text`.
template <class Number>
bool take(std::string_view& text, Number& number) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return status == std::errc();
}

/// Parses a pass such as "F3.1"; empty if it is none.
std::optional<Slot> slot_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const auto& [letter, pass] : kPasses) {
    if (letter != text.front()) continue;
    Slot slot{pass, 0, 0};
    text.remove_prefix(1);
    if (!take(text, slot.microbatch)) return std::nullopt;
    if (text.empty()) return slot;
    if (text.front() != '.') return std::nullopt;
    text.remove_prefix(1);
    if (!take(text, slot.chunk) || !text.empty()) return std::nullopt;
    return slot;
  }
  return std::nullopt;
}

/// Reads one file; stops at the first error.
class OrderReader {
 public:
  explicit OrderReader(const std::string& where) : where_(where) {}

  Result<PipelineOrder> read(const Json& tree, std::uint32_t stages, std::uint32_t microbatches) {
    if (!tree.is_object()) return wrong_kind("", tree, "a mapping");
    for (const auto& [key, value] : tree.items()) {
      if (key == "chunks" || key == "placement" || key == "stages") continue;
      return fail(
          Errc::config_unknown_key, at(pointer("", key)), "is not a key of an order",
          did_you_mean(key, std::vector<std::string_view>{"chunks", "placement", "stages"}));
    }
    const Result<std::uint32_t> chunks = read_chunks(tree);
    if (!chunks) return tl::unexpected(chunks.error());
    const Result<Placement> placement = read_placement(tree, *chunks);
    if (!placement) return tl::unexpected(placement.error());
    if (Result<void> fine = check_schedule_size(stages, microbatches, *chunks); !fine) {
      return tl::unexpected(fine.error());
    }
    PipelineOrder order = empty_order(*placement, stages, microbatches, *chunks);
    if (Result<void> fine = read_stages(tree, order); !fine) return tl::unexpected(fine.error());
    if (Result<void> fine = check_order(order, where_); !fine) return tl::unexpected(fine.error());
    for (std::uint32_t s = 0; s < stages; ++s) order.loops[s] = fold_slots(order.slots(s));
    return order;
  }

 private:
  [[nodiscard]] std::string at(const std::string& path) const {
    return where_ + ":" + (path.empty() ? "/" : path);
  }
  [[nodiscard]] tl::unexpected<Error> wrong_kind(const std::string& path, const Json& value,
                                                 std::string_view wanted) const {
    return fail(Errc::config_type, at(path),
                fmt::format("is {}, but must be {}", config::json_kind(value), wanted));
  }

  [[nodiscard]] Result<std::uint32_t> read_chunks(const Json& tree) const {
    const auto found = tree.find("chunks");
    if (found == tree.end()) return 1;
    if (!found->is_number_integer()) return wrong_kind("/chunks", *found, "a whole number");
    const std::uint64_t chunks =
        found->is_number_unsigned()
            ? found->get<std::uint64_t>()
            : static_cast<std::uint64_t>(std::max<std::int64_t>(0, found->get<std::int64_t>()));
    if (chunks < 1 || chunks > 48) {
      return fail(Errc::config_range, at("/chunks"), "is not between 1 and 48");
    }
    return static_cast<std::uint32_t>(chunks);
  }

  [[nodiscard]] Result<Placement> read_placement(const Json& tree, std::uint32_t chunks) const {
    const auto found = tree.find("placement");
    if (found == tree.end()) return Placement::round_robin;
    if (!found->is_string()) return wrong_kind("/placement", *found, "a word");
    const std::string& word = found->get_ref<const std::string&>();
    std::vector<std::string_view> words;
    for (const auto& [name, placement] : kPlacements) {
      words.push_back(name);
      if (name != word) continue;
      if (placement == Placement::bidirectional && chunks != 2) {
        return fail(Errc::config_conflict, at("/placement"), "both_ways needs two chunks",
                    "chunk 0 of each stage belongs to one direction, chunk 1 to the other");
      }
      return placement;
    }
    return fail(Errc::config_range, at("/placement"),
                in_quotes(word) + " is not one of round_robin, v, both_ways",
                did_you_mean(word, words));
  }

  [[nodiscard]] Result<void> read_stages(const Json& tree, PipelineOrder& order) const {
    const auto found = tree.find("stages");
    if (found == tree.end()) {
      return fail(Errc::config_missing_key, at("/stages"), "is missing",
                  "list the passes of each stage, e.g. [[F0, B0], [F0, B0]]");
    }
    if (!found->is_array()) return wrong_kind("/stages", *found, "a list");
    if (found->size() != order.stages) {
      return fail(Errc::config_conflict, at("/stages"),
                  fmt::format("lists {} stages, but the job has {}", found->size(), order.stages));
    }
    for (std::size_t s = 0; s < order.stages; ++s) {
      const Json& list = (*found)[s];
      const std::string path = pointer("/stages", s);
      if (!list.is_array()) return wrong_kind(path, list, "a list");
      SlotLoop passes;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (!list[i].is_string()) return wrong_kind(pointer(path, i), list[i], "a pass");
        const std::string& text = list[i].get_ref<const std::string&>();
        const std::optional<Slot> slot = slot_of(text);
        if (!slot) {
          return fail(Errc::config_range, at(pointer(path, i)), in_quotes(text) + " is not a pass",
                      "write a pass as F, B, I or W and the microbatch, with a period and the "
                      "chunk for chunks other than 0: F0, B12, I3.1");
        }
        passes.slots.push_back(*slot);
      }
      order.loops[s].push_back(std::move(passes));
    }
    return {};
  }

  const std::string& where_;
};

bool same_pipes(const PipelineOrder& a, const PipelineOrder& b) {
  return std::equal(a.pipes.begin(), a.pipes.end(), b.pipes.begin(), b.pipes.end(),
                    [](const std::vector<ChunkPlace>& x, const std::vector<ChunkPlace>& y) {
                      return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                                        [](const ChunkPlace& one, const ChunkPlace& other) {
                                          return one.stage == other.stage &&
                                                 one.chunk == other.chunk;
                                        });
                    });
}

/// The placement of an order in a file.
std::string_view placement_of(const PipelineOrder& order) {
  for (const auto& [name, placement] : kPlacements) {
    if (placement == Placement::bidirectional && order.chunks != 2) continue;
    if (same_pipes(order, empty_order(placement, order.stages, 0, order.chunks))) return name;
  }
  return kPlacements[0].first;
}

}  // namespace

std::string slot_text(const Slot& slot) {
  char letter = '?';
  for (const auto& [each, pass] : kPasses) {
    if (pass == slot.pass) letter = each;
  }
  if (slot.chunk == 0) return fmt::format("{}{}", letter, slot.microbatch);
  return fmt::format("{}{}.{}", letter, slot.microbatch, slot.chunk);
}

Result<PipelineOrder> parse_order(std::string_view text, const std::string& where,
                                  std::uint32_t stages, std::uint32_t microbatches) {
  const Result<Json> tree = config::parse_yaml(text, where);
  if (!tree) return tl::unexpected(tree.error());
  return OrderReader(where).read(*tree, stages, microbatches);
}

std::string order_to_yaml(const PipelineOrder& order) {
  std::string text = fmt::format("# {} microbatches\nchunks: {}\nplacement: {}\nstages:\n",
                                 order.microbatches, order.chunks, placement_of(order));
  for (std::uint32_t s = 0; s < order.stages; ++s) {
    const std::vector<Slot> slots = order.slots(s);
    text += "  - [";
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (i > 0) text += ", ";
      text += slot_text(slots[i]);
    }
    text += "]\n";
  }
  return text;
}

}  // namespace orrery::workload
