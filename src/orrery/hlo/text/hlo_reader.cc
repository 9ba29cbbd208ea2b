// SPDX-License-Identifier: Apache-2.0
//
// Reads the text of HLO modules. Source: the printer and parser of OpenXLA
// (xla/hlo/ir/hlo_instruction.cc, xla/hlo/parser/hlo_parser.cc).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "orrery/hlo/text/cursor.h"
#include "orrery/hlo/text/hlo_attributes.h"
#include "orrery/hlo/text/read_program.h"

namespace orrery::hlo {

namespace {

class HloReader {
 public:
  HloReader(std::string_view text, std::string where, Findings& findings)
      : cursor_(text), where_(std::move(where)), findings_(findings) {}

  Result<Program> read() {
    if (!header() || !computations() || !link()) return tl::unexpected(error_);
    return std::move(program_);
  }

 private:
  bool bad(std::string what, std::uint32_t line = 0) {
    if (error_.where.empty())
      error_ = text_error(cursor_, where_, std::move(what), line,
                          "write the program again, as text of HLO (compiled.as_text() in JAX)");
    return false;
  }

  /// "HloModule name, key=value, …".
  bool header() {
    if (cursor_.word() != "HloModule") return bad("'HloModule' is expected");
    program_.name = cursor_.word(true);
    while (cursor_.take(",")) {
      const std::string_view key = cursor_.word();
      std::string_view value;
      if (cursor_.take("=")) value = cursor_.peek() == '{' ? cursor_.bracket() : cursor_.word(true);
      if (value.empty()) return bad(fmt::format("the value of '{}'", key));
      if (key == "is_scheduled") program_.scheduled = value == "true";
      if (key == "replica_count" && !devices(value, program_.replicas)) return false;
      if (key == "num_partitions" && !devices(value, program_.partitions)) return false;
    }
    return true;
  }

  bool devices(std::string_view value, std::int64_t& count) {
    const auto number = integers_in(value);
    if (number.size() != 1 || number[0] < 1 || number[0] > 1 << 24)
      return bad("a number of devices is expected");
    count = number[0];
    program_.states_devices = true;
    return true;
  }

  bool computations() {
    bool entered = false;
    skip_source_tables();
    while (!cursor_.done()) {
      const bool entry = cursor_.take("ENTRY ");
      if (entry) {
        entered = true;
        program_.entry = static_cast<std::uint32_t>(program_.computations.size());
      }
      if (!computation()) return false;
    }
    return entered || bad("the module has no ENTRY computation", cursor_.line());
  }

  /// "FileNames", "FunctionNames", "FileLocations", "StackFrames": numbered lines of sources.
  void skip_source_tables() {
    constexpr std::string_view kTables[] = {"FileNames", "FunctionNames", "FileLocations",
                                            "StackFrames"};
    const auto at_table = [&] {
      return std::any_of(std::begin(kTables), std::end(kTables),
                         [&](std::string_view table) { return cursor_.at(table); });
    };
    while (at_table()) {
      cursor_.skip_line();
      while (cursor_.peek() >= '0' && cursor_.peek() <= '9') cursor_.skip_line();
    }
  }

  /// "%name (parameters) -> result {", instructions, "}".
  bool computation() {
    const std::string_view name = identifier();
    if (name.empty()) return bad("a computation is expected");
    if (cursor_.peek() == '(' && cursor_.bracket().empty())
      return bad("the parameters of a computation do not end");
    if (cursor_.take("->")) (void)shape();
    (void)cursor_.until("{");
    if (!cursor_.take("{")) return bad("'{' is expected after a computation");
    const auto number = static_cast<std::uint32_t>(program_.computations.size());
    if (!by_name_.emplace(name, number).second)
      return bad(fmt::format("computation '{}' is defined twice", name), cursor_.line());
    Computation& made = program_.computations.emplace_back();
    made.name = name;
    names_.clear();
    bool rooted = false;
    while (!cursor_.take("}")) {
      if (!instruction(number, rooted)) return false;
    }
    Computation& done = program_.computations[number];
    if (done.operations.empty()) return bad("a computation has no instructions", cursor_.line());
    if (!rooted) done.root = static_cast<std::uint32_t>(done.operations.size() - 1);
    if (cursor_.take(",")) (void)cursor_.until("\n");  // execution_thread="…"
    return parameters(done);
  }

