// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace orrery::replay {
namespace {

/// One line, read from its front.
class Line {
 public:
  Line(std::string_view text, std::size_t number) : text_(text), number_(number) {}

  [[noreturn]] void fail(const char* wanted) const {
    throw std::runtime_error("line " + std::to_string(number_) + ": expected " + wanted);
  }
  void skip_spaces() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  [[nodiscard]] bool ended() {
    skip_spaces();
    return text_.empty();
  }
  [[nodiscard]] bool take(std::string_view what) {
    skip_spaces();
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  void need(const char* what) {
    if (!take(what)) fail(what);
  }
  std::string_view word() {
    skip_spaces();
    const std::size_t end = std::min(text_.find(' '), text_.size());
    const std::string_view taken = text_.substr(0, end);
    text_.remove_prefix(end);
    return taken;
  }
  [[nodiscard]] char front() {
    skip_spaces();
    return text_.empty() ? '\0' : text_.front();
  }
  template <class Number>
  Number number() {
    skip_spaces();
    Number value{};
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) fail("a number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }
  std::vector<std::int64_t> integers() {
    std::vector<std::int64_t> numbers;
    need("[");
    while (!take("]")) {
      numbers.push_back(number<std::int64_t>());
      (void)take(",");
    }
    return numbers;
  }
  Spec spec() {
    Spec spec;
    spec.dtype = word();
    spec.sizes = integers();
    spec.strides = integers();
    return spec;
  }
  Slot slot() {
    need("%");
    return number<Slot>();
  }
  /// A whole number, or a real one: with a point, an exponent, inf or nan.
  void numeral(Value& value) {
    skip_spaces();
    const std::size_t end = std::min(text_.find_first_of(" ,])"), text_.size());
    const std::string_view digits = text_.substr(0, end);
    value.kind = digits.find_first_of(".en") == std::string_view::npos ? 'i' : 'r';
    if (digits == "nan") {
      value.real = std::numeric_limits<double>::quiet_NaN();
      text_.remove_prefix(end);
    } else if (value.kind == 'i') {
      value.integer = number<std::int64_t>();
    } else {
      value.real = number<double>();
    }
  }
  /// JSON text; what was escaped by number stays within Latin-1.
  std::string quoted() {
    std::string out;
    need("\"");
    while (!text_.empty() && text_.front() != '"') {
      char c = text_.front();
      text_.remove_prefix(1);
      if (c == '\\' && !text_.empty()) {
        c = text_.front();
        text_.remove_prefix(1);
        if (c == 'n') c = '\n';
        if (c == 't') c = '\t';
      }
      out += c;
    }
    need("\"");
    return out;
  }
  Value value(int depth);

 private:
  std::string_view text_;
  std::size_t number_;
};

Value Line::value(int depth) {
  Value value;
  if (depth > 8) fail("fewer lists in lists");
  const char c = front();
  if (c == '%') {
    value.kind = '%';
    value.integer = slot();
  } else if (c == '"') {
    value.kind = 's';
    value.text = quoted();
  } else if (take("_") || take("@")) {
    value.kind = c;
  } else if (take("none") || take("undefined")) {
    value.kind = c;
  } else if (take("true") || take("false")) {
    value.kind = 'b';
    value.integer = c == 't' ? 1 : 0;
  } else if (text_.size() > 1 && text_[1] == '[') {
    value.kind = 'l';
    value.items = c;
    text_.remove_prefix(2);
    while (!take("]")) {
      value.list.push_back(this->value(depth + 1));
      (void)take(",");
    }
  } else {
    numeral(value);
  }
  return value;
}

void read_arguments(Line& line, Step& step) {
  line.need("(");
  while (!line.take(")")) {
    step.arguments.push_back(line.value(0));
    (void)line.take(",");
  }
}

void read_outputs(Line& line, Step& step) {
  line.need("->");
  while (line.front() != ';') {
    Output output;
    output.place = line.number<std::uint32_t>();
    if (line.take(".")) output.item = line.number<std::int32_t>();
    output.slot = line.slot();
    output.spec = line.spec();
    step.outputs.push_back(std::move(output));
    (void)line.take(",");
  }
}

/// "call", "view", "stand_in" or "absent", and the rest of its line.
Step read_step(std::string_view kind, Line& line) {
  Step step;
  if (kind == "call") {
    step.operation = line.number<std::uint32_t>();
    read_arguments(line, step);
    read_outputs(line, step);
  } else if (kind == "view") {
    step.kind = Step::Kind::view;
    Output made;
    made.slot = line.slot();
    step.arguments.push_back(line.value(0));
    made.spec = line.spec();
    made.spec.offset = line.number<std::int64_t>();
    step.outputs.push_back(std::move(made));
  } else if (kind == "stand_in") {
    step.kind = Step::Kind::stand_in;
    step.flops = line.number<double>();
    read_arguments(line, step);
    read_outputs(line, step);
  } else if (kind == "absent") {
    step.kind = Step::Kind::absent;
    read_outputs(line, step);
  } else {
    line.fail("a kind of step");
  }
  line.need(";");
  line.need("last");
  while (!line.ended()) step.last.push_back(line.slot());
  return step;
}

Storage read_storage(Line& line) {
  Storage storage;
  (void)line.number<std::uint32_t>();
  storage.bytes = line.number<std::int64_t>();
  storage.dtype = line.word();
  storage.fill = line.word();
  storage.first = line.number<double>();
  storage.second = line.number<double>();
  storage.written = line.take("written");
  if (line.take("after")) storage.after = line.number<std::uint32_t>();
  return storage;
}

External read_external(Line& line) {
  External external;
  external.slot = line.slot();
  external.storage = line.number<std::uint32_t>();
  external.spec = line.spec();
  external.spec.offset = line.number<std::int64_t>();
  return external;
}

/// Numbers of slots, storages and operations are of those that there are.
void check(const Program& program) {
  const auto need = [](bool holds) {
    if (!holds) throw std::runtime_error("a number of something that is not there");
  };
  for (const Storage& storage : program.storages)
    need(storage.after < static_cast<std::int64_t>(program.steps.size()));
  for (const External& external : program.externals)
    need(external.slot < program.slots && external.storage < program.storages.size());
  const auto check_value = [&](const Value& value, const auto& again) -> void {
    need(value.kind != '%' || static_cast<std::uint64_t>(value.integer) < program.slots);
    for (const Value& item : value.list) again(item, again);
  };
  for (const Step& step : program.steps) {
    need(step.kind != Step::Kind::call || step.operation < program.operations.size());
    for (const Value& value : step.arguments) check_value(value, check_value);
    for (const Output& output : step.outputs) need(output.slot < program.slots);
    for (const Slot slot : step.last) need(slot < program.slots);
  }
}

}  // namespace

Program read_program(std::string_view text) {
  constexpr std::string_view kFirst = "orrery benchmark 1";
  Program program;
  std::int64_t gap = 0;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), ++number);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1 && !line.take(kFirst)) line.fail("'orrery benchmark 1'");
    if (number == 1 || line.ended() || line.front() == '#') continue;
    const std::string_view kind = line.word();
    if (kind == "slots") {
      program.slots = line.number<std::uint32_t>();
    } else if (kind == "storage") {
      program.storages.push_back(read_storage(line));
    } else if (kind == "external") {
      program.externals.push_back(read_external(line));
    } else if (kind == "operation") {
      (void)line.number<std::uint32_t>();
      program.operations.emplace_back(line.word());
    } else if (kind == "reuse") {
      while (!line.ended()) program.reuse.push_back(line.number<double>());
    } else if (kind == "gap") {
      gap = line.number<std::int64_t>();
    } else {
      program.steps.push_back(read_step(kind, line));
      program.steps.back().gap_ns = gap;
      gap = 0;
    }
  }
  check(program);
  return program;
}

}  // namespace orrery::replay
