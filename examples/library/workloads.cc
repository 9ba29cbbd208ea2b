// SPDX-License-Identifier: Apache-2.0
//
// Does a job fit into the memory of a device? Status 1 is the answer "no".
#include <cstdio>

#include "orrery/commands/memory.h"

int main() {
  for (const char* tp : {"1", "8"}) {
    orrery::api::MemoryQuestion question;
    question.model = "llama-3.1-8b";
    question.tp = tp;
    question.device = "h100-sxm";
    const orrery::api::Answer answer = orrery::api::memory(question);
    if (answer.status() > 1) std::printf("%s", answer.notes().data());
    if (answer.status() > 1) return answer.status();
    std::printf("tp %s: %s\n", tp, answer.status() == 0 ? "fits" : "does not fit");
  }
}
