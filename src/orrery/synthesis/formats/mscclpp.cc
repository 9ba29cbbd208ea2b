// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/mscclpp.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "orrery/core/text/text.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint32_t kMaxChunkSplit = 1024;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62;

class MscclppReader {
 public:
  MscclppReader(const JsonPlace& file, Findings& findings) : file_(file), made_(plan_, findings) {}

  Result<Plan> read() {
    plan_.format = "MSCCL++";
    if (auto done = read_head(); !done) return tl::unexpected(done.error());
    const auto gpus = json_list(file_, {"gpus"});
    if (!gpus) return tl::unexpected(gpus.error());
    if (gpus->value.empty()) return fail(Errc::input_empty, gpus->where, "contains no gpu");
    if (gpus->value.size() > plan_limits::kPlanRanks)
      return fail(Errc::limit_exceeded, gpus->where,
                  fmt::format("more than {} gpus", plan_limits::kPlanRanks));
    plan_.ranks.resize(gpus->value.size());
    if (auto done = find_chunk_split(*gpus); !done) return tl::unexpected(done.error());
    std::vector<bool> seen(plan_.ranks.size());
    for (std::size_t i = 0; i < gpus->value.size(); ++i) {
      const JsonPlace gpu = gpus->at(i);
      const auto id = json_number(gpu, {"id"}, 0, static_cast<std::int64_t>(seen.size()) - 1);
      if (!id) return tl::unexpected(id.error());
      if (seen[static_cast<std::size_t>(*id)])
        return fail(Errc::input_duplicate_id, gpu.where, fmt::format("a second gpu {}", *id));
      seen[static_cast<std::size_t>(*id)] = true;
      if (auto done = read_gpu(gpu, static_cast<std::uint32_t>(*id)); !done)
        return tl::unexpected(done.error());
    }
    if (auto done = check_dependencies(); !done) return tl::unexpected(done.error());
    return std::move(plan_);
  }

 private:
  Result<void> read_head() {
    const auto collective = json_text(file_, {"collective"});
    if (!collective) return tl::unexpected(collective.error());
    plan_.collective_name = printable(*collective);
    plan_.collective = plan_collective(plan_.collective_name);
    for (const auto& [key, out] :
         {std::pair{"name", &plan_.name}, std::pair{"protocol", &plan_.protocol}}) {
      if (!file_.has(key)) continue;
      const auto text = json_text(file_, {key});
      if (!text) return tl::unexpected(text.error());
      *out = printable(*text);
    }
    if (file_.has("inplace") && file_.value["inplace"].is_boolean())
      plan_.in_place = file_.value["inplace"].get<bool>();
    plan_.out_of_place = !plan_.in_place;
    const auto minimum = json_number_or(file_, {"min_message_size"}, -1, 0, kMaxBytes);
    if (!minimum) return tl::unexpected(minimum.error());
    const auto maximum = json_number_or(file_, {"max_message_size"}, -1, 0, kMaxBytes);
    if (!maximum) return tl::unexpected(maximum.error());
    plan_.min_bytes = *minimum;
    plan_.max_bytes = *maximum == kMaxBytes || *maximum == 0 ? -1 : *maximum;
    if (plan_.max_bytes > 0 && plan_.min_bytes > plan_.max_bytes)
      return fail(Errc::input_range, file_.where + "/min_message_size",
                  fmt::format("is {}, more than max_message_size, which is {}", plan_.min_bytes,
                              plan_.max_bytes));
    return {};
  }

  // If thread blocks share an operation, each processes a part of every chunk. Divides chunks so
  // that each part is a whole number of them.
  Result<void> find_chunk_split(const JsonPlace& gpus) {
    std::uint64_t split = 1;
    for (const Json& gpu : gpus.value) {
      if (!gpu.is_object() || !gpu.contains("threadblocks")) continue;
      for (const Json& block : gpu["threadblocks"]) {
        if (!block.is_object() || !block.contains("ops")) continue;
        for (const Json& op : block["ops"]) {
          if (!op.is_object() || !op.contains("tbg_info") || !op["tbg_info"].is_object()) continue;
          const Json size = op["tbg_info"].value("tbg_size", Json(1));
          if (!size.is_number_integer() || size < 1 || size > kMaxChunkSplit)
            return fail(Errc::input_range, gpus.where, "tbg_size is not a number of blocks");
          split = std::lcm(split, size.get<std::uint64_t>());
          if (split > kMaxChunkSplit)
            return fail(Errc::limit_exceeded, gpus.where,
                        fmt::format("chunks shared by more than {} thread blocks", kMaxChunkSplit));
        }
      }
    }
    plan_.chunk_split = static_cast<std::uint32_t>(split);
    return {};
  }

