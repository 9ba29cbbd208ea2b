// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/planner/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "addons/bench/operators/resolver.h"
#include "addons/bench/operators/substitution_rules.h"
#include "addons/bench/plan/fills.h"
#include "addons/bench/plan/replay_memory.h"
#include "addons/bench/planner/argument_conversion.h"
#include "addons/bench/planner/exchanges.h"
#include "addons/bench/planner/slots.h"
#include "addons/bench/planner/step_streams.h"
#include "addons/bench/recording/fewer_layers.h"
#include "addons/bench/recording/host_gaps.h"
#include "addons/bench/recording/inner_operators.h"
#include "addons/bench/recording/name_pattern.h"
#include "orrery/trace/operators/operator_kernel.h"

namespace orrery::bench {
namespace {

using profile::EventId;
using profile::Profile;

/// The computation of an operator; empty if unknown.
std::optional<graph::Kernel> kernel_of(const Profile& profile, EventId event) {
  const profile::Node& node = *profile.node(event);
  const auto arguments = trace::operators::Arguments::read({profile.string(node.input_shapes),
                                                            profile.string(node.input_types),
                                                            profile.texts.view(node.inputs)});
  if (!arguments) return std::nullopt;
  return trace::operators::kernel_of_operator(profile.name(event), *arguments);
}

class Planner {
 public:
  Planner(const Profile& profile, const FrameworkOperators& operators, const PlanOptions& options)
      : profile_(profile),
        options_(options),
        resolver_(operators),
        slots_(plan_),
        exchanges_(plan_, slots_, options.communicate == CommunicationMode::really),
        arguments_(slots_),
        inside_(profile),
        gaps_(profile) {}

  Result<ReplayPlan> run();

 private:
  Result<void> add_operator(EventId event, const std::vector<bool>* items);
  void skip_operator(EventId event);
  Result<void> add_communication(EventId event);
  Result<void> add_selected(const Selection& selection);
  Result<void> add_parts(const std::vector<SubstitutePart>& parts, PlanSource& source);
  Result<void> add_part(const SubstitutePart& part, std::optional<Match> match);
  Result<void> add_arguments(const Call& call, const Match& match, ReplayStep& step,
                             std::vector<Slot>& inputs);
  Result<void> add_results(const Call& call, const std::vector<Slot>& inputs, ReplayStep& step);
  Result<void> add_stand_in(const SubstitutePart& part, ReplayStep& step,
                            std::vector<Slot>& inputs);
  [[nodiscard]] Call call_of(EventId event);
  std::uint32_t operation(const std::string& full_name);
  void add_source(EventId event, std::size_t first, PlanSource source);
  void set_times(EventId event, std::size_t first, PlanSource& source);
  void mark_retained(EventId event, const Call& call);

