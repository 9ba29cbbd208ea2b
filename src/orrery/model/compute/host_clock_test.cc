// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/host_clock.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace orrery::model {
namespace {

/// Every launch by itself, all of them remembered.
struct PlainHost {
  std::int64_t issued = 0;
  std::vector<std::int64_t> begun;

  std::int64_t launch(const Launches& what, std::int64_t ready) {
    std::int64_t begin = ready;
    for (std::int64_t i = 0; i < what.count; ++i) {
      const auto number = static_cast<std::int64_t>(begun.size()) + i - what.ahead;
      if (number >= 0 && number < static_cast<std::int64_t>(begun.size()))
        issued = std::max(issued, begun[static_cast<std::size_t>(number)]);
      issued += what.each;
      begin = std::max(begin, issued - i * what.share);
    }
    for (std::int64_t i = 0; i < what.count; ++i) begun.push_back(begin + i * what.share);
    return begin;
  }
};

TEST(HostClock, WaitsUntilTheKernelBeginsThatIsSoFarBehind) {
  const Launches long_one{.each = 5, .share = 100, .least = 5, .ahead = 3};
  HostClock host;
  EXPECT_EQ(host.launch(long_one, 0), 5);
  for (int i = 1; i < 3; ++i) EXPECT_EQ(host.launch(long_one, 5 + i * 100), 5 + i * 100);
  EXPECT_EQ(host.issued(), 15);
  EXPECT_EQ(host.launch(long_one, 305), 305);
  EXPECT_EQ(host.issued(), 20) << "the first had begun at 5";
  EXPECT_EQ(host.launch(long_one, 405), 405);
  EXPECT_EQ(host.issued(), 110) << "the second began at 105";
  EXPECT_EQ(host.waits(), 1u);
}

TEST(HostClock, LaunchesNothingBeforeAResultThatItWaitsFor) {
  const Launches one{.each = 5, .share = 100, .least = 5, .ahead = 30};
  HostClock host;
  EXPECT_EQ(host.launch(one, 0), 5);
  host.wait_until(105);
  EXPECT_EQ(host.launch(one, 105), 110) << "the device waits for the next launch";
  const HostClock before = host;
  EXPECT_EQ(host.launch(one, 210), 210) << "this one was launched in the meantime";
  EXPECT_EQ(host.issued(), 115);
  host.wait_until(100);
  EXPECT_EQ(host.issued(), 115) << "the host is later than the result";
  EXPECT_FALSE(host.repeats(before, 100)) << "the host gains time, but it waits for results";
}

// In each round the host waits for a result; behind it, everything repeats.
TEST(HostClock, RepeatsRoundsWithAResult) {
  const Launches one{.each = 5, .share = 20, .least = 5, .ahead = 30};
  HostClock host, before;
  std::int64_t ready = 0, begin = 0;
  for (int round = 0; round < 3; ++round) {
    before = host;
    begin = host.launch(one, ready);
    host.wait_until(begin + 20);
    ready = begin + 20;
  }
  EXPECT_TRUE(host.repeats(before, 25));
  HostClock skipped = host;
  skipped.skip(before, 25, 10);
  for (int round = 0; round < 10; ++round) {
    begin = host.launch(one, begin + 20);
    host.wait_until(begin + 20);
  }
  EXPECT_EQ(skipped.issued(), host.issued());
}

RC_GTEST_PROP(HostClock, IsAHostThatRemembersEverything, ()) {
  const std::int64_t ahead = *rc::gen::inRange(1, 12);
  const std::int64_t least = *rc::gen::inRange(1, 6);
  HostClock host(7);
  PlainHost plain{7, {}};
  std::int64_t end = 0;
  for (int i = 0; i < 60; ++i) {
    Launches what{.each = least + *rc::gen::inRange(0, 5), .least = least, .ahead = ahead};
    what.count = *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(ahead, 5) + 1);
    what.share = *rc::gen::inRange(0, 20);
    const std::int64_t ready = end + *rc::gen::element(0, 0, 0, 200);
    const std::int64_t begin = host.launch(what, ready);
    RC_ASSERT(begin == plain.launch(what, ready));
    RC_ASSERT(host.issued() == plain.issued);
    end = begin + what.count * what.share;
  }
}

// More launches than fit at once have the same result as launches one by one.
TEST(HostClock, TakesMoreLaunchesThanFit) {
  for (const std::int64_t share : {1, 5, 8}) {
    HostClock whole, parts;
    const Launches all{.each = 5, .count = 50, .share = share, .least = 5, .ahead = 10};
    Launches one = all;
    one.count = 1;
    const std::int64_t begin = whole.launch(all, 0);
    std::int64_t end = 0;
    for (int i = 0; i < 50; ++i) end = parts.launch(one, end) + share;
    EXPECT_EQ(begin + 50 * share, end) << share;
    EXPECT_EQ(whole.issued(), parts.issued()) << share;
    for (int i = 0; i < 30; ++i) {
      const std::int64_t next = parts.launch(one, end);
      EXPECT_EQ(whole.launch(one, end), next) << share;
      end = next + share;
    }
  }
}

// Rounds that are alike are skipped as long as that is certain, and the host is where it would be.
RC_GTEST_PROP(HostClock, IsTheSameBehindWhatIsSkipped, ()) {
  const std::int64_t ahead = *rc::gen::inRange(1, 30);
  std::vector<Launches> round;
  const int kernels = *rc::gen::inRange(1, 6);
  for (int i = 0; i < kernels; ++i)
    round.push_back({.each = *rc::gen::inRange(3, 7),
                     .count = *rc::gen::inRange(1, 3),
                     .share = *rc::gen::inRange(0, 15),
                     .least = 3,
                     .ahead = ahead});
  HostClock host, skips;
  std::int64_t end = 0, skips_end = 0;
  const auto play = [&](HostClock& with, std::int64_t& until) {
    for (const Launches& what : round) until = with.launch(what, until) + what.count * what.share;
  };
  const int rounds = 60;
  for (int i = 0; i < rounds; ++i) play(host, end);
  for (int i = 0; i < rounds;) {
    const HostClock before = skips;
    const std::int64_t was = skips_end;
    play(skips, skips_end);
    ++i;
    const std::int64_t step = skips_end - was;
    if (i < 2 || !skips.repeats(before, step)) continue;
    const std::int64_t times = std::min<std::int64_t>(skips.repetitions(before, step), rounds - i);
    skips.skip(before, step, times);
    skips_end += step * times;
    i += static_cast<int>(times);
  }
  RC_ASSERT(skips_end == end);
  RC_ASSERT(skips.issued() == host.issued());
  Launches short_one = round.front();
  short_one.share = 1;
  for (int i = 0; i < 50; ++i) {
    end = host.launch(short_one, end) + short_one.count;
    skips_end = skips.launch(short_one, skips_end) + short_one.count;
    RC_ASSERT(skips_end == end);
  }
}

}  // namespace
}  // namespace orrery::model
