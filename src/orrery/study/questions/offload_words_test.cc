// SPDX-License-Identifier: Apache-2.0
#include "orrery/study/questions/offload_words.h"

#include <gmock/gmock.h>

#include "orrery/study/question.h"
#include "orrery/study/study.h"

namespace orrery::study {
namespace {

using testing::HasSubstr;

workload::Offload offload_of(const std::string& words) {
  workload::Spec spec;
  const auto done = set_offload(words, "here", spec);
  EXPECT_TRUE(done) << words;
  return spec.offload;
}

TEST(OffloadWords, SetWhatTheyName) {
  EXPECT_TRUE(offload_of("optimizer").optimizer);
  EXPECT_FALSE(offload_of("optimizer").weights);
  EXPECT_TRUE(offload_of("weights,optimizer").weights);
  EXPECT_EQ(offload_of("activations:12").activations, 12);
  EXPECT_GT(offload_of("activations").activations, 1000);
  workload::Spec spec;
  spec.offload.optimizer = true;
  spec.offload.activations = 3;
  EXPECT_TRUE(set_offload("none", "here", spec));
  EXPECT_FALSE(offloads(spec));
}

TEST(OffloadWords, EachMistakeHasAnError) {
  workload::Spec spec;
  for (const char* wrong : {"", "optimizer_state", "activations:0", "activations:x", "optimizer:2",
                            "optimizer,none", "none,optimizer"}) {
    const auto done = set_offload(wrong, "here", spec);
    ASSERT_FALSE(done) << wrong;
    EXPECT_EQ(done.error().where, "here");
    EXPECT_FALSE(done.error().hint.empty()) << wrong;
  }
}

// A cluster of the catalog has no remote memory: the host's, over the device's link, is it.
TEST(OffloadWords, DataGoesToTheHost) {
  Question question;
  question.job.model = "gpt2-xl";
  question.cluster = "h100-sxm:8";
  const auto before = simulate(question);
  question.job.offload = "optimizer";
  const auto after = simulate(question);
  ASSERT_TRUE(before && after);
  EXPECT_GT(after->step(), before->step());
  question.cluster = "b200:8";  // no public document states its link
  const auto unknown = simulate(question);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().what, HasSubstr("no remote memory"));
}

}  // namespace
}  // namespace orrery::study
