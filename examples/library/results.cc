// SPDX-License-Identifier: Apache-2.0
//
// Two runs as run files, and what makes the second one slower.
#include <cstdio>
#include <string>

#include "orrery/commands/reports.h"
#include "orrery/commands/run.h"

int main() {
  for (const std::string tp : {"4", "8"}) {
    orrery::api::RunQuestion question;
    question.model = "llama-3.1-8b";
    question.tp = tp;
    question.global_batch = "64";
    question.cluster = "h100-sxm:64";
    question.output = "tp" + tp + ".orrery";
    question.force = true;
    const orrery::api::Answer answer = orrery::api::run(question);
    if (answer.status() != 0) std::printf("%s", answer.notes().data());
    if (answer.status() != 0) return answer.status();
  }
  orrery::api::CompareQuestion question;
  question.a = "tp4.orrery";
  question.b = "tp8.orrery";
  const orrery::api::Answer answer = orrery::api::compare(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
