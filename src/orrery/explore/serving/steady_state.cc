// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/serving/steady_state.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "orrery/core/statistics/statistics.h"

namespace orrery::explore {
namespace {

using serving::Latency;
using serving::PrefixRun;
using serving::Request;
using serving::RequestStream;
using serving::ServiceMetrics;
using serving::ServingSetup;
using serving::StepCost;
using serving::StepShape;

constexpr std::array kShares{0.5, 0.9, 0.99};
/// Of a normal distribution, at these shares.
constexpr std::array kDeviations{0.0, 1.2816, 2.3263};

/// Variance / mean^2.
double squared_variation(const std::vector<double>& values) {
  const double middle = mean(values);
  if (values.empty() || middle <= 0) return 0;
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum / static_cast<double>(values.size()) / (middle * middle);
}

std::array<double, 3> percentiles_of(std::vector<double> values) {
  std::array<double, 3> made{};
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = quantile_nearest_rank(values, kShares[i]);
  return made;
}

/// The share of prompts' tokens that an endless cache would have.
double repeated_share(const RequestStream& stream) {
  std::unordered_set<std::uint64_t> seen;
  double repeated = 0;
  for (const Request& one : stream.requests) {
    std::uint64_t chain = 0;
    std::int64_t left = one.input;
    for (const PrefixRun& run : one.prefix) {
      chain = (chain ^ (run.content + 0x9e3779b97f4a7c15)) * 0xff51afd7ed558ccd + 1;
      const std::int64_t tokens = std::min(run.tokens, left);
      left -= tokens;
      if (!seen.insert(chain).second) repeated += static_cast<double>(tokens);
    }
  }
  const auto all = static_cast<double>(stream.input_tokens());
  return all > 0 ? repeated / all : 0;
}

/// The load of one instance, and the times of its steps.
class Solver {
 public:
  Solver(const StreamMoments& stream, const ServingSetup& setup, const StepCost& cost)
      : stream_(stream),
        options_(setup.options),
        cost_(cost),
        instances_(static_cast<double>(setup.instances)),
        rate_(stream.rate / instances_),
        separate_(options_.engine == serving::Engine::sglang),
        most_sequences_(std::min(
            static_cast<double>(options_.max_num_seqs),
            static_cast<double>(setup.blocks * setup.block_tokens) / std::max(stream.keys, 1.0))) {
    const double cached = options_.enable_prefix_caching ? stream.cached : 0;
    prompt_ = std::max(stream.input * (1 - cached), 1.0);
    past_ = stream.input - prompt_;
  }

  SteadyState solve() {
    SteadyState made;
    made.overloaded = !find_step();
    made.sequences = sequences_;
    if (made.overloaded) return made;
    add_times(made.metrics);
    made.metrics.output_per_s = stream_.rate * stream_.output;
    return made;
  }

 private:
  /// Of `sequences` that decode; between whole numbers, a mean.
  [[nodiscard]] double decode_time(double sequences) const {
    const double least = std::max(sequences, 1.0);
    const auto low = static_cast<std::int64_t>(least);
    const double part = least - static_cast<double>(low);
    const double at_low = step_time(low, 0);
    return part > 0 ? at_low + part * (step_time(low + 1, 0) - at_low) : at_low;
  }
  /// Of a step with `tokens` tokens of prompts.
  [[nodiscard]] double prompt_time(double sequences, double tokens) const {
    return step_time(separate_ ? 0 : static_cast<std::int64_t>(std::llround(sequences)), tokens);
  }
  [[nodiscard]] double step_time(std::int64_t sequences, double prompt) const {
    StepShape shape;
    shape.decodes = shape.samples = sequences;
    shape.decode_keys = static_cast<std::int64_t>(static_cast<double>(sequences) * stream_.keys);
    shape.tokens = sequences;
    if (prompt > 0) {
      const auto tokens = std::max<std::int64_t>(std::llround(prompt), 1);
      const auto count = std::max<std::int64_t>(std::llround(prompt / prompt_), 1);
      // Chunks of a long prompt have the earlier ones as their past.
      const double past = past_ + std::max(prompt_ - prompt, 0.0) / 2;
      for (std::int64_t i = 0; i < count; ++i)
        shape.chunks.push_back(
            {tokens * (i + 1) / count - tokens * i / count, static_cast<std::int64_t>(past)});
      shape.tokens += tokens;
      shape.samples += count;
    }
    const serving::ServerTime& server = options_.server;
    const std::int64_t all = sequences + static_cast<std::int64_t>(shape.chunks.size());
    return seconds(cost_(shape) + server.step + all * server.sequence);
  }

