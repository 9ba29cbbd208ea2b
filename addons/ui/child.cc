// SPDX-License-Identifier: Apache-2.0
#include "addons/ui/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "orrery/config/json.h"
#include "orrery/core/error.h"
#include "orrery/core/findings.h"
#include "orrery/report/json/envelope.h"

extern "C" char** environ;

namespace orrery::ui {

/// Both ends of a pipe.
class ChildPipe {
 public:
  ChildPipe() { ok_ = ::pipe2(ends_.data(), O_CLOEXEC) == 0; }
  ~ChildPipe() {
    close(0);
    close(1);
  }
  ChildPipe(const ChildPipe&) = delete;
  ChildPipe& operator=(const ChildPipe&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] int end(int which) const { return ends_[static_cast<std::size_t>(which)]; }
  void close(int which) {
    int& descriptor = ends_[static_cast<std::size_t>(which)];
    if (descriptor >= 0) ::close(descriptor);
    descriptor = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
  bool ok_ = false;
};

namespace {

using config::Json;
constexpr int kPollMs = 50;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Outcome failure(const Question& question, Errc code, const std::string& what, const char* hint) {
  return {exit_code(code),
          report::error_envelope(question.command, {code, question.command, what, hint}, {}),
          {}};
}

/// Its process id; 0: it cannot be started.
pid_t start(const ChildProgram& program, ChildPipe& in, ChildPipe& out) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.end(0), 0);
  posix_spawn_file_actions_adddup2(&actions, out.end(1), 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addchdir_np(&actions, program.folder.c_str());
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);  // Ctrl-C of the terminal goes to the server alone
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::string path = program.program, command = program.command;
  std::array<char*, 3> words{path.data(), command.data(), nullptr};
  pid_t child = 0;
  if (::posix_spawn(&child, path.c_str(), &actions, &attributes, words.data(), environ) != 0)
    child = 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return child;
}

/// The question in one line, with the limit that the process sets itself.
std::string question_line(const ChildProgram& program, const Question& question) {
  Json json;
  json["command"] = question.command;
  json["options"] = question.options;
  json["memory_bytes"] = program.limits.memory_bytes;
  json["cpu_seconds"] = program.limits.seconds * std::max(1u, std::thread::hardware_concurrency());
  json["folder"] = program.folder;
  return dumped(json) + "\n";
}

bool write_whole(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(descriptor, text.data(), text.size());
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

/// Reads the lines of one process.
class Reader {
 public:
  Reader(const std::function<void(const Progress&)>& on_progress) : on_progress_(on_progress) {}

  void add(std::string_view bytes) {
    text_ += bytes;
    std::size_t from = 0;
    for (std::size_t end; (end = text_.find('\n', from)) != std::string::npos; from = end + 1)
      take(std::string_view(text_).substr(from, end - from));
    text_.erase(0, from);
  }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] std::optional<Outcome>& outcome() { return outcome_; }

 private:
  void take(std::string_view line) {
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object()) return;
    if (json.contains("progress")) {
      const Json& one = json["progress"];
      if (on_progress_)
        on_progress_({one.value("phase", ""), one.value("unit", ""),
                      one.value("done", std::uint64_t{0}), one.value("of", std::uint64_t{0})});
    } else if (json.contains("status")) {
      Outcome& made = outcome_.emplace();
      made.status = json.value("status", 70);
      made.document = json.value("document", "");
      if (const auto files = json.find("files"); files != json.end())
        for (const auto& item : files->items())
          made.files[item.key()] = item.value().get<std::string>();
    }
  }

  const std::function<void(const Progress&)>& on_progress_;
  std::string text_;
  std::optional<Outcome> outcome_;
};

enum class End { answered, cancelled, late, too_large };

