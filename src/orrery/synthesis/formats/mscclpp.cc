// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/mscclpp.h"

#include <fmt/format.h>

#include <numeric>

#include "orrery/core/text/text.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {

namespace {

constexpr std::uint32_t kMostCut = 1024;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

class MscclppReading {
 public:
  MscclppReading(const JsonPlace& file, Findings& findings) : file_(file), made_(plan_, findings) {}

  Result<Plan> read() {
    plan_.format = "MSCCL++";
    if (auto done = read_head(); !done) return tl::unexpected(done.error());
    const auto gpus = json_list(file_, {"gpus"});
    if (!gpus) return tl::unexpected(gpus.error());
    if (gpus->value.empty()) return fail(Errc::input_empty, gpus->where, "a plan without a gpu");
    if (gpus->value.size() > plan_limits::kPlanRanks)
      return fail(Errc::limit_exceeded, gpus->where,
                  fmt::format("more than {} gpus", plan_limits::kPlanRanks));
    plan_.ranks.resize(gpus->value.size());
    if (auto done = find_cut(*gpus); !done) return tl::unexpected(done.error());
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
    const auto least = json_number_or(file_, {"min_message_size"}, -1, 0, kMostBytes);
    if (!least) return tl::unexpected(least.error());
    const auto most = json_number_or(file_, {"max_message_size"}, -1, 0, kMostBytes);
    if (!most) return tl::unexpected(most.error());
    plan_.min_bytes = *least;
    plan_.max_bytes = *most == kMostBytes ? -1 : *most;
    return {};
  }

  // Where thread blocks share an operation, each has a part of every chunk: chunks are cut so that
  // a part is whole ones.
  Result<void> find_cut(const JsonPlace& gpus) {
    std::uint64_t cut = 1;
    for (const Json& gpu : gpus.value) {
      if (!gpu.is_object() || !gpu.contains("threadblocks")) continue;
      for (const Json& block : gpu["threadblocks"]) {
        if (!block.is_object() || !block.contains("ops")) continue;
        for (const Json& op : block["ops"]) {
          if (!op.is_object() || !op.contains("tbg_info") || !op["tbg_info"].is_object()) continue;
          const Json size = op["tbg_info"].value("tbg_size", Json(1));
          if (!size.is_number_integer() || size < 1 || size > kMostCut)
            return fail(Errc::input_range, gpus.where, "a tbg_size that is no number of blocks");
          cut = std::lcm(cut, size.get<std::uint64_t>());
          if (cut > kMostCut)
            return fail(Errc::limit_exceeded, gpus.where,
                        fmt::format("chunks shared by more than {} thread blocks", kMostCut));
        }
      }
    }
    plan_.cut = static_cast<std::uint32_t>(cut);
    return {};
  }

  Result<void> read_gpu(const JsonPlace& gpu, std::uint32_t number) {
    PlanRank& rank = plan_.ranks[number];
    constexpr const char* kChunks[3][2] = {{"input_chunks", "inputChunks"},
                                           {"output_chunks", "outputChunks"},
                                           {"scratch_chunks", "scratchChunks"}};
    for (std::size_t i = 0; i < kPlanBuffers; ++i) {
      const auto chunks = json_number_or(gpu, {kChunks[i][0], kChunks[i][1]}, 0, 0,
                                         plan_limits::kPlanChunks / plan_.cut);
      if (!chunks) return tl::unexpected(chunks.error());
      rank.chunks[i] = static_cast<std::uint32_t>(*chunks) * plan_.cut;
      places_ += rank.chunks[i];
    }
    if (places_ > plan_limits::kPlanPlaces)
      return fail(Errc::limit_exceeded, gpu.where,
                  fmt::format("buffers of more than {} chunks in all", plan_limits::kPlanPlaces));
    if (gpu.has("inputChunks")) return read_legacy_layout(gpu, number, made_);
    MscclppRank has;
    has.rank = number;
    if (auto done = read_channels(gpu, has); !done) return done;
    if (auto done = read_remote(gpu, has); !done) return done;
    const auto semaphores = json_list(gpu, {"semaphores"});
    if (!semaphores) return tl::unexpected(semaphores.error());
    for (std::size_t i = 0; i < semaphores->value.size(); ++i) {
      const auto begins = json_number_or(semaphores->at(i), {"init_value"}, 0, 0, 1 << 20);
      if (!begins) return tl::unexpected(begins.error());
      has.semaphores.push_back(*begins);
    }
    return read_blocks(gpu, has);
  }

