// SPDX-License-Identifier: Apache-2.0
//
// Simulates one training step, and prints its summary.
#include <cstdio>

#include "orrery/commands/run.h"

int main() {
  orrery::api::RunQuestion question;
  question.model = "llama-3.1-8b";
  question.tp = "4";
  question.global_batch = "64";
  question.cluster = "h100-sxm:64";
  const orrery::api::Answer answer = orrery::api::run(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
