// SPDX-License-Identifier: Apache-2.0
//
// Recordings in which something is not done at all (overlap, waiting for the device, separate
// kernels, the host's work) or varies, against recordings that were made so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "handmade_traces_testing.h"
#include "orrery/core/effort_testing.h"
#include "orrery/study/whatif/whatif.h"

namespace orrery::study {
namespace {

constexpr std::size_t kPeers = 2;
const int kPairs = core_testing::case_count(200, 50);
constexpr int kReach = 10;  // us from a call to its work
constexpr int kOneCall = 5, kEventCall = 1;

enum class Step { product, elementwise, collective, sync };

/// One thing that hosts call for, in order.
struct Called {
  Step step = Step::product;
  std::array<int, kPeers> duration{};  ///< us; of collectives the first is the transfer of both
  bool waits = false;                  ///< of products: for the last collective
};

/// How a recording is made of them.
struct Way {
  bool overlap = true;   ///< collectives have a stream of their own
  bool syncs = true;     ///< hosts wait where they ask to
  bool fused = false;    ///< elementwise neighbors are one kernel, as long as the longest
  bool host = true;      ///< calls, and the way from them to the device, take time
  bool retained = true;  ///< as events; else only its end is wanted
};

/// What both ranks record.
class Recorder {
 public:
  explicit Recorder(Way way) : way_(way) {}

  void record(const std::vector<Called>& program) {
    for (std::size_t i = 0; i < program.size(); ++i) {
      Called one = program[i];
      while (way_.fused && one.step == Step::elementwise && i + 1 < program.size() &&
             program[i + 1].step == Step::elementwise) {
        ++i;
        for (std::size_t rank = 0; rank < kPeers; ++rank)
          one.duration[rank] = std::max(one.duration[rank], program[i].duration[rank]);
      }
      if (one.step == Step::sync) {
        sync();
      } else {
        launch_step(one);
      }
    }
  }

  [[nodiscard]] const std::vector<std::string>& events(std::size_t rank) const {
    return events_[rank];
  }
  [[nodiscard]] int end() const { return end_; }

 private:
  static constexpr int kComputing = 7, kCommunicating = 20;

  [[nodiscard]] int took(int time) const { return way_.host ? time : 0; }

  int call(std::size_t rank, std::string_view name, int duration) {
    const int number = ++correlation_;
    if (way_.retained)
      events_[rank].push_back(
          event("cuda_runtime", name, false, 1, host_[rank], took(duration), number));
    host_[rank] += took(duration);
    end_ = std::max(end_, host_[rank]);
    return number;
  }

  void sync() {
    for (std::size_t rank = 0; rank < kPeers; ++rank) {
      const int device = std::max(computed_[rank], communicated_[rank]);
      const int until = way_.syncs ? std::max(device, host_[rank]) : host_[rank];
      events_[rank].push_back(event("cuda_runtime", "cudaDeviceSynchronize", false, 1, host_[rank],
                                    until - host_[rank], ++correlation_));
      host_[rank] = until;
      end_ = std::max(end_, until);
    }
  }

  /// `stream` is to go on when what the other one was given so far is done.
  void wait_for(std::size_t rank, int stream, int other) {
    const int record = call(rank, "cudaEventRecord", kEventCall);
    const int at = host_[rank];
    const int wait = call(rank, "cudaStreamWaitEvent", kEventCall);
    if (!way_.retained) return;
    events_[rank].push_back(event(
        "cuda_sync", "Stream Wait Event", true, stream, at, 0, wait,
        fmt::format(
            R"(, "cuda_sync_kind": "Stream Wait Event", "wait_on_stream": {}, "wait_on_cuda_event_record_corr_id": {})",
            other, record)));
  }

  void launch_step(const Called& one) {
    const bool collective = one.step == Step::collective;
    std::array<int, kPeers> begin{}, number{};
    for (std::size_t rank = 0; rank < kPeers; ++rank) {
      if (collective) wait_for(rank, kCommunicating, kComputing);
      if (one.waits) wait_for(rank, kComputing, kCommunicating);
      number[rank] = call(rank, "cudaLaunchKernel", kOneCall);
      begin[rank] = host_[rank] + took(kReach);
      int& queue = collective ? communicated_[rank] : computed_[rank];
      begin[rank] = std::max(begin[rank], queue);
      if (collective || !way_.overlap) begin[rank] = std::max(begin[rank], computed_[rank]);
      if (one.waits || !way_.overlap) begin[rank] = std::max(begin[rank], communicated_[rank]);
    }
    const int together = *std::max_element(begin.begin(), begin.end());
    for (std::size_t rank = 0; rank < kPeers; ++rank) {
      const int ends = collective ? together + one.duration[0] : begin[rank] + one.duration[rank];
      (collective ? communicated_ : computed_)[rank] = ends;
      end_ = std::max(end_, ends);
      if (!way_.retained) continue;
      events_[rank].push_back(
          collective ? all_reduce(kCommunicating, begin[rank], ends - begin[rank], number[rank])
                     : kernel(one.step == Step::product ? "sgemm" : "vectorized_elementwise",
                              kComputing, begin[rank], one.duration[rank], number[rank]));
    }
  }

