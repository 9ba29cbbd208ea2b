// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/plan/program.h"

#include <charconv>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "addons/bench/plan/program_format.h"

namespace orrery::bench {
namespace {

/// A line that is parsed from its front. Slots in it must be below `slots`.
class Line {
 public:
  Line(std::string_view text, std::size_t number, Slot slots)
      : text_(text), number_(number), slots_(slots) {}

  [[noreturn]] void fail(std::string_view wanted) const {
    throw std::runtime_error("line " + std::to_string(number_) + ": expected " +
                             std::string(wanted));
  }
  void check(bool fine, std::string_view wanted) const {
    if (!fine) fail(wanted);
  }
  [[nodiscard]] char front() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }
  /// The next word, which remains.
  [[nodiscard]] std::string_view peek() {
    (void)front();
    return text_.substr(0, text_.find(' '));
  }
  [[nodiscard]] bool take(std::string_view what) {
    (void)front();
    if (!text_.starts_with(what)) return false;
    text_.remove_prefix(what.size());
    return true;
  }
  void end() { check(front() == '\0', "the end of the line"); }
  void word(std::string_view what) { check(take(what), what); }
  template <class Name>
  void name(Name& name) {
    name = peek();
    text_.remove_prefix(peek().size());
  }
  template <class Number>
  void number(Number& value) {
    (void)front();
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    check(error == std::errc{}, "a number");
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
  }
  /// An integer from 0, less than `end`.
  template <class Number>
  void number(Number& value, std::uint64_t end, std::string_view wanted) {
    number(value);
    check(std::cmp_greater_equal(value, 0) && std::cmp_less(value, end), wanted);
  }
  /// Integers in brackets. Those beyond the type become its largest number.
  template <class Number>
  void number(std::vector<Number>& numbers) {
    word("[");
    items("]", numbers, [&](Number& one) {
      std::int64_t read = 0;
      number(read);
      one = std::in_range<Number>(read) ? static_cast<Number>(read)
                                        : std::numeric_limits<Number>::max();
    });
  }
  void index(std::size_t index) {
    std::size_t read = 0;
    number(read);
    check(read == index, "numbers in order, from 0");
  }
  void slot(Slot& slot) {
    word("%");
    number(slot, slots_, "a slot that there is");
  }
  void place(std::uint32_t& place, std::int32_t& item) {
    number(place);
    if (take(".")) number(item);
  }
  template <class Kind, class Names>
  void choice(Kind& kind, const Names& names, std::string_view wanted) {
    std::string_view read;
    name(read);
    const auto found = std::find(names.begin(), names.end(), read);
    check(found != names.end(), wanted);
    kind = static_cast<Kind>(found - names.begin());
  }
  void flag(std::string_view what, bool& present) { present = take(what); }
  template <class Field>
  void optional(std::string_view what, Field& value, const std::type_identity_t<Field>& none) {
    if (peek() != what) return;
    word(what);
    number(value);
    check(value != none, "a value that differs from the default");
  }
  /// Items up to ';', separated by commas.
  template <class Item, class Fn>
  void list(std::vector<Item>& list, Fn&& fn) {
    while (front() != ';') {
      fn(list.emplace_back());
      (void)take(",");
    }
  }
  /// Items up to the end of the line.
  template <class Item, class Fn>
  void rest(std::vector<Item>& list, Fn&& fn) {
    while (front() != '\0') fn(list.emplace_back());
  }
  /// Adds an item, whose number it assigns to `index`.
  template <class Item, class Index>
  Item& next(std::vector<Item>& list, Index& index) {
    index = static_cast<Index>(list.size());
    return list.emplace_back();
  }
  void arguments(std::vector<Value>& values) {
    word("(");
    items(")", values, [&](Value& one) { value(one); });
  }
  /// A JSON string. Only ASCII characters are escaped.
  void quoted(std::string& out) {
    word("\"");
    while (!text_.empty() && text_.front() != '"') {
      const char c = text_.front();
      text_.remove_prefix(1);
      if (c == '\\') {
        escaped(out);
      } else {
        out += c;
      }
    }
    check(!text_.empty(), "the text's end");
    text_.remove_prefix(1);
  }
  void value(Value& value, int depth = 0);

