// SPDX-License-Identifier: Apache-2.0
//
// Coverage of the prediction interval: how often a sampled true step is within it.
//
//   band_coverage [DRAWS]
//
// For each job the program samples errors of all classes from the intervals that their models
// state, and simulates the step again with them. It counts how often that step is inside (80 % are
// expected), below and above the interval. Then it does the same for differences of two plans.
// `path` uses the predicted critical path with sampled errors, without a new simulation; it differs
// from `inside` where the critical path changes. Classes without a known error are assumed exact.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/study/questions/outcome/sampled_errors_testing.h"

using namespace orrery;

namespace {

struct Job {
  const char* name;
  const char* model;
  const char* cluster;
  const char *tp, *pp, *dp, *ep;
  const char* sharding;
  const char* batch;
  const char* seq;
};

// Dense and sparse models, inside a node and across nodes, on measured and unmeasured machines.
constexpr Job kJobs[] = {
    {"8B, one node, tensor parallel", "llama-3.1-8b", "h100-sxm:8", "4", "", "2", "", "", "16",
     "4096"},
    {"8B, one node, tp 2", "llama-3.1-8b", "h100-sxm:8", "2", "", "4", "", "", "16", "4096"},
    {"8B, one node, sharded", "llama-3.1-8b", "h100-sxm:8", "", "", "8", "", "zero3", "16", "4096"},
    {"8B, four nodes, sharded", "llama-3.1-8b", "h100-sxm:32", "", "", "32", "", "zero3", "64",
     "4096"},
    {"8B, pipeline of four", "llama-3.1-8b", "h100-sxm:32", "2", "4", "4", "", "", "64", "4096"},
    {"70B, eight nodes", "llama-3.1-70b", "h100-sxm:64", "8", "4", "2", "", "", "64", "4096"},
    {"70B, more stages", "llama-3.1-70b", "h100-sxm:64", "4", "8", "2", "", "", "64", "4096"},
    {"70B on A100, eight nodes", "llama-3.1-70b", "a100-80gb:64", "8", "4", "2", "", "", "64",
     "4096"},
    {"70B on B200, four nodes", "llama-3.1-70b", "b200:32", "8", "2", "2", "", "", "64", "4096"},
    {"Mixtral, experts in a node", "mixtral-8x7b", "h100-sxm:64", "", "2", "32", "8", "", "128",
     "4096"},
    {"Mixtral, experts and tensors", "mixtral-8x7b", "h100-sxm:32", "2", "2", "8", "4", "", "64",
     "4096"},
    {"1B, small batches", "llama-3.2-1b", "h100-sxm:8", "2", "", "4", "", "", "8", "1024"},
};

study::Question question_of(const Job& job) {
  study::Question question;
  question.job.model = job.model;
  question.job.tp = job.tp;
  question.job.pp = job.pp;
  question.job.dp = job.dp;
  question.job.ep = job.ep;
  question.job.sharding = job.sharding;
  question.job.global_batch = job.batch;
  question.job.seq = job.seq;
  question.job.sp = *job.tp != '\0';
  question.cluster = job.cluster;
  return question;
}

struct Count {
  int below = 0, inside = 0, above = 0;

