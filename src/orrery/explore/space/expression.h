// SPDX-License-Identifier: Apache-2.0
//
// Expressions over names: what values of a space follow from others, and what has to hold.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/core/error.h"

namespace orrery::explore {

using config::Json;

/// "n / (tp * pp)", "memory <= 70 GB and not (gpu == 'b200')", "min(tp, 8)", "gpu.price".
///
/// From what binds least: `or`; `and`; `not`; == != < <= > >=; + -; * / %; unary -; ^ (to the
/// right). Functions: abs, ceil, floor, if(what, then, else), log2, max, min, round, sqrt. A
/// number may have a unit, which multiplies it: B, kB … PB, KiB … TiB; ns, us, ms, s; W, kW, MW.
/// Words stand in quotes, single or double. Conditions are true or false.
class Expression {
 public:
  /// Errc: config_syntax, with the column; limit_exceeded.
  [[nodiscard]] static Result<Expression> parse(std::string_view text, const std::string& where);

  /// What a name stands for, or null where it is none.
  using Lookup = std::function<const Json*(std::string_view name)>;

  /// Errc: config_range (no such name, a division by zero or what else is no number),
  /// config_type (arithmetic with words). A part of a mapping is named with a dot.
  [[nodiscard]] Result<Json> value(const Lookup& lookup) const;
  /// Of a condition. Errc: as `value`; config_type where it is none.
  [[nodiscard]] Result<bool> holds(const Lookup& lookup) const;

  /// That it has, without what is behind a dot; each once, in their order.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  // What it is made of; postfix.
  enum class Op : unsigned char {
    constant,
    name,
    negate,
    logical_not,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    power,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or,
    call
  };
  struct Instruction {
    Op op = Op::constant;
    std::size_t place = 0;  ///< of a constant, a name or a function
    std::size_t arity = 0;  ///< by a function
  };

 private:
  friend class ExpressionParser;
  std::string text_, where_;
  std::vector<Instruction> steps_;
  std::vector<Json> constants_;
  std::vector<std::string> names_;               ///< before the dot
  std::vector<std::vector<std::string>> paths_;  ///< by name step: all of it
};

/// A number as JSON: whole where it is whole and can be kept so.
[[nodiscard]] Json number_json(double value);
/// As text stands in a name or a label: "8", "0.5", "h100-sxm", "true"; mappings as JSON.
[[nodiscard]] std::string plain_text(const Json& value);

/// Whether a word may be the name of something: letters, digits and _, no digit first, and nothing
/// that an expression means otherwise.
[[nodiscard]] bool may_be_name(std::string_view word);

}  // namespace orrery::explore
