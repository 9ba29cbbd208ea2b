// SPDX-License-Identifier: Apache-2.0
#include "orrery/commands/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace orrery::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class NoProgress : public ProgressSink {
 public:
  void begin(const ProgressPhase& /*phase*/, std::uint64_t /*of*/) override {}
  void update(const ProgressPhase& /*phase*/, std::uint64_t /*done*/,
              std::uint64_t /*of*/) override {}
  void clear() override {}
  [[nodiscard]] bool active() const override { return false; }
};

/// Collects notes.
class NotedContext : public Context {
 public:
  mutable std::vector<std::string> notes;

  [[nodiscard]] report::Style out_style() const override { return {}; }
  int fail(const Error& /*error*/, const Findings& /*findings*/) const override { return kDefect; }
  void report_error(const Error& /*error*/) const override {}
  void note(std::string_view text) const override { notes.emplace_back(text); }
  void warn(std::string_view /*text*/) const override {}
  int deliver(std::string_view /*text*/, const std::function<std::string()>& /*to_json*/,
              int code) const override {
    return code;
  }
  [[nodiscard]] std::unique_ptr<ProgressSink> start_progress() const override {
    return std::make_unique<NoProgress>();
  }
  void show_page(const std::string& /*path*/) const override {}
  [[nodiscard]] std::string launcher_variable(const char* /*name*/) const override { return {}; }
  [[nodiscard]] std::string program_file() const override { return {}; }
};

TEST(Progress, NotesASimulationThatTakesLong) {
  NotedContext context;
  ShownWatch watch(context);
  watch.estimated(8, 1'000'000, 29);
  EXPECT_THAT(context.notes, ElementsAre());
  watch.estimated(8, 1'000'000'000, 60);
  EXPECT_THAT(context.notes, ElementsAre("the simulation needs about 60 s of CPU time and 1 "
                                         "GB of memory, by its estimate"));
}

// Picoseconds of more than 107 days do not fit into Time.
TEST(Progress, NotesALimitOfVeryLongSimulations) {
  for (const double seconds : {9.3e6, 1e12}) {
    NotedContext context;
    ShownWatch watch(context);
    watch.estimated(8, 1'000'000'000, seconds);
    ASSERT_EQ(context.notes.size(), 1u);
    EXPECT_THAT(context.notes[0], StartsWith("the simulation needs more than "));
    EXPECT_THAT(context.notes[0], Not(HasSubstr("-")));
  }
}

// Twenty of 3 to 4 s: the first two show that all together take long.
TEST(Progress, NotesSimulationsThatTakeLongTogether) {
  NotedContext context;
  ShownWatch watch(context);
  watch.simulations(20);
  watch.estimated(8, 1'000'000, 1);
  EXPECT_THAT(context.notes, ElementsAre());
  for (int i = 0; i < 19; ++i) watch.estimated(8, 2'000'000, 4);
  EXPECT_THAT(context.notes, ElementsAre("20 simulations need about 50 s of CPU time and 2 "
                                         "MB of memory, by their estimates"));
  // The next question begins anew.
  context.notes.clear();
  watch.simulations(2);
  watch.estimated(8, 1'000'000, 10);
  watch.estimated(8, 1'000'000, 10);
  EXPECT_THAT(context.notes, ElementsAre());
}

}  // namespace
}  // namespace orrery::commands
