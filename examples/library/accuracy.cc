// SPDX-License-Identifier: Apache-2.0
//
// Predicted steps against measured ones. Usage: accuracy FILE...
#include <cstdio>

#include "orrery/commands/accuracy.h"

int main(int argc, char** argv) {
  orrery::api::AccuracyQuestion question;
  question.file.assign(argv + 1, argv + argc);
  const orrery::api::Answer answer = orrery::api::accuracy(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
