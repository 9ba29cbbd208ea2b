// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/learning/symbols.h"

#include <algorithm>

#include "orrery/core/system/thread_pool.h"
#include "orrery/generative/sizes/mining.h"

namespace orrery::generative {
namespace {

constexpr std::uint32_t kMinJobs = 4;        // that a formula must explain
constexpr std::size_t kMaxSamples = 1500;    // of one form
constexpr std::uint32_t kMaxRepeats = 4096;  // of a segment, without layers

/// Sizes and launches come first, because formulas of other numbers use them.
constexpr auto kOrder = [] {
  std::array<std::size_t, kNumbers> order{};
  std::size_t at = 0;
  for (std::size_t n = kFirstSize; n < kNumbers; ++n) order[at++] = n;
  for (auto n = static_cast<std::size_t>(Number::launches); n < kFirstSize; ++n) order[at++] = n;
  for (std::size_t n = 0; n < static_cast<std::size_t>(Number::launches); ++n) order[at++] = n;
  return order;
}();

}  // namespace

std::optional<OpNumbers> Symbols::numbers(const Symbol& op, const FactorValues& factors) const {
  OpNumbers made{};
  for (const std::size_t n : kOrder) {
    const auto value = evaluate(formulas[op.formulas[n]], factors, made);
    if (!value) return std::nullopt;
    made[n] = *value;
  }
  if (!are_valid(made)) return std::nullopt;
  return made;
}

bool Symbols::is_valid() const {
  if (!std::all_of(forms.begin(), forms.end(),
                   [](const OpForm& form) { return generative::is_valid(form); }))
    return false;
  if (!std::all_of(formulas.begin(), formulas.end(),
                   [](const Formula& formula) { return generative::is_valid(formula); }))
    return false;
  return std::all_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
    if (symbol.is_segment) return symbol.count <= kMaxRepeats;
    return symbol.form < forms.size() &&
           std::all_of(symbol.formulas.begin(), symbol.formulas.end(),
                       [&](std::uint32_t formula) { return formula < formulas.size(); });
  });
}

void SymbolMaker::observe(const OpForm& form, const OpNumbers& numbers, const FactorValues& factors,
                          std::uint32_t job) {
  const auto [number, is_new] =
      form_numbers_.emplace(form, static_cast<std::uint32_t>(symbols_.forms.size()));
  if (is_new) {
    symbols_.forms.push_back(form);
    observations_.emplace_back();
  }
  auto& all = observations_[number->second];
  // One pass repeats ops: only different numbers of a job count.
  for (auto one = all.rbegin(); one != all.rend() && one->job == job; ++one)
    if (one->numbers == numbers) return;
  const auto [place, added] =
      factor_numbers_.emplace(factors, static_cast<std::uint32_t>(factors_.size()));
  if (added) factors_.push_back(&place->first);
  all.push_back({numbers, place->second, job});
}

void SymbolMaker::mine(std::uint32_t threads, const std::function<void(double share)>& progress) {
  const std::size_t count = observations_.size();
  std::vector<std::array<std::vector<Formula>, kNumbers>> found(count);
  ThreadPool pool(std::max(1U, threads));
  constexpr std::size_t kBatch = 8;  // between reports of progress
  for (std::size_t first = 0; first < count; first += kBatch) {
    const std::size_t batch = std::min(kBatch, count - first);
    pool.parallel_for(static_cast<std::uint32_t>(batch), [&](std::uint32_t i) {
      const auto& all = observations_[first + i];
      std::vector<SizeSample> samples;
      const std::size_t used = std::min(all.size(), kMaxSamples);
      for (std::size_t k = 0; k < used; ++k) {
        const Observation& one = all[k * all.size() / used];
        samples.push_back({factors_[one.factors], &one.numbers, one.job});
      }
      for (std::size_t n = 0; n < kNumbers; ++n)
        found[first + i][n] = mine_formulas(samples, n, kMinJobs);
    });
    if (progress) progress(static_cast<double>(first + batch) / static_cast<double>(count));
  }
  explained_by_.resize(count);
  for (std::size_t form = 0; form < count; ++form)
    for (std::size_t n = 0; n < kNumbers; ++n)
      for (const Formula& one : found[form][n]) explained_by_[form][n].push_back(formula(one));
  observations_.clear();
}

std::uint32_t SymbolMaker::formula(const Formula& formula) {
  const auto [number, is_new] =
      formula_numbers_.emplace(formula, static_cast<std::uint32_t>(symbols_.formulas.size()));
  if (is_new) symbols_.formulas.push_back(formula);
  return number->second;
}

Token SymbolMaker::intern(const Symbol& symbol) {
  const auto [token, is_new] =
      tokens_.emplace(symbol, static_cast<Token>(kFirstSymbol + symbols_.symbols.size()));
  if (!is_new) return token->second;
  symbols_.symbols.push_back(symbol);
  if (!symbol.is_segment) {
    tokens_of_form_.resize(symbols_.forms.size());
    tokens_of_form_[symbol.form].push_back(token->second);
  }
  return token->second;
}

Token SymbolMaker::op(const OpForm& form, const OpNumbers& numbers, const FactorValues& factors) {
  Symbol symbol;
  symbol.form = form_numbers_.at(form);
  for (std::size_t n = 0; n < kNumbers; ++n) {
    const auto& known = explained_by_[symbol.form][n];
    const auto fits = std::find_if(known.begin(), known.end(), [&](std::uint32_t one) {
      return evaluate(symbols_.formulas[one], factors, numbers) == numbers[n];
    });
    const bool counts = numbers[n] != 0 && numbers[n] != 1;
    if (counts) ++explained_.numbers;
    if (fits != known.end()) {
      symbol.formulas[n] = *fits;
    } else {
      if (counts) ++explained_.literals;
      symbol.formulas[n] = formula(constant(numbers[n]));
    }
  }
  return intern(symbol);
}

std::vector<Token> SymbolMaker::alternatives(Token token, const FactorValues& factors,
                                             std::int64_t layers) const {
  const Symbol& symbol = *symbols_.find(token);
  std::vector<Token> others;
  if (symbol.is_segment) {
    if (layers == 0) return others;
    Symbol other = symbol;
    other.per_layer = !symbol.per_layer;
    other.count = static_cast<std::uint32_t>(layers - symbol.count);
    const auto found = tokens_.find(other);
    if (found != tokens_.end()) others.push_back(found->second);
    return others;
  }
  const auto numbers = symbols_.numbers(symbol, factors);
  for (const Token other : tokens_of_form_[symbol.form])
    if (other != token && symbols_.numbers(*symbols_.find(other), factors) == numbers)
      others.push_back(other);
  return others;
}

std::vector<Token> SymbolMaker::segments() const {
  std::vector<Token> tokens;
  for (std::size_t i = 0; i < symbols_.symbols.size(); ++i)
    if (symbols_.symbols[i].is_segment) tokens.push_back(static_cast<Token>(kFirstSymbol + i));
  return tokens;
}

Token SymbolMaker::segment(std::uint32_t count, std::int64_t layers, bool is_layer) {
  Symbol symbol;
  symbol.is_segment = true;
  symbol.count = count;
  constexpr std::int64_t kMostFewer = 3;  // layers that other segments of the pass run
  if (is_layer && layers >= count && layers - count <= kMostFewer &&
      (count > 1 || layers == count)) {
    symbol.per_layer = true;
    symbol.count = static_cast<std::uint32_t>(layers - count);
  }
  return intern(symbol);
}

}  // namespace orrery::generative
