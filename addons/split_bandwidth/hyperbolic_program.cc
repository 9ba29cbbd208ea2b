// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/hyperbolic_program.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "orrery/core/check.h"

namespace orrery::split_bandwidth {

namespace {

using Numbers = HyperbolicProgram::Numbers;
using Quotient = HyperbolicProgram::Quotient;

constexpr double kGap = 1e-9;        // relative to the value
constexpr double kGrowth = 8;        // growth of the objective's weight from center to center
constexpr double kNear = 0.1;        // Newton decrement below which convergence is quadratic,
constexpr double kCenterd = 1e-6;    // … down to this value, or to the limit of rounding
constexpr int kSteps = 1000;         // maximum per center
constexpr double kWorthless = 1e13;  // weight × value beyond which double precision is insufficient

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The denominator of a quotient.
double below(const Quotient& quotient, const Numbers& x) {
  if (quotient.of != HyperbolicProgram::kSum) return x[quotient.of];
  double sum = 0;
  for (const double one : x) sum += one;
  return sum;
}

/// A square system of linear equations, stored by row.
class Equations {
 public:
  explicit Equations(std::size_t size) : size_(size), of_(size * size, 0), right_(size, 0) {}

  double& at(std::size_t row, std::size_t column) { return of_[row * size_ + column]; }
  double& right(std::size_t row) { return right_[row]; }

  /// Solves it by elimination with the largest pivot of each column. Without a pivot, the unknown
  /// is 0.
  Numbers solve() {
    for (std::size_t c = 0; c < size_; ++c) {
      std::size_t best = c;
      for (std::size_t r = c + 1; r < size_; ++r)
        if (std::abs(at(r, c)) > std::abs(at(best, c))) best = r;
      for (std::size_t k = 0; k < size_; ++k) std::swap(at(c, k), at(best, k));
      std::swap(right_[c], right_[best]);
      if (at(c, c) == 0) continue;
      for (std::size_t r = c + 1; r < size_; ++r) {
        const double factor = at(r, c) / at(c, c);
        for (std::size_t k = c; k < size_; ++k) at(r, k) -= factor * at(c, k);
        right_[r] -= factor * right_[c];
      }
    }
    Numbers found(size_, 0);
    for (std::size_t c = size_; c-- > 0;) {
      double rest = right_[c];
      for (std::size_t k = c + 1; k < size_; ++k) rest -= at(c, k) * found[k];
      found[c] = at(c, c) == 0 ? 0 : rest / at(c, c);
    }
    return found;
  }

 private:
  std::size_t size_;
  Numbers of_, right_;
};

/// A feasible interior point, with the state of Newton's method.
class InteriorPoint {
 public:
  InteriorPoint(const HyperbolicProgram& program, Numbers start)
      : program_(program), x_(std::move(start)), t_(program.terms.size()) {
    for (std::size_t k = 0; k < t_.size(); ++k) t_[k] = 1.5 * largest(k, x_);
  }

  [[nodiscard]] const Numbers& x() const { return x_; }
  [[nodiscard]] double barriers() const {
    std::size_t count = program_.lower.size();
    for (const auto& term : program_.terms) count += term.size();
    return static_cast<double>(count);
  }

  /// Moves to the center for this weight of the objective. The closer it gets, the better are the
  /// multipliers. Returns false if rounding prevents it.
  bool center(double weight) {
    double before = 1;
    for (int step = 0; step < kSteps; ++step) {
      const double decrement = newton(weight);
      if (!std::isfinite(decrement)) return false;
      go(decrement < 0.25 ? 1 : 1 / (1 + decrement));
      if (decrement < kCenterd || (decrement < kNear && decrement > before / 2)) return true;
      before = decrement < kNear ? decrement : 1;
    }
    return false;
  }

  [[nodiscard]] double bound(double weight) const;

 private:
  [[nodiscard]] double largest(std::size_t term, const Numbers& x) const {
    double most = 0;
    for (const Quotient& one : program_.terms[term])
      most = std::max(most, one.above / below(one, x));
    return most;
  }
  double newton(double weight);
  void add_terms(double weight, Equations& equations, Numbers& slope);
  void go(double length);