  Result<void> read_gpu(const JsonPlace& gpu, std::uint32_t number) {
    PlanRank& rank = plan_.ranks[number];
    constexpr const char* kChunks[3][2] = {{"input_chunks", "inputChunks"},
                                           {"output_chunks", "outputChunks"},
                                           {"scratch_chunks", "scratchChunks"}};
    for (std::size_t i = 0; i < kPlanBuffers; ++i) {
      const auto chunks = json_number_or(gpu, {kChunks[i][0], kChunks[i][1]}, 0, 0,
                                         plan_limits::kPlanChunks / plan_.chunk_split);
      if (!chunks) return tl::unexpected(chunks.error());
      rank.chunks[i] = static_cast<std::uint32_t>(*chunks) * plan_.chunk_split;
      places_ += rank.chunks[i];
    }
    if (places_ > plan_limits::kPlanPlaces)
      return fail(Errc::limit_exceeded, gpu.where,
                  fmt::format("buffers of more than {} chunks in total", plan_limits::kPlanPlaces));
    if (gpu.has("inputChunks")) return read_legacy_layout(gpu, number, made_);
    MscclppRank has;
    has.rank = number;
    if (auto done = read_channels(gpu, has); !done) return done;
    if (auto done = read_remote(gpu, has); !done) return done;
    const auto done = read_list(gpu, "semaphores", [&](const JsonPlace& in) -> Result<void> {
      const auto initial = json_number_or(in, {"init_value"}, 0, 0, 1 << 20);
      if (!initial) return tl::unexpected(initial.error());
      has.semaphores.push_back(*initial);
      return {};
    });
    if (!done) return done;
    return read_blocks(gpu, has);
  }

  Result<void> read_channels(const JsonPlace& gpu, MscclppRank& has) {
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> ordinals;
    return read_list(gpu, "channels", [&](const JsonPlace& channel) -> Result<void> {
      const auto kind = json_channel_kind(channel, {"channel_type", "type"});
      if (!kind) return tl::unexpected(kind.error());
      if (*kind == ChannelKind::in_switch) return read_groups(channel, has);
      const auto place = static_cast<std::size_t>(*kind);
      return read_list(channel, "connected_to", [&](const JsonPlace& in) -> Result<void> {
        if (place == static_cast<std::size_t>(ChannelKind::none)) return {};
        const auto to = json_peer(in, plan_.ranks.size(), has.rank);
        if (!to) return tl::unexpected(to.error());
        has.ends[place].push_back({*to, ordinals[{place, *to}]++});
        return {};
      });
    });
  }

  Result<void> read_groups(const JsonPlace& channel, MscclppRank& has) {
    const auto buffer = json_buffer(channel, {"buffer_type", "buff"});
    if (!buffer) return tl::unexpected(buffer.error());
    return read_list(channel, "rank_groups", [&](const JsonPlace& in) -> Result<void> {
      const auto ranks = json_list(in, {"ranks"});
      if (!ranks) return tl::unexpected(ranks.error());
      SwitchGroup group{*buffer, {}};
      for (std::size_t k = 0; k < ranks->value.size(); ++k) {
        const auto rank = json_peer(ranks->at(k), plan_.ranks.size(), std::nullopt);
        if (!rank) return tl::unexpected(rank.error());
        if (std::count(group.ranks.begin(), group.ranks.end(), *rank) != 0)
          return fail(Errc::input_corrupt, ranks->where, fmt::format("lists gpu {} twice", *rank));
        group.ranks.push_back(*rank);
      }
      has.groups.push_back(std::move(group));
      return {};
    });
  }

