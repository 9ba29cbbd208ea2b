// SPDX-License-Identifier: Apache-2.0
#include "addons/bench/command/bench_ranks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "addons/bench/outcome/replay_outcome_text.h"
#include "orrery/core/text/text.h"

namespace orrery::app {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kFailed = "failed ";
constexpr auto kLookAgain = std::chrono::milliseconds(10);

/// A file without a name, gone with the last process that has it open.
class NamelessFile {
 public:
  explicit NamelessFile(const char* what) : descriptor_(::memfd_create(what, MFD_CLOEXEC)) {}
  NamelessFile(NamelessFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] bool write(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t done = ::write(descriptor_, text.data(), text.size());
      if (done <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(done));
    }
    return ::lseek(descriptor_, 0, SEEK_SET) == 0;
  }
  [[nodiscard]] std::string read() const {
    std::string text;
    std::array<char, 1 << 16> block;
    off_t at = 0;
    for (ssize_t got = 0; (got = ::pread(descriptor_, block.data(), block.size(), at)) > 0;
         at += got)
      text.append(block.data(), static_cast<std::size_t>(got));
    return text;
  }
  /// By which children of this process open it.
  [[nodiscard]] std::string path() const {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
  }

 private:
  int descriptor_;
};

/// A process that plays one rank; ended with the object, if it has not ended by itself.
class Player {
 public:
  Player(std::uint32_t rank, const std::string& question)
      : rank_(rank), asked_("question"), answered_("answer"), said_("said") {
    if (!asked_.write(question)) return;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, asked_.descriptor(), 0);
    ::posix_spawn_file_actions_adddup2(&actions, answered_.descriptor(), 1);
    ::posix_spawn_file_actions_adddup2(&actions, said_.descriptor(), 2);
    std::string program = "/proc/self/exe", word = "bench", what = kPlayRank;
    std::array<char*, 4> arguments = {program.data(), word.data(), what.data(), nullptr};
    if (::posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ) !=
        0)
      process_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
  }
  Player(Player&& other) noexcept
      : rank_(other.rank_),
        process_(std::exchange(other.process_, -1)),
        status_(other.status_),
        asked_(std::move(other.asked_)),
        answered_(std::move(other.answered_)),
        said_(std::move(other.said_)) {}
  Player(const Player&) = delete;
  Player& operator=(const Player&) = delete;
  ~Player() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  /// Whether it has ended, or never begun.
  [[nodiscard]] bool ended() {
    int status = 0;
    const pid_t gone = process_ > 0 ? ::waitpid(process_, &status, WNOHANG) : 0;
    if (gone > 0) status_ = status;
    if (gone != 0) process_ = -1;  // where nobody keeps it, how it ended is not known
    return process_ <= 0;
  }
  [[nodiscard]] Result<bench::ReplayOutcome> answer(const bench::ReplayPlan& plan) const {
    const std::string text = answered_.read();
    if (std::string_view(text).starts_with(kFailed)) return failed(text.substr(kFailed.size()));
    if (auto outcome = bench::read_outcome(text, plan)) return outcome;
    std::string why = "its process did not begin or did not end well";
    if (status_ && WIFSIGNALED(*status_))
      why = fmt::format("its process was ended by signal {}", WTERMSIG(*status_));
    if (status_ && WIFEXITED(*status_))
      why = fmt::format("its process ended with code {}", WEXITSTATUS(*status_));
    const std::string said = said_.read();
    if (!said.empty()) why += ", and said: " + said;
    return failed(why);
  }
  [[nodiscard]] tl::unexpected<Error> failed(std::string_view why) const {
    return fail(Errc::limit_exceeded, fmt::format("replay of rank {}", rank_), printable(why, 300),
                "all ranks were ended; '--timeout' says how long one waits for others, "
                "'--memory-limit' what memory each may take");
  }

 private:
  std::uint32_t rank_;
  pid_t process_ = -1;
  std::optional<int> status_;
  NamelessFile asked_, answered_, said_;
};

/// A line for each number, then the plan.
std::string question_of(const RankReplay& rank, const std::vector<std::uint32_t>& ranks,
                        const ReplaySettings& how, const std::string& store) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}\n{}\n{}", ::getpid(), rank.rank, how.warm_up,
                     how.iterations, how.threads, how.think ? 1 : 0, how.memory_limit,
                     how.timeout_ms, ranks.size(), fmt::join(ranks, " "), store, rank.text);
}