  const Profile& profile_;
  const PlanOptions& options_;
  Resolver resolver_;
  ReplayPlan plan_;
  Slots slots_;
  Exchanges exchanges_;
  Arguments arguments_;
  InnerOperators inside_;
  HostGaps gaps_;
  RuleContext context_;
  std::map<std::string, std::uint32_t> operations_;
  std::unordered_map<std::uint32_t, std::optional<OperatorSchema>> schemas_;  // by StringId
};

Call Planner::call_of(EventId event) {
  const profile::Node& node = *profile_.node(event);
  Call call;
  call.arguments = recorded_arguments(profile_, event);
  call.results = recorded_results(profile_, event);
  const auto [known, added] = schemas_.try_emplace(static_cast<std::uint32_t>(node.schema));
  if (added) known->second = parse_schema(profile_.string(node.schema));
  call.name = std::string(profile_.name(event));
  if (!known->second) return call;
  call.name = known->second->name;
  call.overload = known->second->overload;
  for (const Parameter& parameter : known->second->parameters) call.names.push_back(parameter.name);
  return call;
}

std::uint32_t Planner::operation(const std::string& full_name) {
  const auto [at, added] =
      operations_.try_emplace(full_name, static_cast<std::uint32_t>(plan_.operations.size()));
  if (added) plan_.operations.push_back(full_name);
  return at->second;
}

Result<void> Planner::add_arguments(const Call& call, const Match& match, ReplayStep& step,
                                    std::vector<Slot>& inputs) {
  const auto& parameters = match.schema->parameters;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    Value value;
    if (match.parameters[p] != kFallback) {
      auto converted =
          arguments_.convert(call.arguments[match.parameters[p]], parameters[p].type, inputs);
      if (!converted) return tl::unexpected(std::move(converted.error()));
      value = *std::move(converted);
    } else if (!parameters[p].fallback) {
      value.kind = Value::Kind::none;
    }
    step.arguments.push_back(std::move(value));
  }
  return {};
}

Result<void> Planner::add_results(const Call& call, const std::vector<Slot>& inputs,
                                  ReplayStep& step) {
  const auto add = [&](const RecordedTensor& tensor, std::size_t place,
                       std::int32_t item) -> Result<void> {
    if (!tensor.defined) return {};
    const auto slot = slots_.output(tensor, inputs);
    if (!slot) return tl::unexpected(slot.error());
    step.outputs.push_back({static_cast<std::uint32_t>(place), item, *slot, tensor.spec});
    return {};
  };
  for (std::size_t i = 0; i < call.results.size(); ++i) {
    const RecordedValue& result = call.results[i];
    if (result.kind == RecordedValue::Kind::tensor) {
      if (auto added = add(result.tensor, i, -1); !added) return added;
    }
    if (result.kind != RecordedValue::Kind::list) continue;
    for (std::size_t k = 0; k < result.items.size(); ++k) {
      if (result.items[k].kind != RecordedValue::Kind::tensor) continue;
      if (auto added = add(result.items[k].tensor, i, static_cast<std::int32_t>(k)); !added)
        return added;
    }
  }
  return {};
}

/// Adds the two lists of tensors of a stand-in: to read, and to write.
Result<void> Planner::add_stand_in(const SubstitutePart& part, ReplayStep& step,
                                   std::vector<Slot>& inputs) {
  step.kind = ReplayStep::Kind::stand_in;
  step.flops = part.flops;
  ParameterType tensors{BaseType::tensor, false, true, false, false, false};
  for (const std::vector<RecordedValue>* side : {&part.call.arguments, &part.written}) {
    tensors.written = side == &part.written;
    std::vector<RecordedValue> defined;
    for_each_recorded_tensor(*side, [&](const RecordedTensor& tensor) {
      if (tensor.defined) defined.push_back(RecordedValue::of(tensor));
    });
    auto list = arguments_.convert(RecordedValue::of(std::move(defined)), tensors, inputs);
    if (!list) return tl::unexpected(std::move(list.error()));
    step.arguments.push_back(*std::move(list));
  }
  return {};
}

Result<void> Planner::add_part(const SubstitutePart& part, std::optional<Match> match) {
  ReplayStep step;
  std::vector<Slot> inputs;
  if (part.kind == SubstitutePart::Kind::stand_in) {
    if (auto added = add_stand_in(part, step, inputs); !added) return added;
  } else if (part.kind == SubstitutePart::Kind::call && match && match->runs) {
    step.operation = operation(match->schema->full_name());
    if (auto added = add_arguments(part.call, *match, step, inputs); !added) return added;
  } else {
    step.kind = ReplayStep::Kind::absent;
  }
  if (auto added = add_results(part.call, inputs, step); !added) return added;
  plan_.steps.push_back(std::move(step));
  return {};
}

Result<void> Planner::add_parts(const std::vector<SubstitutePart>& parts, PlanSource& source) {
  if (parts.empty()) source.how = ReplayMethod::skipped;
  for (const SubstitutePart& part : parts) {
    std::optional<Match> match;
    if (part.kind == SubstitutePart::Kind::call) match = resolver_.match(part.call);
    if (part.kind == SubstitutePart::Kind::call && (!match || !match->runs))
      source.how = ReplayMethod::absent;
    if (auto added = add_part(part, std::move(match)); !added) return added;
  }
  return {};
}

void Planner::set_times(EventId event, std::size_t first, PlanSource& source) {
  const profile::Event& recorded = profile_.events[event];
  if (!recorded.timed()) return;
  plan_.timed = true;
  source.recorded = recorded.duration;
  gaps_.visit(event);
  if (first < plan_.steps.size()) plan_.steps[first].gap_ns = gaps_.take().count() / kPsPerNs;
}

/// An operator that is called as a whole may retain memory for later operators that is not among
/// its results.
void Planner::mark_retained(EventId event, const Call& call) {
  std::vector<std::uint64_t> known;
  for (const std::vector<RecordedValue>* side : {&call.arguments, &call.results})
    for_each_recorded_tensor(
        *side, [&](const RecordedTensor& tensor) { known.push_back(tensor.storage); });
  for (const RecordedTensor& tensor : inside_.inner_results(event))
    if (std::find(known.begin(), known.end(), tensor.storage) == known.end())
      slots_.retain(tensor, static_cast<std::uint32_t>(plan_.steps.size() - 1));
}

/// `items`: items of its lists to retain; null: all.
Result<void> Planner::add_operator(EventId event, const std::vector<bool>* items) {
  SubstitutePart whole;
  whole.call = call_of(event);
  if (items != nullptr) {
    keep_items(*items, whole.call.arguments);
    keep_items(*items, whole.call.results);
  }
  PlanSource source;
  source.name =
      whole.call.overload.empty() ? whole.call.name : whole.call.name + "." + whole.call.overload;
  const std::size_t first = plan_.steps.size();
  std::optional<std::vector<SubstitutePart>> parts;
  const auto substitute = [&](bool always) {
    for (const SubstitutionRule& rule : rules()) {
      if (parts || rule.always != always || !matches(rule.pattern, whole.call.name)) continue;
      parts = rule.apply(whole.call, context_);
      if (parts) source.rule = std::string(rule.name);
    }
  };
  const profile::Node& node = *profile_.node(event);
  std::optional<Match> match;
  if (profile_.string(node.schema).empty()) {
    parts = std::vector{triton_stand_in(whole.call.name, whole.call.arguments)};
    source.rule = std::string(kTritonRule);
  } else {
    substitute(true);
    if (!parts) match = resolver_.match(whole.call);
    if (!parts && !(match && match->runs)) substitute(false);
  }
  Result<void> added;
  if (parts) {
    source.how = ReplayMethod::rule;
    added = add_parts(*parts, source);
  } else {
    source.how = !match || !match->runs ? ReplayMethod::absent
                 : match->exact         ? ReplayMethod::exact
                                        : ReplayMethod::overload;
    added = add_part(whole, std::move(match));
  }
  if (!added) {
    added.error().where = fmt::format("{}: node {}", profile_.where, node.id);
    return added;
  }
  add_source(event, first, std::move(source));
  if (plan_.steps.size() > first) mark_retained(event, whole.call);
  exchanges_.insert_waits(first, arguments_.take_written());
  return {};
}

/// Adds a source for the steps since `first`. Wait steps belong to the source of their
/// communication.
void Planner::add_source(EventId event, std::size_t first, PlanSource source) {
  for (std::size_t s = first; s < plan_.steps.size(); ++s) {
    if (plan_.steps[s].kind != ReplayStep::Kind::wait)
      plan_.steps[s].source = static_cast<std::uint32_t>(plan_.sources.size());
  }
  const std::uint64_t record_function = profile_.op(event).record_function_id;
  if (options_.kernels) source.kernel = kernel_of(profile_, event);
  source.record_function = record_function == profile::kNoId ? 0 : record_function;
  source.event = event;
  set_times(event, first, source);
  plan_.sources.push_back(std::move(source));
}

Result<void> Planner::add_communication(EventId event) {
  const std::size_t first = plan_.steps.size(), before = plan_.exchanges.size();
  auto added = exchanges_.add(profile_, event, call_of(event));
  if (!added) {
    added.error().where = fmt::format("{}: node {}", profile_.where, profile_.node(event)->id);
    return tl::unexpected(std::move(added.error()));
  }
  if (!*added) ++plan_.communications;
  if (plan_.exchanges.size() == before) return {};
  PlanSource source;
  source.name = std::string(profile_.name(event));
  source.how = ReplayMethod::communicated;
  add_source(event, first, std::move(source));
  return {};
}

/// Adds operators and communications in the order of the recording.
Result<void> Planner::add_selected(const Selection& selection) {
  const bool none = options_.communicate == CommunicationMode::no;
  if (none) plan_.communications = selection.communications.size();
  auto next = selection.communications.begin();
  const auto id = [&](EventId event) { return profile_.node(event)->id; };
  const auto communicate_before = [&](std::uint64_t node) -> Result<void> {
    for (; next != selection.communications.end() && id(*next) < node; ++next) {
      if (none)
        gaps_.visit(*next);
      else if (auto added = add_communication(*next); !added)
        return added;
    }
    return {};
  };
  std::size_t others = 0;
  for (const EventId event : selection.operators) {
    if (auto added = communicate_before(id(event)); !added) return added;
    while (others < selection.others.size() && id(selection.others[others]) < id(event))
      skip_operator(selection.others[others++]);
    const auto items = selection.items.find(event);
    if (auto added = add_operator(event, items == selection.items.end() ? nullptr : &items->second);
        !added)
      return added;
  }
  if (auto added = communicate_before(~std::uint64_t{0}); !added) return added;
  exchanges_.wait_for_all();
  exchanges_.find_recorded_times(profile_);
  return {};
}

/// Results of an operator of another part exist before the first step.
void Planner::skip_operator(EventId event) {
  gaps_.skip(event);
  const Call call = call_of(event);
  std::vector<RecordedTensor> inputs;
  for_each_recorded_tensor(call.arguments,
                           [&](const RecordedTensor& tensor) { inputs.push_back(tensor); });
  for_each_recorded_tensor(call.results,
                           [&](const RecordedTensor& tensor) { slots_.forget(tensor, inputs); });
}

Result<ReplayPlan> Planner::run() {
  auto selection = select(profile_, options_.select,
                          [&](std::string_view schema) { return resolver_.is_composite(schema); });
  if (!selection) return tl::unexpected(std::move(selection.error()));
  plan_.other_nodes = selection->other_nodes;
  if (auto added = add_selected(*selection); !added)
    return tl::unexpected(std::move(added.error()));
  const double ratio = gaps_.total_ratio();
  for (ReplayStep& step : plan_.steps)
    step.gap_ns = std::llround(ratio * static_cast<double>(step.gap_ns * kPsPerNs)) / kPsPerNs;
  find_step_streams(profile_, plan_);
  plan_.reuse = options_.reuse;
  choose_fills(plan_);
  find_last_uses(plan_);
  if (auto fitting = plan_memory(plan_, options_.memory_limit); !fitting) {
    fitting.error().where = profile_.where;
    return tl::unexpected(std::move(fitting.error()));
  }
  return std::move(plan_);
}

}  // namespace

Result<ReplayPlan> make_plan(const Profile& profile, const FrameworkOperators& operators,
                             const PlanOptions& options) {
  return Planner(profile, operators, options).run();
}

}  // namespace orrery::bench