  /// Coefficients to recover the step of a term's t after elimination.
  struct EliminatedTerm {
    double slope = 0, curve = 0;
    Numbers mixed;
  };

  const HyperbolicProgram& program_;
  Numbers x_, t_;
  Numbers dx_, dt_;
  Numbers multipliers_;  // of a, then of E
  std::vector<EliminatedTerm> eliminated_;
};

/// Adds the gradient and Hessian of the objective and of the quotients' barriers, with each t
/// eliminated.
void InteriorPoint::add_terms(double weight, Equations& equations, Numbers& slope) {
  const std::size_t n = program_.dims;
  eliminated_.assign(t_.size(), {0, 0, Numbers(n, 0)});
  for (std::size_t k = 0; k < t_.size(); ++k) {
    EliminatedTerm& of = eliminated_[k];
    of.slope = weight;
    for (const Quotient& one : program_.terms[k]) {
      const double wx = below(one, x_), slack = t_[k] * wx - one.above;
      const double unit = 1 / slack;
      of.slope -= wx * unit;
      of.curve += wx * unit * wx * unit;
      const bool all = one.of == HyperbolicProgram::kSum;
      for (std::size_t i = all ? 0 : one.of; i < (all ? n : one.of + 1); ++i) {
        slope[i] -= t_[k] * unit;
        of.mixed[i] += one.above * unit * unit;
        for (std::size_t j = all ? 0 : one.of; j < (all ? n : one.of + 1); ++j)
          equations.at(i, j) += t_[k] * unit * t_[k] * unit;
      }
    }
  }
}

/// Computes the Newton step. Returns the Newton decrement.
double InteriorPoint::newton(double weight) {
  const std::size_t n = program_.dims, ties = 1 + program_.equal.size();
  Equations equations(n + ties);
  Numbers slope(n, 0);
  add_terms(weight, equations, slope);
  for (const Numbers& row : program_.lower) {
    const double unit = 1 / dot(row, x_);
    for (std::size_t i = 0; i < n; ++i) {
      slope[i] -= row[i] * unit;
      for (std::size_t j = 0; j < n; ++j) equations.at(i, j) += row[i] * unit * row[j] * unit;
    }
  }
  for (std::size_t i = 0; i < n; ++i) equations.right(i) = -slope[i];
  for (const EliminatedTerm& of : eliminated_)
    for (std::size_t i = 0; i < n; ++i) {
      equations.right(i) += of.mixed[i] * of.slope / of.curve;
      for (std::size_t j = 0; j < n; ++j)
        equations.at(i, j) -= of.mixed[i] * of.mixed[j] / of.curve;
    }
  for (std::size_t e = 0; e < ties; ++e) {
    const Numbers& row = e == 0 ? program_.scale : program_.equal[e - 1];
    for (std::size_t i = 0; i < n; ++i) equations.at(n + e, i) = equations.at(i, n + e) = row[i];
  }
  const Numbers found = equations.solve();
  dx_.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n));
  multipliers_.assign(found.begin() + static_cast<std::ptrdiff_t>(n), found.end());
  dt_.clear();
  double squared = -dot(slope, dx_);
  for (const EliminatedTerm& of : eliminated_) {
    dt_.push_back(-(of.slope + dot(of.mixed, dx_)) / of.curve);
    squared -= of.slope * dt_.back();
  }
  return std::sqrt(std::max(squared, 0.0));
}

void InteriorPoint::go(double length) {
  const auto inside = [&](double part) {
    Numbers x = x_;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += part * dx_[i];
    for (const Numbers& row : program_.lower)
      if (!(dot(row, x) > 0)) return false;
    for (std::size_t k = 0; k < t_.size(); ++k)
      for (const Quotient& one : program_.terms[k])
        if (!(below(one, x) > 0) || !((t_[k] + part * dt_[k]) * below(one, x) > one.above))
          return false;
    return true;
  };
  // The full step stays inside in exact arithmetic, and nearly always in doubles.
  for (int halvings = 0; !inside(length); ++halvings) {
    if (halvings == 40) return;
    length /= 2;
  }
  for (std::size_t i = 0; i < x_.size(); ++i) x_[i] += length * dx_[i];
  for (std::size_t k = 0; k < t_.size(); ++k) t_[k] += length * dt_[k];
}