  Result<void> read_remote(const JsonPlace& gpu, MscclppRank& has) {
    return read_list(gpu, "remote_buffers", [&](const JsonPlace& in) -> Result<void> {
      const auto rank =
          json_number(in, {"rank"}, 0, static_cast<std::int64_t>(plan_.ranks.size()) - 1);
      if (!rank) return tl::unexpected(rank.error());
      const auto buffer = json_buffer(in, {"type"});
      if (!buffer) return tl::unexpected(buffer.error());
      has.remote.emplace_back(static_cast<std::uint32_t>(*rank), *buffer);
      return {};
    });
  }

  Result<void> read_blocks(const JsonPlace& gpu, const MscclppRank& has) {
    const auto blocks = json_list(gpu, {"threadblocks"});
    if (!blocks) return tl::unexpected(blocks.error());
    plan_.ranks[has.rank].blocks.resize(blocks->value.size());
    for (std::size_t i = 0; i < blocks->value.size(); ++i) {
      const JsonPlace in = blocks->at(i);
      const auto id =
          json_number(in, {"id"}, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
      if (!id) return tl::unexpected(id.error());
      MscclppBlock block;
      block.at = {has.rank, static_cast<std::uint32_t>(i), 0};
      if (auto done = read_block_links(in, has, block); !done) return done;
      const auto done = read_list(in, "ops", [&](const JsonPlace& op) {
        return op.has("barrier_id") ? read_barrier(op, block.at)
                                    : read_operation(op, has, block, made_);
      });
      if (!done) return done;
    }
    return add_barriers(has.rank);
  }

  /// Appends the numbers of a list; each must be below `maximum`.
  static Result<void> append_numbers(const JsonPlace& in, const char* key, std::size_t maximum,
                                     std::vector<std::uint32_t>& out) {
    return read_list(in, key, [&](const JsonPlace& one) -> Result<void> {
      if (!one.value.is_number_integer() || one.value < 0 || one.value >= maximum)
        return fail(Errc::input_corrupt, one.where,
                    fmt::format("must be a number below {}", maximum));
      out.push_back(one.value.get<std::uint32_t>());
      return {};
    });
  }

  Result<void> read_block_links(const JsonPlace& in, const MscclppRank& has, MscclppBlock& block) {
    const auto done = read_list(in, "channels", [&](const JsonPlace& one) -> Result<void> {
      const auto kind = json_channel_kind(one, {"channel_type"});
      if (!kind) return tl::unexpected(kind.error());
      const auto place = static_cast<std::size_t>(*kind);
      const std::size_t maximum = *kind == ChannelKind::in_switch ? has.groups.size()
                                  : *kind == ChannelKind::none    ? 0
                                                                  : has.ends[place].size();
      return append_numbers(one, "channel_ids", maximum, block.channels[place]);
    });
    if (!done) return done;
    return read_list(in, "remote_buffer_refs", [&](const JsonPlace& one) -> Result<void> {
      const auto kind = json_channel_kind(one, {"access_channel_type"});
      if (!kind) return tl::unexpected(kind.error());
      return append_numbers(one, "remote_buffer_ids", has.remote.size(),
                            block.remote[static_cast<std::size_t>(*kind)]);
    });
  }

  Result<void> read_barrier(const JsonPlace& op, const StepPosition& block) {
    const auto id = json_number(op, {"barrier_id"}, 0, 1 << 20);
    if (!id) return tl::unexpected(id.error());
    PlanStep step;
    step.type = StepType::barrier;
    const auto at =
        static_cast<std::uint32_t>(plan_.ranks[block.rank].blocks[block.block].steps.size());
    barriers_[*id][block.block].push_back(at);
    return made_.add(block, std::move(step), op.where);
  }

  // A block at a barrier continues when the other blocks have completed their steps before it.
  Result<void> add_barriers(std::uint32_t rank) {
    for (const auto& [id, blocks] : barriers_) {
      for (const auto& [block, steps] : blocks) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
          PlanStep& step = plan_.ranks[rank].blocks[block].steps[steps[i]];
          for (const auto& [other, theirs] : blocks)
            if (other != block && i < theirs.size() && theirs[i] > 0)
              step.after.push_back({rank, other, theirs[i] - 1});
        }
      }
    }
    barriers_.clear();
    return {};
  }

  Result<void> check_dependencies() const {
    Result<void> result;
    for_each_step(plan_, [&](const StepPosition&, const PlanBlock&, const PlanStep& step) {
      for (const StepPosition& on : step.after) {
        const auto& blocks = plan_.ranks[on.rank].blocks;
        if (!result || (on.block < blocks.size() && on.step < blocks[on.block].steps.size()))
          continue;
        result = fail(Errc::input_dangling_dep, file_.where,
                      fmt::format("waits for gpu {}, step {}, block {}, which does not exist",
                                  on.rank, on.step, on.block));
      }
    });
    return result;
  }

  const JsonPlace& file_;
  Plan plan_;
  MscclppPlan made_;
  std::uint64_t places_ = 0;
  std::map<std::int64_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> barriers_;
};

}  // namespace

