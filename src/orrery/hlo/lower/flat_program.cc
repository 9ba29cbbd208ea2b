// SPDX-License-Identifier: Apache-2.0
#include "orrery/hlo/lower/flat_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace orrery::hlo {

namespace {

/// A value: a step, or the parts of a tuple whose parts are known.
struct Value {
  std::uint32_t step = 0;
  std::vector<Value> parts;
  bool is_tuple = false;
};

class Flattener {
 public:
  Flattener(const Program& program, const std::string& where, Findings& findings)
      : program_(program), where_(where), findings_(findings) {}

  Result<FlatProgram> run() {
    const Computation& main = program_.main();
    std::vector<Value> arguments;
    for (const std::uint32_t parameter : main.parameters)
      arguments.push_back(emit(main, main.operations[parameter], {}));
    const auto root = inside(main, arguments, 0);
    if (!root) return tl::unexpected(error_);
    steps_of(*root, flat_.outputs);
    return std::move(flat_);
  }

 private:
  bool bad(Errc code, const Instruction& op, std::string what) {
    if (error_.where.empty())
      error_ = Error{code, fmt::format("{}:{}", where_, op.line), std::move(what), {}};
    return false;
  }

  Value emit(const Computation& body, const Instruction& op, const std::vector<Value>& operands) {
    Step step;
    step.operation = &op;
    step.computation = &body;
    for (const Value& each : operands) steps_of(each, step.inputs);
    std::sort(step.inputs.begin(), step.inputs.end());
    step.inputs.erase(std::unique(step.inputs.begin(), step.inputs.end()), step.inputs.end());
    flat_.steps.push_back(std::move(step));
    return {static_cast<std::uint32_t>(flat_.steps.size() - 1), {}, false};
  }

  static void steps_of(const Value& value, std::vector<std::uint32_t>& steps) {
    if (!value.is_tuple) steps.push_back(value.step);
    for (const Value& part : value.parts) steps_of(part, steps);
  }

  /// The value that a computation returns.
  std::optional<Value> inside(const Computation& body, const std::vector<Value>& arguments,
                              int depth) {
    std::vector<Value> values(body.operations.size());
    for (std::size_t i = 0; i < body.operations.size(); ++i) {
      const Instruction& op = body.operations[i];
      if (++visited_ > 4 * kMostOperations || flat_.steps.size() >= kMostOperations) {
        bad(Errc::limit_exceeded, op,
            fmt::format("the program runs more than {} operations", kMostOperations));
        return {};
      }
      auto made = value_of(op, body, values, arguments, depth);
      if (!made) return {};
      values[i] = *std::move(made);
    }
    return values[body.root];
  }

  std::optional<Value> value_of(const Instruction& op, const Computation& body,
                                const std::vector<Value>& values,
                                const std::vector<Value>& arguments, int depth) {
    if (op.opcode->op_class == OpClass::parameter) {
      const auto number = static_cast<std::size_t>(op.number);
      if (op.number >= 0 && number < arguments.size()) return arguments[number];
      bad(Errc::input_corrupt, op, fmt::format("'{}' gets too few operands", body.name));
      return {};
    }
    std::vector<Value> operands;
    operands.reserve(op.operands.size());
    for (const std::uint32_t each : op.operands) operands.push_back(values[each]);
    switch (op.opcode->op_class) {
      case OpClass::tuple:
        return Value{0, std::move(operands), true};
      case OpClass::tuple_element:
        return element(op, operands);
      case OpClass::async_done:
        return done(operands);
      case OpClass::free:
        if (op.opcode->name == "optimization_barrier" || op.opcode->name == "opt_barrier") {
          if (operands.size() == 1) return operands.front();
          return Value{0, std::move(operands), true};
        }
        break;
      case OpClass::call:
      case OpClass::async_start:
        if (op.called.empty()) return emit(body, op, operands);
        return asynchronous(op, std::move(operands), values, depth);
      case OpClass::loop:
        return loop(op, body, std::move(operands), values, depth);
      case OpClass::branch:
        return branch(op, body, std::move(operands), values, depth);
      default:
        break;
    }
    const Value made = emit(body, op, operands);
    flat_.steps.back().blocks =
        program_.scheduled && asynchronous_ == 0 && !op.word.ends_with("-start");
    return made;
  }

