// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace orrery::replay {
namespace {

constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
constexpr double kMostExact = 0x1p53;  // whole numbers that are reals, too

/// One line, read from its front. Slots in it are below `slots`.
class Line {
 public:
  Line(std::string_view text, std::size_t number, Slot slots)
      : text_(text), number_(number), slots_(slots) {}

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
  /// A number from 0 to `most`.
  std::int64_t whole(std::int64_t most, const char* wanted) {
    const auto read = number<std::int64_t>();
    if (read < 0 || read > most) fail(wanted);
    return read;
  }
  /// The number of the next of what there are `count` of already.
  void next(std::size_t count) {
    if (number<std::uint64_t>() != count) fail("numbers in order, from 0");
  }
  Spec spec() {
    Spec spec;
    spec.dtype = word();
    spec.sizes = integers();
    spec.strides = integers();
    std::int64_t elements = 1;
    for (const std::int64_t size : spec.sizes) {
      if (size < 0 || __builtin_mul_overflow(elements, std::max<std::int64_t>(size, 1), &elements))
        fail("sizes that a tensor can have");
    }
    for (const std::int64_t stride : spec.strides)
      if (stride < 0) fail("strides that a tensor can have");
    return spec;
  }
  std::int64_t offset() { return whole(kFarthest, "an offset that a tensor can have"); }
  Slot slot() {
    need("%");
    const auto read = number<Slot>();
    if (read >= slots_) fail("a slot that there is");
    return read;
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
  /// JSON text. Only characters of ASCII are escaped.
  std::string quoted() {
    std::string out;
    need("\"");
    while (!text_.empty() && text_.front() != '"') {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '\\') {
        escaped(out);
      } else {
        out += c;
      }
    }
    if (text_.empty()) fail("the text's end");
    text_.remove_prefix(1);
    return out;
  }
  Value value(int depth);

 private:
  void escaped(std::string& out) {
    if (text_.empty()) fail("an escaped character");
    const char c = text_.front();
    text_.remove_prefix(1);
    if (c != 'u') {
      out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
      return;
    }
    unsigned code = 0;
    const char* const begin = text_.data();
    const auto [end, error] =
        std::from_chars(begin, begin + std::min<std::size_t>(4, text_.size()), code, 16);
    if (error != std::errc{} || end != begin + 4 || code >= 0x80)
      fail("four digits of a character of ASCII");
    text_.remove_prefix(4);
    out += static_cast<char>(code);
  }

