// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/flight_recorder/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "orrery/core/text/text.h"

namespace orrery::trace::flight_recorder {
namespace {

constexpr ValueId kNoValue = std::numeric_limits<ValueId>::max();

/// An opcode that would build an object or run code.
struct RefusedOpcode {
  unsigned char code;
  std::string_view name;
};
constexpr auto kRefused = std::to_array<RefusedOpcode>({{'c', "GLOBAL"},
                                                        {0x93, "STACK_GLOBAL"},
                                                        {'i', "INST"},
                                                        {'o', "OBJ"},
                                                        {0x81, "NEWOBJ"},
                                                        {0x92, "NEWOBJ_EX"},
                                                        {'R', "REDUCE"},
                                                        {'b', "BUILD"},
                                                        {0x82, "EXT1"},
                                                        {0x83, "EXT2"},
                                                        {0x84, "EXT4"},
                                                        {'P', "PERSID"},
                                                        {'Q', "BINPERSID"},
                                                        {0x97, "NEXT_BUFFER"}});

class PickleReader {
 public:
  PickleReader(std::string bytes, const std::string& where)
      : values_(std::make_unique<Values>(std::move(bytes))),
        bytes_(values_->bytes()),
        where_(where) {}

  Result<std::unique_ptr<Values>> read() {
    for (;;) {
      begin_ = at_;
      if (at_ == bytes_.size()) return tl::unexpected(truncated());
      const auto code = static_cast<unsigned char>(bytes_[at_++]);
      if (code == '.') break;
      if (auto done = step(code); !done) return tl::unexpected(done.error());
    }
    if (stack_.size() != 1 || !marks_.empty())
      return corrupt(fmt::format("the pickle ends with {} values instead of one", stack_.size()));
    values_->set_root(stack_.back());
    return std::move(values_);
  }

 private:
  [[nodiscard]] std::string place() const { return fmt::format("{}:byte {}", where_, begin_); }
  [[nodiscard]] tl::unexpected<Error> corrupt(std::string what) const {
    return fail(Errc::input_corrupt, place(), std::move(what), "copy the file again");
  }
  [[nodiscard]] Error truncated() const {
    return {Errc::input_truncated, place(), "the pickle ends before its end mark",
            "copy the file again; a process that is killed may write a part of its dump"};
  }

  /// The next bytes of an argument.
  Result<std::string_view> take(std::uint64_t count) {
    if (count > bytes_.size() - at_) return tl::unexpected(truncated());
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }
  /// A number of `count` bytes, the lowest first.
  Result<std::uint64_t> take_number(std::size_t count) {
    const auto taken = take(count);
    if (!taken) return tl::unexpected(taken.error());
    std::uint64_t number = 0;
    for (std::size_t i = count; i > 0; --i)
      number = number << 8 | static_cast<unsigned char>((*taken)[i - 1]);
    return number;
  }

  Result<void> push(Value value) {
    const auto id = values_->add(std::move(value), place());
    if (!id) return tl::unexpected(id.error());
    return push_id(*id);
  }
  Result<void> push_id(ValueId id) {
    if (stack_.size() >= Values::kItems)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("its stack has more than {} values", Values::kItems));
    stack_.push_back(id);
    return {};
  }
  Result<void> push_integer(std::int64_t number) {
    return push({.kind = ValueKind::integer, .integer = number});
  }
  Result<void> push_truth(bool truth) {
    return push({.kind = ValueKind::boolean, .integer = truth ? 1 : 0});
  }

  Result<void> step(unsigned char code) {
    switch (code) {
      case 0x80:  // PROTO
        return read_protocol();
      case 0x95:  // FRAME: a length, which a stream needs
        return skip_frame();
      case 'N':
        return push({});
      case 0x88:
      case 0x89:
        return push_truth(code == 0x88);
      case 'K':
      case 'M':
      case 'J':
      case 0x8A:
      case 0x8B:
        return read_integer(code);
      case 'G':
        return read_real();
      case 'X':   // BINUNICODE
      case 0x8C:  // SHORT_BINUNICODE
      case 0x8D:  // BINUNICODE8
      case 'U':   // SHORT_BINSTRING
      case 'T':   // BINSTRING
      case 'C':   // SHORT_BINBYTES
      case 'B':   // BINBYTES
      case 0x8E:  // BINBYTES8
        return read_text(code);
      default:
        return step_container(code);
    }
  }