End read_answer(int from, Reader& reader, const ChildLimits& limits,
                const std::atomic<bool>& cancelled) {
  using Clock = std::chrono::steady_clock;
  const auto started = Clock::now();
  std::array<char, 65536> buffer{};
  while (true) {
    pollfd wait{from, POLLIN, 0};
    const int ready = ::poll(&wait, 1, kPollMs);
    if (cancelled) return End::cancelled;
    if (std::chrono::duration<double>(Clock::now() - started).count() > limits.seconds)
      return End::late;
    if (ready <= 0) continue;
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return End::answered;
    reader.add({buffer.data(), static_cast<std::size_t>(got)});
    if (reader.size() > limits.answer_bytes) return End::too_large;
  }
}

}  // namespace

std::string progress_line(const Progress& progress) {
  return dumped({{"progress",
                  {{"phase", progress.phase},
                   {"unit", progress.unit},
                   {"done", progress.done},
                   {"of", progress.of}}}}) +
         "\n";
}

std::string answer_line(const Outcome& outcome) {
  Json files = Json::object();
  for (const auto& [path, hash] : outcome.files) files[path] = hash;
  return dumped({{"status", outcome.status}, {"document", outcome.document}, {"files", files}}) +
         "\n";
}

/// A process, and the pipes to and from it. Ended and waited for when it goes.
class Children::Process {
 public:
  explicit Process(const ChildProgram& program) {
    if (!in_.ok() || !out_.ok()) return;
    id_ = start(program, in_, out_);
    in_.close(0);
    out_.close(1);
  }
  ~Process() {
    if (id_ == 0) return;
    ::kill(id_, SIGKILL);
    (void)wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] bool is_started() const { return id_ != 0; }
  /// False: the process has ended.
  [[nodiscard]] bool ask(const std::string& line) {
    const bool done = write_whole(in_.end(1), line);
    in_.close(1);
    return done;
  }
  [[nodiscard]] int output() const { return out_.end(0); }
  void kill() const { ::kill(id_, SIGKILL); }
  /// Its status, once it has ended.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = 0;
    return status;
  }

 private:
  ChildPipe in_, out_;
  pid_t id_ = 0;
};

Children::Children(ChildProgram program, std::size_t waiting)
    : program_(std::move(program)), most_waiting_(waiting) {
  fill();
}

Children::~Children() = default;

void Children::fill() {
  const std::lock_guard lock(mutex_);
  while (waiting_.size() < most_waiting_) {
    auto process = std::make_unique<Process>(program_);
    if (!process->is_started()) return;  // the next question tries again
    waiting_.push_back(std::move(process));
  }
}

std::unique_ptr<Children::Process> Children::ask(const Question& question) {
  const std::string line = question_line(program_, question);
  while (true) {
    std::unique_ptr<Process> process;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) break;
      process = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
    }
    if (process->ask(line)) return process;  // else it was ended while it waited
  }
  auto process = std::make_unique<Process>(program_);
  if (!process->is_started()) return nullptr;
  (void)process->ask(line);
  return process;
}

Outcome Children::answer(const Question& question,
                         const std::function<void(const Progress&)>& on_progress,
                         const std::atomic<bool>& cancelled) {
  const auto process = ask(question);
  if (process == nullptr)
    return failure(question, Errc::limit_exceeded, "no process could be started",
                   "too many processes or open files; try again");
  Reader reader(on_progress);
  const End end = read_answer(process->output(), reader, program_.limits, cancelled);
  if (end != End::answered) process->kill();
  const int status = process->wait();
  fill();
  switch (end) {
    case End::cancelled:
      return failure(question, Errc::cancelled, "the caller cancelled it", "");
    case End::late:
      return failure(question, Errc::limit_exceeded,
                     fmt::format("took more than {:g} s", program_.limits.seconds),
                     "ask for less, or start 'orrery ui' with more --job-seconds");
    case End::too_large:
      return failure(question, Errc::limit_exceeded, "the answer is too large", "ask for less");
    case End::answered:
      break;
  }
  if (reader.outcome()) return *std::move(reader.outcome());
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGXCPU))
    return failure(question, Errc::limit_exceeded, "the system ended the process",
                   "it used too much memory or CPU time; ask for less");
  return failure(question, Errc::defect, "the process that answers ended without an answer",
                 "please report the question");
}

}  // namespace orrery::ui