  /// Sorts the parameters by their numbers.
  bool parameters(Computation& done) {
    for (std::uint32_t i = 0; i < done.operations.size(); ++i) {
      const Instruction& op = done.operations[i];
      if (op.opcode->op_class != OpClass::parameter) continue;
      const auto number = static_cast<std::size_t>(op.number);
      if (op.number < 0 || number > done.operations.size())
        return bad("the number of a parameter", op.line);
      if (done.parameters.size() <= number) done.parameters.resize(number + 1, kNone);
      done.parameters[number] = i;
    }
    for (const std::uint32_t each : done.parameters)
      if (each == kNone)
        return bad(fmt::format("'{}' lacks a parameter", done.name), cursor_.line());
    return true;
  }

  /// A name, with or without "%".
  std::string_view identifier() {
    return cursor_.peek() == '%' ? cursor_.name_after_sigil() : cursor_.word(true);
  }

  /// "f32[8,128]{1,0:T(8,128)}", "(f32[], s32[2])", "token[]".
  std::optional<Shape> shape(int depth = 0) {
    if (depth > kMostDepth) return {};
    Shape made;
    if (cursor_.take("(")) {
      made.type = ElementType::tuple;
      while (!cursor_.take(")")) {
        auto part = shape(depth + 1);
        if (!part || made.parts.size() >= kMostParts) return {};
        made.parts.push_back(*std::move(part));
        cursor_.take(",");
      }
      return made;
    }
    const std::string_view word = cursor_.word();
    if (word.empty() || cursor_.peek() != '[') return {};
    made.type = element_type_of(word);
    const std::string_view dims = cursor_.bracket();
    if (dims.empty()) return {};
    if (dims.find('?') != dims.npos)
      made.dims.assign(1, -1);
    else
      made.dims = integers_in(dims, 64);
    if (cursor_.ahead(0) == '{' && cursor_.bracket().empty()) return {};
    for (const std::int64_t dim : made.dims)
      if (dim < -1) return {};
    return made;
  }

  bool instruction(std::uint32_t computation, bool& rooted) {
    if (cursor_.done()) return bad("a computation does not end");
    Instruction op;
    const bool root = cursor_.take("ROOT ");
    op.line = cursor_.line();
    op.name = identifier();
    if (op.name.empty()) return bad("an instruction is expected");
    if (!cursor_.take("=")) return bad(fmt::format("'=' is expected after '{}'", op.name));
    auto type = shape();
    if (!type) return bad(fmt::format("the shape of '{}'", op.name), op.line);
    op.shape = *std::move(type);
    const std::string_view word = cursor_.word(true);
    if (word.empty()) return bad(fmt::format("the operation of '{}'", op.name), op.line);
    op.word = word;
    find_operation(op);
    if (cursor_.peek() != '(') return bad(fmt::format("the operands of '{}'", op.name), op.line);
    const std::uint32_t line = cursor_.line();
    const std::string_view operands = cursor_.bracket();
    if (operands.empty())
      return bad(fmt::format("the operands of '{}' do not end", op.name), op.line);
    if (!take_operands(operands.substr(1, operands.size() - 2), line, op)) return false;
    HloAttributes attributes;
    while (cursor_.take(",")) {
      const std::string_view key = cursor_.word(true);
      if (key.empty() || !cursor_.take("=")) return bad("'key=value' is expected", op.line);
      const auto given = value();
      if (!given) return bad(fmt::format("the value of '{}'", key), op.line);
      attributes.add(key, *given);
    }
    take_hlo_attributes(attributes, op);
    note(attributes, op);
    Computation& body = program_.computations[computation];
    const auto number = static_cast<std::uint32_t>(body.operations.size());
    if (root) {
      body.root = number;
      rooted = true;
    }
    if (++operations_ > kMostOperations) {
      error_ = Error{Errc::limit_exceeded,
                     where_,
                     fmt::format("has more than {} operations", kMostOperations),
                     {}};
      return false;
    }
    body.operations.push_back(std::move(op));
    calls_.push_back({computation, number, attributes.called()});
    if (!names_.emplace(body.operations.back().name, number).second)
      return bad(fmt::format("'{}' is defined twice", body.operations.back().name),
                 body.operations.back().line);
    return true;
  }

