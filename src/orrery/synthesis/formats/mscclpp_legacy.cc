// SPDX-License-Identifier: Apache-2.0
//
// Reads MSCCL++'s first layout, in which operations name buffers and channels directly.
#include <fmt/format.h>

#include <optional>

#include "orrery/core/text/text.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {
namespace {

/// Connections between a local buffer and one of each peer.
struct LegacyChannel {
  PlanBuffer here = PlanBuffer::input, there = PlanBuffer::input;
  ChannelKind kind = ChannelKind::memory;
  std::vector<std::uint32_t> peers;

  [[nodiscard]] bool matches(const LegacyChannel& other) const {
    return here == other.here && there == other.there && kind == other.kind;
  }
};

/// Operation names whose meaning has changed.
std::optional<StepType> legacy_step(std::string_view name) {
  if (name == "cpkt") return StepType::unpack_packet;
  return mscclpp_step(name);
}

class LegacyReader {
 public:
  LegacyReader(const JsonPlace& gpu, std::uint32_t rank, MscclppPlan& made)
      : gpu_(gpu), rank_(rank), made_(made) {}

  Result<void> read() {
    const auto channels =
        read_list(gpu_, "channels", [&](const JsonPlace& in) { return read_channel(in); });
    if (!channels) return channels;
    const auto blocks = json_list(gpu_, {"threadblocks"});
    if (!blocks) return tl::unexpected(blocks.error());
    made_.plan.ranks[rank_].blocks.resize(blocks->value.size());
    for (std::size_t i = 0; i < blocks->value.size(); ++i) {
      at_ = {rank_, static_cast<std::uint32_t>(i), 0};
      if (auto done = read_block(blocks->at(i)); !done) return done;
    }
    return {};
  }

 private:
  static Result<LegacyChannel> read_channel_ends(const JsonPlace& in, const char* here,
                                                 const char* there, const char* kind) {
    LegacyChannel made;
    const auto from = json_buffer(in, {here});
    if (!from) return tl::unexpected(from.error());
    const auto to = json_buffer(in, {there});
    if (!to) return tl::unexpected(to.error());
    const auto is = json_channel_kind(in, {kind});
    if (!is) return tl::unexpected(is.error());
    made.here = *from;
    made.there = *to;
    made.kind = *is;
    return made;
  }

  Result<void> read_channel(const JsonPlace& in) {
    auto channel = read_channel_ends(in, "srcbuff", "dstbuff", "type");
    if (!channel) return tl::unexpected(channel.error());
    const auto done = read_list(in, "connectedTo", [&](const JsonPlace& one) -> Result<void> {
      const auto peer = json_peer(one, made_.plan.ranks.size(), rank_);
      if (!peer) return tl::unexpected(peer.error());
      channel->peers.push_back(*peer);
      return {};
    });
    if (!done) return done;
    channels_.push_back(*std::move(channel));
    return {};
  }

  // A block's channels refer to peers by their index in the gpu's channels.
  Result<void> read_block(const JsonPlace& in) {
    block_.clear();
    const auto done = read_list(in, "channels", [&](const JsonPlace& one) -> Result<void> {
      auto channel = read_channel_ends(one, "src", "dst", "ctype");
      if (!channel) return tl::unexpected(channel.error());
      const auto ids = json_list(one, {"cids"});
      if (!ids) return tl::unexpected(ids.error());
      for (const LegacyChannel& of : channels_) {
        if (!of.matches(*channel)) continue;
        for (const Json& id : ids->value) {
          if (!id.is_number_integer() || id < 0 || id >= of.peers.size())
            return fail(Errc::input_corrupt, ids->where, "lists cids that the gpu does not have");
          channel->peers.push_back(of.peers[id.get<std::size_t>()]);
        }
      }
      block_.push_back(*std::move(channel));
      return {};
    });
    if (!done) return done;
    return read_list(in, "ops", [&](const JsonPlace& op) { return read_op(op); });
  }

  Result<void> read_op(const JsonPlace& op) {
    const auto word = json_text(op, {"name"});
    if (!word) return tl::unexpected(word.error());
    const auto type = legacy_step(*word);
    if (!type)
      return fail(Errc::input_unsupported, op.where,
                  fmt::format("unknown operation {}", in_quotes(*word)));
    step_ = {};
    step_.type = *type;
    const auto count = json_number_or(op, {"cnt"}, 1, 1, plan_limits::kPlanChunks);
    if (!count) return tl::unexpected(count.error());
    count_ = static_cast<std::uint32_t>(*count);
    auto dependencies = json_dependencies(op, rank_);
    if (!dependencies) return tl::unexpected(dependencies.error());
    step_.after = *std::move(dependencies);
    if (auto done = add_own(op); !done) return done;
    if (auto done = add_listed(op); !done) return done;
    for (const bool out : {false, true})
      if (auto done = add_remote(op, out); !done) return done;
    set_packets(step_);
    return finish(op);
  }

