// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "orrery/core/text.h"
#include "orrery/synthesis/formats/mscclpp_internal.h"
#include "orrery/synthesis/plan_limits.h"

namespace orrery::synthesis {
namespace {

const char* key_in(const JsonAt& in, std::initializer_list<const char*> keys) {
  for (const char* key : keys)
    if (in.has(key)) return key;
  return nullptr;
}

tl::unexpected<Error> missing(const JsonAt& in, std::initializer_list<const char*> keys) {
  return fail(Errc::input_missing_attr, in.where, fmt::format("{} is missing", *keys.begin()));
}

}  // namespace

Result<std::int64_t> json_number(const JsonAt& in, std::initializer_list<const char*> keys,
                                 std::int64_t least, std::int64_t most) {
  const char* key = key_in(in, keys);
  if (key == nullptr) return missing(in, keys);
  const JsonAt found = in.at(key);
  if (!found.value.is_number_integer())
    return fail(Errc::input_corrupt, found.where,
                fmt::format("{}, where a whole number belongs", config::kind_of(found.value)));
  // Sizes that stand for "any" are the largest numbers there are.
  const bool huge =
      found.value.is_number_unsigned() && found.value.get<std::uint64_t>() > std::uint64_t{1} << 62;
  const std::int64_t value = huge ? std::int64_t{1} << 62 : found.value.get<std::int64_t>();
  if (value < least || value > most)
    return fail(Errc::input_range, found.where,
                fmt::format("{} is {}, outside {} to {}", key, value, least, most));
  return value;
}

Result<std::int64_t> json_number_or(const JsonAt& in, std::initializer_list<const char*> keys,
                                    std::int64_t missing_is, std::int64_t least,
                                    std::int64_t most) {
  if (key_in(in, keys) == nullptr) return missing_is;
  return json_number(in, keys, least, most);
}

Result<JsonAt> json_list(const JsonAt& in, std::initializer_list<const char*> keys) {
  static const Json kNone = Json::array();
  const char* key = key_in(in, keys);
  if (key == nullptr) return JsonAt{kNone, in.where};
  JsonAt found = in.at(key);
  if (found.value.is_array()) return found;
  return fail(Errc::input_corrupt, found.where,
              fmt::format("{}, where a list belongs", config::kind_of(found.value)));
}

Result<std::string> json_text(const JsonAt& in, std::initializer_list<const char*> keys) {
  const char* key = key_in(in, keys);
  if (key == nullptr) return missing(in, keys);
  const JsonAt found = in.at(key);
  if (found.value.is_string()) return found.value.get<std::string>();
  return fail(Errc::input_corrupt, found.where,
              fmt::format("{}, where text belongs", config::kind_of(found.value)));
}

Result<PlanBuffer> json_buffer(const JsonAt& in, std::initializer_list<const char*> keys) {
  const auto text = json_text(in, keys);
  if (!text) return tl::unexpected(text.error());
  if (*text == "i") return PlanBuffer::input;
  if (*text == "o") return PlanBuffer::output;
  if (*text == "s") return PlanBuffer::scratch;
  return fail(Errc::input_corrupt, in.where, fmt::format("a buffer {}", in_quotes(*text)),
              "buffers are i, o and s");
}

Result<ChannelKind> json_channel_kind(const JsonAt& in, std::initializer_list<const char*> keys) {
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

Result<void> MscclppPlan::add(const StepAt& at, PlanStep step, const std::string& where) {
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
