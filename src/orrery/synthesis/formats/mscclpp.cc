// SPDX-License-Identifier: Apache-2.0
#include "orrery/synthesis/formats/mscclpp.h"

#include <fmt/format.h>

#include <numeric>

#include "orrery/core/text.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plan_limits.h"

namespace orrery::synthesis {
namespace {

constexpr std::uint32_t kMostCut = 1024;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;

class MscclppReading {
 public:
  MscclppReading(const JsonAt& file, Findings& findings) : file_(file), made_(plan_, findings) {}

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
      const JsonAt gpu = gpus->at(i);
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
  Result<void> find_cut(const JsonAt& gpus) {
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

  Result<void> read_gpu(const JsonAt& gpu, std::uint32_t number) {
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
    if (gpu.has("inputChunks")) return read_first_layout(gpu, number, made_);
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

  Result<std::uint32_t> peer(const JsonAt& in, std::uint32_t self, bool may_be_self) const {
    const bool fine = in.value.is_number_integer() && in.value >= 0 &&
                      in.value < plan_.ranks.size() && (may_be_self || in.value != self);
    if (fine) return in.value.get<std::uint32_t>();
    return fail(Errc::input_range, in.where, fmt::format("no other gpu of {}", plan_.ranks.size()));
  }

  Result<void> read_channels(const JsonAt& gpu, MscclppRank& has) {
    const auto channels = json_list(gpu, {"channels"});
    if (!channels) return tl::unexpected(channels.error());
    std::map<std::pair<std::size_t, std::uint32_t>, std::uint32_t> ordinals;
    for (std::size_t i = 0; i < channels->value.size(); ++i) {
      const JsonAt channel = channels->at(i);
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

  Result<void> read_groups(const JsonAt& channel, MscclppRank& has) {
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

  Result<void> read_remote(const JsonAt& gpu, MscclppRank& has) {
    const auto buffers = json_list(gpu, {"remote_buffers"});
    if (!buffers) return tl::unexpected(buffers.error());
    for (std::size_t i = 0; i < buffers->value.size(); ++i) {
      const JsonAt one = buffers->at(i);
      const auto rank =
          json_number(one, {"rank"}, 0, static_cast<std::int64_t>(plan_.ranks.size()) - 1);
      if (!rank) return tl::unexpected(rank.error());
      const auto buffer = json_buffer(one, {"type"});
      if (!buffer) return tl::unexpected(buffer.error());
      has.remote.emplace_back(static_cast<std::uint32_t>(*rank), *buffer);
    }
    return {};
  }

  Result<void> read_blocks(const JsonAt& gpu, const MscclppRank& has) {
    const auto blocks = json_list(gpu, {"threadblocks"});
    if (!blocks) return tl::unexpected(blocks.error());
    plan_.ranks[has.rank].blocks.resize(blocks->value.size());
    for (std::size_t i = 0; i < blocks->value.size(); ++i) {
      const JsonAt in = blocks->at(i);
      const auto id =
          json_number(in, {"id"}, static_cast<std::int64_t>(i), static_cast<std::int64_t>(i));
      if (!id) return tl::unexpected(id.error());
      MscclppBlock block;
      block.at = {has.rank, static_cast<std::uint32_t>(i), 0};
      if (auto done = read_block_links(in, has, block); !done) return done;
      const auto ops = json_list(in, {"ops"});
      if (!ops) return tl::unexpected(ops.error());
      for (std::size_t k = 0; k < ops->value.size(); ++k) {
        const JsonAt op = ops->at(k);
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
  static Result<void> append_numbers(const JsonAt& in, const char* key, std::size_t most,
                                     std::vector<std::uint32_t>& out) {
    const auto list = json_list(in, {key});
    if (!list) return tl::unexpected(list.error());
    for (std::size_t i = 0; i < list->value.size(); ++i) {
      const JsonAt one = list->at(i);
      if (!one.value.is_number_integer() || one.value < 0 || one.value >= most)
        return fail(Errc::input_corrupt, one.where, fmt::format("not one of the gpu's {}", most));
      out.push_back(one.value.get<std::uint32_t>());
    }
    return {};
  }

  Result<void> read_block_links(const JsonAt& in, const MscclppRank& has, MscclppBlock& block) {
    const auto channels = json_list(in, {"channels"});
    if (!channels) return tl::unexpected(channels.error());
    for (std::size_t i = 0; i < channels->value.size(); ++i) {
      const JsonAt one = channels->at(i);
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
      const JsonAt one = remote->at(i);
      const auto kind = json_channel_kind(one, {"access_channel_type"});
      if (!kind) return tl::unexpected(kind.error());
      if (auto done = append_numbers(one, "remote_buffer_ids", has.remote.size(),
                                     block.remote[static_cast<std::size_t>(*kind)]);
          !done)
        return done;
    }
    return {};
  }

  Result<void> read_barrier(const JsonAt& op, const StepAt& block) {
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
          for (const StepAt& on : step.after) {
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

  const JsonAt& file_;
  Plan plan_;
  MscclppPlan made_;
  std::uint64_t places_ = 0;
  std::map<std::int64_t, std::map<std::uint32_t, std::vector<std::uint32_t>>> barriers_;
};

}  // namespace

Result<Plan> read_mscclpp(const config::Json& file, const std::string& where, Findings& findings) {
  const JsonAt at{file, where + ":"};
  if (!file.is_object() || !file.contains("gpus"))
    return fail(Errc::input_unsupported, where, "no \"gpus\" in it: not a plan of MSCCL++");
  return MscclppReading(at, findings).read();
}

}  // namespace orrery::synthesis
