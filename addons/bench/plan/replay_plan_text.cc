// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/replay_plan_text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>

#include "addons/bench/plan/program_format.h"
#include "orrery/core/text/text.h"

namespace orrery::bench {
namespace {

/// Writes lines of words that are separated by spaces. Its functions are those of `Text` in
/// program_format.h.
class ProgramWriter {
 public:
  explicit ProgramWriter(std::string& out) : out_(out) {}

  template <class... Arguments>
  void check(const Arguments&... /*unused*/) const {}
  void end() { out_ += '\n'; }
  void word(std::string_view word) { next_word() += word; }
  void name(std::string_view name) { word(name); }
  template <class Number, class... Check>
  void number(Number number, const Check&... /*unused*/) {
    fmt::format_to(std::back_inserter(next_word()), "{}", number);
  }
  template <class Number>
  void number(const std::vector<Number>& numbers) {
    fmt::format_to(std::back_inserter(next_word()), "[{}]", fmt::join(numbers, ","));
  }
  void index(std::size_t index) { number(index); }
  void slot(Slot slot) { fmt::format_to(std::back_inserter(next_word()), "%{}", slot); }
  void place(std::uint32_t place, std::int32_t item) {
    number(place);
    if (item >= 0) fmt::format_to(std::back_inserter(out_), ".{}", item);
  }
  template <class Kind, class Names>
  void choice(Kind kind, const Names& names, std::string_view /*wanted*/) {
    word(names[static_cast<std::size_t>(kind)]);
  }
  void flag(std::string_view what, bool present) {
    if (present) word(what);
  }
  template <class Field>
  void optional(std::string_view what, const Field& value,
                const std::type_identity_t<Field>& none) {
    if (value == none) return;
    word(what);
    number(value);
  }
  template <class Item, class Fn>
  void list(const std::vector<Item>& list, Fn&& fn) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (i != 0) out_ += ',';
      fn(list[i]);
    }
  }
  template <class Item, class Fn>
  void rest(const std::vector<Item>& list, Fn&& fn) {
    for (const Item& item : list) fn(item);
  }
  template <class Item>
  const Item& next(const std::vector<Item>& list, std::size_t index) {
    return list[index];
  }
  void arguments(const std::vector<Value>& values) {
    next_word();
    append_values('(', values, ", ", ')');
  }
  void quoted(const std::string& text) { append_json_text(next_word(), text); }
  void value(const Value& value) {
    next_word();
    append_value(value);
  }

 private:
  std::string& next_word() {
    if (!out_.empty() && out_.back() != '\n') out_ += ' ';
    return out_;
  }
  /// Appends a real so that it cannot be mistaken for an integer.
  void append_real(double real) {
    const std::string text = std::isnan(real) ? "nan" : fmt::format("{}", real);
    out_ += text;
    if (text.find_first_of(".en") == std::string::npos) out_ += ".0";
  }
  void append_values(char begin, const std::vector<Value>& values, std::string_view between,
                     char end) {
    out_ += begin;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i != 0) out_ += between;
      append_value(values[i]);
    }
    out_ += end;
  }
  void append_value(const Value& value);

  std::string& out_;
};

void ProgramWriter::append_value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::fallback:
      out_ += '_';
      return;
    case Value::Kind::none:
      out_ += "none";
      return;
    case Value::Kind::undefined:
      out_ += "undefined";
      return;
    case Value::Kind::tensor:
      fmt::format_to(std::back_inserter(out_), "%{}", value.slot);
      return;
    case Value::Kind::integer:
      fmt::format_to(std::back_inserter(out_), "{}", value.integer);
      return;
    case Value::Kind::real:
      append_real(value.real);
      return;
    case Value::Kind::truth:
      out_ += value.integer != 0 ? "true" : "false";
      return;
    case Value::Kind::text:
      append_json_text(out_, value.text);
      return;
    case Value::Kind::device:
      out_ += '@';
      return;
    case Value::Kind::list:
      out_ += program_format::kItems[static_cast<std::size_t>(value.of)];
      append_values('[', value.items, ",", ']');
      return;
  }
}

}  // namespace

std::string plan_text(const ReplayPlan& plan, bool group_names) {
  using namespace program_format;
  std::string out;
  ProgramWriter writer(out);
  writer.word(kFirstLine);
  writer.end();
  describe_setting(writer, "slots", plan.slots);
  if (!plan.reuse.empty()) describe_reuse(writer, plan);
  for (std::size_t i = 0; i < plan.storages.size(); ++i) describe_storage(writer, plan.storages, i);
  for (const External& external : plan.externals) describe_external(writer, external, plan);
  std::vector<ProcessGroup> groups = plan.groups;
  for (ProcessGroup& group : groups)
    if (!group_names) group.name.clear();
  for (std::size_t i = 0; i < groups.size(); ++i) describe_group(writer, groups, i);
  for (std::size_t i = 0; i < plan.operations.size(); ++i)
    describe_operation(writer, plan.operations, i);
  std::uint32_t source = ~0u;
  std::uint32_t stream = 0;
  for (const ReplayStep& step : plan.steps) {
    if (std::exchange(stream, step.stream) != step.stream)
      describe_setting(writer, "stream", stream);
    if (std::exchange(source, step.source) != step.source)
      fmt::format_to(std::back_inserter(out), "# {}\n", printable(plan.sources[source].name));
    if (step.gap_ns > 0) describe_setting(writer, "gap", step.gap_ns);
    describe_step(writer, step, plan);
  }
  return out;
}

}  // namespace orrery::bench
