// SPDX-License-Identifier: Apache-2.0
//
// The symbols of which passes of all jobs consist: ops with formulas for their numbers, and loops.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "orrery/generative/learning/choice_trees.h"
#include "orrery/generative/sizes/formula.h"
#include "orrery/generative/sizes/op_form.h"

namespace orrery::generative {

/// An op, or the begin of a segment of ops that repeats.
struct Symbol {
  bool is_segment = false;
  std::uint32_t form = 0;                          ///< op: index in Symbols::forms
  std::array<std::uint32_t, kNumbers> formulas{};  ///< op: indices in Symbols::formulas
  bool per_layer = false;  ///< segment: it runs layers - count times; else `count` times
  std::uint32_t count = 1;
  friend auto operator<=>(const Symbol&, const Symbol&) = default;
};

/// Token 2 + i is symbol i; 0 and 1 are kStart and kEnd.
inline constexpr Token kFirstSymbol = 2;

struct Symbols {
  std::vector<OpForm> forms;
  std::vector<Formula> formulas;
  std::vector<Symbol> symbols;

  /// The symbol of a token; null for kStart, kEnd and unknown tokens.
  [[nodiscard]] const Symbol* find(Token token) const {
    return token < kFirstSymbol || token - kFirstSymbol >= symbols.size()
               ? nullptr
               : &symbols[token - kFirstSymbol];
  }
  /// The numbers of an op; nullopt if a formula has no value there, or numbers are not legal.
  [[nodiscard]] std::optional<OpNumbers> numbers(const Symbol& op,
                                                 const FactorValues& factors) const;
  /// Whether indices and values are in range, for symbols from files.
  [[nodiscard]] bool is_valid() const;
};

/// How much of a corpus formulas explain.
struct Explained {
  std::uint64_t numbers = 0;   ///< numbers of ops other than 0 and 1, each op of each pass once
  std::uint64_t literals = 0;  ///< those without a formula, which are stored as they are
};

/// Collects the ops of a corpus, mines formulas for their numbers, and then turns passes into
/// tokens.
class SymbolMaker {
 public:
  /// Adds an op as an observation for the mining.
  void observe(const OpForm& form, const OpNumbers& numbers, const FactorValues& factors,
               std::uint32_t job);
  /// Finds the formulas. Call it after all observe().
  void mine(std::uint32_t threads, const std::function<void(double share)>& progress);

  /// The token of an op. Call it after mine(). Formulas are tried in their order; a number that
  /// none explains becomes a literal.
  [[nodiscard]] Token op(const OpForm& form, const OpNumbers& numbers, const FactorValues& factors);
  [[nodiscard]] Token segment(std::uint32_t count, std::int64_t layers, bool is_layer);
  /// Tokens with other formulas that give the same op or segment here, ascending: with tp 2, the
  /// number tp - 1 equals 1. `layers`: 0 unless the segment runs layers. Call it when every token
  /// is known.
  [[nodiscard]] std::vector<Token> alternatives(Token token, const FactorValues& factors,
                                                std::int64_t layers) const;

  [[nodiscard]] const Explained& explained() const { return explained_; }
  [[nodiscard]] std::size_t size() const { return symbols_.symbols.size(); }
  [[nodiscard]] bool is_segment(Token token) const { return symbols_.find(token)->is_segment; }
  /// Tokens that begin segments, ascending.
  [[nodiscard]] std::vector<Token> segments() const;
  [[nodiscard]] Symbols take() { return std::move(symbols_); }

 private:
  struct Observation {
    OpNumbers numbers;
    std::uint32_t factors = 0;  ///< index
    std::uint32_t job = 0;
  };
  std::uint32_t formula(const Formula& formula);
  Token intern(const Symbol& symbol);

  Symbols symbols_;
  std::map<OpForm, std::uint32_t> form_numbers_;
  std::map<FactorValues, std::uint32_t> factor_numbers_;
  std::vector<const FactorValues*> factors_;
  std::vector<std::vector<Observation>> observations_;                          ///< by form
  std::vector<std::array<std::vector<std::uint32_t>, kNumbers>> explained_by_;  ///< by form
  std::map<Formula, std::uint32_t> formula_numbers_;
  std::map<Symbol, Token> tokens_;
  std::vector<std::vector<Token>> tokens_of_form_;
  Explained explained_;
};

}  // namespace orrery::generative
