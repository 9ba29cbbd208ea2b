// SPDX-License-Identifier: Apache-2.0
//
// How expressions are read.
#pragma once

#include <string>
#include <string_view>

#include "orrery/explore/expression.h"

namespace orrery::explore {

/// What can be called, in the order in which expressions number them.
struct Function {
  std::string_view name;
  std::size_t least, most;  ///< how many values it takes
};
[[nodiscard]] std::size_t function_named(std::string_view name);  ///< or kNoFunction
inline constexpr std::size_t kNoFunction = static_cast<std::size_t>(-1);
enum : std::size_t { kAbs, kCeil, kFloor, kIf, kLog2, kMax, kMin, kRound, kSqrt, kFunctions };

/// By recursive descent.
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
  void emit(Op op, std::size_t place = 0, std::size_t taken = 0) {
    made_.steps_.push_back({op, place, taken});
  }

  void either();
  void both();
  void negation();
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
