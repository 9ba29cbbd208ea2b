// SPDX-License-Identifier: Apache-2.0
//
// A recording with something changed is the recording that was made with it so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "handmade_traces_testing.h"
#include "orrery/core/effort_testing.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

constexpr std::size_t kRecordedRanks = 2;
constexpr int kLatency = 10;  // us from a call to its work
constexpr int kCall = 5;      // us

enum class Work { product, other, copy, collective };

/// What hosts launch, one call right after another, and devices do, one after another.
struct Launched {
  Work work = Work::product;
  std::array<int, kRecordedRanks> duration{};  ///< us on each rank; of collectives, the transfer
  int gap = 0;  ///< us that the device does nothing before it, though it waits in the queue
};

/// What a recording was made with: all factors are of times.
struct Factors {
  double product = 1, other = 1, copy = 1, transfer = 1, call = 1, latency = 1, gap = 1;
  std::array<double, kRecordedRanks> rank{1, 1};
};

int scaled_by(int time, double factor) { return static_cast<int>(time * factor + 0.5); }

std::string_view kernel_name(Work work) { return work == Work::product ? "sgemm" : "softmax"; }

/// The events of both ranks, and when the last of them ends.
struct Made {
  std::array<std::vector<std::string>, kRecordedRanks> events;
  int end = 0;
};

Made recorded_with(const std::vector<Launched>& launched, const Factors& factors) {
  Made made;
  std::array<int, kRecordedRanks> host{}, device{};
  int correlation = 0;
  const auto factor_of = [&](Work work) {
    return work == Work::product ? factors.product
           : work == Work::other ? factors.other
                                 : factors.copy;
  };
  for (const Launched& one : launched) {
    ++correlation;
    std::array<int, kRecordedRanks> begin{};
    for (std::size_t rank = 0; rank < kRecordedRanks; ++rank) {
      const bool copy = one.work == Work::copy;
      const int call = scaled_by(kCall, factors.call * factors.rank[rank]);
      made.events[rank].push_back(event("cuda_runtime",
                                        copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", false, 1,
                                        host[rank], call, correlation));
      begin[rank] = std::max(device[rank] + scaled_by(one.gap, factors.gap),
                             host[rank] + call + scaled_by(kLatency, factors.latency));
      host[rank] += call;
    }
    const int together = *std::max_element(begin.begin(), begin.end());
    for (std::size_t rank = 0; rank < kRecordedRanks; ++rank) {
      const int start = begin[rank];
      if (one.work == Work::collective) {
        device[rank] = together + scaled_by(one.duration[0], factors.transfer);
        made.events[rank].push_back(all_reduce(7, start, device[rank] - start, correlation));
      } else {
        const int time = scaled_by(one.duration[rank], factor_of(one.work) * factors.rank[rank]);
        device[rank] = start + time;
        made.events[rank].push_back(
            one.work == Work::copy
                ? event("gpu_memcpy", "Memcpy DtoD", true, 7, start, time, correlation)
                : kernel(kernel_name(one.work), 7, start, time, correlation));
      }
      made.end = std::max({made.end, device[rank], host[rank]});
    }
  }
  return made;
}

std::vector<Launched> drawn_launches(std::mt19937_64& random) {
  std::vector<Launched> made;
  const std::size_t many = 8 + random() % 16;
  // Some are bound by hosts, others by devices
  const unsigned longest = random() % 2 == 0 ? 15 : 200;
  for (std::size_t i = 0; i < many; ++i) {
    Launched one{static_cast<Work>(random() % 4), {}};
    const auto draw = [&] { return 2 + 2 * static_cast<int>(random() % longest); };
    for (int& time : one.duration) time = draw();
    made.push_back(one);
  }
  return made;
}

struct Edit {
  std::string word;
  double Factors::*of = nullptr;
  double Factors::*and_of = nullptr;
};