  Result<void> read_protocol() {
    const auto version = take_number(1);
    if (!version) return tl::unexpected(version.error());
    if (*version >= 2 && *version <= 5) return {};
    return fail(Errc::input_unsupported, place(), fmt::format("a pickle of protocol {}", *version),
                "protocols 2 to 5 are read");
  }

  Result<void> skip_frame() {
    const auto length = take_number(8);
    if (!length) return tl::unexpected(length.error());
    if (*length > bytes_.size() - at_) return tl::unexpected(truncated());
    return {};
  }

  Result<void> read_integer(unsigned char code) {
    std::size_t count = code == 'K' ? 1 : code == 'M' ? 2 : 4;
    if (code == 0x8A || code == 0x8B) {  // LONG1, LONG4: the number of bytes comes first
      const auto length = take_number(code == 0x8A ? 1 : 4);
      if (!length) return tl::unexpected(length.error());
      if (*length > 8)
        return fail(Errc::input_range, place(),
                    fmt::format("an integer of {} bytes; a dump has 64-bit integers", *length));
      count = *length;
    }
    const auto bits = take_number(count);
    if (!bits) return tl::unexpected(bits.error());
    std::uint64_t number = *bits;
    const bool is_signed = code != 'K' && code != 'M';
    if (is_signed && count > 0 && count < 8 && (number >> (8 * count - 1) & 1) != 0)
      number |= ~std::uint64_t{0} << (8 * count);
    return push_integer(static_cast<std::int64_t>(number));
  }

  /// BINFLOAT: eight bytes, the highest first.
  Result<void> read_real() {
    const auto bytes = take(8);
    if (!bytes) return tl::unexpected(bytes.error());
    std::uint64_t bits = 0;
    for (const char byte : *bytes) bits = bits << 8 | static_cast<unsigned char>(byte);
    return push({.kind = ValueKind::real, .real = std::bit_cast<double>(bits)});
  }

  Result<void> read_text(unsigned char code) {
    const bool is_short = code == 0x8C || code == 'U' || code == 'C';
    const bool is_long = code == 0x8D || code == 0x8E;
    const auto length = take_number(is_short ? 1 : is_long ? 8 : 4);
    if (!length) return tl::unexpected(length.error());
    const auto text = take(*length);
    if (!text) return tl::unexpected(text.error());
    return push({.kind = ValueKind::text, .text = *text});
  }

  Result<void> step_container(unsigned char code) {
    switch (code) {
      case '(':
        if (marks_.size() >= Values::kValues)
          return fail(Errc::limit_exceeded, place(), "nests too many lists");
        marks_.push_back(stack_.size());
        return {};
      case '}':
        return push({.kind = ValueKind::dictionary});
      case ']':
      case ')':
        return push({.kind = ValueKind::list});
      case 0x85:
      case 0x86:
      case 0x87:
        return make_tuple(code - 0x84u);
      case 't':
        return make_marked_tuple();
      case 'a':
        return append(1, ValueKind::list);
      case 's':
        return append(2, ValueKind::dictionary);
      case 'e':
      case 'u':
        return append_marked(code == 'e' ? ValueKind::list : ValueKind::dictionary);
      default:
        return step_memo(code);
    }
  }

  /// The values that may be taken from the stack: those above the last mark.
  [[nodiscard]] std::size_t free_count() const {
    return stack_.size() - (marks_.empty() ? 0 : marks_.back());
  }

  Result<void> make_tuple(std::size_t count) {
    if (free_count() < count) return corrupt("a tuple of values that are missing");
    const auto id = values_->add({.kind = ValueKind::list}, place());
    if (!id) return tl::unexpected(id.error());
    const std::size_t first = stack_.size() - count;
    if (auto done = values_->append(*id, stack_.data() + first, count, place()); !done) return done;
    stack_.resize(first);
    return push_id(*id);
  }

  Result<void> make_marked_tuple() {
    if (marks_.empty()) return corrupt("a tuple without a begin");
    const std::size_t count = free_count();
    marks_.pop_back();
    return make_tuple(count);
  }

