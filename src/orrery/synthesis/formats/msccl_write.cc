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

/// What MSCCL calls the collective.
std::string collective_name(const Plan& plan) {
  if (!plan.collective_name.empty()) return plan.collective_name;
  return plan.collective == CollectiveType::unknown ? "custom"
                                                    : std::string(plan_name(plan.collective));
}

class MscclWriting {
 public:
  explicit MscclWriting(const Plan& plan) : plan_(plan) {}

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
  /// Where a step stands in the file, and whether somebody waits for it.
  struct Written {
    std::uint32_t step = 0;
    bool waited = false;
  };

  Result<void> check() const {
    for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      const PlanRank& of = plan_.ranks[rank];
      for (std::uint32_t block = 0; block < of.blocks.size(); ++block) {
        for (std::uint32_t step = 0; step < of.blocks[block].steps.size(); ++step) {
          const PlanStep& one = of.blocks[block].steps[step];
          const auto abroad = [&](const PlanSpan& span) { return span.rank != rank; };
          const bool far = std::any_of(one.reads.begin(), one.reads.end(), abroad) ||
                           std::any_of(one.writes.begin(), one.writes.end(), abroad);
          const bool placeless =
              (one.sends || one.receives) && one.reads.empty() && one.writes.empty();
          if (msccl_step(name(one.type)) && !far && !placeless && one.posts.empty() &&
              one.waits.empty() && !one.reads_packets && !one.writes_packets)
            continue;
          return fail(Errc::input_unsupported, to_text(plan_, {rank, block, step}),
                      "MSCCL has no step that does this",
                      "its steps send and receive over connections; write Chakra traces instead");
        }
      }
    }
    return {};
  }

  void find_partners() {
    std::map<Connection, Messages> all;
    for_each_step([&](const StepPosition& at, const PlanBlock& block, const PlanStep& step) {
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

  // A step with several dependencies has waiting steps before it.
  void number_steps() {
    std::map<StepPosition, bool> waited;
    for_each_step([&](const StepPosition&, const PlanBlock&, const PlanStep& step) {
      for (const StepPosition& on : step.after) waited[on] = true;
    });
    StepPosition block{~0u, ~0u, 0};
    std::uint32_t next = 0;
    for_each_step([&](const StepPosition& at, const PlanBlock&, const PlanStep& step) {
      if (at.rank != block.rank || at.block != block.block) next = 0;
      block = at;
      if (step.after.size() > 1) next += static_cast<std::uint32_t>(step.after.size()) - 1;
      written_[at] = {next++, waited.count(at) != 0};
    });
  }

  template <class Do>
  void for_each_step(const Do& act) const {
    for (std::uint32_t rank = 0; rank < plan_.ranks.size(); ++rank) {
      const auto& blocks = plan_.ranks[rank].blocks;
      for (std::uint32_t block = 0; block < blocks.size(); ++block)
        for (std::uint32_t step = 0; step < blocks[block].steps.size(); ++step)
          act(StepPosition{rank, block, step}, blocks[block], blocks[block].steps[step]);
    }
  }

  void write_head() {
    out_ = "<algo";
    append_attribute(out_, "name", plan_.name);
    append_attribute(out_, "proto", plan_.protocol.empty() ? "Simple" : plan_.protocol);
    out_ += fmt::format(" nchannels=\"{}\"", plan_.channels);
    const std::uint32_t loop =
        plan_.chunks_per_loop != 0 ? plan_.chunks_per_loop : whole_chunks(plan_);
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
    const Written& is = written_.at(at);
    const std::size_t before = step.after.size() > 1 ? step.after.size() - 1 : 0;
    for (std::size_t i = 0; i < before; ++i)
      write_line(is.step - static_cast<std::uint32_t>(before - i), StepType::nop, {}, -1, 0,
                 &step.after[i], false);
    const StepPosition* on = step.after.empty() ? nullptr : &step.after.back();
    if (step.type == StepType::nop) return write_line(is.step, step.type, {}, -1, 0, on, is.waited);
    write_line(is.step, step.type, ends_of(at, step), 0, step.count, on, is.waited);
  }

  void write_line(std::uint32_t number, StepType type, const MessageEnds& ends, int nowhere,
                  std::uint32_t count, const StepPosition* on, bool waited) {
    const auto offset = [&](std::uint32_t first) {
      return nowhere < 0 ? std::int64_t{-1} : std::int64_t{first};
    };
    out_ += fmt::format(
        "      <step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" "
        "cnt=\"{}\" depid=\"{}\" deps=\"{}\" hasdep=\"{}\"/>\n",
        number, name(type), kBufferLetters[static_cast<std::size_t>(ends.from)],
        offset(ends.first_from), kBufferLetters[static_cast<std::size_t>(ends.to)],
        offset(ends.first_to), count, on == nullptr ? -1 : std::int64_t{on->block},
        on == nullptr ? -1 : std::int64_t{written_.at(*on).step}, waited ? 1 : 0);
  }

  /// Both places of a step; where it does not state the other one, its partner's.
  MessageEnds ends_of(const StepPosition& at, const PlanStep& step) const {
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
  std::map<StepPosition, Written> written_;
  std::string out_;
};

}  // namespace

Result<std::string> write_msccl(const Plan& plan) { return MscclWriting(plan).write(); }

}  // namespace orrery::synthesis