  std::optional<Value> asynchronous(const Instruction& op, std::vector<Value> operands,
                                    const std::vector<Value>& values, int depth) {
    const int here = op.opcode->op_class == OpClass::async_start ? 1 : 0;
    asynchronous_ += here;
    auto made = called(op, op.called.front(), std::move(operands), values, depth);
    asynchronous_ -= here;
    return made;
  }

  static std::optional<Value> element(const Instruction& op, std::vector<Value>& operands) {
    if (operands.empty()) return Value{0, {}, true};
    Value& of = operands.front();
    if (!of.is_tuple) return of;
    const auto number = static_cast<std::size_t>(std::max<std::int64_t>(op.number, 0));
    if (number >= of.parts.size()) return Value{0, {}, true};
    return of.parts[number];
  }

  static std::optional<Value> done(std::vector<Value>& operands) {
    if (operands.empty()) return Value{0, {}, true};
    return operands.front();
  }

  std::optional<Value> called(const Instruction& op, std::uint32_t number,
                              std::vector<Value> arguments, const std::vector<Value>& around,
                              int depth) {
    if (depth >= kMostDepth) {
      bad(Errc::input_cycle, op,
          fmt::format("computations call each other more than {} deep", kMostDepth));
      return {};
    }
    const Computation& body = program_.computations[number];
    for (const std::uint32_t each : body.captured) arguments.push_back(around[each]);
    return inside(body, arguments, depth + 1);
  }

  std::optional<Value> loop(const Instruction& op, const Computation& around_body,
                            std::vector<Value> state, const std::vector<Value>& around, int depth) {
    if (op.called.size() < 2) {
      bad(Errc::input_corrupt, op, "a loop has a condition and a body");
      return {};
    }
    std::optional<std::int64_t> trips = op.trip_count;
    if (!trips) trips = counted_trips(op, around_body);
    if (!trips) {
      findings_.add(FindingCode::default_assumed,
                    fmt::format("{}:{}: how often a loop runs: once", where_, op.line));
      trips = 1;
    }
    const bool several = op.operands.size() != 1;
    for (std::int64_t i = 0; i < *trips; ++i) {
      const std::size_t before = flat_.steps.size();
      auto result = called(op, op.called[1], state, around, depth);
      if (!result) return {};
      state = several && result->is_tuple ? result->parts : std::vector<Value>{*std::move(result)};
      if (flat_.steps.size() == before) break;  // a body without work
    }
    if (several) return Value{0, std::move(state), true};
    if (state.empty()) return Value{0, {}, true};
    return state.front();
  }

  std::optional<Value> branch(const Instruction& op, const Computation& body,
                              std::vector<Value> operands, const std::vector<Value>& around,
                              int depth) {
    if (op.called.empty()) return emit(body, op, operands);
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < op.called.size(); ++i)
      if (program_.computations[op.called[i]].operations.size() >
          program_.computations[op.called[chosen]].operations.size())
        chosen = i;
    findings_.add(
        FindingCode::default_assumed,
        fmt::format("{}:{}: which branch runs: the one with most operations", where_, op.line));
    // HLO gives each branch one operand of its own, after the selector; regions have captures.
    std::vector<Value> arguments;
    if (operands.size() > 1 + chosen) arguments.push_back(operands[1 + chosen]);
    return called(op, op.called[chosen], std::move(arguments), around, depth);
  }

  // --- how often a loop runs

  /// The constant that an operation is, through conversions.
  static std::optional<std::int64_t> constant_of(const Computation& body, std::uint32_t number) {
    const Instruction* op = &body.operations[number];
    for (int i = 0; i < 4 && !op->operands.empty() &&
                    (op->opcode->name == "convert" || op->opcode->name == "reshape" ||
                     op->opcode->name == "copy");
         ++i)
      op = &body.operations[op->operands.front()];
    if (op->has_value) return op->number;
    return {};
  }

  /// Which part of the loop's state an operation of its condition or body is; -1: none.
  static std::int64_t state_part(const Computation& body, std::uint32_t number) {
    const Instruction& op = body.operations[number];
    const auto states = static_cast<std::int64_t>(body.parameters.size() - body.captured.size());
    if (op.opcode->op_class == OpClass::parameter) return op.number < states ? op.number : -1;
    if (op.opcode->op_class == OpClass::tuple_element && !op.operands.empty() &&
        body.operations[op.operands.front()].opcode->op_class == OpClass::parameter)
      return op.number;
    return -1;
  }

