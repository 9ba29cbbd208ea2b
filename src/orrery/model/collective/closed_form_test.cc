// SPDX-License-Identifier: Apache-2.0
//
// Closed forms against a reference that sends every message, one tick after the other.
#include "orrery/model/collective/algorithms/closed_form.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "orrery/model/collective/algorithms/closed_form_testing.h"
#include "orrery/model/collective/algorithms/message_times.h"
#include "orrery/model/collective/phase_factory.h"

namespace orrery::model {
namespace {

using graph::CollectiveType;
using platform::Algorithm;

using reference::message_by_message;
using reference::Times;

Times by_formula(const PhaseSpec& spec, const Times& begins, const DelayBetween& delay) {
  Times ends(begins.size(), -1);
  phase_ends(spec, begins, ends, delay);
  return ends;
}

PhaseSpec make_spec(Algorithm algorithm, CollectiveType type, std::uint32_t size,
                    std::int64_t window = -1, bool sub_group = false) {
  platform::Platform platform;
  platform.dims = {{platform::Block::switched, size, Bandwidth(1e9), 1}};
  const MultiDimFabric fabric(platform);
  PhaseRequest request;
  request.algorithm = {algorithm, window};
  request.type = type;
  request.ring.size = size;
  request.data = std::int64_t{1000} * size;
  request.sub_group = sub_group;
  return PhaseFactory(platform, &fabric).make(request).value();
}

void set_times(PhaseSpec& spec, std::int64_t endpoint, std::int64_t reduce, std::int64_t delay) {
  spec.endpoint = endpoint;
  for (PhaseMessage& step : spec.step) step.reduce = reduce;
  for (std::int64_t& time : spec.delay_by_key) time = delay;
  spec.burst = spec.peers == Peers::each && !spec.delay_by_key.empty();
}

const DelayBetween kNoDelay;

// --- By hand ---

// Packets wait 1, then 1 + 2 twice. The late one is served by the others at once.
TEST(ClosedForm, RingWithOneLate) {
  PhaseSpec spec = make_spec(Algorithm::ring, CollectiveType::reduce_scatter, 3);
  set_times(spec, 1, 2, 10);
  EXPECT_EQ(by_formula(spec, {0, 0, 100}, kNoDelay), (Times{117, 127, 107}));
  spec.request.anticlockwise = true;
  EXPECT_EQ(by_formula(spec, {0, 0, 100}, kNoDelay), (Times{127, 117, 107}));
}

// The first half's messages are received at 11 and 111, their packets free at 14 and 114; the
// second half is not reduced. The late one receives both at 101 and sends again at 104.
TEST(ClosedForm, DirectWaitsAtTheBarrier) {
  PhaseSpec spec = make_spec(Algorithm::direct, CollectiveType::all_reduce, 3);
  set_times(spec, 1, 2, 10);
  EXPECT_EQ(by_formula(spec, {0, 0, 100}, kNoDelay), (Times{125, 125, 125}));
}

// The last message is received in the tick in which the other's packet is free, 14: the packet
// goes, it does not wait until the next is free, 17.
TEST(ClosedForm, APacketFreeInTheBarriersTickGoes) {
  PhaseSpec spec = make_spec(Algorithm::direct, CollectiveType::all_reduce, 3);
  set_times(spec, 1, 2, 10);
  const Times ends = by_formula(spec, {0, 0, 3}, kNoDelay);
  EXPECT_EQ(ends, (Times{28, 25, 28}));
  EXPECT_EQ(ends, message_by_message(spec, {0, 0, 3}, kNoDelay));
}

// Messages of the second half are there before the last packet of the first is reduced. Theirs are
// not reduced, are free sooner and overtake it.
TEST(ClosedForm, DirectPacketsOvertake) {
  PhaseSpec spec = make_spec(Algorithm::direct, CollectiveType::all_reduce, 9);
  set_times(spec, 1, 2, 0);
  spec.delay_by_key[5] = 5;
  spec.delay_by_key[8] = 6;
  spec.burst = false;
  const Times begins{0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(by_formula(spec, begins, kNoDelay), Times(9, 17));
  EXPECT_EQ(message_by_message(spec, begins, kNoDelay), Times(9, 17));
}

// A halving-doubling all-gather of 4: begins + 1, partners at 2, then at 1.
TEST(ClosedForm, HalvingDoublingGather) {
  PhaseSpec spec = make_spec(Algorithm::halving_doubling, CollectiveType::all_gather, 4);
  set_times(spec, 1, 2, 10);
  EXPECT_EQ(by_formula(spec, {0, 0, 100, 0}, kNoDelay), (Times{113, 123, 103, 113}));
  EXPECT_EQ(uniform_duration(spec), 1 + 2 * 11);
}

// Two members: the leaf sends at 1, the root has it at max(11, 50) + 3 and sends it back.
TEST(ClosedForm, SmallestTree) {
  PhaseSpec spec = make_spec(Algorithm::double_binary_tree, CollectiveType::all_reduce, 2);
  set_times(spec, 1, 2, 0);
  const DelayBetween ten = [](std::uint32_t, std::uint32_t, std::int64_t) { return 10; };
  EXPECT_EQ(by_formula(spec, {0, 50}, ten), (Times{64, 53}));
  EXPECT_EQ(uniform_duration(spec), std::nullopt);
}

TEST(ClosedForm, WhatHasNone) {
  PhaseSpec spec = make_spec(Algorithm::ring, CollectiveType::all_reduce, 4);
  EXPECT_TRUE(has_closed_form(spec));
  spec.on_bus = true;
  EXPECT_FALSE(has_closed_form(spec));
  EXPECT_EQ(uniform_duration(spec), std::nullopt);
  EXPECT_TRUE(has_closed_form(make_spec(Algorithm::direct, CollectiveType::all_gather, 4096)));
  const PhaseSpec much = make_spec(Algorithm::direct, CollectiveType::all_gather, 4096, 2);
  EXPECT_FALSE(has_closed_form(much));
  EXPECT_NE(uniform_duration(much), std::nullopt);
}

// --- Against the reference ---

/// A phase, when everybody begins it, and how long messages take.
struct Case {
  PhaseSpec spec;
  Times begins;
  DelayBetween delay;
};

PhaseSpec any_spec() {
  std::vector<Algorithm> all{Algorithm::direct};  // with all its windows: more often
  for (const platform::AlgorithmEntry& one : platform::kAlgorithms)
    if (!one.by_switches) all.push_back(one.algorithm);
  const Algorithm algorithm = *rc::gen::elementOf(all);
  const platform::AlgorithmEntry& entry = platform::entry(algorithm);
  std::vector<CollectiveType> types;
  for (const CollectiveType one : platform::kPlannedTypes)
    if (can_run(entry, one)) types.push_back(one);
  const CollectiveType type = *rc::gen::elementOf(types);
  const auto drawn = *rc::gen::inRange(2u, 34u);
  const auto size = entry.power_of_two ? 1u << (1 + drawn % 5) : drawn;
  const auto window = *rc::gen::inRange<std::int64_t>(-3, 8);
  PhaseSpec spec = make_spec(algorithm, type, size, window, *rc::gen::arbitrary<bool>());
  spec.request.anticlockwise = *rc::gen::arbitrary<bool>();
  spec.request.min_tree = *rc::gen::arbitrary<bool>();
  return spec;
}

Times any_begins(std::uint32_t size, std::int64_t scale) {
  const auto spread = *rc::gen::element<std::int64_t>(0, 2, 20, 1000);
  const bool clusters = *rc::gen::arbitrary<bool>();
  Times begins;
  for (std::uint32_t p = 0; p < size; ++p) {
    const auto drawn = *rc::gen::inRange<std::int64_t>(0, spread + 1);
    begins.push_back(clusters ? drawn % 2 * spread : drawn);
    begins.back() = std::min(begins.back(), MultiDimFabric::kTooLong / 2 / scale) * scale;
  }
  return begins;
}

// Small times meet in the same tick; the largest end beyond the clock.
Case any_case() {
  const auto scale = *rc::gen::element<std::int64_t>(1, 1, 1, 999'983, std::int64_t{1} << 57);
  const auto any = [&](std::int64_t most) {
    return *rc::gen::inRange<std::int64_t>(0, most) * scale;
  };
  Case drawn{any_spec(), {}, {}};
  PhaseSpec& spec = drawn.spec;
  drawn.begins = any_begins(spec.request.ring.size, scale);
  set_times(spec, any(4), any(6), any(16));
  if (spec.step.size() > 1) {
    for (PhaseMessage& step : spec.step) step.reduce = any(6);
  }
  const int kind = *rc::gen::inRange(0, 3);
  if (kind == 1) {
    for (std::int64_t& time : spec.delay_by_key) time = any(16);
    spec.burst = false;
  } else if (kind == 2) {
    spec.delay_by_key.clear();
    spec.burst = false;
  }
  const auto salt = *rc::gen::arbitrary<std::uint32_t>();
  drawn.delay = [=](std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    const std::uint32_t mixed = (from * 2654435761u ^ to * 40503u ^ salt) * 2246822519u;
    return (mixed >> 20) % 16 * scale + bytes % 3;
  };
  return drawn;
}

// A property draws few cases by itself.
constexpr int kCases = 20;

RC_GTEST_PROP(ClosedForms, SameAsMessageByMessage, ()) {
  for (int i = 0; i < kCases; ++i) {
    const Case drawn = any_case();
    const PhaseSpec& spec = drawn.spec;
    RC_ASSERT(has_closed_form(spec));
    const Times ends = by_formula(spec, drawn.begins, drawn.delay);
    const Times expected = message_by_message(spec, drawn.begins, drawn.delay);
    if (ends == expected) continue;
    RC_LOG() << "algorithm " << static_cast<int>(spec.request.algorithm.algorithm) << ", type "
             << static_cast<int>(spec.request.type) << ", window " << spec.window << ", endpoint "
             << spec.endpoint << ", reduce " << spec.step[0].reduce << ", begins "
             << rc::toString(drawn.begins) << ", delays " << rc::toString(spec.delay_by_key);
    RC_ASSERT(ends == expected);
  }
}

RC_GTEST_PROP(ClosedForms, NobodyEndsBeforeAllHaveBegun, ()) {
  const Case drawn = any_case();
  const Times ends = by_formula(drawn.spec, drawn.begins, drawn.delay);
  RC_ASSERT(*std::min_element(ends.begin(), ends.end()) >=
            *std::max_element(drawn.begins.begin(), drawn.begins.end()));
}

RC_GTEST_PROP(ClosedForms, EvenDurationIsThatOfEverybody, ()) {
  for (int i = 0; i < kCases; ++i) {
    const Case drawn = any_case();
    if (drawn.spec.delay_by_key.empty()) continue;
    const Times begins(drawn.spec.request.ring.size, 0);
    const Times ends = message_by_message(drawn.spec, begins, drawn.delay);
    for (const std::int64_t end : ends) RC_ASSERT(end == uniform_duration(drawn.spec));
  }
}

RC_GTEST_PROP(ClosedForms, ReducedPacketsAreCounted, ()) {
  const PhaseSpec spec = any_spec();
  const auto packets = *rc::gen::inRange(0u, 400u);
  std::int64_t count = 0;
  for (std::uint32_t packet = 0; packet < packets; ++packet) count += spec.reduces(packet) ? 1 : 0;
  RC_ASSERT(reduced_before(spec, packets) == count);
}

}  // namespace
}  // namespace orrery::model