  Result<PlanSpan> span(const JsonPlace& in, const char* buffer, const char* first) const {
    const auto is = json_buffer(in, {buffer});
    if (!is) return tl::unexpected(is.error());
    const auto at = json_number(in, {first}, 0, plan_limits::kPlanChunks);
    if (!at) return tl::unexpected(at.error());
    return PlanSpan{rank_, *is, static_cast<std::uint32_t>(*at), count_};
  }

  Result<void> add_own(const JsonPlace& op) {
    if (op.has("srcbuff")) {
      const auto source = span(op, "srcbuff", "srcoff");
      if (!source) return tl::unexpected(source.error());
      step_.reads.push_back(*source);
    }
    if (op.has("dstbuff")) {
      const auto target = span(op, "dstbuff", "dstoff");
      if (!target) return tl::unexpected(target.error());
      step_.writes.push_back(*target);
    }
    return {};
  }

  Result<void> add_listed(const JsonPlace& op) {
    for (const char* key : {"srcs", "dsts"}) {
      const auto done = read_list(op, key, [&](const JsonPlace& in) -> Result<void> {
        const auto one = span(in, "buff", "off");
        if (!one) return tl::unexpected(one.error());
        (key[0] == 's' ? step_.reads : step_.writes).push_back(*one);
        return {};
      });
      if (!done) return done;
    }
    return {};
  }

  // i_buff and i_cids are inputs, o_buff and o_cids outputs.
  Result<void> add_remote(const JsonPlace& op, bool out) {
    const auto ids = json_list(op, {out ? "o_cids" : "i_cids"});
    if (!ids) return tl::unexpected(ids.error());
    const char* key = out ? "o_buff" : "i_buff";
    if (ids->value.empty() || !op.has(key)) return {};
    auto wanted = read_channel_ends(op.at(key), "src", "dst", "ctype");
    if (!wanted) return tl::unexpected(wanted.error());
    const auto kind = json_channel_kind(op, {"ctype"});
    if (!kind) return tl::unexpected(kind.error());
    wanted->kind = *kind;
    const LegacyChannel* channel = nullptr;
    for (const LegacyChannel& one : block_)
      if (one.matches(*wanted)) channel = &one;
    for (std::size_t i = 0; i < ids->value.size(); ++i) {
      const JsonPlace one = ids->at(i);
      const auto maximum =
          channel == nullptr ? 0 : static_cast<std::int64_t>(channel->peers.size());
      const auto id = json_number(one, {"id"}, 0, maximum - 1);
      if (!id) return tl::unexpected(id.error());
      const auto first = json_number_or(one, {"off"}, 0, 0, plan_limits::kPlanChunks);
      if (!first) return tl::unexpected(first.error());
      link(channel->peers[static_cast<std::size_t>(*id)], *channel,
           static_cast<std::uint32_t>(*first), out);
    }
    return {};
  }

  void link(std::uint32_t peer, const LegacyChannel& channel, std::uint32_t first, bool out) {
    using enum StepType;
    if (is_one_of(step_.type, {wait, relaxed_wait})) {
      const std::uint32_t counter = made_.signals(peer, rank_, channel.kind, 0);
      step_.waits.push_back({counter, made_.next_level(counter)});
      return;
    }
    if (is_one_of(step_.type, {signal, relaxed_signal, put_signal, put_signal_flush}))
      step_.posts.push_back(made_.signals(rank_, peer, channel.kind, 0));
    if (is_one_of(step_.type, {signal, relaxed_signal, flush})) return;
    const PlanSpan far{peer, channel.there, first, count_};
    (out ? step_.writes : step_.reads).push_back(far);
  }

  Result<void> finish(const JsonPlace& op) {
    if (!step_.reads.empty() || !step_.writes.empty()) step_.count = count_;
    // Each target has its own source, or all share one, unless sources are added.
    if (!adds(step_.type) && step_.reads.size() > 1) {
      if (step_.reads.size() != step_.writes.size())
        return fail(
            Errc::input_corrupt, op.where,
            fmt::format("{} sources, but {} targets", step_.reads.size(), step_.writes.size()));
      const PlanStep all = step_;
      for (std::size_t i = 0; i + 1 < all.reads.size(); ++i) {
        PlanStep one = all;
        one.reads = {all.reads[i]};
        one.writes = {all.writes[i]};
        one.posts.clear();
        if (auto done = made_.add(at_, std::move(one), op.where); !done) return done;
      }
      step_.reads = {all.reads.back()};
      step_.writes = {all.writes.back()};
      step_.waits.clear();
    }
    return made_.add(at_, std::move(step_), op.where);
  }

  const JsonPlace& gpu_;
  std::uint32_t rank_;
  MscclppPlan& made_;
  std::vector<LegacyChannel> channels_, block_;
  StepPosition at_;
  PlanStep step_;
  std::uint32_t count_ = 1;
};

}  // namespace

Result<void> read_legacy_layout(const JsonPlace& gpu, std::uint32_t rank, MscclppPlan& made) {
  return LegacyReader(gpu, rank, made).read();
}

}  // namespace orrery::synthesis