  /// The value at the start of a part of the state, a constant in the computation around.
  static std::optional<std::int64_t> initial(const Instruction& loop, const Computation& around,
                                             std::int64_t part) {
    if (part < 0) return {};
    const auto number = static_cast<std::size_t>(part);
    if (loop.operands.size() == 1 &&
        around.operations[loop.operands[0]].opcode->op_class == OpClass::tuple) {
      const Instruction& tuple = around.operations[loop.operands[0]];
      if (number >= tuple.operands.size()) return {};
      return constant_of(around, tuple.operands[number]);
    }
    if (number >= loop.operands.size()) return {};
    return constant_of(around, loop.operands[number]);
  }

  /// A constant of the condition: inside of it, captured, or a part of the state that stays.
  static std::optional<std::int64_t> limit_of(const Instruction& loop, const Computation& around,
                                              const Computation& condition, std::uint32_t number) {
    if (const auto inner = constant_of(condition, number)) return inner;
    const Instruction& op = condition.operations[number];
    const std::int64_t part = state_part(condition, number);
    if (part >= 0) return initial(loop, around, part);
    const auto states = condition.parameters.size() - condition.captured.size();
    const auto place = static_cast<std::size_t>(std::max<std::int64_t>(op.number, 0)) - states;
    if (op.opcode->op_class == OpClass::parameter && place < condition.captured.size())
      return constant_of(around, condition.captured[place]);
    return {};
  }

  /// What the body adds to a part of the state each time.
  std::optional<std::int64_t> step_of(const Instruction& loop, const Computation& around,
                                      const Computation& body, std::int64_t part) const {
    const Instruction& root = body.operations[body.root];
    std::uint32_t next = body.root;
    if (root.opcode->op_class == OpClass::tuple) {
      if (static_cast<std::size_t>(part) >= root.operands.size()) return {};
      next = root.operands[static_cast<std::size_t>(part)];
    }
    const Instruction& sum = body.operations[next];
    if (sum.opcode->name != "add" || sum.operands.size() != 2) return {};
    for (int i = 0; i < 2; ++i)
      if (state_part(body, sum.operands[static_cast<std::size_t>(i)]) == part)
        return limit_of(loop, around, body, sum.operands[static_cast<std::size_t>(1 - i)]);
    return {};
  }

  std::optional<std::int64_t> counted_trips(const Instruction& loop,
                                            const Computation& around) const {
    const Computation& condition = program_.computations[loop.called[0]];
    const Instruction& test = condition.operations[condition.root];
    if (test.opcode->name != "compare" || test.operands.size() != 2) return {};
    const std::int64_t part = state_part(condition, test.operands[0]);
    const auto first = initial(loop, around, part);
    const auto limit = limit_of(loop, around, condition, test.operands[1]);
    if (!first || !limit) return {};
    const auto step = step_of(loop, around, program_.computations[loop.called[1]], part);
    if (!step || *step == 0) return {};
    std::int64_t distance = 0;
    if (__builtin_sub_overflow(*limit, *first, &distance)) return {};
    if (*step < 0) distance = distance == INT64_MIN ? 0 : -distance;
    if (*step == INT64_MIN) return {};
    const std::int64_t size = *step < 0 ? -*step : *step;
    const std::string_view how = test.direction;
    if (how == (*step > 0 ? "LT" : "GT") || how == "NE")
      return std::max<std::int64_t>(distance / size + (distance % size > 0 ? 1 : 0), 0);
    if (how == (*step > 0 ? "LE" : "GE")) return distance < 0 ? 0 : distance / size + 1;
    return {};
  }

  const Program& program_;
  const std::string& where_;
  Findings& findings_;
  FlatProgram flat_;
  int asynchronous_ = 0;     // calls of "async-start" around
  std::size_t visited_ = 0;  // operations, also those without work
  Error error_{Errc::input_corrupt, {}, {}, {}};
};

}  // namespace

Result<FlatProgram> flatten(const Program& program, const std::string& where, Findings& findings) {
  return Flattener(program, where, findings).run();
}

}  // namespace orrery::hlo