/// When the first has ended well, the others get as long as a communication may take.
Result<std::vector<bench::ReplayOutcome>> wait_for_all(std::vector<Player>& players,
                                                       const std::vector<RankReplay>& ranks,
                                                       const ReplaySettings& how) {
  std::vector<std::optional<bench::ReplayOutcome>> outcomes(players.size());
  std::size_t left = players.size();
  std::optional<Clock::time_point> until;
  while (left > 0) {
    for (std::size_t i = 0; i < players.size(); ++i) {
      if (outcomes[i] || !players[i].ended()) continue;
      auto answer = players[i].answer(*ranks[i].plan);
      if (!answer) return tl::unexpected(std::move(answer.error()));
      outcomes[i] = *std::move(answer);
      --left;
      if (!until) until = Clock::now() + std::chrono::milliseconds(how.timeout_ms);
    }
    if (until && Clock::now() > *until) {
      for (std::size_t i = 0; i < players.size(); ++i)
        if (!outcomes[i]) return players[i].failed("it was not done when others had been for long");
    }
    if (left > 0) std::this_thread::sleep_for(kLookAgain);
  }
  std::vector<bench::ReplayOutcome> all;
  for (auto& outcome : outcomes) all.push_back(*std::move(outcome));
  return all;
}

std::string all_of_stdin() {
  std::string text;
  std::array<char, 1 << 16> block;
  for (ssize_t got = 0; (got = ::read(0, block.data(), block.size())) > 0;)
    text.append(block.data(), static_cast<std::size_t>(got));
  return text;
}

/// The numbers of the question's first line; empty when it is something else.
std::vector<std::int64_t> numbers_of(std::string_view line) {
  std::vector<std::int64_t> numbers;
  while (!line.empty()) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc{}) return {};
    numbers.push_back(number);
    line.remove_prefix(std::min(static_cast<std::size_t>(end - line.data()) + 1, line.size()));
  }
  return numbers;
}

std::string_view take_first_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

Result<bench::ReplayOutcome> play_asked(std::string_view question) {
  const auto numbers = numbers_of(take_first_line(question));
  if (numbers.size() < 10 || numbers.size() != 9 + static_cast<std::size_t>(numbers[8]))
    return fail(Errc::usage, "bench play-rank", "is what 'bench run' starts by itself");
  // It ends with the program that started it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != static_cast<pid_t>(numbers[0])) std::_Exit(kInterrupted);
  ReplaySettings how;
  how.rank = static_cast<std::uint32_t>(numbers[1]);
  how.warm_up = static_cast<std::uint32_t>(numbers[2]);
  how.iterations = static_cast<std::uint32_t>(numbers[3]);
  how.threads = static_cast<std::int32_t>(numbers[4]);
  how.think = numbers[5] != 0;
  how.memory_limit = numbers[6];
  how.timeout_ms = numbers[7];
  for (std::size_t i = 9; i < numbers.size(); ++i)
    how.ranks.push_back(static_cast<std::uint32_t>(numbers[i]));
  how.store = std::string(take_first_line(question));
  const auto module = BenchModule::load();
  if (!module) return tl::unexpected(module.error());
  return (*module)->play(std::string(question), how);
}

}  // namespace

Result<std::vector<bench::ReplayOutcome>> play_together(const std::vector<RankReplay>& ranks,
                                                        const ReplaySettings& how) {
  std::vector<std::uint32_t> numbers;
  for (const RankReplay& rank : ranks) numbers.push_back(rank.rank);
  const NamelessFile store("store");
  std::vector<Player> players;
  players.reserve(ranks.size());
  for (const RankReplay& rank : ranks)
    players.emplace_back(rank.rank, question_of(rank, numbers, how, store.path()));
  return wait_for_all(players, ranks, how);
}

int play_rank(const Session& session) {
  const auto outcome = play_asked(all_of_stdin());
  if (outcome) return print(bench::outcome_text(*outcome)) ? kOk : kSaysNo;
  if (outcome.error().code == Errc::usage) return session.fail(outcome.error());
  (void)print(std::string(kFailed) + outcome.error().what);
  return kSaysNo;
}

}  // namespace orrery::app
