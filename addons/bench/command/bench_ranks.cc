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
#include "orrery/commands/output_file.h"
#include "orrery/core/text/text.h"

namespace orrery::commands {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kFailed = "failed ";
constexpr auto kPollInterval = std::chrono::milliseconds(10);

/// A file without a name, deleted with the last process that has it open.
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
  /// The path under which children of this process open it.
  [[nodiscard]] std::string path() const {
    return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
  }

 private:
  int descriptor_;
};

/// A process that replays one rank; the destructor kills it if it still runs.
class RankProcess {
 public:
  RankProcess(std::uint32_t rank, const std::string& question)
      : rank_(rank), question_("question"), answer_("answer"), messages_("messages") {
    if (!question_.write(question)) return;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, question_.descriptor(), 0);
    ::posix_spawn_file_actions_adddup2(&actions, answer_.descriptor(), 1);
    ::posix_spawn_file_actions_adddup2(&actions, messages_.descriptor(), 2);
    std::string program = "/proc/self/exe", word = "bench", what = kPlayRank;
    std::array<char*, 4> arguments = {program.data(), word.data(), what.data(), nullptr};
    if (::posix_spawn(&process_, program.c_str(), &actions, nullptr, arguments.data(), environ) !=
        0)
      process_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
  }
  RankProcess(RankProcess&& other) noexcept
      : rank_(other.rank_),
        process_(std::exchange(other.process_, -1)),
        status_(other.status_),
        question_(std::move(other.question_)),
        answer_(std::move(other.answer_)),
        messages_(std::move(other.messages_)) {}
  RankProcess(const RankProcess&) = delete;
  RankProcess& operator=(const RankProcess&) = delete;
  ~RankProcess() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  /// Whether it has ended or was never started.
  [[nodiscard]] bool has_ended() {
    int status = 0;
    const pid_t gone = process_ > 0 ? ::waitpid(process_, &status, WNOHANG) : 0;
    if (gone > 0) status_ = status;
    if (gone != 0)
      process_ = -1;  // its status is lost if another part of the program waited for it
    return process_ <= 0;
  }
  [[nodiscard]] Result<bench::ReplayOutcome> answer(const bench::ReplayPlan& plan) const {
    const std::string text = answer_.read();
    if (std::string_view(text).starts_with(kFailed)) return failed(text.substr(kFailed.size()));
    if (auto outcome = bench::read_outcome(text, plan)) return outcome;
    std::string why = "its process did not start, or failed";
    if (status_ && WIFSIGNALED(*status_))
      why = fmt::format("signal {} ended its process", WTERMSIG(*status_));
    if (status_ && WIFEXITED(*status_))
      why = fmt::format("its process ended with code {}", WEXITSTATUS(*status_));
    const std::string messages = messages_.read();
    if (!messages.empty()) why += ", and printed: " + messages;
    return failed(why);
  }
  [[nodiscard]] tl::unexpected<Error> failed(std::string_view why) const {
    return fail(Errc::limit_exceeded, fmt::format("replay of rank {}", rank_), printable(why, 300),
                "all ranks were stopped; '--timeout' sets how long a rank waits for others, "
                "'--memory-limit' the memory of each");
  }

 private:
  std::uint32_t rank_;
  pid_t process_ = -1;
  std::optional<int> status_;
  NamelessFile question_, answer_, messages_;
};

/// One line per number, then the plan.
std::string question_of(const RankReplay& rank, const std::vector<std::uint32_t>& ranks,
                        const ReplaySettings& how, const std::string& store) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {}\n{}\n{}", ::getpid(), rank.rank, how.warm_up,
                     how.iterations, how.threads, how.wait_in_gaps ? 1 : 0, how.memory_limit,
                     how.timeout_ms, ranks.size(), fmt::join(ranks, " "), store, rank.text);
}

/// After the first rank succeeds, the others have the timeout of a communication to finish.
Result<std::vector<bench::ReplayOutcome>> wait_for_all(std::vector<RankProcess>& processes,
                                                       const std::vector<RankReplay>& ranks,
                                                       const ReplaySettings& how) {
  std::vector<std::optional<bench::ReplayOutcome>> outcomes(processes.size());
  std::size_t left = processes.size();
  std::optional<Clock::time_point> until;
  while (left > 0) {
    for (std::size_t i = 0; i < processes.size(); ++i) {
      if (outcomes[i] || !processes[i].has_ended()) continue;
      auto answer = processes[i].answer(*ranks[i].plan);
      if (!answer) return tl::unexpected(std::move(answer.error()));
      outcomes[i] = *std::move(answer);
      --left;
      if (!until) until = Clock::now() + std::chrono::milliseconds(how.timeout_ms);
    }
    if (until && Clock::now() > *until) {
      for (std::size_t i = 0; i < processes.size(); ++i)
        if (!outcomes[i])
          return processes[i].failed("it did not finish within the timeout after another rank");
    }
    if (left > 0) std::this_thread::sleep_for(kPollInterval);
  }
  std::vector<bench::ReplayOutcome> all;
  for (auto& outcome : outcomes) all.push_back(*std::move(outcome));
  return all;
}

std::string read_stdin() {
  std::string text;
  std::array<char, 1 << 16> block;
  for (ssize_t got = 0; (got = ::read(0, block.data(), block.size())) > 0;)
    text.append(block.data(), static_cast<std::size_t>(got));
  return text;
}

/// The numbers in the first line of the question; empty if the line is malformed.
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

Result<bench::ReplayOutcome> replay_question(std::string_view question) {
  const auto numbers = numbers_of(take_first_line(question));
  if (numbers.size() < 10 || numbers.size() != 9 + static_cast<std::size_t>(numbers[8]))
    return fail(Errc::usage, "bench play-rank", "is only started by 'bench run'");
  // This process ends with the program that started it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != static_cast<pid_t>(numbers[0])) std::_Exit(kInterrupted);
  ReplaySettings how;
  how.rank = static_cast<std::uint32_t>(numbers[1]);
  how.warm_up = static_cast<std::uint32_t>(numbers[2]);
  how.iterations = static_cast<std::uint32_t>(numbers[3]);
  how.threads = static_cast<std::int32_t>(numbers[4]);
  how.wait_in_gaps = numbers[5] != 0;
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

Result<std::vector<bench::ReplayOutcome>> replay_ranks(const std::vector<RankReplay>& ranks,
                                                       const ReplaySettings& how) {
  std::vector<std::uint32_t> numbers;
  for (const RankReplay& rank : ranks) numbers.push_back(rank.rank);
  const NamelessFile store("store");
  std::vector<RankProcess> processes;
  processes.reserve(ranks.size());
  for (const RankReplay& rank : ranks)
    processes.emplace_back(rank.rank, question_of(rank, numbers, how, store.path()));
  return wait_for_all(processes, ranks, how);
}

int replay_rank(const Context& context) {
  const auto outcome = replay_question(read_stdin());
  if (outcome) return write_output("-", bench::outcome_text(*outcome), false) ? kOk : kSaysNo;
  if (outcome.error().code == Errc::usage) return context.fail(outcome.error());
  (void)write_output("-", std::string(kFailed) + outcome.error().what, false);
  return kSaysNo;
}

}  // namespace orrery::commands
