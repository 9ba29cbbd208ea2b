// SPDX-License-Identifier: Apache-2.0
//
// Expressions over variables: derived values of a space, and constraints.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/error.h"

namespace orrery::explore {

using config::Json;

/// "n / (tp * pp)", "memory <= 70 GB and not (gpu == 'b200')", "min(tp, 8)", "gpu.price".
///
/// By ascending precedence: `or`; `and`; `not`; == != < <= > >=; + -; * / %; unary -; ^
/// (right-associative). Functions: abs, ceil, floor, if(what, then, else), log2, max, min, round,
/// sqrt. A number may have a unit as factor: B, kB … PB, KiB … TiB; ns, us, ms, s; W, kW, MW. Words
/// are in single or double quotes. Conditions are true or false.
class Expression {
 public:
  /// Errc: config_syntax, with the column; limit_exceeded.
  [[nodiscard]] static Result<Expression> parse(std::string_view text, const std::string& where);

  /// The value of a variable, or null if there is none.
  using Lookup = std::function<const Json*(std::string_view name)>;

  /// Evaluates the expression. A dot selects a member of a mapping. Errc: config_range (an unknown
  /// name, a division by zero, or another result that is not a number), config_type (arithmetic
  /// with words).
  [[nodiscard]] Result<Json> value(const Lookup& lookup) const;
  /// Evaluates a condition. Errc: as value(); config_type if the result is not true or false.
  [[nodiscard]] Result<bool> holds(const Lookup& lookup) const;

  /// Variables of the expression, without members, each once, in order of appearance.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] const std::string& text() const { return text_; }

  // Instructions in postfix order.
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
    std::size_t place = 0;  ///< index of a constant, a name or a function
    std::size_t arity = 0;  ///< arguments of a function
  };

 private:
  friend class ExpressionParser;
  std::string text_, where_;
  std::vector<Instruction> steps_;
  std::vector<Json> constants_;
  std::vector<std::string> names_;               ///< variables
  std::vector<std::vector<std::string>> paths_;  ///< complete path of each name instruction
};

/// A number as JSON; an integer if it is integral and fits.
[[nodiscard]] Json number_json(double value);
/// Text of a value in a name or a label: "8", "0.5", "h100-sxm", "true"; mappings as JSON.
[[nodiscard]] std::string plain_text(const Json& value);

/// Whether a word can be a variable: letters, digits and _, not starting with a digit, and not a
/// reserved word of expressions.
[[nodiscard]] bool may_be_name(std::string_view word);

}  // namespace orrery::explore