  void add(double step, double lower, double upper) {
    ++(step < lower ? below : step > upper ? above : inside);
  }
  [[nodiscard]] double share(int of) const {
    return 100.0 * of / std::max(1, below + inside + above);
  }
};

/// Length of the predicted path with sampled errors, in ps.
double sampled_path(const std::vector<result::ErrorClass>& classes, std::uint64_t seed) {
  study::sampled_errors::ErrorSamples draws(seed);
  double sum = 0;
  for (const result::ErrorClass& one : classes) {
    const double time = static_cast<double>(one.time.count());
    const result::ErrorInterval off = one.off.value_or(result::ErrorInterval{});
    sum += time * draws.factor(one.name, {static_cast<double>(off.lower.count()) / time,
                                          static_cast<double>(off.upper.count()) / time});
  }
  return sum;
}

/// A job's predicted step, and the sampled true steps.
struct SampledJob {
  std::string name;
  result::Run run;
  std::vector<double> truths;
};

SampledJob sample(const Job& job, const study::Outcome& outcome, int draws) {
  SampledJob predicted;
  predicted.name = job.name;
  predicted.run.step = outcome.result.end;
  predicted.run.device = outcome.platform().device.name;
  predicted.run.error_classes = study::digest(outcome).errors;
  // The samples have errors of models, not of the complete step.
  std::erase_if(predicted.run.error_classes,
                [](const result::ErrorClass& one) { return one.time == Time{}; });
  const analysis::StepInterval band =
      *analysis::step_interval(predicted.run.error_classes, predicted.run.step);
  const double step = static_cast<double>(predicted.run.step.count());
  const double lower = static_cast<double>(band.lower.count());
  const double upper = static_cast<double>(band.upper.count());
  Count truths, paths;
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    predicted.truths.push_back(
        static_cast<double>(study::sampled_errors::sampled_step(outcome, seed).count()));
    sum += predicted.truths.back() / draws;
    truths.add(predicted.truths.back(), lower, upper);
    paths.add(sampled_path(predicted.run.error_classes, seed), lower, upper);
  }
  std::printf("%-30s %8.1fms %6.1f%% %+6.1f%% %7.1f%% %7.1f%% %6.1f%% %6.1f%% %6.1f%% %+7.2f%%\n",
              job.name, step / 1e9, 100 * (lower / step - 1), 100 * (upper / step - 1),
              100 * static_cast<double>(band.unknown.count()) / step, truths.share(truths.inside),
              truths.share(truths.below), truths.share(truths.above), paths.share(paths.inside),
              100 * (sum / step - 1));
  std::fflush(stdout);
  return predicted;
}

/// How often the true difference is within its interval, and within the interval for independent
/// errors of the two steps.
void compare(const SampledJob& a, const SampledJob& b) {
  const auto band = analysis::step_difference(a.run, b.run).interval;
  if (!band) return;
  const auto of = [](const SampledJob& predicted) {
    return *analysis::step_interval(predicted.run.error_classes, predicted.run.step);
  };
  const double middle = static_cast<double>((b.run.step - a.run.step).count());
  const auto width = [](Time x, Time y) {
    return std::hypot(static_cast<double>(x.count()), static_cast<double>(y.count()));
  };
  Count truths, independent;
  for (std::size_t i = 0; i < a.truths.size(); ++i) {
    const double truth = b.truths[i] - a.truths[i];
    truths.add(truth, static_cast<double>(band->lower.count()),
               static_cast<double>(band->upper.count()));
    independent.add(truth, middle - width(of(b).lower - b.run.step, of(a).upper - a.run.step),
                    middle + width(of(b).upper - b.run.step, of(a).lower - a.run.step));
  }
  std::printf(
      "%s minus %s: %+.1fms (%+.1f to %+.1f), inside %.1f%%, below %.1f%%, above %.1f%%; "
      "for independent errors, inside %.1f%%\n",
      b.name.c_str(), a.name.c_str(), middle / 1e9, static_cast<double>(band->lower.count()) / 1e9,
      static_cast<double>(band->upper.count()) / 1e9, truths.share(truths.inside),
      truths.share(truths.below), truths.share(truths.above),
      independent.share(independent.inside));
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 400;
  std::printf("%-30s %10s %7s %7s %8s %8s %7s %7s %7s %8s\n", "job", "step", "low", "high",
              "unknown", "inside", "below", "above", "path", "mean");
  std::vector<SampledJob> all;
  for (const Job& job : kJobs) {
    study::Watch watch;
    Findings findings;
    const auto predicted = study::answer(question_of(job), watch, findings);
    if (!predicted) {
      std::fprintf(stderr, "%s: %s\n", job.name, to_string(predicted.error()).c_str());
      return 1;
    }
    all.push_back(sample(job, *predicted, draws));
  }
  // Plans of one model on one machine.
  for (std::size_t i = 0; i + 1 < all.size(); ++i)
    if (std::string_view(kJobs[i].model) == kJobs[i + 1].model &&
        std::string_view(kJobs[i].cluster) == kJobs[i + 1].cluster)
      compare(all[i], all[i + 1]);
}
