// SPDX-License-Identifier: Apache-2.0
//
// What is in recorded traces? Usage: traces FILE...
#include <cstdio>

#include "orrery/commands/trace.h"

int main(int argc, char** argv) {
  orrery::api::TraceInfoQuestion question;
  question.traces.assign(argv + 1, argv + argc);
  const orrery::api::Answer answer = orrery::api::trace_info(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
