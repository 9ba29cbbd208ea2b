// SPDX-License-Identifier: Apache-2.0
//
// Reads operations of the current layout.
#include <fmt/format.h>

#include <numeric>

#include "orrery/core/text/text.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plans/plan_limits.h"

namespace orrery::synthesis {
namespace {

/// The part of its chunks that an operation of a thread-block group processes.
struct BlockShare {
  std::uint32_t number = 0, of = 1;
};

class OperationReader {
 public:
  OperationReader(const JsonPlace& op, const MscclppRank& rank, MscclppBlock& block,
                  MscclppPlan& made)
      : op_(op), rank_(rank), block_(block), made_(made) {}

  Result<void> read() {
    const auto word = json_text(op_, {"name"});
    if (!word) return tl::unexpected(word.error());
    if (*word == "pipeline") return pipeline();
    const auto type = mscclpp_step(*word);
    if (!type)
      return fail(Errc::input_unsupported, op_.where,
                  fmt::format("unknown operation {}", in_quotes(*word)),
                  "use operations of the executor of microsoft/mscclpp");
    step_.type = *type;
    if (auto done = read_links(); !done) return done;
    if (auto done = read_spans(); !done) return done;
    set_packets(step_);
    return add_steps();
  }

 private:
  // The pipeline iterates over pieces of the buffers; here it runs once over all of them.
  Result<void> pipeline() {
    made_.findings.add(FindingCode::default_assumed,
                       op_.where + ": a pipeline is read as one pass over complete chunks");
    return read_list(op_, "ops", [&](const JsonPlace& inner) -> Result<void> {
      if (inner.has("ops"))
        return fail(Errc::input_unsupported, inner.where, "a pipeline inside a pipeline");
      return OperationReader(inner, rank_, block_, made_).read();
    });
  }

  // Reads channels, semaphores and dependencies.
  Result<void> read_links() {
    const auto kind = json_channel_kind(op_, {"channel_type"});
    if (!kind) return tl::unexpected(kind.error());
    kind_ = *kind;
    if (auto done = read_share(); !done) return done;
    auto dependencies = json_dependencies(op_, rank_.rank);
    if (!dependencies) return tl::unexpected(dependencies.error());
    step_.after = *std::move(dependencies);
    using enum StepType;
    if (is_one_of(step_.type, {signal, relaxed_signal, put_signal, put_signal_flush}))
      return signals(true);
    if (is_one_of(step_.type, {wait, relaxed_wait})) return signals(false);
    if (is_one_of(step_.type, {acquire, release})) return semaphores();
    return {};
  }

  Result<void> read_share() {
    if (!op_.has("tbg_info")) return {};
    const JsonPlace info = op_.at("tbg_info");
    const auto of = json_number(info, {"tbg_size"}, 1, made_.plan.chunk_split);
    if (!of) return tl::unexpected(of.error());
    const auto number = json_number(info, {"tb_id"}, 0, *of - 1);
    if (!number) return tl::unexpected(number.error());
    share_ = {static_cast<std::uint32_t>(*number), static_cast<std::uint32_t>(*of)};
    return {};
  }

  Result<std::uint32_t> element(const JsonPlace& number, const std::vector<std::uint32_t>& of,
                                std::string_view what) const {
    if (number.value.is_number_integer() && number.value >= 0 && number.value < of.size())
      return of[number.value.get<std::size_t>()];
    return fail(Errc::input_corrupt, number.where,
                fmt::format("must be a number below {}, the number of {}", of.size(), what));
  }

  Result<void> signals(bool posts) {
    const auto ids = json_list(op_, {"channel_ids"});
    if (!ids) return tl::unexpected(ids.error());
    if (ids->value.empty() || (kind_ != ChannelKind::memory && kind_ != ChannelKind::port))
      return fail(Errc::input_missing_attr, op_.where,
                  "a signal needs channel_ids on memory or port channels");
    for (std::size_t i = 0; i < ids->value.size(); ++i) {
      const auto kind = static_cast<std::size_t>(kind_);
      const auto number = element(ids->at(i), block_.channels[kind], "channels");
      if (!number) return tl::unexpected(number.error());
      const ChannelEnd& end = rank_.ends[kind][*number];
      if (posts) {
        step_.posts.push_back(made_.signals(rank_.rank, end.peer, kind_, end.ordinal));
      } else {
        const std::uint32_t counter = made_.signals(end.peer, rank_.rank, kind_, end.ordinal);
        step_.waits.push_back({counter, made_.next_level(counter)});
      }
    }
    return {};
  }

  Result<void> semaphores() {
    std::vector<std::uint32_t> all(rank_.semaphores.size());
    std::iota(all.begin(), all.end(), 0u);
    return read_list(op_, "semaphore_ids", [&](const JsonPlace& id) -> Result<void> {
      const auto number = element(id, all, "semaphores");
      if (!number) return tl::unexpected(number.error());
      const std::uint32_t counter = made_.semaphore(rank_.rank, *number);
      if (step_.type == StepType::release) {
        step_.posts.push_back(counter);
        return {};
      }
      // The first acquisitions, up to the initial value, need no release.
      const std::int64_t level = made_.next_level(counter) - rank_.semaphores[*number];
      if (level > 0) step_.waits.push_back({counter, static_cast<std::uint32_t>(level)});
      return {};
    });
  }

