// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/variability/binomial.h"

#include <algorithm>

#include "orrery/model/variability/normal.h"

namespace orrery::model {

double binomial_at_least(std::uint64_t times, std::uint64_t of, double each) {
  if (times == 0) return 1;
  if (times > of || each <= 0) return 0;
  if (each >= 1) return 1;
  const double odds = each / (1 - each);
  // The logarithm of the first term, and the others by their ratios.
  const auto all = static_cast<double>(of), first = static_cast<double>(times);
  double log_term = first * exact_log(each) + (all - first) * exact_log(1 - each);
  for (double i = 1; i <= std::min(first, all - first); ++i)
    log_term += exact_log((all - std::min(first, all - first) + i) / i);
  double term = 1, sum = 0;
  for (double k = first; k <= all && term > 0; ++k) {
    sum += term;
    term *= (all - k) / (k + 1) * odds;
    if (term < sum * 1e-17 && term > 0 && k > all * each) break;
  }
  return std::min(1.0, exact_exp(log_term + exact_log(sum)));
}

}  // namespace orrery::model