/// The minimum of the Lagrangian. With shares λ of each term's quotients, the tangent 2θ - θ² s of
/// 1/s, and the multipliers ν, y, μ of the constraints, the Lagrangian is Σ_d (A_d / x_d + p_d x_d)
/// + 2 K θ - ν. If all p_d ≥ 0, its minimum over x is 2 Σ √(A_d p_d) + 2 K θ - ν. Uses the best ν.
double InteriorPoint::bound(double weight) const {
  const std::size_t n = program_.dims;
  Numbers above(n, 0), less(n, 0);  // A; ν a_d - p_d
  double constant = 0;
  for (std::size_t k = 0; k < t_.size(); ++k) {
    const auto& term = program_.terms[k];
    if (term.front().of == HyperbolicProgram::kSum) {
      const double theta = 1 / below(term.front(), x_);
      constant += 2 * term.front().above * theta;
      for (double& one : less) one += term.front().above * theta * theta;
      continue;
    }
    double sum = 0;
    const auto share = [&](const Quotient& one) {
      const double wx = below(one, x_);
      return wx / (t_[k] * wx - one.above);
    };
    for (const Quotient& one : term) sum += share(one);
    for (const Quotient& one : term) above[one.of] += share(one) / sum * one.above;
  }
  for (const Numbers& row : program_.lower) {
    const double mu = 1 / (weight * dot(row, x_));
    for (std::size_t i = 0; i < n; ++i) less[i] += mu * row[i];
  }
  for (std::size_t e = 0; e < program_.equal.size(); ++e)
    for (std::size_t i = 0; i < n; ++i)
      less[i] -= multipliers_[e + 1] / weight * program_.equal[e][i];
  const Numbers& a = program_.scale;
  double low = less[0] / a[0];
  for (std::size_t i = 0; i < n; ++i) low = std::max(low, less[i] / a[i]);
  const auto rises = [&](double nu) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (above[i] > 0) sum += a[i] * std::sqrt(above[i] / std::max(nu * a[i] - less[i], 0.0));
    return sum > 1;
  };
  double wide = 1;
  while (rises(low + wide) && wide < 1e18) wide *= 2;
  double high = low + wide;
  for (int i = 0; i < 100; ++i) {
    const double middle = low + (high - low) / 2;
    (rises(middle) ? low : high) = middle;
  }
  double sum = constant - high;
  for (std::size_t i = 0; i < n; ++i)
    sum += 2 * std::sqrt(above[i] * std::max(high * a[i] - less[i], 0.0));
  return sum;
}

}  // namespace

double HyperbolicProgram::value(const Numbers& x) const {
  double sum = 0;
  for (const auto& term : terms) {
    double most = 0;
    for (const Quotient& one : term) most = std::max(most, one.above / below(one, x));
    sum += most;
  }
  return sum;
}

HyperbolicPoint minimize(const HyperbolicProgram& program, Numbers start) {
  ORRERY_CHECK(start.size() == program.dims && program.scale.size() == program.dims);
  HyperbolicPoint best{start, program.value(start), 0};
  InteriorPoint point(program, std::move(start));
  double weight = point.barriers() / best.value;
  for (; weight * best.value < kWorthless; weight *= kGrowth) {
    if (!point.center(weight)) break;
    const double value = program.value(point.x());
    if (value < best.value) {
      best.value = value;
      best.x = point.x();
    }
    best.bound = std::max(best.bound, point.bound(weight));
    if (best.value - best.bound <= kGap * best.value) break;
  }
  return best;
}

}  // namespace orrery::split_bandwidth
