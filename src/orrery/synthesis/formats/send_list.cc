// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/send_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "orrery/core/text/suggest.h"
#include "orrery/synthesis/algorithms/plan_program.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {

namespace {

constexpr std::array<std::string_view, 7> kFileKeys = {"name",    "collective", "ranks", "chunks",
                                                       "scratch", "root",       "sends"};
constexpr std::array<std::string_view, 8> kSendKeys = {"from",  "to",   "chunk",   "to_chunk",
                                                       "count", "adds", "channel", "buffers"};

Result<void> check_keys(const JsonPlace& in, std::span<const std::string_view> known) {
  if (!in.value.is_object()) return fail(Errc::input_corrupt, in.where, "must be an object");
  for (const auto& [key, value] : in.value.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      return fail(Errc::input_unsupported, in.where + "/" + key, "a list of sends has no such key",
                  did_you_mean(key, known));
  return {};
}

/// The shape of a plan before its sends.
struct Shape {
  CollectiveType type = CollectiveType::unknown;
  std::uint32_t ranks = 0, root = 0;
  std::array<std::uint32_t, kPlanBuffers> chunks{};
  bool in_place = true;
};

Result<Shape> read_shape(const JsonPlace& file) {
  const auto collective = json_text(file, {"collective"});
  if (!collective) return tl::unexpected(collective.error());
  Shape shape;
  shape.type = plan_collective(*collective);
  if (shape.type == CollectiveType::unknown)
    return fail(Errc::input_unsupported, file.where + "/collective",
                fmt::format("'{}' is no collective with plans", *collective),
                "all_reduce, all_gather, reduce_scatter, all_to_all, broadcast or reduce");
  const auto ranks = json_number(file, {"ranks"}, 2, plan_limits::kPlanRanks);
  if (!ranks) return tl::unexpected(ranks.error());
  const auto chunks = json_number(file, {"chunks"}, 1, plan_limits::kPlanChunks);
  if (!chunks) return tl::unexpected(chunks.error());
  const auto scratch = json_number_or(file, {"scratch"}, 0, 0, plan_limits::kPlanChunks);
  if (!scratch) return tl::unexpected(scratch.error());
  const auto root = json_number_or(file, {"root"}, 0, 0, *ranks - 1);
  if (!root) return tl::unexpected(root.error());
  if ((*chunks * 2 + *scratch) * *ranks > static_cast<std::int64_t>(plan_limits::kPlanPlaces))
    return fail(Errc::limit_exceeded, file.where + "/chunks",
                fmt::format("buffers of more than {} chunks in total", plan_limits::kPlanPlaces));
  shape.ranks = static_cast<std::uint32_t>(*ranks);
  shape.root = static_cast<std::uint32_t>(*root);
  shape.in_place = shape.type != CollectiveType::all_to_all;
  const auto count = static_cast<std::uint32_t>(*chunks);
  const bool gathers = shape.type == CollectiveType::all_gather;
  shape.chunks = {gathers ? 0 : count, gathers || !shape.in_place ? count : 0,
                  static_cast<std::uint32_t>(*scratch)};
  return shape;
}

class SendReader {
 public:
  SendReader(const Shape& shape, PlanProgram& program) : shape_(shape), program_(program) {
    from_buffer_ = shape.chunks[0] > 0 ? PlanBuffer::input : PlanBuffer::output;
    to_buffer_ = shape.in_place ? from_buffer_ : PlanBuffer::output;
  }

  Result<void> add(const JsonPlace& send) {
    if (auto fine = check_keys(send, kSendKeys); !fine) return fine;
    PlanSpan from{0, from_buffer_}, to{0, to_buffer_};
    if (send.has("buffers"))
      if (auto fine = read_buffers(send.at("buffers"), from, to); !fine) return fine;
    const auto count = json_number_or(send, {"count"}, 1, 1, chunks(from));
    if (!count) return tl::unexpected(count.error());
    from.count = to.count = static_cast<std::uint32_t>(*count);
    if (auto fine = read_rank(send, "from", from); !fine) return fine;
    if (auto fine = read_rank(send, "to", to); !fine) return fine;
    const auto chunk = json_number(send, {"chunk"}, 0, chunks(from) - *count);
    if (!chunk) return tl::unexpected(chunk.error());
    from.first = static_cast<std::uint32_t>(*chunk);
    const auto to_chunk = json_number_or(send, {"to_chunk"}, *chunk, 0, chunks(to) - *count);
    if (!to_chunk) return tl::unexpected(to_chunk.error());
    if (*to_chunk > chunks(to) - *count)
      return fail(Errc::input_range, send.where + "/to_chunk",
                  fmt::format("chunk {} is beyond the receiver's buffer", *to_chunk));
    to.first = static_cast<std::uint32_t>(*to_chunk);
    return add(send, from, to);
  }

 private:
  [[nodiscard]] std::int64_t chunks(const PlanSpan& span) const {
    return shape_.chunks[static_cast<std::size_t>(span.buffer)];
  }

  Result<void> add(const JsonPlace& send, const PlanSpan& from, const PlanSpan& to) {
    const auto channel = json_number_or(send, {"channel"}, 0, 0, plan_limits::kPlanChannels - 1);
    if (!channel) return tl::unexpected(channel.error());
    bool adds = false;
    if (send.has("adds")) {
      if (!send.at("adds").value.is_boolean())
        return fail(Errc::input_corrupt, send.where + "/adds", "must be true or false");
      adds = send.at("adds").value.get<bool>();
    }
    moves_ += 2 * std::uint64_t{from.count};
    if (moves_ > plan_limits::kPlanMoves)
      return fail(Errc::limit_exceeded, send.where,
                  fmt::format("more than {} chunks are sent", plan_limits::kPlanMoves / 2));
    if (from.rank != to.rank) {
      program_.send(from, to, adds, static_cast<std::uint32_t>(*channel));
    } else if (adds) {
      return fail(Errc::input_unsupported, send.where, "a rank cannot add to itself",
                  "send from another rank, or copy without \"adds\"");
    } else {
      program_.copy(from, to);
    }
    return {};
  }

  Result<void> read_rank(const JsonPlace& send, const char* key, PlanSpan& span) const {
    const auto rank = json_number(send, {key}, 0, shape_.ranks - 1);
    if (!rank) return tl::unexpected(rank.error());
    span.rank = static_cast<std::uint32_t>(*rank);
    return {};
  }

  Result<void> read_buffers(const JsonPlace& pair, PlanSpan& from, PlanSpan& to) const {
    if (!pair.value.is_array() || pair.value.size() != 2)
      return fail(Errc::input_corrupt, pair.where, "must list two buffers",
                  "[\"input\", \"scratch\"]");
    for (std::size_t i = 0; i < 2; ++i) {
      PlanSpan& span = i == 0 ? from : to;
      const JsonPlace word = pair.at(i);
      std::size_t buffer = 0;
      while (buffer < kPlanBuffers &&
             !(word.value.is_string() &&
               word.value.get<std::string>() == name(static_cast<PlanBuffer>(buffer))))
        ++buffer;
      if (buffer == kPlanBuffers)
        return fail(Errc::input_corrupt, word.where, "must be input, output or scratch");
      span.buffer = static_cast<PlanBuffer>(buffer);
      if (chunks(span) == 0)
        return fail(Errc::input_range, word.where,
                    fmt::format("the plan has no {} buffer", name(span.buffer)));
    }
    return {};
  }

  const Shape& shape_;
  PlanProgram& program_;
  PlanBuffer from_buffer_, to_buffer_;
  std::uint64_t moves_ = 0;
};

}  // namespace

Result<Plan> read_send_list(const config::Json& json, const std::string& where) {
  const JsonPlace file{json, where + ":"};
  if (auto fine = check_keys(file, kFileKeys); !fine) return tl::unexpected(fine.error());
  const auto shape = read_shape(file);
  if (!shape) return tl::unexpected(shape.error());
  std::string name = "sends";
  if (file.has("name")) {
    const auto given = json_text(file, {"name"});
    if (!given) return tl::unexpected(given.error());
    name = *given;
  }
  PlanProgram program(std::move(name), shape->type, shape->ranks, shape->chunks, shape->in_place);
  program.set_root(shape->root);
  SendReader reader(*shape, program);
  const auto sends = json_list(file, {"sends"});
  if (!sends) return tl::unexpected(sends.error());
  if (sends->value.size() > plan_limits::kPlanSteps / 2)
    return fail(Errc::limit_exceeded, sends->where,
                fmt::format("more than {} sends", plan_limits::kPlanSteps / 2));
  if (auto fine = read_list(file, "sends", [&](const JsonPlace& send) { return reader.add(send); });
      !fine)
    return tl::unexpected(fine.error());
  Plan plan = std::move(program).finish();
  plan.format = "list of sends";
  return plan;
}

}  // namespace orrery::synthesis