 private:
  /// Items up to `end`, separated by commas.
  template <class Item, class Fn>
  void items(std::string_view end, std::vector<Item>& list, Fn&& fn) {
    while (!take(end)) {
      fn(list.emplace_back());
      (void)take(",");
    }
  }
  /// An integer or a real number; a real one has a point, an exponent, inf or nan.
  void numeral(Value& value) {
    const std::string_view digits = text_.substr(0, text_.find_first_of(" ,])"));
    const bool whole = digits.find_first_of(".en") == std::string_view::npos;
    value.kind = whole ? Value::Kind::integer : Value::Kind::real;
    if (digits == "nan") {
      value.real = std::numeric_limits<double>::quiet_NaN();
      text_.remove_prefix(digits.size());
    } else if (whole) {
      number(value.integer);
    } else {
      number(value.real);
    }
  }
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

void Line::value(Value& value, int depth) {
  check(depth <= 8, "fewer lists in lists");
  const char c = front();
  const std::size_t letter = program_format::kItems.find(c);
  if (c == '%') {
    value.kind = Value::Kind::tensor;
    slot(value.slot);
  } else if (c == '"') {
    value.kind = Value::Kind::text;
    quoted(value.text);
  } else if (take("_")) {
    value.kind = Value::Kind::fallback;
  } else if (take("@")) {
    value.kind = Value::Kind::device;
  } else if (take("none")) {
    value.kind = Value::Kind::none;
  } else if (take("undefined")) {
    value.kind = Value::Kind::undefined;
  } else if (take("true") || take("false")) {
    value.kind = Value::Kind::truth;
    value.integer = c == 't' ? 1 : 0;
  } else if (text_.size() > 1 && text_[1] == '[') {
    check(letter != std::string_view::npos, "a kind of list");
    value.kind = Value::Kind::list;
    value.of = static_cast<Value::Items>(letter);
    text_.remove_prefix(2);
    items("]", value.items, [&](Value& one) { this->value(one, depth + 1); });
  } else {
    numeral(value);
  }
}

/// Settings from lines that apply to later steps: `gap` to the next one, `stream` to all.
struct Ahead {
  std::int64_t gap_ns = 0;
  std::int64_t stream = 0;
};

/// Parses one line that is neither empty nor a comment.
void read_line(Line& line, Ahead& ahead, Program& program) {
  using namespace program_format;
  const std::string_view kind = line.peek();
  if (kind == "slots") {
    line.check(program.slots == 0, "one line of slots");
    describe_setting(line, kind, program.slots);
  } else if (kind == "storage") {
    describe_storage(line, program.storages);
  } else if (kind == "external") {
    describe_external(line, program.externals.emplace_back(), program);
  } else if (kind == "group") {
    describe_group(line, program.groups);
  } else if (kind == "operation") {
    describe_operation(line, program.operations);
  } else if (kind == "reuse") {
    describe_reuse(line, program);
  } else if (kind == "gap") {
    describe_setting(line, kind, ahead.gap_ns, kBeyond, "so many nanoseconds");
  } else if (kind == "stream") {
    describe_setting(line, kind, ahead.stream, kMaxStreams, "a stream from 0 to 31");
  } else {
    ReplayStep step;
    step.gap_ns = std::exchange(ahead.gap_ns, 0);
    step.stream = static_cast<std::uint32_t>(ahead.stream);
    describe_step(line, step, program);
    program.steps.push_back(std::move(step));
  }
}

}  // namespace

std::string Program::name(const ReplayStep& step) const {
  if (step.kind == ReplayStep::Kind::call) return operations[step.operation];
  if (step.kind == ReplayStep::Kind::communicate)
    return "(" + std::string(exchanges[step.exchange].kind) + ")";
  if (step.kind == ReplayStep::Kind::stand_in) return "(stand-in)";
  return "(" + std::string(program_format::kSteps[static_cast<std::size_t>(step.kind)]) + ")";
}

std::uint32_t stream_count(const Program& program) {
  std::uint32_t most = 0;
  for (const ReplayStep& step : program.steps) most = std::max(most, step.stream);
  return most + 1;
}

Program read_program(std::string_view text) {
  Program program;
  Ahead ahead;
  std::size_t number = 0;
  const std::size_t characters = text.size();
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    Line line(text.substr(0, end), ++number, program.slots);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1) {
      line.check(line.take(program_format::kFirstLine), "'orrery benchmark 1'");
    } else if (line.front() != '\0' && line.front() != '#') {
      read_line(line, ahead, program);
    }
  }
  // Each slot must occur somewhere in the text.
  if (program.slots > characters) throw std::runtime_error("more slots than there are characters");
  for (std::size_t s = 0; s < program.storages.size(); ++s) {
    const std::uint32_t after = program.storages[s].after;
    if (after != kNoStep && after >= program.steps.size())
      throw std::runtime_error("storage " + std::to_string(s) +
                               " comes after a step that is not there");
  }
  return program;
}

}  // namespace orrery::bench