  Result<std::uint32_t> peer(const JsonPlace& in, std::uint32_t self, bool may_be_self) const {
    const bool fine = in.value.is_number_integer() && in.value >= 0 &&
                      in.value < plan_.ranks.size() && (may_be_self || in.value != self);
    if (fine) return in.value.get<std::uint32_t>();
    return fail(Errc::input_range, in.where, fmt::format("no other gpu of {}", plan_.ranks.size()));
  }

  Result<void> read_channels(const JsonPlace& gpu, MscclppRank& has) {
    const auto channels = json_list(gpu, {"channels"});
    if (!channels) return tl::unexpected(channels.error());
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> ordinals;
    for (std::size_t i = 0; i < channels->value.size(); ++i) {
      const JsonPlace channel = channels->at(i);
      const auto kind = json_channel_kind(channel, {"channel_type", "type"});
      if (!kind) return tl::unexpected(kind.error());
      if (*kind == ChannelKind::in_switch) {
        if (auto done = read_groups(channel, has); !done) return done;
        continue;
      }
      const auto peers = json_list(channel, {"connected_to"});
      if (!peers) return tl::unexpected(peers.error());
      const auto place = static_cast<std::size_t>(*kind);
      if (*kind == ChannelKind::none) continue;
      for (std::size_t k = 0; k < peers->value.size(); ++k) {
        const auto to = peer(peers->at(k), has.rank, false);
        if (!to) return tl::unexpected(to.error());
        has.ends[place].push_back({*to, ordinals[{place, *to}]++});
      }
    }
    return {};
  }

  Result<void> read_groups(const JsonPlace& channel, MscclppRank& has) {
    const auto buffer = json_buffer(channel, {"buffer_type", "buff"});
    if (!buffer) return tl::unexpected(buffer.error());
    const auto groups = json_list(channel, {"rank_groups"});
    if (!groups) return tl::unexpected(groups.error());
    for (std::size_t i = 0; i < groups->value.size(); ++i) {
      const auto ranks = json_list(groups->at(i), {"ranks"});
      if (!ranks) return tl::unexpected(ranks.error());
      SwitchGroup group{*buffer, {}};
      for (std::size_t k = 0; k < ranks->value.size(); ++k) {
        const auto one = peer(ranks->at(k), has.rank, true);
        if (!one) return tl::unexpected(one.error());
        for (const std::uint32_t other : group.ranks)
          if (other == *one)
            return fail(Errc::input_corrupt, ranks->where, fmt::format("gpu {} twice", other));
        group.ranks.push_back(*one);
      }
      has.groups.push_back(std::move(group));
    }
    return {};
  }

  Result<void> read_remote(const JsonPlace& gpu, MscclppRank& has) {
    const auto buffers = json_list(gpu, {"remote_buffers"});
    if (!buffers) return tl::unexpected(buffers.error());
    for (std::size_t i = 0; i < buffers->value.size(); ++i) {
      const JsonPlace one = buffers->at(i);
      const auto rank =
          json_number(one, {"rank"}, 0, static_cast<std::int64_t>(plan_.ranks.size()) - 1);
      if (!rank) return tl::unexpected(rank.error());
      const auto buffer = json_buffer(one, {"type"});
      if (!buffer) return tl::unexpected(buffer.error());
      has.remote.emplace_back(static_cast<std::uint32_t>(*rank), *buffer);
    }
    return {};
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
      const auto ops = json_list(in, {"ops"});
      if (!ops) return tl::unexpected(ops.error());
      for (std::size_t k = 0; k < ops->value.size(); ++k) {
        const JsonPlace op = ops->at(k);
        if (op.has("barrier_id")) {
          if (auto done = read_barrier(op, block.at); !done) return done;
          continue;
        }
        if (auto done = read_operation(op, has, block, made_); !done) return done;
      }
    }
    return add_barriers(has.rank);
  }

