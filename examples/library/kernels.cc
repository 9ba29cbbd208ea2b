// SPDX-License-Identifier: Apache-2.0
//
// How long does a collective take, and how far is that from the lower bound?
#include <cstdio>

#include "orrery/commands/collective.h"

int main() {
  orrery::api::CollectiveCompareQuestion question;
  question.collective = "all-reduce";
  question.cluster = "h100-sxm:64";
  question.size = {"1GB"};
  const orrery::api::Answer answer = orrery::api::collective_compare(question);
  std::printf("%s%s", answer.text().data(), answer.notes().data());
  return answer.status();
}