  /// The value of an attribute: a bracket ("[2,4]<=[8]T(1,0)" has several), a string or a word.
  std::optional<std::string_view> value() {
    const char first = cursor_.peek();
    if (first == '"') return cursor_.quoted();
    const auto unless_empty = [](std::string_view found) {
      return found.empty() ? std::nullopt : std::optional(found);
    };
    if (first == '{') return unless_empty(cursor_.bracket());
    if (first == '[') {
      std::string_view list = cursor_.bracket();
      if (list.empty()) return {};
      if (cursor_.at("<=[")) {
        cursor_.skip(2);
        std::string_view last = cursor_.bracket();
        if (cursor_.ahead(0) == 'T') {
          cursor_.skip(1);
          last = cursor_.bracket();
        }
        if (last.empty()) return {};
        list = {list.data(), static_cast<std::size_t>(last.data() + last.size() - list.data())};
      }
      return unless_empty(list);
    }
    if (first == '%') return unless_empty(cursor_.name_after_sigil());
    // Words such as "b01f_01io->b01f", "3x3", "0_1x0_1".
    const std::string_view begin = cursor_.word(true);
    if (begin.empty() || !cursor_.at("->")) return unless_empty(begin);
    cursor_.skip(2);
    const std::string_view end = cursor_.word(true);
    if (end.empty()) return {};
    return std::string_view{begin.data(),
                            static_cast<std::size_t>(end.data() + end.size() - begin.data())};
  }

  /// XLA prints an asynchronous call of one operation as "reduce-scatter-start", "slice-done" …;
  /// its result is the second part of the shape: ((operands), result, context).
  static void find_operation(Instruction& op) {
    op.opcode = &find_opcode(op.word);
    if (op.opcode->op_class != OpClass::unknown) return;
    const std::string_view word = op.word;
    if (word.ends_with("-done") || word.ends_with("-update")) {
      op.opcode = &find_opcode("async-done");
    } else if (word.ends_with("-start")) {
      op.opcode = &find_opcode(word.substr(0, word.size() - 6));
      if (op.shape.parts.size() > 1) op.shape = Shape(op.shape.parts[1]);
    }
  }

  bool take_operands(std::string_view text, std::uint32_t line, Instruction& op) {
    Cursor inside(text, line);
    if (op.opcode->op_class == OpClass::parameter || op.opcode->op_class == OpClass::constant) {
      const auto numbers = text.size() < 64 ? integers_in(text) : std::vector<std::int64_t>{};
      if (numbers.size() == 1) {
        op.number = numbers[0];
        op.has_value = op.opcode->op_class == OpClass::constant && op.shape.elements() == 1;
      }
      return true;
    }
    while (!inside.done()) {
      const std::string_view one = inside.until(",");
      inside.take(",");
      // The name comes last, after the shape.
      const std::size_t space = one.find_last_of(" %");
      const std::string_view name = space == one.npos ? one : one.substr(space + 1);
      const auto found = names_.find(name);
      if (found == names_.end())
        return bad(fmt::format("'{}' is not defined before '{}'", name, op.name), inside.line());
      op.operands.push_back(found->second);
    }
    return true;
  }

  void note(const HloAttributes& attributes, const Instruction& op) {
    if (op.opcode->op_class == OpClass::fusion) program_.is_fused = true;
    if (attributes.find("sharding").find("devices=[") != std::string_view::npos)
      program_.has_shardings = true;
    if (op.opcode->op_class == OpClass::collective || op.opcode->op_class == OpClass::permute ||
        op.target == "SPMDFullToShardShape")
      program_.has_manual_regions = true;
    if (op.opcode->op_class == OpClass::unknown)
      findings_.add(FindingCode::key_without_effect,
                    fmt::format("{}:{}: the operation '{}': one pass over its data is assumed",
                                where_, op.line, op.word));
  }

  /// Finds the computations that instructions call.
  bool link() {
    for (const Call& call : calls_) {
      Instruction& op = program_.computations[call.computation].operations[call.operation];
      for (const std::string_view name : call.names) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end())
          return bad(fmt::format("'{}' calls '{}', which is not in the file", op.name, name),
                     op.line);
        op.called.push_back(found->second);
      }
    }
    return true;
  }

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Call {
    std::uint32_t computation, operation;
    std::vector<std::string_view> names;
  };

  Cursor cursor_;
  std::string where_;
  Findings& findings_;
  Program program_;
  Error error_{Errc::input_corrupt, {}, {}, {}};
  std::map<std::string, std::uint32_t, std::less<>> by_name_, names_;
  std::vector<Call> calls_;
  std::size_t operations_ = 0;
};

}  // namespace

Result<Program> read_hlo_text(std::string_view text, const std::string& where, Findings& findings) {
  return HloReader(text, where, findings).read();
}

}  // namespace orrery::hlo