Result<Plan> read_mscclpp(const config::Json& file, const std::string& where, Findings& findings) {
  const JsonPlace at{file, where + ":"};
  if (!file.is_object() || !file.contains("gpus"))
    return fail(Errc::input_unsupported, where, "has no \"gpus\": not an MSCCL++ plan");
  return MscclppReader(at, findings).read();
}

namespace {

const char* key_in(const JsonPlace& in, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (in.has(key)) return key;
  return nullptr;
}

tl::unexpected<Error> missing(const JsonPlace& in, std::initializer_list<const char*> keys) {
  return fail(Errc::input_missing_attr, in.where, fmt::format("{} is missing", *keys.begin()));
}

}  // namespace

Result<std::int64_t> json_number(const JsonPlace& in, std::initializer_list<const char*> keys,
                                 std::int64_t minimum, std::int64_t maximum) {
  const char* key = key_in(in, keys);
  if (key == nullptr) return missing(in, keys);
  const JsonPlace found = in.at(key);
  if (!found.value.is_number_integer())
    return fail(Errc::input_corrupt, found.where,
                fmt::format("is {}, but must be a whole number", config::json_kind(found.value)));
  // Files use the largest numbers for an unlimited size.
  const bool huge =
      found.value.is_number_unsigned() && found.value.get<std::uint64_t>() > std::uint64_t{1} << 62;
  const std::int64_t value = huge ? std::int64_t{1} << 62 : found.value.get<std::int64_t>();
  if (value < minimum || value > maximum)
    return fail(Errc::input_range, found.where,
                fmt::format("{} is {}, outside {} to {}", key, value, minimum, maximum));
  return value;
}

Result<std::int64_t> json_number_or(const JsonPlace& in, std::initializer_list<const char*> keys,
                                    std::int64_t missing_is, std::int64_t minimum,
                                    std::int64_t maximum) {
  if (key_in(in, keys) == nullptr) return missing_is;
  return json_number(in, keys, minimum, maximum);
}

Result<JsonPlace> json_list(const JsonPlace& in, std::initializer_list<const char*> keys) {
  static const Json kNone = Json::array();
  const char* key = key_in(in, keys);
  if (key == nullptr) return JsonPlace{kNone, in.where};
  JsonPlace found = in.at(key);
  if (found.value.is_array()) return found;
  return fail(Errc::input_corrupt, found.where,
              fmt::format("is {}, but must be a list", config::json_kind(found.value)));
}

Result<std::string> json_text(const JsonPlace& in, std::initializer_list<const char*> keys) {
  const char* key = key_in(in, keys);
  if (key == nullptr) return missing(in, keys);
  const JsonPlace found = in.at(key);
  if (found.value.is_string()) return found.value.get<std::string>();
  return fail(Errc::input_corrupt, found.where,
              fmt::format("is {}, but must be text", config::json_kind(found.value)));
}

Result<PlanBuffer> json_buffer(const JsonPlace& in, std::initializer_list<const char*> keys) {
  const auto text = json_text(in, keys);
  if (!text) return tl::unexpected(text.error());
  if (*text == "i") return PlanBuffer::input;
  if (*text == "o") return PlanBuffer::output;
  if (*text == "s") return PlanBuffer::scratch;
  return fail(Errc::input_corrupt, in.where, fmt::format("unknown buffer {}", in_quotes(*text)),
              "buffers must be i, o or s");
}

