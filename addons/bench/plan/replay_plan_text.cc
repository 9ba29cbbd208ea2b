// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/replay_plan_text.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "orrery/core/text/text.h"

namespace orrery::bench {
namespace {

void append_integers(std::string& out, const std::vector<std::int64_t>& numbers) {
  out += '[';
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i != 0) out += ',';
    fmt::format_to(std::back_inserter(out), "{}", numbers[i]);
  }
  out += ']';
}

void append_spec(std::string& out, const TensorSpec& spec) {
  out.append(name(spec.dtype)) += ' ';
  append_integers(out, spec.sizes);
  out += ' ';
  append_integers(out, spec.strides);
}

/// Always with a sign that it is no whole number.
void append_real(std::string& out, double real) {
  if (std::isnan(real)) {
    out += "nan";
    return;
  }
  const std::string text = fmt::format("{}", real);
  out += text;
  if (text.find_first_of(".en") == std::string::npos) out += ".0";
}

void append_value(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::fallback:
      out += '_';
      return;
    case Value::Kind::none:
      out += "none";
      return;
    case Value::Kind::undefined:
      out += "undefined";
      return;
    case Value::Kind::tensor:
      fmt::format_to(std::back_inserter(out), "%{}", value.slot);
      return;
    case Value::Kind::integer:
      fmt::format_to(std::back_inserter(out), "{}", value.integer);
      return;
    case Value::Kind::real:
      append_real(out, value.real);
      return;
    case Value::Kind::truth:
      out += value.integer != 0 ? "true" : "false";
      return;
    case Value::Kind::text:
      append_json_text(out, value.text);
      return;
    case Value::Kind::device:
      out += '@';
      return;
    case Value::Kind::list:
      break;
  }
  static constexpr std::array<char, 7> kLetters = {'t', 'o', 'i', 'r', 'b', 's', 'x'};
  out += kLetters[static_cast<std::size_t>(value.of)];
  out += '[';
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i != 0) out += ',';
    append_value(out, value.items[i]);
  }
  out += ']';
}

void append_arguments(std::string& out, const ReplayStep& step) {
  out += '(';
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    if (i != 0) out += ", ";
    append_value(out, step.arguments[i]);
  }
  out += ')';
}

void append_outputs(std::string& out, const ReplayStep& step) {
  out += " ->";
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    const Output& output = step.outputs[i];
    fmt::format_to(std::back_inserter(out), "{} {}", i == 0 ? "" : ",", output.place);
    if (output.item >= 0) fmt::format_to(std::back_inserter(out), ".{}", output.item);
    fmt::format_to(std::back_inserter(out), " %{} ", output.slot);
    append_spec(out, output.spec);
  }
}

void append_exchange(std::string& out, const Exchange& exchange) {
  fmt::format_to(std::back_inserter(out), "communicate {} {} {} ", profile::name(exchange.kind),
                 exchange.group, exchange.bytes);
  if (exchange.peer >= 0) fmt::format_to(std::back_inserter(out), "peer {} ", exchange.peer);
  for (const auto& [word, split] :
       {std::pair("in ", &exchange.in_split), std::pair("out ", &exchange.out_split)}) {
    if (split->empty()) continue;
    out += word;
    append_integers(out, *split);
    out += ' ';
  }
  if (exchange.delay)
    fmt::format_to(std::back_inserter(out), "delay {} ", exchange.delay->count() / 1000);
}

void append_step(std::string& out, const ReplayPlan& plan, const ReplayStep& step) {
  if (step.gap > Time{})
    fmt::format_to(std::back_inserter(out), "gap {}\n", step.gap.count() / 1000);
  switch (step.kind) {
    case ReplayStep::Kind::call:
      fmt::format_to(std::back_inserter(out), "call {} ", step.operation);
      append_arguments(out, step);
      append_outputs(out, step);
      break;
    case ReplayStep::Kind::view: {
      const Output& made = step.outputs.front();
      fmt::format_to(std::back_inserter(out), "view %{} %{} ", made.slot,
                     step.arguments.front().slot);
      append_spec(out, made.spec);
      fmt::format_to(std::back_inserter(out), " {}", made.spec.offset);
      break;
    }
    case ReplayStep::Kind::stand_in:
      fmt::format_to(std::back_inserter(out), "stand_in {} ", step.flops);
      append_arguments(out, step);
      append_outputs(out, step);
      break;
    case ReplayStep::Kind::absent:
      out += "absent";
      append_outputs(out, step);
      break;
    case ReplayStep::Kind::communicate:
      append_exchange(out, plan.exchanges[step.exchange]);
      append_arguments(out, step);
      append_outputs(out, step);
      break;
    case ReplayStep::Kind::wait:
      fmt::format_to(std::back_inserter(out), "wait {}", step.exchange);
      break;
  }
  out += " ; last";
  for (const Slot slot : step.last) fmt::format_to(std::back_inserter(out), " %{}", slot);
  out += '\n';
}

void append_storage(std::string& out, std::size_t index, const Storage& storage) {
  fmt::format_to(std::back_inserter(out), "storage {} {} {} ", index, storage.bytes,
                 name(storage.dtype));
  const Fill& fill = storage.fill;
  switch (fill.kind) {
    case Fill::Kind::uniform:
      fmt::format_to(std::back_inserter(out), "uniform {} {}", fill.low, fill.high);
      break;
    case Fill::Kind::whole:
      fmt::format_to(std::back_inserter(out), "whole {:.0f} {:.0f}", fill.low, fill.high);
      break;
    case Fill::Kind::ramp:
      fmt::format_to(std::back_inserter(out), "ramp {} {:.0f}", fill.step, fill.high);
      break;
    case Fill::Kind::reuse:
      fmt::format_to(std::back_inserter(out), "reuse 0 {:.0f}", fill.high);
      break;
  }
  if (storage.written) out += " written";
  if (storage.after != kNoStep) fmt::format_to(std::back_inserter(out), " after {}", storage.after);
  out += '\n';
}

}  // namespace

std::string plan_text(const ReplayPlan& plan, bool group_names) {
  std::string out = "orrery benchmark 1\n";
  fmt::format_to(std::back_inserter(out), "slots {}\n", plan.slots);
  if (!plan.reuse.empty()) out += fmt::format("reuse {}\n", fmt::join(plan.reuse, " "));
  for (std::size_t i = 0; i < plan.storages.size(); ++i) append_storage(out, i, plan.storages[i]);
  for (const External& external : plan.externals) {
    fmt::format_to(std::back_inserter(out), "external %{} {} ", external.slot, external.storage);
    append_spec(out, external.spec);
    fmt::format_to(std::back_inserter(out), " {}\n", external.spec.offset);
  }
  for (std::size_t i = 0; i < plan.groups.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "group {} ", i);
    append_json_text(out, group_names ? plan.groups[i].name : std::string());
    out += " [";
    out += fmt::format("{}]\n", fmt::join(plan.groups[i].ranks, ","));
  }
  for (std::size_t i = 0; i < plan.operations.size(); ++i)
    fmt::format_to(std::back_inserter(out), "operation {} {}\n", i, plan.operations[i]);
  std::uint32_t source = ~0u;
  std::uint32_t stream = 0;
  for (const ReplayStep& step : plan.steps) {
    if (std::exchange(stream, step.stream) != step.stream)
      fmt::format_to(std::back_inserter(out), "stream {}\n", stream);
    if (step.source != source) {
      source = step.source;
      fmt::format_to(std::back_inserter(out), "# {}\n", printable(plan.sources[source].name));
    }
    append_step(out, plan, step);
  }
  return out;
}

}  // namespace orrery::bench
