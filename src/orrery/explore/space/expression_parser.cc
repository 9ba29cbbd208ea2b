// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/space/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/explore/space/limits.h"

namespace orrery::explore {

namespace {

constexpr std::size_t kMaxArguments = limits::kExpressionBytes;

constexpr std::array<Function, kFunctions> kFunctionTable{{{"abs", 1, 1},
                                                           {"ceil", 1, 1},
                                                           {"floor", 1, 1},
                                                           {"if", 3, 3},
                                                           {"log2", 1, 1},
                                                           {"max", 1, kMaxArguments},
                                                           {"min", 1, kMaxArguments},
                                                           {"round", 1, 1},
                                                           {"sqrt", 1, 1}}};

constexpr std::array<std::string_view, 5> kWords{"and", "or", "not", "true", "false"};

struct UnitSize {
  std::string_view name;
  double size;
};
constexpr std::array<UnitSize, 17> kUnits{{{"B", 1},
                                           {"kB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"PB", 1e15},
                                           {"KiB", 0x1p10},
                                           {"MiB", 0x1p20},
                                           {"GiB", 0x1p30},
                                           {"TiB", 0x1p40},
                                           {"ns", 1e-9},
                                           {"us", 1e-6},
                                           {"ms", 1e-3},
                                           {"s", 1},
                                           {"W", 1},
                                           {"kW", 1e3},
                                           {"MW", 1e6}}};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::size_t function_named(std::string_view name) {
  for (std::size_t i = 0; i < kFunctionTable.size(); ++i)
    if (kFunctionTable[i].name == name) return i;
  return kUnknownFunction;
}

bool may_be_name(std::string_view word) {
  return !word.empty() && letter(word.front()) &&
         std::all_of(word.begin(), word.end(), [](char c) { return letter(c) || digit(c); }) &&
         function_named(word) == kUnknownFunction &&
         std::find(kWords.begin(), kWords.end(), word) == kWords.end();
}

ExpressionParser::ExpressionParser(std::string_view text, const std::string& where) : text_(text) {
  made_.text_ = text;
  made_.where_ = where;
}

Result<Expression> ExpressionParser::parse() {
  if (text_.size() > limits::kExpressionBytes)
    return orrery::fail(
        Errc::limit_exceeded, made_.where_,
        fmt::format("an expression has more than {} characters", limits::kExpressionBytes));
  logical_or();
  skip();
  if (!error_ && at_ < text_.size())
    fail(fmt::format("{} is not valid here", in_quotes(text_.substr(at_, 12))));
  if (error_) return tl::unexpected(*std::move(error_));
  return std::move(made_);
}

void ExpressionParser::fail(std::string what, std::string hint) {
  if (error_) return;
  error_ = Error{
      Errc::config_syntax, made_.where_,
      fmt::format("in the expression {}, column {}: {}", in_quotes(made_.text_), at_ + 1, what),
      std::move(hint)};
  at_ = text_.size();
}

void ExpressionParser::skip() {
  while (at_ < text_.size() && blank(text_[at_])) ++at_;
}

bool ExpressionParser::take(std::string_view sign) {
  skip();
  if (!text_.substr(at_).starts_with(sign)) return false;
  at_ += sign.size();
  return true;
}

std::string_view ExpressionParser::word() {
  std::size_t end = at_;
  while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
  return text_.substr(at_, end - at_);
}

bool ExpressionParser::take_word(std::string_view wanted) {
  skip();
  if (word() != wanted) return false;
  at_ += wanted.size();
  return true;
}

void ExpressionParser::logical_or() {
  logical_and();
  while (take_word("or")) {
    logical_and();
    emit(Op::logical_or);
  }
}

void ExpressionParser::logical_and() {
  logical_not();
  while (take_word("and")) {
    logical_not();
    emit(Op::logical_and);
  }
}

void ExpressionParser::logical_not() {
  std::size_t times = 0;
  while (take_word("not")) ++times;
  comparison();
  if (times % 2 == 1) emit(Op::logical_not);
  if (times > 0 && times % 2 == 0) {  // the result must still be a condition
    emit(Op::logical_not);
    emit(Op::logical_not);
  }
}

void ExpressionParser::comparison() {
  sum();
  struct Sign {
    std::string_view sign;
    Op op;
  };
  constexpr std::array<Sign, 6> kSigns{{{"==", Op::equal},
                                        {"!=", Op::unequal},
                                        {"<=", Op::less_equal},
                                        {">=", Op::greater_equal},
                                        {"<", Op::less},
                                        {">", Op::greater}}};
  for (const auto& [sign, op] : kSigns)
    if (take(sign)) {
      sum();
      emit(op);
      return;
    }
}

void ExpressionParser::sum() {
  product();
  while (true) {
    if (take("+")) {
      product();
      emit(Op::add);
    } else if (take("-")) {
      product();
      emit(Op::subtract);
    } else {
      return;
    }
  }
}

void ExpressionParser::product() {
  sign();
  while (true) {
    const Op op = take("*")   ? Op::multiply
                  : take("/") ? Op::divide
                  : take("%") ? Op::remainder
                              : Op::constant;
    if (op == Op::constant) return;
    sign();
    emit(op);
  }
}

void ExpressionParser::sign() {
  bool minus = false;
  while (take("-")) minus = !minus;
  power();
  if (minus) emit(Op::negate);
}

void ExpressionParser::power() {
  primary();
  if (!take("^")) return;
  if (++depth_ > limits::kExpressionDepth) return fail("the expression is nested too deeply");
  sign();
  --depth_;
  emit(Op::power);
}

void ExpressionParser::primary() {
  skip();
  if (at_ >= text_.size()) return fail("the expression is incomplete");
  const char c = text_[at_];
  if (take("(")) {
    if (++depth_ > limits::kExpressionDepth) return fail("the expression is nested too deeply");
    logical_or();
    --depth_;
    if (!error_ && !take(")")) fail("a ) is missing");
    return;
  }
  if (digit(c) || c == '.') return number();
  if (c == '\'' || c == '"') return quoted(c);
  if (letter(c)) return named();
  fail(fmt::format("{} is not valid here", in_quotes(text_.substr(at_, 1))));
}

void ExpressionParser::number() {
  double value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error != std::errc{}) return fail("this is not a valid number");
  at_ = static_cast<std::size_t>(end - text_.data());
  const std::size_t before = at_;
  skip();
  const std::string_view unit = word();
  const bool joins = unit == "and" || unit == "or";
  if (!unit.empty() && !joins) {
    const auto known = std::find_if(kUnits.begin(), kUnits.end(),
                                    [&](const UnitSize& one) { return one.name == unit; });
    if (known == kUnits.end())
      return fail(fmt::format("{} is not a unit", in_quotes(unit)),
                  "B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB; ns, us, ms, s; W, kW, MW");
    value *= known->size;
    at_ += unit.size();
  } else {
    at_ = before;
  }
  made_.constants_.push_back(number_json(value));
  emit(Op::constant, made_.constants_.size() - 1);
}

void ExpressionParser::quoted(char quote) {
  const std::size_t end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) return fail("a closing quotation mark is missing");
  made_.constants_.emplace_back(text_.substr(at_ + 1, end - at_ - 1));
  at_ = end + 1;
  emit(Op::constant, made_.constants_.size() - 1);
}

void ExpressionParser::named() {
  const std::string_view name = word();
  if (name == "true" || name == "false") {
    at_ += name.size();
    made_.constants_.emplace_back(name == "true");
    return emit(Op::constant, made_.constants_.size() - 1);
  }
  const std::size_t begun = at_;
  at_ += name.size();
  if (take("(")) return call(name);
  at_ = begun;
  if (!may_be_name(name)) return fail(fmt::format("{} is not valid here", in_quotes(name)));
  at_ += name.size();
  std::vector<std::string> path{std::string(name)};
  while (at_ + 1 < text_.size() && text_[at_] == '.' && letter(text_[at_ + 1])) {
    ++at_;
    path.emplace_back(word());
    at_ += path.back().size();
  }
  auto& names = made_.names_;
  if (std::find(names.begin(), names.end(), path.front()) == names.end())
    names.push_back(path.front());
  made_.paths_.push_back(std::move(path));
  emit(Op::name, made_.paths_.size() - 1);
}

void ExpressionParser::call(std::string_view name) {
  const std::size_t function = function_named(name);
  if (function == kUnknownFunction) {
    std::vector<std::string_view> names;
    for (const Function& one : kFunctionTable) names.push_back(one.name);
    const std::string meant = did_you_mean(name, names);
    return fail(fmt::format("there is no function {}", in_quotes(name)),
                meant.empty() ? "functions: " + join(names) : meant);
  }
  if (++depth_ > limits::kExpressionDepth) return fail("the expression is nested too deeply");
  std::size_t arity = 0;
  do {
    logical_or();
    ++arity;
  } while (!error_ && take(","));
  --depth_;
  if (!error_ && !take(")")) return fail("a ) is missing");
  if (arity < kFunctionTable[function].min_values || arity > kFunctionTable[function].max_values)
    return fail(fmt::format("{} takes {} values, not {}", name, kFunctionTable[function].min_values,
                            arity));
  emit(Op::call, function, arity);
}

}  // namespace orrery::explore