  std::string_view text_;
  std::size_t number_;
  Slot slots_;
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

Group read_group(Line& line, std::size_t index) {
  Group group;
  line.next(index);
  group.name = line.quoted();
  for (const std::int64_t rank : line.integers()) {
    if (rank < 0 || rank > std::numeric_limits<std::int32_t>::max()) line.fail("a rank");
    group.ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  return group;
}

Exchange read_exchange(Line& line, std::size_t groups) {
  static constexpr std::array<std::string_view, 12> kKinds = {
      "all_reduce", "reduce",         "all_gather", "gather", "scatter", "broadcast",
      "all_to_all", "reduce_scatter", "barrier",    "send",   "recv",    "coalesced"};
  Exchange exchange;
  exchange.kind = line.word();
  if (std::find(kKinds.begin(), kKinds.end(), exchange.kind) == kKinds.end())
    line.fail("a kind of communication");
  exchange.group = line.number<std::uint32_t>();
  if (exchange.group >= groups) line.fail("a group that there is");
  exchange.bytes = line.number<std::int64_t>();
  if (line.take("peer ")) exchange.peer = line.number<std::int32_t>();
  if (line.take("in ")) exchange.in_split = line.integers();
  if (line.take("out ")) exchange.out_split = line.integers();
  if (line.take("delay ")) exchange.delay_ns = line.whole(kFarthest, "so many nanoseconds");
  return exchange;
}

/// "call", "view", "stand_in", "absent", "communicate" or "wait", and the rest of its line.
Step read_step(std::string_view kind, Line& line, Program& program) {
  Step step;
  if (kind == "call") {
    step.operation = line.number<std::uint32_t>();
    if (step.operation >= program.operations.size()) line.fail("an operation that there is");
    read_arguments(line, step);
    read_outputs(line, step);
  } else if (kind == "view") {
    step.kind = Step::Kind::view;
    Output made;
    made.slot = line.slot();
    if (line.front() != '%') line.fail("a slot");
    step.arguments.push_back(line.value(0));
    made.spec = line.spec();
    made.spec.offset = line.offset();
    step.outputs.push_back(std::move(made));
  } else if (kind == "stand_in") {
    step.kind = Step::Kind::stand_in;
    step.flops = line.number<double>();
    if (!(step.flops >= 0 && step.flops <= 0x1p62)) line.fail("so many calculations");
    read_arguments(line, step);
    read_outputs(line, step);
  } else if (kind == "absent") {
    step.kind = Step::Kind::absent;
    read_outputs(line, step);
  } else if (kind == "communicate") {
    step.kind = Step::Kind::communicate;
    step.exchange = static_cast<std::uint32_t>(program.exchanges.size());
    program.exchanges.push_back(read_exchange(line, program.groups.size()));
    read_arguments(line, step);
    read_outputs(line, step);
    for (const Value& list : step.arguments)
      if (list.kind != 'l' || list.items != 't') line.fail("two lists of tensors");
    if (step.arguments.size() != 2) line.fail("two lists of tensors");
  } else if (kind == "wait") {
    step.kind = Step::Kind::wait;
    step.exchange = line.number<std::uint32_t>();
    if (step.exchange >= program.exchanges.size()) line.fail("a communication before it");
  } else {
    line.fail("a kind of step");
  }
  line.need(";");
  line.need("last");
  while (!line.ended()) step.last.push_back(line.slot());
  return step;
}

Storage read_storage(Line& line, std::size_t index) {
  Storage storage;
  line.next(index);
  storage.bytes = line.whole(kFarthest, "so many bytes");
  storage.dtype = line.word();
  storage.fill = line.word();
  const bool whole = storage.fill == "whole";
  if (!whole && storage.fill != "uniform" && storage.fill != "ramp" && storage.fill != "reuse")
    line.fail("uniform, whole, ramp or reuse");
  storage.first = line.number<double>();
  storage.second = line.number<double>();
  const bool finite =
      std::abs(storage.first) <= kMostExact && std::abs(storage.second) <= kMostExact;
  if (!finite || (whole && storage.first > storage.second)) line.fail("a range");
  storage.written = line.take("written");
  if (line.take("after")) storage.after = line.number<std::uint32_t>();
  return storage;
}

External read_external(Line& line, std::size_t storages) {
  External external;
  external.slot = line.slot();
  external.storage = line.number<std::uint32_t>();
  if (external.storage >= storages) line.fail("a storage that there is");
  external.spec = line.spec();
  external.spec.offset = line.offset();
  return external;
}

/// What lines say of steps after them: `gap` of the next one, `stream` of all.
struct Ahead {
  std::int64_t gap = 0;
  std::uint32_t stream = 0;
};

/// One line of a program that is neither empty nor a remark.
void read_line(Line& line, Ahead& ahead, Program& program) {
  const std::string_view kind = line.word();
  if (kind == "slots") {
    program.slots = line.number<std::uint32_t>();
  } else if (kind == "storage") {
    program.storages.push_back(read_storage(line, program.storages.size()));
  } else if (kind == "external") {
    program.externals.push_back(read_external(line, program.storages.size()));
  } else if (kind == "group") {
    program.groups.push_back(read_group(line, program.groups.size()));
  } else if (kind == "operation") {
    line.next(program.operations.size());
    program.operations.emplace_back(line.word());
  } else if (kind == "reuse") {
    while (!line.ended()) program.reuse.push_back(line.number<double>());
  } else if (kind == "gap") {
    ahead.gap = line.whole(kFarthest, "so many nanoseconds");
  } else if (kind == "stream") {
    ahead.stream =
        static_cast<std::uint32_t>(line.whole(kMostStreams - 1, "a stream from 0 to 31"));
  } else {
    program.steps.push_back(read_step(kind, line, program));
    program.steps.back().gap_ns = std::exchange(ahead.gap, 0);
    program.steps.back().stream = ahead.stream;
  }
  if (!line.ended()) line.fail("the end of the line");
}

}  // namespace

std::string Program::name(const Step& step) const {
  switch (step.kind) {
    case Step::Kind::call:
      return operations[step.operation];
    case Step::Kind::view:
      return "(view)";
    case Step::Kind::stand_in:
      return "(stand-in)";
    case Step::Kind::communicate:
      return "(" + std::string(exchanges[step.exchange].kind) + ")";
    case Step::Kind::wait:
      return "(wait)";
    case Step::Kind::absent:
      break;
  }
  return "(absent)";
}

Program read_program(std::string_view text) {
  constexpr std::string_view kFirst = "orrery benchmark 1";
  Program program;
  Ahead ahead;
  std::size_t number = 0;
  const std::size_t characters = text.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), ++number, program.slots);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1 && !line.take(kFirst)) line.fail("'orrery benchmark 1'");
    if (number > 1 && !line.ended() && line.front() != '#') read_line(line, ahead, program);
  }
  // Each slot is of a tensor that stands somewhere.
  if (program.slots > characters) throw std::runtime_error("more slots than there are characters");
  for (std::size_t s = 0; s < program.storages.size(); ++s)
    if (program.storages[s].after >= static_cast<std::int64_t>(program.steps.size()))
      throw std::runtime_error("storage " + std::to_string(s) +
                               " comes after a step that is not there");
  return program;
}

}  // namespace orrery::replay