class WhatIfRecordings : public ByHand {
 protected:
  Result<WhatIf> ask(const Made& made, const std::string& change) {
    WhatIfQuestion question;
    for (std::size_t rank = 0; rank < kRecordedRanks; ++rank)
      question.base.recorded.traces.push_back(
          write(fmt::format("rank{}.json", rank), made.events[rank], static_cast<int>(rank)));
    question.changes = {change};
    Watch watch;
    return what_if(question, watch);
  }
};

// Devices that are never short of work, and pause between two pieces of it all the same.
TEST_F(WhatIfRecordings, GapsMakeTheOtherRecording) {
  std::mt19937_64 random(23);
  for (int pair = 0; pair < core_testing::case_count(200, 50); ++pair) {
    std::vector<Launched> launched = drawn_launches(random);
    for (Launched& one : launched) {
      for (int& time : one.duration) time += 60;
      one.gap = 2 * static_cast<int>(random() % 5);
    }
    const double factor = std::array{0.5, 1.5, 2.0}[random() % 3];
    Factors factors;
    factors.gap = factor;
    const Made was = recorded_with(launched, {}), other = recorded_with(launched, factors);
    const auto predicted = ask(was, fmt::format("gaps={}", factor));
    ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
    EXPECT_EQ(predicted->base.whole, us(was.end)) << pair;
    const auto off = std::abs((predicted->changed->whole - us(other.end)).count());
    EXPECT_LE(off * 100, us(other.end).count()) << "gaps=" << factor << " " << pair;
  }
}

// Of two ranks the median is the quicker one.
TEST_F(WhatIfRecordings, WithoutStragglersRanksAreAlike) {
  std::mt19937_64 random(22);
  for (int pair = 0; pair < core_testing::case_count(200, 50); ++pair) {
    const std::vector<Launched> launched = drawn_launches(random);
    std::vector<Launched> equivalent = launched;
    for (Launched& one : equivalent)
      if (one.work != Work::collective)
        one.duration.fill(std::min(one.duration[0], one.duration[1]));
    const auto predicted = ask(recorded_with(launched, {}), "stragglers=none");
    ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
    const Time other = us(recorded_with(equivalent, {}).end);
    EXPECT_LE(std::abs((predicted->changed->whole - other).count()) * 100, other.count()) << pair;
  }
}

TEST_F(WhatIfRecordings, EveryFactorMakesTheOtherRecording) {
  const std::vector<Edit> edits = {
      {"kernels", &Factors::product, &Factors::other},
      {"kernel:gem", &Factors::product},
      {"named:softmax", &Factors::other},
      {"copies", &Factors::copy},
      {"communication", &Factors::transfer},
      {"group:0", &Factors::transfer},
      {"host", &Factors::call},
      {"launch", &Factors::latency},
      {"rank:1"},
  };
  std::mt19937_64 random(21);
  int exact = 0, compared = 0;
  for (const Edit& edit : edits)
    for (int pair = 0; pair < core_testing::case_count(200, 50); ++pair) {
      const std::vector<Launched> launched = drawn_launches(random);
      const double factor = std::array{0.5, 1.5, 2.0}[random() % 3];
      Factors factors;
      if (edit.of != nullptr) factors.*edit.of = factor;
      if (edit.and_of != nullptr) factors.*edit.and_of = factor;
      if (edit.of == nullptr) factors.rank[1] = factor;
      const Made was = recorded_with(launched, {}), other = recorded_with(launched, factors);
      const auto predicted = ask(was, fmt::format("{}={}", edit.word, factor));
      ASSERT_TRUE(predicted.has_value()) << edit.word << to_string(predicted.error());
      EXPECT_EQ(predicted->base.whole, us(was.end)) << edit.word << " " << pair;
      const auto off = std::abs((predicted->changed->whole - us(other.end)).count());
      EXPECT_LE(off * 100, us(other.end).count()) << edit.word << "=" << factor << " " << pair;
      ++compared;
      exact += off <= us(1).count() ? 1 : 0;
    }
  RecordProperty("compared", compared);
  RecordProperty("exact", exact);
}

}  // namespace
}  // namespace orrery::study
