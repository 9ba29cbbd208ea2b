// SPDX-License-Identifier: Apache-2.0
//
// An engine that is copied in the middle of a run: the copy ends as the original does, and both as
// a run that was left alone.
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "orrery/sim/engine/engine.h"
#include "orrery/sim/result_difference.h"
#include "random_case.h"
#include "run_modes.h"

namespace orrery::scale {
namespace {

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

std::string unlikeness(const Result<sim::SimResult>& a, const Result<sim::SimResult>& b) {
  if (a.has_value() != b.has_value()) return "one fails";
  if (!a) return to_string(a.error()) == to_string(b.error()) ? "" : "they fail otherwise";
  if (a->events != b->events || a->messages != b->messages) return "events or messages";
  if (a->findings.list().size() != b->findings.list().size()) return "findings";
  return sim::first_difference(*a, *b).value_or("");
}

// Copies of copies, too: the first is dropped, the second goes on.
TEST(Copies, EndAsTheOriginalDoes) {
  const std::uint64_t first = setting("ORRERY_SCALE_SEED", 1, 1);
  const std::uint64_t cases = setting("ORRERY_SCALE_CASES", 400, 5 * kModes);
  std::uint64_t copied = 0, folded = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    Case drawn = draw_case(seed);
    Draw draw(seed);
    put_upon(static_cast<Mode>(seed % kModes), draw, drawn);
    if (draw.one_in(4)) drawn.platform.rules = platform::Rules::astra;
    sim::Options options;
    options.network = drawn.network;
    options.fold = draw.one_in(2);
    options.closed_forms = draw.one_in(2);
    options.skip_repeats = draw.one_in(2);
    sim::Engine alone(drawn.workload, drawn.platform, options);
    const auto expected = alone.run();
    auto original = std::make_unique<sim::Engine>(drawn.workload, drawn.platform, options);
    if (!original->start()) {
      EXPECT_FALSE(expected.has_value()) << "seed " << seed;
      continue;
    }
    const std::uint64_t events = expected ? expected->events : 100;
    const auto some = [&] {
      return static_cast<std::uint64_t>(draw.between(0, 1 + static_cast<std::int64_t>(events / 2)));
    };
    original->advance(some());
    auto copy = std::make_unique<sim::Engine>(*original);
    copy->advance(some());
    sim::Engine second_copy(*copy);
    copy.reset();
    original->advance(kAll);
    const auto whole = original->finish();
    EXPECT_EQ(original->rerun_reason(), alone.rerun_reason()) << "seed " << seed;
    original.reset();
    second_copy.advance(kAll);
    const auto copied_run = second_copy.finish();
    EXPECT_EQ(second_copy.rerun_reason(), alone.rerun_reason()) << "seed " << seed;
    if (alone.rerun_reason() != sim::Engine::Rerun::no) continue;  // no results
    EXPECT_EQ(unlikeness(expected, whole), "") << "seed " << seed << ", the original";
    EXPECT_EQ(unlikeness(expected, copied_run), "") << "seed " << seed << ", the copy";
    if (!expected || expected->stall) continue;
    ++copied;
    folded += expected->savings.representatives < drawn.workload.rank_count() ? 1 : 0;
  }
  std::printf("copies: %llu runs that finish, %llu folded\n",
              static_cast<unsigned long long>(copied), static_cast<unsigned long long>(folded));
  if (cases < 5 * kModes) return;
  EXPECT_GE(copied, cases / 2);
  EXPECT_GE(folded, cases / 14);
}

}  // namespace
}  // namespace orrery::scale
