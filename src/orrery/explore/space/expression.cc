// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "orrery/core/check.h"
#include "orrery/core/text/text.h"
#include "orrery/explore/space/expression_parser.h"

namespace orrery::explore {

namespace {

using Op = Expression::Op;
using Stack = std::vector<Json>;

/// Executes instructions; stops at the first error.
class Machine {
 public:
  Machine(const std::string& text, const std::string& where) : text_(text), where_(where) {}

  void push(Json value) { stack_.push_back(std::move(value)); }

  void apply(Op op) {
    if (op == Op::negate) return push(number_json(-number()));
    if (op == Op::logical_not) return push(!truth());
    if (op == Op::logical_and || op == Op::logical_or) {
      const bool right = truth(), left = truth();
      return push(op == Op::logical_and ? left && right : left || right);
    }
    if (op == Op::equal || op == Op::unequal) {
      const Json right = pop(), left = pop();
      return push((left == right) == (op == Op::equal));
    }
    const double right = number(), left = number();
    switch (op) {
      case Op::less:
        return push(left < right);
      case Op::less_equal:
        return push(left <= right);
      case Op::greater:
        return push(left > right);
      case Op::greater_equal:
        return push(left >= right);
      default:
        return push_number(arithmetic(op, left, right));
    }
  }

  void call(std::size_t function, std::size_t arity) {
    if (function == kIf) {
      Json otherwise = pop(), then = pop();
      return push(truth() ? std::move(then) : std::move(otherwise));
    }
    std::vector<double> values(arity);
    for (std::size_t i = arity; i-- > 0;) values[i] = number();
    push_number(result(function, values));
  }

  void fail(Errc code, std::string what, std::string hint = {}) {
    if (!error_)
      error_ =
          Error{code, where_, fmt::format("{} in {}", what, in_quotes(text_)), std::move(hint)};
  }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  Result<Json> end() {
    if (error_) return tl::unexpected(*std::move(error_));
    ORRERY_CHECK(stack_.size() == 1);
    return std::move(stack_.back());
  }

 private:
  Json pop() {
    ORRERY_CHECK(!stack_.empty());
    Json value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  double number() {
    const Json value = pop();
    if (value.is_number()) return value.get<double>();
    fail(Errc::config_type, fmt::format("{} is not a number", in_quotes(plain_text(value))));
    return 1;
  }
  bool truth() {
    const Json value = pop();
    if (value.is_boolean()) return value.get<bool>();
    fail(Errc::config_type,
         fmt::format("{} is neither true nor false", in_quotes(plain_text(value))));
    return false;
  }
  void push_number(double value) {
    if (!std::isfinite(value)) fail(Errc::config_range, "a value is not a finite number");
    push(number_json(value));
  }

  static double arithmetic(Op op, double left, double right) {
    switch (op) {
      case Op::add:
        return left + right;
      case Op::subtract:
        return left - right;
      case Op::multiply:
        return left * right;
      case Op::divide:
        return left / right;
      case Op::remainder:
        return left - right * std::floor(left / right);
      default:
        return std::pow(left, right);
    }
  }
  static double result(std::size_t function, std::span<const double> of) {
    switch (function) {
      case kAbs:
        return std::abs(of[0]);
      case kCeil:
        return std::ceil(of[0]);
      case kFloor:
        return std::floor(of[0]);
      case kLog2:
        return std::log2(of[0]);
      case kMax:
        return *std::max_element(of.begin(), of.end());
      case kMin:
        return *std::min_element(of.begin(), of.end());
      case kRound:
        return std::round(of[0]);
      default:
        return std::sqrt(of[0]);
    }
  }

  const std::string &text_, &where_;
  Stack stack_;
  std::optional<Error> error_;
};

/// The value at a path, or null.
const Json* find(const std::vector<std::string>& path, const Expression::Lookup& lookup) {
  const Json* found = lookup(path.front());
  for (std::size_t i = 1; i < path.size() && found != nullptr; ++i) {
    const auto part = found->find(path[i]);
    found = found->is_object() && part != found->end() ? &*part : nullptr;
  }
  return found;
}

std::string dotted(const std::vector<std::string>& path) {
  return fmt::format("{}", fmt::join(path, "."));
}

}  // namespace

Result<Expression> Expression::parse(std::string_view text, const std::string& where) {
  return ExpressionParser(text, where).parse();
}

Result<Json> Expression::value(const Lookup& lookup) const {
  Machine machine(text_, where_);
  for (const Instruction& step : steps_) {
    if (machine.failed()) break;
    if (step.op == Op::constant) {
      machine.push(constants_[step.place]);
    } else if (step.op == Op::call) {
      machine.call(step.place, step.arity);
    } else if (step.op == Op::name) {
      const Json* found = find(paths_[step.place], lookup);
      if (found == nullptr)
        machine.fail(Errc::config_range,
                     fmt::format("there is no {}", in_quotes(dotted(paths_[step.place]))));
      machine.push(found == nullptr ? Json(0) : *found);
    } else {
      machine.apply(step.op);
    }
  }
  return machine.end();
}

Result<bool> Expression::holds(const Lookup& lookup) const {
  const auto found = value(lookup);
  if (!found) return tl::unexpected(found.error());
  if (found->is_boolean()) return found->get<bool>();
  return fail(Errc::config_type, where_,
              fmt::format("{} is neither true nor false", in_quotes(text_)),
              "write a comparison, such as memory <= 70 GB");
}

Json number_json(double value) {
  if (value == std::floor(value) && std::abs(value) < 0x1p53)
    return static_cast<std::int64_t>(value);
  return value;
}

std::string plain_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump();
}

}  // namespace orrery::explore
