// SPDX-License-Identifier: Apache-2.0
#include "orrery/core/statistics/least_squares.h"

namespace orrery {

void RelativeLineSums::add(double x, double y) {
  const double weight = 1 / y;
  const double size = x * weight;
  n_ += 1;
  w_ += weight;
  x_ += size;
  ww_ += weight * weight;
  wx_ += weight * size;
  xx_ += size * size;
}

FittedLine RelativeLineSums::line() const {
  const double det = ww_ * xx_ - wx_ * wx_;
  FittedLine fitted;
  if (n_ >= 2 && det > 1e-12 * ww_ * xx_) {
    fitted.intercept = (w_ * xx_ - x_ * wx_) / det;
    fitted.slope = (ww_ * x_ - wx_ * w_) / det;
  }
  if (!(fitted.intercept > 0) || !(fitted.slope > 0)) {
    const FittedLine flat{w_ / ww_, 0, 0}, steep{0, xx_ > 0 ? x_ / xx_ : 0, 0};
    fitted = error_of(flat) <= error_of(steep) ? flat : steep;
  }
  fitted.error = std::max(0.0, error_of(fitted));
  return fitted;
}

double RelativeLineSums::error_of(const FittedLine& line) const {
  const double l = line.intercept, s = line.slope;
  return l * l * ww_ + s * s * xx_ + n_ + 2 * l * s * wx_ - 2 * l * w_ - 2 * s * x_;
}

}  // namespace orrery