  Result<void> read_spans() {
    for (const bool reads : {true, false}) {
      const auto done = read_list(op_, reads ? "src_buff" : "dst_buff",
                                  [&](const JsonPlace& in) { return read_span(in, reads); });
      if (!done) return done;
    }
    return {};
  }

  Result<void> read_span(const JsonPlace& in, bool reads) {
    constexpr std::int64_t kMax = plan_limits::kPlanChunks;
    const auto first = json_number(in, {"index"}, 0, kMax);
    if (!first) return tl::unexpected(first.error());
    const auto count = json_number_or(in, {"size"}, 1, 1, kMax);
    if (!count) return tl::unexpected(count.error());
    if (in.has("offset")) made_.findings.add(FindingCode::key_ignored, in.where + "/offset");
    PlanSpan span{rank_.rank, PlanBuffer::input, static_cast<std::uint32_t>(*first),
                  static_cast<std::uint32_t>(*count)};
    split_chunks(span);
    auto& spans = reads ? step_.reads : step_.writes;
    if (in.has("switch_channel_id")) return add_group(in, span, spans);
    const bool across = !reads && (step_.type == StepType::put || in.has("buffer_id"));
    if (across || in.has("buffer_id")) {
      const auto remote = remote_buffer(in);
      if (!remote) return tl::unexpected(remote.error());
      std::tie(span.rank, span.buffer) = *remote;
    } else {
      const auto buffer = json_buffer(in, {"type"});
      if (!buffer) return tl::unexpected(buffer.error());
      span.buffer = *buffer;
    }
    spans.push_back(span);
    return {};
  }

  /// Converts a span to the finer chunks that thread blocks share.
  void split_chunks(PlanSpan& span) const {
    const std::uint32_t split = made_.plan.chunk_split, piece = span.count * (split / share_.of);
    span.first = span.first * split + share_.number * piece;
    span.count = piece;
  }

  Result<std::pair<std::uint32_t, PlanBuffer>> remote_buffer(const JsonPlace& in) {
    const auto& known = block_.remote[static_cast<std::size_t>(kind_)];
    if (in.has("buffer_id")) {
      const auto number = element(in.at("buffer_id"), known, "remote buffers");
      if (!number) return tl::unexpected(number.error());
      return rank_.remote[*number];
    }
    // Some operations name only the buffer: its rank is known if the block has only one such
    // buffer.
    const auto buffer = json_buffer(in, {"type"});
    if (!buffer) return tl::unexpected(buffer.error());
    if (known.size() == 1 && rank_.remote[known.front()].second == *buffer) {
      made_.findings.add(FindingCode::default_assumed,
                         in.where + ": without buffer_id, the block's only remote buffer is used");
      return rank_.remote[known.front()];
    }
    return fail(Errc::input_missing_attr, in.where, "a put needs a buffer_id");
  }

  Result<void> add_group(const JsonPlace& in, PlanSpan span, std::vector<PlanSpan>& spans) {
    const auto number =
        element(in.at("switch_channel_id"),
                block_.channels[static_cast<std::size_t>(ChannelKind::in_switch)], "channels");
    if (!number) return tl::unexpected(number.error());
    const SwitchGroup& group = rank_.groups[*number];
    span.buffer = group.buffer;
    for (const std::uint32_t rank : group.ranks) {
      span.rank = rank;
      spans.push_back(span);
    }
    return {};
  }

  // An operation that moves several spans without adding becomes several steps.
  Result<void> add_steps() {
    const auto& spans = step_.reads.empty() ? step_.writes : step_.reads;
    if (!spans.empty()) step_.count = spans.front().count;
    for (const auto* all : {&step_.reads, &step_.writes})
      for (const PlanSpan& span : *all)
        if (span.count != step_.count)
          return fail(Errc::input_corrupt, op_.where,
                      fmt::format("an operation has spans of {} and of {} chunks", step_.count,
                                  span.count));
    if (adds(step_.type) || step_.reads.size() <= 1) return add(std::move(step_));
    if (step_.reads.size() != step_.writes.size())
      return fail(Errc::input_corrupt, op_.where,
                  fmt::format("{} source spans, but {} target spans; an operation without addition "
                              "needs equal numbers",
                              step_.reads.size(), step_.writes.size()));
    for (std::size_t i = 0; i < step_.reads.size(); ++i) {
      PlanStep one = step_;
      one.reads = {step_.reads[i]};
      one.writes = {step_.writes[i]};
      if (i > 0) one.after.clear(), one.waits.clear();
      if (i + 1 < step_.reads.size()) one.posts.clear();
      if (auto done = add(std::move(one)); !done) return done;
    }
    return {};
  }

  Result<void> add(PlanStep step) {
    block_.at.step = static_cast<std::uint32_t>(
        made_.plan.ranks[block_.at.rank].blocks[block_.at.block].steps.size());
    return made_.add(block_.at, std::move(step), op_.where);
  }

  const JsonPlace& op_;
  const MscclppRank& rank_;
  MscclppBlock& block_;
  MscclppPlan& made_;
  PlanStep step_;
  ChannelKind kind_ = ChannelKind::none;
  BlockShare share_;
};

}  // namespace

Result<void> read_operation(const JsonPlace& op, const MscclppRank& rank, MscclppBlock& block,
                            MscclppPlan& made) {
  return OperationReader(op, rank, block, made).read();
}

}  // namespace orrery::synthesis