  Way way_;
  std::array<std::vector<std::string>, kPeers> events_;
  std::array<int, kPeers> host_{}, computed_{}, communicated_{};
  int correlation_ = 0, end_ = 0;
};

Recorder recorded(const std::vector<Called>& program, const Way& way) {
  Recorder made(way);
  made.record(program);
  return made;
}

/// 8 to 30 of these; half of the programs are bound by their hosts.
std::vector<Called> drawn_calls(std::mt19937_64& random, const std::vector<Step>& steps) {
  std::vector<Called> made;
  const std::size_t many = 8 + random() % 23;
  const unsigned longest = random() % 2 == 0 ? 15 : 200;
  bool communicated = false;
  for (std::size_t i = 0; i < many; ++i) {
    Called one{i == 0 ? Step::product : steps[random() % steps.size()], {}};
    for (int& time : one.duration) time = 2 + 2 * static_cast<int>(random() % longest);
    one.waits = one.step == Step::product && communicated && random() % 2 == 0;
    communicated = communicated || one.step == Step::collective;
    made.push_back(one);
  }
  return made;
}

class WhatIfOrders : public ByHand {
 protected:
  Result<WhatIf> ask(const Recorder& made, const std::vector<std::string>& changes) {
    WhatIfQuestion question;
    for (std::size_t rank = 0; rank < kPeers; ++rank)
      question.base.recorded.traces.push_back(
          write(fmt::format("rank{}.json", rank), made.events(rank), static_cast<int>(rank)));
    question.changes = changes;
    Watch watch;
    return what_if(question, watch);
  }

  /// 200 programs recorded as they are, changed, against the same recorded `other`.
  void compare(const std::vector<Step>& steps, const Way& other,
               const std::vector<std::string>& changes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    int exact = 0, changed = 0;
    for (int pair = 0; pair < kPairs; ++pair) {
      const auto program = drawn_calls(random, steps);
      const Recorder was = recorded(program, {}), is = recorded(program, other);
      const auto predicted = ask(was, changes);
      ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
      EXPECT_EQ(predicted->base.whole, us(was.end())) << pair;
      const auto off = std::abs((predicted->changed->whole - us(is.end())).count());
      EXPECT_LE(off * 100, us(is.end()).count())
          << pair << ": " << was.end() << " us, then "
          << predicted->changed->whole.count() / 1'000'000 << ", recorded so " << is.end();
      exact += off <= us(1).count() ? 1 : 0;
      changed += was.end() != is.end() ? 1 : 0;
    }
    EXPECT_EQ(exact, kPairs);
    EXPECT_GE(changed, kPairs / 2);
  }
};

const std::vector<Step> kAll = {Step::product, Step::elementwise, Step::collective, Step::sync};

TEST_F(WhatIfOrders, WithoutOverlapThereIsOneStream) {
  compare({Step::product, Step::product, Step::collective}, {.overlap = false}, {"overlap=none"},
          31);
}

TEST_F(WhatIfOrders, WithoutSyncsHostsGoOn) {
  compare({Step::product, Step::collective, Step::sync}, {.syncs = false}, {"syncs=none"}, 32);
}

TEST_F(WhatIfOrders, FusedChainsAreOneKernel) {
  compare({Step::product, Step::elementwise, Step::elementwise, Step::collective}, {.fused = true},
          {"fusion=elementwise"}, 33);
}

TEST_F(WhatIfOrders, WithoutTheHostDevicesGoOn) {
  compare({Step::product, Step::elementwise, Step::collective}, {.host = false},
          {"host=0", "launch=0"}, 34);
}

TEST_F(WhatIfOrders, AllAtOnce) {
  compare(kAll, {.overlap = false, .syncs = false}, {"syncs=none", "overlap=none"}, 35);
  compare(kAll, {.overlap = false, .syncs = false}, {"overlap=none", "syncs=none"}, 36);
  compare(kAll, {.syncs = false, .host = false}, {"host=0", "launch=0", "syncs=none"}, 37);
  compare(kAll, {.fused = true}, {"fusion=elementwise"}, 38);
  compare(kAll, {.fused = true, .host = false}, {"fusion=elementwise", "host=0", "launch=0"}, 39);
  compare(kAll, {.overlap = false, .fused = true}, {"fusion=elementwise", "overlap=none"}, 40);
}

/// Every time by a factor of its own, lognormal with a mean of 1.
std::vector<Called> varied_calls(std::vector<Called> program, double sigma,
                                 std::mt19937_64& random) {
  std::lognormal_distribution<double> factor(-sigma * sigma / 2, sigma);
  for (Called& one : program)
    for (int& time : one.duration)
      time = static_cast<int>(std::lround(static_cast<double>(time) * factor(random)));
  return program;
}

// What varies is told as long as recordings that vary so are in the mean: ranks wait for the later.
// Hundreds of works each, since what is told is one draw.
TEST_F(WhatIfOrders, VariesAsRecordingsDo) {
  constexpr double kSigma = 0.1;
  constexpr int kRecordings = 20;
  std::mt19937_64 random(41);
  double told_over_mean = 0, mean_over_base = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    std::vector<Called> program;
    while (program.size() < 300)
      for (Called& one : drawn_calls(random, {Step::product, Step::collective})) {
        for (int& time : one.duration) time = 1000 + 10 * time;
        program.push_back(one);
      }
    const Recorder was = recorded(program, {});
    const auto predicted = ask(was, {fmt::format("variability={}", kSigma)});
    ASSERT_TRUE(predicted.has_value()) << to_string(predicted.error());
    double mean = 0;
    for (int i = 0; i < kRecordings; ++i)
      mean += recorded(varied_calls(program, kSigma, random), {.retained = false}).end() * 1e-6 /
              kRecordings;
    told_over_mean += seconds(predicted->changed->whole) / mean / kPairs;
    mean_over_base += mean / (was.end() * 1e-6) / kPairs;
  }
  EXPECT_GT(mean_over_base, 1.002);
  EXPECT_NEAR(told_over_mean, 1, 0.01);
  RecordProperty("told_over_mean", fmt::format("{:.4f}", told_over_mean));
  RecordProperty("mean_over_base", fmt::format("{:.4f}", mean_over_base));
}

}  // namespace
}  // namespace orrery::study
