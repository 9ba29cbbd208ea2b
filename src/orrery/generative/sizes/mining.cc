// SPDX-License-Identifier: Apache-2.0
#include "orrery/generative/sizes/mining.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "orrery/generative/sizes/sparse_sum.h"

namespace orrery::generative {
namespace {

constexpr std::size_t kMaxRows = 96;      ///< samples that a fit uses
constexpr std::size_t kMaxFormulas = 12;  ///< of one number
constexpr std::size_t kMaxGroups = 6;     ///< of jobs
constexpr double kMaxCoefficient = 65536;
/// A product must explain so many times more than a simpler one: sizes are equal by coincidence in
/// some jobs (tokens / tp and tokens / 4).
constexpr double kSimplicity = 1.25;

using Indices = std::vector<std::size_t>;

class Miner {
 public:
  Miner(std::span<const SizeSample> samples, std::size_t number, std::uint32_t min_jobs)
      : samples_(samples), number_(number), min_jobs_(min_jobs) {}

  std::vector<Formula> run() {
    Indices open(samples_.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    std::vector<Formula> found;
    while (!open.empty() && found.size() < kMaxFormulas) {
      std::optional<Formula> best = best_formula(open);
      if (!best) break;
      std::erase_if(open, [&](std::size_t i) { return explains(*best, i); });
      found.push_back(std::move(*best));
    }
    return found;
  }

 private:
  [[nodiscard]] std::int64_t size(std::size_t i) const { return (*samples_[i].numbers)[number_]; }

  [[nodiscard]] bool explains(const Formula& formula, std::size_t i) const {
    return evaluate(formula, *samples_[i].factors, *samples_[i].numbers) == size(i);
  }

  /// 0 or 1.
  static bool is_trivial(const Formula& formula) {
    return formula.empty() || formula == constant(1);
  }

  /// The samples of `open` that the formula explains; 0 if they are of too few jobs.
  [[nodiscard]] std::size_t support(const Formula& formula, const Indices& open) const {
    std::set<std::uint32_t> jobs;
    std::size_t count = 0;
    for (const std::size_t i : open) {
      if (!explains(formula, i)) continue;
      ++count;
      if (jobs.size() < min_jobs_) jobs.insert(samples_[i].job);
    }
    return jobs.size() < min_jobs_ && !is_trivial(formula) ? 0 : count;
  }

  /// Formulas of kernel sizes come first, then products, then sums: the first that explains most of
  /// what is open. Groups of jobs are tried because other jobs can follow another formula.
  [[nodiscard]] std::optional<Formula> best_formula(const Indices& open) const {
    std::optional<Formula> best;
    std::size_t most = 0;
    const auto offer = [&](const Formula& formula) {
      const std::size_t count = support(formula, open);
      if (count <= most) return;
      most = count;
      best = formula;
    };
    const auto enough = [&] { return 10 * most >= 9 * open.size(); };
    offer(constant(size(open.front())));
    offer({});
    if (most == open.size()) return best;
    const bool may_use_sizes = number_ < static_cast<std::size_t>(Number::launches);
    const std::vector<Indices> groups = groups_of(open);
    for (const Indices& group : groups) {
      const Indices rows = spread(group);
      offer(most_common_constant(rows));
      if (may_use_sizes && !enough()) offer_single(size_products(), rows, offer);
      if (!enough()) offer_single(dimension_products(), rows, offer);
      if (may_use_sizes && !enough()) offer_sums(size_products(), rows, offer);
      if (enough()) break;
    }
    if (enough()) return best;
    for (const Indices& group : groups) {
      offer_sums(dimension_products(), spread(group), offer);
      if (enough()) break;
    }
    return best;
  }

  /// All samples, then those with the same kinds of parallelism, the largest groups first.
  [[nodiscard]] std::vector<Indices> groups_of(const Indices& open) const {
    std::map<unsigned, Indices> by_kind;
    for (const std::size_t i : open) {
      const FactorValues& values = *samples_[i].factors;
      const auto at = [&](Factor factor) { return values[static_cast<std::size_t>(factor)]; };
      unsigned kind = 0;
      for (const Factor factor : {Factor::tp, Factor::experts, Factor::dp, Factor::ep, Factor::cp})
        kind = kind * 2 + (at(factor) > 1 ? 1 : 0);
      kind = kind * 2 + (at(Factor::tokens) != at(Factor::sharded_tokens) ? 1 : 0);
      const bool in_pieces = (*samples_[i].numbers)[static_cast<std::size_t>(Number::launches)] > 1;
      by_kind[kind * 2 + (in_pieces ? 1 : 0)].push_back(i);
    }
    std::vector<Indices> all{open};
    if (by_kind.size() > 1)
      for (auto& [kind, group] : by_kind) all.push_back(std::move(group));
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    if (all.size() > kMaxGroups) all.resize(kMaxGroups);
    return all;
  }

  static Indices spread(const Indices& group) {
    if (group.size() <= kMaxRows) return group;
    Indices rows;
    for (std::size_t i = 0; i < kMaxRows; ++i) rows.push_back(group[i * group.size() / kMaxRows]);
    return rows;
  }

  [[nodiscard]] Formula most_common_constant(const Indices& rows) const {
    std::map<std::int64_t, std::size_t> counts;
    for (const std::size_t i : rows) ++counts[size(i)];
    const auto most = std::max_element(counts.begin(), counts.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    return constant(most->first);
  }

  /// Product / size.
  [[nodiscard]] double ratio(const Product& product, std::size_t i) const {
    const auto value = [&](std::uint8_t factor) {
      return static_cast<double>(dimension(factor, *samples_[i].factors, *samples_[i].numbers));
    };
    double above = 1, below = static_cast<double>(size(i));
    for (const std::uint8_t factor : product.above) above *= value(factor);
    for (const std::uint8_t factor : product.below) below *= value(factor);
    return below == 0 ? 0 : above / below;
  }

  template <class Offer>
  void offer_single(const std::vector<Product>& products, const Indices& rows,
                    const Offer& offer) const {
    std::size_t most = 0;
    Formula best;
    std::map<std::int64_t, std::size_t> counts;
    for (const Product& product : products) {
      counts.clear();
      for (const std::size_t i : rows) {
        const double inverse = ratio(product, i);
        if (inverse == 0) continue;
        const double eighths = static_cast<double>(kCoefficientUnit) / inverse;
        const double nearest = std::nearbyint(eighths);
        if (nearest == 0 || std::fabs(nearest) > kMaxCoefficient ||
            std::fabs(eighths - nearest) > 1e-9 * std::fabs(eighths))
          continue;
        ++counts[static_cast<std::int64_t>(nearest)];
      }
      for (const auto& [eighths, count] : counts) {
        if (static_cast<double>(count) <= kSimplicity * static_cast<double>(most)) continue;
        most = count;
        best = {Term{eighths, product}};
      }
    }
    if (most > 0) offer(best);
  }

  template <class Offer>
  void offer_sums(const std::vector<Product>& products, const Indices& rows,
                  const Offer& offer) const {
    Indices used;
    for (const std::size_t i : rows)
      if (size(i) != 0) used.push_back(i);
    if (used.size() < 4) return;
    std::vector<std::vector<double>> columns;
    std::vector<const Product*> of_column;
    for (const Product& product : products) {
      std::vector<double> column(used.size());
      bool any = false;
      for (std::size_t r = 0; r < used.size(); ++r) {
        column[r] = ratio(product, used[r]);
        any = any || column[r] != 0;
      }
      if (!any) continue;
      columns.push_back(std::move(column));
      of_column.push_back(&product);
    }
    for (const SparseSum& sum : sparse_sums_to_one(columns, kMaxTerms)) {
      Formula formula;
      for (std::size_t i = 0; i < sum.columns.size(); ++i) {
        const double eighths = std::nearbyint(sum.coefficients[i] * kCoefficientUnit);
        if (eighths == 0 || std::fabs(eighths) > kMaxCoefficient) continue;
        formula.push_back({static_cast<std::int64_t>(eighths), *of_column[sum.columns[i]]});
      }
      std::sort(formula.begin(), formula.end(),
                [](const Term& a, const Term& b) { return a.product < b.product; });
      if (!formula.empty()) offer(formula);
    }
  }

  std::span<const SizeSample> samples_;
  std::size_t number_;
  std::uint32_t min_jobs_;
};

}  // namespace

std::vector<Formula> mine_formulas(std::span<const SizeSample> samples, std::size_t number,
                                   std::uint32_t min_jobs) {
  return Miner(samples, number, min_jobs).run();
}

}  // namespace orrery::generative