  /// What a mean step time of `step` would make of the next. False: more than an instance can.
  bool advance(double step, double& next) {
    sequences_ = rate_ * std::max(stream_.output - 1, 0.0) * step;
    const double budget = static_cast<double>(options_.max_num_batched_tokens) -
                          (separate_ ? 0 : std::ceil(sequences_));
    if (sequences_ > most_sequences_ || budget < 1) return false;
    chunk_ = std::min(prompt_, budget);
    if (options_.long_prefill_token_threshold > 0)
      chunk_ = std::min(chunk_, static_cast<double>(options_.long_prefill_token_threshold));
    chunks_ = std::ceil(prompt_ / chunk_);
    chunk_ = prompt_ / chunks_;
    prompts_ = rate_ * chunks_ * step;
    if (prompts_ > 1) {  // several prompts in each step
      chunk_ *= prompts_;
      prompts_ = 1;
      if (chunk_ > budget) return false;
    }
    decode_ = decode_time(sequences_);
    with_prompt_ = prompt_time(sequences_, chunk_);
    next = separate_ ? decode_ + prompts_ * with_prompt_
                     : decode_ + prompts_ * (with_prompt_ - decode_);
    return true;
  }

  /// The smallest solution, from below.
  bool find_step() {
    double next = 0;
    step_ = decode_time(1);
    for (int i = 0; i < 300; ++i) {
      if (!advance(step_, next)) return false;
      if (next <= step_ * (1 + 1e-6)) return true;
      step_ = next;
    }
    return false;
  }

  void add_times(ServiceMetrics& metrics) const {
    // The decoding requests and prompts of a request's life vary as those of a Poisson process.
    const double variation = stream_.gap_variation / instances_;
    const double requests =
        std::max(rate_ * (stream_.output * step_ + chunks_ * with_prompt_), 1e-3);
    const std::array<double Latency::*, 3> parts{&Latency::p50, &Latency::p90, &Latency::p99};
    metrics.tpot.mean = metrics.gap.mean = step_;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const double z = kDeviations[i] * std::sqrt(variation);
      const double sequences =
          std::min(sequences_ + z * std::sqrt(sequences_), std::max(most_sequences_, 1.0));
      const double share = std::min(prompts_ * (1 + z / std::sqrt(requests)), 1.0);
      const double decode = decode_time(sequences), prompt = prompt_time(sequences, chunk_);
      metrics.tpot.*parts[i] =
          separate_ ? decode + share * prompt : decode + share * (prompt - decode);
      metrics.gap.*parts[i] =
          prompts_ > 1 - kShares[i] ? (separate_ ? decode + prompt : prompt) : decode;
    }
    add_first_token(metrics, variation);
    metrics.latency.mean = metrics.ttft.mean + (stream_.output - 1) * metrics.tpot.mean;
    for (std::size_t i = 0; i < parts.size(); ++i)
      metrics.latency.*parts[i] =
          metrics.ttft.mean + (stream_.outputs[i] - 1) * metrics.tpot.*parts[i];
  }

