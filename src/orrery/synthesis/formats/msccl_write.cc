// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "orrery/core/text/text.h"
#include "orrery/synthesis/formats/msccl.h"

namespace orrery::synthesis {
namespace {

constexpr std::string_view kBufferLetters = "ios";

void append_attribute(std::string& out, std::string_view key, std::string_view value) {
  out += fmt::format(" {}=\"", key);
  append_xml_text(out, value, "\"");
  out += '"';
}

/// MSCCL's name for the collective.
std::string collective_name(const Plan& plan) {
  if (!plan.collective_name.empty()) return plan.collective_name;
  return plan.collective == CollectiveType::unknown ? "custom"
                                                    : std::string(plan_name(plan.collective));
}

class MscclWriter {
 public:
  explicit MscclWriter(const Plan& plan) : plan_(plan) {}

  Result<std::string> write() {
    if (auto fits = check(); !fits) return tl::unexpected(fits.error());
    find_partners();
    number_steps();
    write_head();
    for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) write_gpu(rank);
    out_ += "</algo>\n";
    return std::move(out_);
  }

 private:
  using Connection = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, channel
  struct Messages {
    std::vector<StepPosition> sent, received;
  };
  /// The position of a step in the file, and whether another step waits for it.
  struct WrittenStep {
    std::uint32_t step = 0;
    bool is_waited_for = false;
  };

  Result<void> check() const {
    Result<void> result;
    for_each_step(plan_, [&](const StepPosition& at, const PlanBlock&, const PlanStep& step) {
      const auto is_remote = [&](const PlanSpan& span) { return span.rank != at.rank; };
      const bool has_remote = std::any_of(step.reads.begin(), step.reads.end(), is_remote) ||
                              std::any_of(step.writes.begin(), step.writes.end(), is_remote);
      const bool has_no_span =
          (step.sends || step.receives) && step.reads.empty() && step.writes.empty();
      const bool supported = msccl_step(name(step.type)) && !has_remote && !has_no_span &&
                             step.posts.empty() && step.waits.empty() && !step.reads_packets &&
                             !step.writes_packets;
      if (!supported && result)
        result = fail(Errc::input_unsupported, to_text(plan_, at), "MSCCL has no step for this",
                      "MSCCL steps send and receive over connections; write Chakra traces instead");
    });
    return result;
  }

  void find_partners() {
    std::map<Connection, Messages> all;
    for_each_step(plan_, [&](const StepPosition& at, const PlanBlock& block, const PlanStep& step) {
      if (step.sends) all[{at.rank, *block.to, block.channel}].sent.push_back(at);
      if (step.receives) all[{*block.from, at.rank, block.channel}].received.push_back(at);
    });
    for (const auto& [connection, messages] : all) {
      const std::size_t both = std::min(messages.sent.size(), messages.received.size());
      for (std::size_t i = 0; i < both; ++i) {
        receiver_of_[messages.sent[i]] = messages.received[i];
        sender_of_[messages.received[i]] = messages.sent[i];
      }
    }
  }

  // A step with several dependencies gets additional steps before it that only wait.
  void number_steps() {
    std::map<StepPosition, bool> is_waited_for;
    for_each_step(plan_, [&](const StepPosition&, const PlanBlock&, const PlanStep& step) {
      for (const StepPosition& on : step.after) is_waited_for[on] = true;
    });
    StepPosition block{~0u, ~0u, 0};
    std::uint32_t next = 0;
    for_each_step(plan_, [&](const StepPosition& at, const PlanBlock&, const PlanStep& step) {
      if (at.rank != block.rank || at.block != block.block) next = 0;
      block = at;
      if (step.after.size() > 1) next += static_cast<std::uint32_t>(step.after.size()) - 1;
      written_[at] = {next++, is_waited_for.count(at) != 0};
    });
  }

  void write_head() {
    out_ = "<algo";
    append_attribute(out_, "name", plan_.name);
    append_attribute(out_, "proto", plan_.protocol.empty() ? "Simple" : plan_.protocol);
    out_ += fmt::format(" nchannels=\"{}\"", plan_.channels);
    const std::uint32_t loop =
        plan_.chunks_per_loop != 0 ? plan_.chunks_per_loop : buffer_chunks(plan_);
    out_ += fmt::format(" nchunksperloop=\"{}\" ngpus=\"{}\"", loop, plan_.ranks.size());
    append_attribute(out_, "coll", collective_name(plan_));
    out_ += fmt::format(" inplace=\"{}\" outofplace=\"{}\"", plan_.in_place ? 1 : 0,
                        plan_.out_of_place ? 1 : 0);
    if (plan_.root != 0) out_ += fmt::format(" root=\"{}\"", plan_.root);
    if (plan_.min_bytes >= 0) out_ += fmt::format(" minBytes=\"{}\"", plan_.min_bytes);
    if (plan_.max_bytes >= 0) out_ += fmt::format(" maxBytes=\"{}\"", plan_.max_bytes);
    out_ += ">\n";
  }

