// SPDX-License-Identifier: Apache-2.0
//
// A fabric described. Usage: clusters FILE
#include <cstdio>

#include "orrery/commands/network.h"

int main(int argc, char** argv) {
  orrery::api::NetworkShowQuestion question;
  if (argc > 1) question.file = argv[1];
  const orrery::api::Answer answer = orrery::api::network_show(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