  void add_first_token(ServiceMetrics& metrics, double variation) const {
    const double request = seconds(options_.server.request);
    const double life = stream_.output * step_ + chunks_ * with_prompt_;
    const double busy = 1 - std::exp(-rate_ * life);
    // The rest of the step that runs: E[T^2] / 2 E[T].
    const double square =
        (separate_ ? 1 : 1 - prompts_) * decode_ * decode_ + prompts_ * with_prompt_ * with_prompt_;
    const double rest = square / (2 * step_);
    const double mean_step = separate_ ? step_ / (1 + prompts_) : step_;
    const double planned = options_.async_scheduling ? mean_step : 0;
    // Waiting for earlier prompts (Kingman).
    const double own = chunks_ * prompt_time(sequences_, prompt_ / chunks_);
    // What a second prompt adds to the steps: prompts share steps of their own if they fit.
    double added = own - (separate_ ? 0 : chunks_ * decode_);
    if (separate_ && 2 * prompt_ <= static_cast<double>(options_.max_num_batched_tokens))
      added = prompt_time(0, 2 * prompt_) - own;
    const double service = std::max(added, 1e-9);
    const double use = std::min(rate_ * service, 0.999);
    const double queue = use / (1 - use) * service * (variation + stream_.input_variation) / 2;
    metrics.ttft.mean = request + busy * (rest + planned) + queue + own;
    const auto percentile = [&](std::size_t i) {
      const double missed = 1 - kShares[i];
      const double wait = use > missed ? queue / use * std::log(use / missed) : 0;
      const double longer =
          stream_.input > 0 ? own * (std::max(stream_.inputs[i] / stream_.input, 1.0) - 1) : 0;
      const double step = i == 0 ? rest : prompts_ > missed ? with_prompt_ : decode_;
      const double next = i == 0 || !options_.async_scheduling ? planned
                          : prompts_ * prompts_ > missed       ? with_prompt_
                                                               : mean_step;
      return request + busy * (step + next) + std::max(wait, queue) + longer + own;
    };
    metrics.ttft.p50 = percentile(0);
    metrics.ttft.p90 = percentile(1);
    metrics.ttft.p99 = percentile(2);
  }

  const StreamMoments& stream_;
  const serving::EngineOptions& options_;
  const StepCost& cost_;
  double instances_, rate_;
  bool separate_;  // prompts have steps of their own
  double most_sequences_, prompt_ = 0, past_ = 0;
  double step_ = 0, decode_ = 0, with_prompt_ = 0;
  double sequences_ = 0, prompts_ = 0;  // that decode; share of steps with a prompt
  double chunk_ = 0, chunks_ = 0;       // tokens of prompts in such a step; steps of a prompt
};

}  // namespace

StreamMoments moments_of(const serving::RequestStream& stream) {
  StreamMoments made;
  if (stream.requests.empty()) return made;
  std::vector<double> gaps, inputs, outputs;
  double keys = 0, steps = 0;
  for (std::size_t i = 0; i < stream.requests.size(); ++i) {
    const Request& one = stream.requests[i];
    if (i > 0) gaps.push_back(seconds(one.arrival - stream.requests[i - 1].arrival));
    const auto input = static_cast<double>(one.input), output = static_cast<double>(one.output);
    inputs.push_back(input);
    outputs.push_back(output);
    keys += output * (input + output / 2);
    steps += output;
  }
  const double span = seconds(stream.requests.back().arrival - stream.requests.front().arrival);
  if (span > 0 && stream.clients == 0) made.rate = static_cast<double>(gaps.size()) / span;
  made.gap_variation = squared_variation(gaps);
  made.input = mean(inputs);
  made.input_variation = squared_variation(inputs);
  made.output = mean(outputs);
  made.keys = keys / steps;
  made.cached = repeated_share(stream);
  made.inputs = percentiles_of(std::move(inputs));
  made.outputs = percentiles_of(std::move(outputs));
  return made;
}

SteadyState steady_state(const StreamMoments& stream, const serving::ServingSetup& setup,
                         const serving::StepCost& cost) {
  return Solver(stream, setup, cost).solve();
}

}  // namespace orrery::explore
