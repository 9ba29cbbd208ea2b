// SPDX-License-Identifier: Apache-2.0
//
// The best plans of a job on a cluster, with progress; it gives up after a minute.
#include <chrono>
#include <cstdio>
#include <string>

#include "orrery/commands/search.h"

int main() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::minutes(1);
  orrery::api::CallOptions options;
  options.progress = [](const orrery::api::Progress& progress) {
    std::fprintf(stderr, "\r%s: %llu of %llu %s ", std::string(progress.phase).c_str(),
                 static_cast<unsigned long long>(progress.done),
                 static_cast<unsigned long long>(progress.of), std::string(progress.unit).c_str());
  };
  options.cancelled = [end] { return Clock::now() > end; };
  orrery::api::SearchQuestion question;
  question.model = "llama-3-70b";
  question.gpu = {"h100-sxm"};
  question.gpus = {64};
  const orrery::api::Answer answer = orrery::api::search(question, options);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
