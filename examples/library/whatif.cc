// SPDX-License-Identifier: Apache-2.0
//
// How much faster is the step on another device?
#include <cstdio>

#include "orrery/commands/whatif.h"

int main() {
  orrery::api::WhatifQuestion question;
  question.model = "llama-3.1-8b";
  question.tp = "4";
  question.global_batch = "64";
  question.cluster = "h100-sxm:64";
  question.change = {"gpu=h200-sxm"};
  const orrery::api::Answer answer = orrery::api::whatif(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
