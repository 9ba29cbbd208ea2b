// SPDX-License-Identifier: Apache-2.0
#include "addons/kernel_fitting/training/trained_layer.h"

#include <algorithm>
#include <cmath>

namespace orrery::model {
namespace {

/// Adam's constants, as recommended in the paper.
constexpr float kFirstMoment = 0.9f, kSecondMoment = 0.999f, kAdamFloor = 1e-8f;
constexpr float kFirstBias = 0.01f;

}  // namespace

void advance_decay(AdamDecay& left) {
  left.first *= kFirstMoment;
  left.second *= kSecondMoment;
}

void TrainedWeights::size(std::size_t rows, std::size_t columns) {
  for (Matrix* const is : {&weights, &slope, &first, &second}) is->resize(rows, columns);
}

void TrainedWeights::step(float rate, float decay, const AdamDecay& left) {
  for (std::size_t i = 0; i < weights.values.size(); ++i) {
    const float down = slope.values[i] + decay * weights.values[i];
    float& m = first.values[i];
    float& v = second.values[i];
    m = kFirstMoment * m + (1 - kFirstMoment) * down;
    v = kSecondMoment * v + (1 - kSecondMoment) * down * down;
    weights.values[i] -=
        rate * (m / (1 - left.first)) / (std::sqrt(v / (1 - left.second)) + kAdamFloor);
  }
}

void TrainedLayer::begin(std::size_t inputs, std::size_t outputs, std::mt19937_64& random) {
  weights.size(inputs, outputs);
  bias.size(1, outputs);
  const double x = std::sqrt(6.0 / static_cast<double>(inputs + outputs));
  for (float& weight : weights.weights.values)
    weight = static_cast<float>(x * uniform_signed(random));
  std::fill(bias.weights.values.begin(), bias.weights.values.end(), kFirstBias);
}

void TrainedLayer::forward(Matrix& out, bool rectified) const {
  const std::vector<float>& from = bias.weights.values;
  out.resize(in.rows, from.size());
  for (std::size_t i = 0; i < in.rows; ++i) std::copy(from.begin(), from.end(), out.row(i));
  add_product(in, weights.weights, out);
  if (rectified)
    for (float& x : out.values) x = x > 0 ? x : 0;
}

void TrainedLayer::find_gradient(Matrix& scratch) {
  std::fill(weights.slope.values.begin(), weights.slope.values.end(), 0.0f);
  transpose(in, scratch);
  add_product(scratch, error, weights.slope);
  std::vector<float>& slope = bias.slope.values;
  std::fill(slope.begin(), slope.end(), 0.0f);
  for (std::size_t i = 0; i < in.rows; ++i)
    for (std::size_t j = 0; j < slope.size(); ++j) slope[j] += error.row(i)[j];
}

void TrainedLayer::pass_error(Matrix& before, bool rectified, Matrix& scratch) const {
  before.resize(in.rows, in.columns);
  std::fill(before.values.begin(), before.values.end(), 0.0f);
  transpose(weights.weights, scratch);
  add_product(error, scratch, before);
  if (!rectified) return;
  for (std::size_t i = 0; i < before.values.size(); ++i)
    if (!(in.values[i] > 0)) before.values[i] = 0;
}

void TrainedLayer::step(double rate, double decay, const AdamDecay& left) {
  weights.step(static_cast<float>(rate), static_cast<float>(decay), left);
  bias.step(static_cast<float>(rate), 0, left);
}

NetLayer TrainedLayer::trained() const {
  return {weights.weights.rows, weights.weights.columns, weights.weights.values,
          bias.weights.values};
}

}  // namespace orrery::model
