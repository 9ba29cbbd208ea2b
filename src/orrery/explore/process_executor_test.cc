// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/executors/process_executor.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "orrery/core/sanitized_testing.h"
#include "orrery/explore/exploration_testing.h"
#include "orrery/explore/journal/journal.h"

namespace orrery::explore {
namespace {

/// Processes that are threads, with a box of messages each.
class Boxes {
 public:
  explicit Boxes(std::uint32_t count) : boxes_(count) {}
  void put(std::uint32_t to, Message message) {
    const std::lock_guard lock(mutex_);
    boxes_[to].push_back(std::move(message));
    more_.notify_all();
  }
  Message take(std::uint32_t of) {
    std::unique_lock lock(mutex_);
    more_.wait(lock, [&] { return !boxes_[of].empty(); });
    Message message = std::move(boxes_[of].front());
    boxes_[of].pop_front();
    return message;
  }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(boxes_.size()); }

 private:
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::deque<Message>> boxes_;
};

class BoxChannel final : public Channel {
 public:
  BoxChannel(Boxes& boxes, std::uint32_t place) : boxes_(boxes), place_(place) {}
  std::uint32_t place() const override { return place_; }
  std::uint32_t count() const override { return boxes_.count(); }
  void send(std::uint32_t to, std::string text) override {
    boxes_.put(to, {place_, std::move(text)});
  }
  Message receive() override { return boxes_.take(place_); }

 private:
  Boxes& boxes_;
  std::uint32_t place_;
};

/// A search by so many processes; all end with it.
Result<ExplorationResult> by_crew(const std::string& text, std::uint32_t processes,
                                  ExploreOptions options) {
  const auto space = space_of(text);
  Boxes boxes(processes);
  std::vector<std::thread> others;
  for (std::uint32_t place = 1; place < processes; ++place)
    others.emplace_back([&boxes, place] {
      BoxChannel channel(boxes, place);
      serve_points(channel, place % 2 + 1);
    });
  BoxChannel channel(boxes, 0);
  Result<ExplorationResult> found;
  {
    ProcessExecutor executor(channel, space);
    options.answers.executor = &executor;
    const auto begun = executor.begin(text);
    found = begun ? explore(space, options) : tl::unexpected(begun.error());
  }
  for (std::thread& other : others) other.join();
  return found;
}

TEST(Crew, FindsAndKeepsWhatOneProcessDoes) {
  for (const char* how : {"all", "latin", "evolve"}) {
    const std::string text = small_space(
        fmt::format("objectives: [step, memory]\nsample: {{how: {}, points: {}, seed: 5}}\n", how,
                    rounds(90, 24)));
    const auto space = space_of(text);
    const Folder folder;
    ExploreOptions options;
    options.answers.file = folder.path + "/alone.jsonl";
    options.answers.threads = 2;
    options.simulated = 4;
    const auto alone = explored(space, options);
    for (const std::uint32_t processes : {2u, 5u}) {
      options.answers.file = fmt::format("{}/by-{}.jsonl", folder.path, processes);
      const auto found = by_crew(text, processes, options);
      ASSERT_TRUE(found) << to_string(found.error());
      EXPECT_EQ(bytes_of(options.answers.file), bytes_of(folder.path + "/alone.jsonl")) << how;
      EXPECT_EQ(found->evaluated, alone.evaluated);
      EXPECT_EQ(found->best, alone.best);
      EXPECT_EQ(found->max_estimate_error, alone.max_estimate_error);
    }
  }
}

TEST(Crew, SaysWhyPointsFail) {
  std::string text = small_space();
  text.replace(text.find("micro: \"=micro\""), 15, "micro: \"=nic/3\"");
  ExploreOptions options;
  const auto alone = explore(space_of(text), options);
  const auto found = by_crew(text, 3, options);
  ASSERT_FALSE(found);
  EXPECT_EQ(to_string(found.error()), to_string(alone.error()));
}

/// Talks to a process executor as if it were the only other process.
Result<void> answered_by(const std::vector<std::string>& said) {
  const std::string text = small_space();
  const auto space = space_of(text);
  Boxes boxes(2);
  for (const std::string& one : said) boxes.put(0, {1, one});
  BoxChannel channel(boxes, 0);
  ProcessExecutor processes(channel, space);
  if (auto begun = processes.begin(text); !begun) return begun;
  const auto asked = spec_at(space, space.at(7));
  const std::vector<PointQuestion> questions{
      {7, *asked, digest(space, *asked, Evaluation::estimate)}};
  return processes.evaluate_points(questions, Evaluation::estimate,
                                   [](std::size_t, const PointPrediction&) {});
}

TEST(Crew, TakesNoAnswerToAnotherQuestion) {
  const auto space = space_of(small_space());
  const auto line = [&](std::uint64_t point, std::string models = {}) {
    const auto asked = spec_at(space, space.at(point));
    Provenance provenance = provenance_of({}, "");
    if (!models.empty()) provenance.models = std::move(models);
    PointPrediction predicted;
    predicted.state = State::illegal;
    predicted.provenance = std::make_shared<const Provenance>(std::move(provenance));
    return line_of(space, space.at(point), Evaluation::estimate,
                   digest(space, *asked, Evaluation::estimate), predicted);
  };
  EXPECT_TRUE(answered_by({"ready 1", "results\n" + line(7)}));
  for (const std::string& wrong :
       {"results\n" + line(8), "results\n" + line(7, "of another build"), std::string("results\n"),
        std::string("milk"), std::string("results\n{\"digest\": 1}\n"),
        "results\n" + line(7).substr(0, 200)}) {
    const auto taken = answered_by({"ready 1", wrong});
    ASSERT_FALSE(taken) << wrong;
    EXPECT_EQ(taken.error().code, Errc::input_mismatch);
    EXPECT_EQ(taken.error().where, "process 1");
  }
  const auto refused = answered_by(
      {"failed\n" + failure_line("", {Errc::config_not_found, "job.yaml", "is not there"})});
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()), "process 1: job.yaml: is not there (E1001)");
}

}  // namespace
}  // namespace orrery::explore
