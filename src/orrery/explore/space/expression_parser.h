// SPDX-License-Identifier: Apache-2.0
//
// The parser of expressions.
#pragma once

#include <string>
#include <string_view>

#include "orrery/explore/space/expression.h"

namespace orrery::explore {

/// A function; expressions store its index.
struct Function {
  std::string_view name;
  std::size_t min_values, max_values;  ///< number of arguments
};
[[nodiscard]] std::size_t function_named(std::string_view name);  ///< or kUnknownFunction
inline constexpr std::size_t kUnknownFunction = static_cast<std::size_t>(-1);
enum : std::size_t { kAbs, kCeil, kFloor, kIf, kLog2, kMax, kMin, kRound, kSqrt, kFunctions };

/// A recursive-descent parser.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::string& where);
  [[nodiscard]] Result<Expression> parse();

 private:
  using Op = Expression::Op;

  void fail(std::string what, std::string hint = {});
  void skip();
  [[nodiscard]] bool take(std::string_view sign);
  [[nodiscard]] bool take_word(std::string_view word);
  [[nodiscard]] std::string_view word();
  void emit(Op op, std::size_t place = 0, std::size_t arity = 0) {
    made_.steps_.push_back({op, place, arity});
  }

  void logical_or();
  void logical_and();
  void logical_not();
  void comparison();
  void sum();
  void product();
  void sign();
  void power();
  void primary();
  void number();
  void quoted(char quote);
  void named();
  void call(std::string_view name);

  std::string_view text_;
  std::size_t at_ = 0, depth_ = 0;
  Expression made_;
  std::optional<Error> error_;
};

}  // namespace orrery::explore
