// SPDX-License-Identifier: Apache-2.0
//
// The cost of tensor parallelism: one question per degree, all simulated concurrently.
#include <cstdio>
#include <vector>

#include "orrery/study/study.h"

int main() {
  std::vector<orrery::study::Question> questions;
  for (const char* degree : {"1", "2", "4", "8"}) {
    orrery::study::Question question;
    question.job.model = "llama-3.1-8b";
    question.job.tp = degree;
    question.job.global_batch = "64";
    question.cluster = "h100-sxm:64";
    questions.push_back(question);
  }
  const auto answers = orrery::study::simulate_all(questions);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      std::fprintf(stderr, "%s\n", orrery::to_string(answers[i].error()).c_str());
      return orrery::exit_code(answers[i].error().code);
    }
    const double milliseconds = 1e-9 * static_cast<double>(answers[i]->step().count());
    std::printf("tp %s: %.1f ms\n", questions[i].job.tp.c_str(), milliseconds);
  }
}