Result<ChannelKind> json_channel_kind(const JsonPlace& in,
                                      std::initializer_list<const char*> keys) {
  if (key_in(in, keys) == nullptr) return ChannelKind::none;
  const auto text = json_text(in, keys);
  if (!text) return tl::unexpected(text.error());
  // "sm", "proxy" and "nvls" are the names in the first releases.
  if (*text == "memory" || *text == "sm") return ChannelKind::memory;
  if (*text == "port" || *text == "proxy") return ChannelKind::port;
  if (*text == "switch" || *text == "nvls") return ChannelKind::in_switch;
  if (*text == "none") return ChannelKind::none;
  return fail(Errc::input_unsupported, in.where,
              fmt::format("unknown channel type {}", in_quotes(*text)),
              "channel types must be memory, port or switch");
}

std::uint32_t MscclppPlan::counter(const Key& key, std::uint32_t rank, std::string what) {
  const auto [at, added] = counters_.emplace(key, static_cast<std::uint32_t>(plan.counters.size()));
  if (added) {
    plan.counters.push_back({rank, std::move(what)});
    levels_.push_back(0);
  }
  return at->second;
}

std::uint32_t MscclppPlan::signals(std::uint32_t from, std::uint32_t to, ChannelKind kind,
                                   std::uint32_t ordinal) {
  return counter({to, from, static_cast<std::uint32_t>(kind), ordinal}, to,
                 fmt::format("signals of gpu {} to gpu {} on {} channel {}", from, to,
                             kind == ChannelKind::port ? "port" : "memory", ordinal));
}

std::uint32_t MscclppPlan::semaphore(std::uint32_t rank, std::uint32_t number) {
  return counter({rank, number, static_cast<std::uint32_t>(ChannelKind::none), 0}, rank,
                 fmt::format("releases of semaphore {} of gpu {}", number, rank));
}

Result<void> MscclppPlan::add(const StepPosition& at, PlanStep step, const std::string& where) {
  moves_ += std::uint64_t{step.count} * (step.reads.size() + step.writes.size());
  if (++steps_ > plan_limits::kPlanSteps || moves_ > plan_limits::kPlanMoves)
    return fail(Errc::limit_exceeded, where,
                fmt::format("more than {} steps or {} moved chunks", plan_limits::kPlanSteps,
                            plan_limits::kPlanMoves));
  plan.ranks[at.rank].blocks[at.block].steps.push_back(std::move(step));
  return {};
}

void set_packets(PlanStep& step) {
  using enum StepType;
  step.reads_packets =
      is_one_of(step.type, {read_put_packet, reduce_send_packet, reduce_copy_send_packet,
                            unpack_packet, reduce_packet, reduce_copy_packet});
  step.writes_packets =
      is_one_of(step.type, {read_put_packet, reduce_send_packet, reduce_copy_send_packet,
                            put_packet, copy_packet, to_packet});
}

bool adds(StepType type) {
  using enum StepType;
  return is_one_of(
      type, {reduce, reduce_send, read_reduce, read_reduce_send, reduce_packet, reduce_send_packet,
             reduce_copy_packet, reduce_copy_send_packet, group_load_reduce_store});
}

Result<std::vector<StepPosition>> json_dependencies(const JsonPlace& op, std::uint32_t rank) {
  std::vector<StepPosition> steps;
  const auto done = read_list(op, "deps", [&](const JsonPlace& in) -> Result<void> {
    const auto block = json_number(in, {"tb"}, 0, plan_limits::kPlanChunks);
    if (!block) return tl::unexpected(block.error());
    const auto step = json_number(in, {"step"}, 0, plan_limits::kPlanChunks);
    if (!step) return tl::unexpected(step.error());
    steps.push_back({rank, static_cast<std::uint32_t>(*block), static_cast<std::uint32_t>(*step)});
    return {};
  });
  if (!done) return tl::unexpected(done.error());
  return steps;
}

Result<std::uint32_t> json_peer(const JsonPlace& in, std::size_t ranks,
                                std::optional<std::uint32_t> self) {
  if (in.value.is_number_integer() && in.value >= 0 && in.value < ranks &&
      (!self || in.value != *self))
    return in.value.get<std::uint32_t>();
  return fail(Errc::input_range, in.where,
              fmt::format("must be another gpu, with a number below {}", ranks));
}

}  // namespace orrery::synthesis