  Result<void> append(std::size_t count, ValueKind kind) {
    if (free_count() < count + 1) return corrupt("an element of a list that is missing");
    const std::size_t first = stack_.size() - count;
    const ValueId to = stack_[first - 1];
    if ((*values_)[to].kind != kind)
      return corrupt(
          fmt::format("an element of {}, not of {}", name((*values_)[to].kind), name(kind)));
    if (auto done = values_->append(to, stack_.data() + first, count, place()); !done) return done;
    stack_.resize(first);
    return {};
  }

  Result<void> append_marked(ValueKind kind) {
    if (marks_.empty()) return corrupt("elements without a begin");
    const std::size_t count = free_count();
    marks_.pop_back();
    if (kind == ValueKind::dictionary && count % 2 != 0) return corrupt("a key without a value");
    return append(count, kind);
  }

  Result<void> step_memo(unsigned char code) {
    switch (code) {
      case 'q':    // BINPUT
      case 'r': {  // LONG_BINPUT
        const auto number = take_number(code == 'q' ? 1 : 4);
        if (!number) return tl::unexpected(number.error());
        return remember(*number);
      }
      case 0x94:  // MEMOIZE
        return remember(memo_.size());
      case 'h':    // BINGET
      case 'j': {  // LONG_BINGET
        const auto number = take_number(code == 'h' ? 1 : 4);
        if (!number) return tl::unexpected(number.error());
        if (*number >= memo_.size() || memo_[*number] == kNoValue)
          return corrupt(fmt::format("uses value {}, which is not stored", *number));
        return push_id(memo_[*number]);
      }
      default:
        return tl::unexpected(refuse(code));
    }
  }

  Result<void> remember(std::uint64_t number) {
    if (free_count() == 0) return corrupt("stores a value that is missing");
    if (number >= Values::kValues)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("stores more than {} values", Values::kValues));
    if (number >= memo_.size()) memo_.resize(number + 1, kNoValue);
    memo_[number] = stack_.back();
    return {};
  }

  /// What an opcode refers to: "os.system".
  [[nodiscard]] std::string imported(unsigned char code) const {
    if (code == 'c' || code == 'i') {
      const std::size_t end = bytes_.find('\n', at_);
      const std::size_t last = end == std::string_view::npos ? end : bytes_.find('\n', end + 1);
      if (last == std::string_view::npos) return "";
      return fmt::format("{}.{}", printable(bytes_.substr(at_, end - at_), kShownBytes),
                         printable(bytes_.substr(end + 1, last - end - 1), kShownBytes));
    }
    if (code != 0x93 || free_count() < 2) return "";
    const Value& module = (*values_)[stack_[stack_.size() - 2]];
    const Value& object = (*values_)[stack_.back()];
    return fmt::format("{}.{}", printable(module.text, kShownBytes),
                       printable(object.text, kShownBytes));
  }

  [[nodiscard]] Error refuse(unsigned char code) const {
    const auto* const known = std::find_if(kRefused.begin(), kRefused.end(),
                                           [&](const auto& one) { return one.code == code; });
    if (known == kRefused.end())
      return {Errc::input_unsupported, place(),
              fmt::format("opcode 0x{:02x}, which pickles of plain values do not have", code),
              "protocols 2 to 5 are read: dictionaries, lists, tuples, texts and numbers"};
    const std::string object = imported(code);
    return {Errc::input_unsupported, place(),
            fmt::format("the pickle builds an object{}{} (opcode {}), which can run code",
                        object.empty() ? "" : " of ", object, known->name),
            "a dump of the flight recorder contains only dictionaries, lists, texts and numbers"};
  }

  std::unique_ptr<Values> values_;
  std::string_view bytes_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the current opcode
  std::vector<ValueId> stack_;
  std::vector<std::size_t> marks_;  ///< sizes of the stack
  std::vector<ValueId> memo_;
};

}  // namespace

Result<std::unique_ptr<Values>> read_pickle(std::string bytes, const std::string& where) {
  return PickleReader(std::move(bytes), where).read();
}

}  // namespace orrery::trace::flight_recorder