  /// Numbers of a list that are below `most`.
  static Result<void> append_numbers(const JsonPlace& in, const char* key, std::size_t most,
                                     std::vector<std::uint32_t>& out) {
    const auto list = json_list(in, {key});
    if (!list) return tl::unexpected(list.error());
    for (std::size_t i = 0; i < list->value.size(); ++i) {
      const JsonPlace one = list->at(i);
      if (!one.value.is_number_integer() || one.value < 0 || one.value >= most)
        return fail(Errc::input_corrupt, one.where, fmt::format("not one of the gpu's {}", most));
      out.push_back(one.value.get<std::uint32_t>());
    }
    return {};
  }

  Result<void> read_block_links(const JsonPlace& in, const MscclppRank& has, MscclppBlock& block) {
    const auto channels = json_list(in, {"channels"});
    if (!channels) return tl::unexpected(channels.error());
    for (std::size_t i = 0; i < channels->value.size(); ++i) {
      const JsonPlace one = channels->at(i);
      const auto kind = json_channel_kind(one, {"channel_type"});
      if (!kind) return tl::unexpected(kind.error());
      const auto place = static_cast<std::size_t>(*kind);
      const std::size_t most = *kind == ChannelKind::in_switch ? has.groups.size()
                               : *kind == ChannelKind::none    ? 0
                                                               : has.ends[place].size();
      if (auto done = append_numbers(one, "channel_ids", most, block.channels[place]); !done)
        return done;
    }
    const auto remote = json_list(in, {"remote_buffer_refs"});
    if (!remote) return tl::unexpected(remote.error());
    for (std::size_t i = 0; i < remote->value.size(); ++i) {
      const JsonPlace one = remote->at(i);
      const auto kind = json_channel_kind(one, {"access_channel_type"});
      if (!kind) return tl::unexpected(kind.error());
      if (auto done = append_numbers(one, "remote_buffer_ids", has.remote.size(),
                                     block.remote[static_cast<std::size_t>(*kind)]);
          !done)
        return done;
    }
    return {};
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

  // Whoever meets at a barrier goes on when the others' steps before it are done.
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
    for (const PlanRank& rank : plan_.ranks) {
      for (const PlanBlock& block : rank.blocks) {
        for (const PlanStep& step : block.steps) {
          for (const StepPosition& on : step.after) {
            const auto& blocks = plan_.ranks[on.rank].blocks;
            if (on.block < blocks.size() && on.step < blocks[on.block].steps.size()) continue;
            return fail(Errc::input_dangling_dep, file_.where,
                        fmt::format("gpu {} has no step {} in a block {} to wait for", on.rank,
                                    on.step, on.block));
          }
        }
      }
    }
    return {};
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
    return fail(Errc::input_unsupported, where, "no \"gpus\" in it: not a plan of MSCCL++");
  return MscclppReading(at, findings).read();
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
                                 std::int64_t least, std::int64_t most) {
  const char* key = key_in(in, keys);
  if (key == nullptr) return missing(in, keys);
  const JsonPlace found = in.at(key);
  if (!found.value.is_number_integer())
    return fail(Errc::input_corrupt, found.where,
                fmt::format("{}, where a whole number belongs", config::json_kind(found.value)));
  // Sizes that stand for "any" are the largest numbers there are.
  const bool huge =
      found.value.is_number_unsigned() && found.value.get<std::uint64_t>() > std::uint64_t{1} << 62;
  const std::int64_t value = huge ? std::int64_t{1} << 62 : found.value.get<std::int64_t>();
  if (value < least || value > most)
    return fail(Errc::input_range, found.where,
                fmt::format("{} is {}, outside {} to {}", key, value, least, most));
  return value;
}

Result<std::int64_t> json_number_or(const JsonPlace& in, std::initializer_list<const char*> keys,
                                    std::int64_t missing_is, std::int64_t least,
                                    std::int64_t most) {
  if (key_in(in, keys) == nullptr) return missing_is;
  return json_number(in, keys, least, most);
}

Result<JsonPlace> json_list(const JsonPlace& in, std::initializer_list<const char*> keys) {
  static const Json kNone = Json::array();
  const char* key = key_in(in, keys);
  if (key == nullptr) return JsonPlace{kNone, in.where};
  JsonPlace found = in.at(key);
  if (found.value.is_array()) return found;
  return fail(Errc::input_corrupt, found.where,
              fmt::format("{}, where a list belongs", config::json_kind(found.value)));
}

Result<std::string> json_text(const JsonPlace& in, std::initializer_list<const char*> keys) {
  const char* key = key_in(in, keys);
  if (key == nullptr) return missing(in, keys);
  const JsonPlace found = in.at(key);
  if (found.value.is_string()) return found.value.get<std::string>();
  return fail(Errc::input_corrupt, found.where,
              fmt::format("{}, where text belongs", config::json_kind(found.value)));
}

Result<PlanBuffer> json_buffer(const JsonPlace& in, std::initializer_list<const char*> keys) {
  const auto text = json_text(in, keys);
  if (!text) return tl::unexpected(text.error());
  if (*text == "i") return PlanBuffer::input;
  if (*text == "o") return PlanBuffer::output;
  if (*text == "s") return PlanBuffer::scratch;
  return fail(Errc::input_corrupt, in.where, fmt::format("a buffer {}", in_quotes(*text)),
              "buffers are i, o and s");
}

Result<ChannelKind> json_channel_kind(const JsonPlace& in,
                                      std::initializer_list<const char*> keys) {
  if (key_in(in, keys) == nullptr) return ChannelKind::none;
  const auto text = json_text(in, keys);
  if (!text) return tl::unexpected(text.error());
  // "sm" and "proxy", "nvls": what they were called first.
  if (*text == "memory" || *text == "sm") return ChannelKind::memory;
  if (*text == "port" || *text == "proxy") return ChannelKind::port;
  if (*text == "switch" || *text == "nvls") return ChannelKind::in_switch;
  if (*text == "none") return ChannelKind::none;
  return fail(Errc::input_unsupported, in.where, fmt::format("a channel {}", in_quotes(*text)),
              "channels are memory, port and switch");
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
                fmt::format("more than {} steps, or {} chunks that they move",
                            plan_limits::kPlanSteps, plan_limits::kPlanMoves));
  plan.ranks[at.rank].blocks[at.block].steps.push_back(std::move(step));
  return {};
}

void set_packets(PlanStep& step) {
  using enum StepType;
  switch (step.type) {
    case read_put_packet:
    case reduce_send_packet:
    case reduce_copy_send_packet:
      step.reads_packets = step.writes_packets = true;
      return;
    case put_packet:
    case copy_packet:
    case to_packet:
      step.writes_packets = true;
      return;
    case unpack_packet:
    case reduce_packet:
    case reduce_copy_packet:
      step.reads_packets = true;
      return;
    default:
      return;
  }
}

bool adds(StepType type) {
  using enum StepType;
  switch (type) {
    case reduce:
    case reduce_send:
    case read_reduce:
    case read_reduce_send:
    case reduce_packet:
    case reduce_send_packet:
    case reduce_copy_packet:
    case reduce_copy_send_packet:
    case group_load_reduce_store:
      return true;
    default:
      return false;
  }
}

}  // namespace orrery::synthesis