  void write_gpu(std::uint32_t rank) {
    const PlanRank& of = plan_.ranks[rank];
    out_ += fmt::format("  <gpu id=\"{}\" i_chunks=\"{}\" o_chunks=\"{}\" s_chunks=\"{}\">\n", rank,
                        of.chunks[0], of.chunks[1], of.chunks[2]);
    for (std::uint32_t block = 0; block < of.blocks.size(); ++block) {
      const PlanBlock& one = of.blocks[block];
      const auto peer = [](const std::optional<std::uint32_t>& who) {
        return who ? static_cast<std::int64_t>(*who) : -1;
      };
      out_ += fmt::format("    <tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", block,
                          peer(one.to), peer(one.from), one.channel);
      for (std::uint32_t step = 0; step < one.steps.size(); ++step)
        write_step({rank, block, step}, one.steps[step]);
      out_ += "    </tb>\n";
    }
    out_ += "  </gpu>\n";
  }

  void write_step(const StepPosition& at, const PlanStep& step) {
    const WrittenStep& is = written_.at(at);
    const std::size_t before = step.after.size() > 1 ? step.after.size() - 1 : 0;
    for (std::size_t i = 0; i < before; ++i)
      write_line(is.step - static_cast<std::uint32_t>(before - i), StepType::nop, {}, -1, 0,
                 &step.after[i], false);
    const StepPosition* on = step.after.empty() ? nullptr : &step.after.back();
    if (step.type == StepType::nop)
      return write_line(is.step, step.type, {}, -1, 0, on, is.is_waited_for);
    write_line(is.step, step.type, ends_of(at, step), 0, step.count, on, is.is_waited_for);
  }

  void write_line(std::uint32_t number, StepType type, const MessageEndpoints& ends, int nowhere,
                  std::uint32_t count, const StepPosition* on, bool is_waited_for) {
    const auto offset = [&](std::uint32_t first) {
      return nowhere < 0 ? std::int64_t{-1} : std::int64_t{first};
    };
    out_ += fmt::format(
        "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
        "cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
        number, name(type), kBufferLetters[static_cast<std::size_t>(ends.from)],
        offset(ends.first_from), kBufferLetters[static_cast<std::size_t>(ends.to)],
        offset(ends.first_to), count, on == nullptr ? -1 : std::int64_t{on->block},
        on == nullptr ? -1 : std::int64_t{written_.at(*on).step}, is_waited_for ? 1 : 0);
  }

  /// Both places of a step. If it does not state the remote one, uses its partner's.
  MessageEndpoints ends_of(const StepPosition& at, const PlanStep& step) const {
    if (step.ends) return *step.ends;
    const PlanSpan* source = step.reads.empty() ? nullptr : &step.reads.front();
    const PlanSpan* target = step.writes.empty() ? nullptr : &step.writes.front();
    if (target == nullptr && step.sends) {
      if (const auto partner = receiver_of_.find(at); partner != receiver_of_.end()) {
        const PlanStep& other = step_at(plan_, partner->second);
        if (!other.writes.empty()) target = &other.writes.front();
      }
    }
    if (source == nullptr && step.receives) {
      if (const auto partner = sender_of_.find(at); partner != sender_of_.end()) {
        const PlanStep& other = step_at(plan_, partner->second);
        if (!other.reads.empty()) source = &other.reads.front();
      }
    }
    if (target == nullptr) target = source;
    if (source == nullptr) source = target;
    if (source == nullptr) return {};
    return {source->buffer, target->buffer, source->first, target->first};
  }

  const Plan& plan_;
  std::map<StepPosition, StepPosition> receiver_of_, sender_of_;
  std::map<StepPosition, WrittenStep> written_;
  std::string out_;
};

}  // namespace

Result<std::string> write_msccl(const Plan& plan) { return MscclWriter(plan).write(); }

}  // namespace orrery::synthesis
