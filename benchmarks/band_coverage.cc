// SPDX-License-Identifier: Apache-2.0
//
// How often a drawn truth lies in the step's band.
//
//   band_coverage [DRAWS]
//
// For each job: the errors of all classes are drawn from what their models state, the step is
// simulated again with them, and it is counted how often it lies in the band (80 % should), below
// and above it. `path` is the same for the critical path of the step as told: what is between the
// two is the path that moves. Classes of which nothing is known are taken as right.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "orrery/study/drawn_truth_testing.h"

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

// Dense and sparse, inside a node and across nodes, on what was measured and on what was not.
constexpr Job kJobs[] = {
    {"8B, one node, tensor parallel", "llama-3.1-8b", "h100-sxm:8", "4", "", "2", "", "", "16",
     "4096"},
    {"8B, one node, sharded", "llama-3.1-8b", "h100-sxm:8", "", "", "8", "", "zero3", "16", "4096"},
    {"8B, four nodes, sharded", "llama-3.1-8b", "h100-sxm:32", "", "", "32", "", "zero3", "64",
     "4096"},
    {"8B, pipeline of four", "llama-3.1-8b", "h100-sxm:32", "2", "4", "4", "", "", "64", "4096"},
    {"70B, eight nodes", "llama-3.1-70b", "h100-sxm:64", "8", "4", "2", "", "", "64", "4096"},
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

  void add(double step, double least, double most) {
    ++(step < least ? below : step > most ? above : inside);
  }
  [[nodiscard]] double share(int of) const {
    return 100.0 * of / std::max(1, below + inside + above);
  }
};

/// The path as told, with errors of its own.
double drawn_path(const std::vector<result::ErrorClass>& classes, std::uint64_t seed) {
  study::testing::Draws draws(seed);
  double sum = 0;
  for (const result::ErrorClass& one : classes) {
    const double time = static_cast<double>(one.time.count());
    const result::Off off = one.off.value_or(result::Off{});
    sum += time * draws.factor(one.name, {static_cast<double>(off.least.count()) / time,
                                          static_cast<double>(off.most.count()) / time});
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int draws = argc > 1 ? std::atoi(argv[1]) : 200;
  std::printf("%-30s %10s %7s %7s %8s %8s %7s %7s %7s %8s\n", "job", "step", "down", "up",
              "unknown", "inside", "below", "above", "path", "mean");
  double inside = 0;
  for (const Job& job : kJobs) {
    study::Watch watch;
    Findings findings;
    const auto told = study::answer(question_of(job), watch, findings);
    if (!told) {
      std::fprintf(stderr, "%s: %s\n", job.name, to_string(told.error()).c_str());
      return 1;
    }
    const analysis::Digest digest = study::digest(*told);
    const double step = static_cast<double>(told->result.end.count());
    const double least = static_cast<double>(digest.band->least.count());
    const double most = static_cast<double>(digest.band->most.count());
    Count truths, paths;
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
      const std::uint64_t seed = 1000 + static_cast<std::uint64_t>(i);
      const double truth = static_cast<double>(study::testing::true_step(*told, seed).count());
      sum += truth / draws;
      truths.add(truth, least, most);
      paths.add(drawn_path(digest.errors, seed), least, most);
    }
    inside += truths.share(truths.inside) / std::size(kJobs);
    std::printf("%-30s %8.1fms %6.1f%% %+6.1f%% %7.1f%% %7.1f%% %6.1f%% %6.1f%% %6.1f%% %+7.2f%%\n",
                job.name, step / 1e9, 100 * (least / step - 1), 100 * (most / step - 1),
                100 * digest.step.share(digest.band->unknown), truths.share(truths.inside),
                truths.share(truths.below), truths.share(truths.above), paths.share(paths.inside),
                100 * (sum / step - 1));
    std::fflush(stdout);
  }
  std::printf("%-30s %53.1f%%\n", "all", inside);
}
