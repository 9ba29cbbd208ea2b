// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/executors/process_executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "orrery/explore/journal/journal.h"

namespace orrery::explore {

namespace {

// Prefixes of messages. The first process sends `space` (name and text follow on separate lines),
// `look` (numbers of points follow), and `end`. The others send `ready` and their threads, `failed`
// and the reason, or `results` and one line per point.
constexpr std::string_view kSpace = "space\n", kLook = "look ", kEnd = "end", kReady = "ready ",
                           kFailed = "failed\n", kAnswers = "results\n";

/// Removes and returns the text before the next `end`, or all text.
std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view piece = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return piece;
}

std::vector<std::uint64_t> numbers_of(std::string_view text) {
  std::vector<std::uint64_t> numbers;
  while (!text.empty()) {
    const std::string_view word = cut(text, ' ');
    std::uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number);
    numbers.push_back(number);
  }
  return numbers;
}

Error wrong_answer(std::uint32_t from) {
  return {Errc::input_mismatch, fmt::format("process {}", from), "sent an unexpected answer",
          "use the same program and the same input files on all machines"};
}

/// Evaluates points by number, and returns the results as text.
std::string answers_to(const SearchSpace& space, Executor& executor, Evaluation evaluation,
                       const std::vector<std::uint64_t>& points) {
  std::vector<std::string> lines(points.size());
  std::vector<PointQuestion> questions;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto asked = spec_at(space, space.at(points[i]));
    if (!asked) {
      lines[i] = failure_line("", asked.error());
      continue;
    }
    std::string key = digest(space, *asked, evaluation);
    questions.push_back({points[i], *std::move(asked), std::move(key)});
    places.push_back(i);
  }
  // The executor with threads of this process never returns an error.
  (void)executor.evaluate_points(
      questions, evaluation, [&](std::size_t place, const PointPrediction& predicted) {
        const PointQuestion& one = questions[place];
        lines[places[place]] =
            predicted.state == State::failed
                ? failure_line(one.digest, *predicted.error)
                : line_of(space, space.at(one.point), evaluation, one.digest, predicted);
      });
  std::string text(kAnswers);
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

ProcessExecutor::~ProcessExecutor() { dismiss_processes(channel_); }

void dismiss_processes(Channel& channel) {
  for (std::uint32_t to = 1; to < channel.count(); ++to) channel.send(to, std::string(kEnd));
}

Result<void> ProcessExecutor::begin(std::string_view text) {
  workers_.resize(channel_.count() - 1);
  for (std::uint32_t to = 1; to < channel_.count(); ++to)
    channel_.send(to, fmt::format("{}{}\n{}", kSpace, space_.where, text));
  std::optional<Error> error;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const Message message = channel_.receive();
    std::string_view said = message.text;
    if (said.starts_with(kReady)) {
      const auto threads = numbers_of(said.substr(kReady.size()));
      worker(message.from).threads = threads.empty() ? 1 : static_cast<std::uint32_t>(threads[0]);
      threads_ += worker(message.from).threads;
      continue;
    }
    const bool failed = said.starts_with(kFailed);
    if (failed) said.remove_prefix(kFailed.size());
    const auto predicted = failed ? parse_journal_entry(said) : std::nullopt;
    if (!error)
      error = predicted && predicted->predicted.error ? *predicted->predicted.error
                                                      : wrong_answer(message.from);
    error->where = fmt::format("process {}: {}", message.from, error->where);
  }
  return error ? tl::unexpected(*std::move(error)) : Result<void>{};
}

bool ProcessExecutor::send_piece(std::uint32_t to, std::span<const PointQuestion> questions,
                                 Evaluation evaluation) {
  // An estimate lasts less than a millisecond, a simulation at least a hundred times as long.
  const std::uint64_t most = evaluation == Evaluation::simulate ? 1 : 32;
  const std::size_t left = questions.size() - next_;
  if (left == 0) return false;
  const std::uint64_t each = std::clamp<std::uint64_t>(left / (4 * threads_), 1, most);
  const Piece piece{next_, next_ + std::min<std::size_t>(left, each * worker(to).threads)};
  std::string text = fmt::format("{}{}", kLook,
                                 evaluation == Evaluation::simulate  ? 1
                                 : evaluation == Evaluation::columns ? 2
                                                                     : 0);
  for (std::size_t i = piece.begin; i < piece.end; ++i)
    text += fmt::format(" {}", questions[i].point);
  channel_.send(to, std::move(text));
  worker(to).pieces.push_back(piece);
  next_ = piece.end;
  return true;
}

Result<void> ProcessExecutor::receive_answer(const Message& message,
                                             std::span<const PointQuestion> questions,
                                             Evaluation evaluation,
                                             const AnswerCallback& answered) {
  std::string_view said = message.text;
  auto& pieces = worker(message.from).pieces;
  if (!said.starts_with(kAnswers) || pieces.empty())
    return tl::unexpected(wrong_answer(message.from));
  said.remove_prefix(kAnswers.size());
  const Piece piece = pieces.front();
  pieces.erase(pieces.begin());
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    auto predicted = parse_journal_entry(cut(said, '\n'));
    if (!predicted) return tl::unexpected(wrong_answer(message.from));
    const std::string& asked = questions[i].digest;
    const std::string wanted =
        asked.empty() ? digest(space_, questions[i].asked, evaluation) : asked;
    const bool failed = predicted->predicted.state == State::failed;
    const bool same = failed || predicted->predicted.provenance->models == models_hash();
    if (predicted->digest != wanted || !same) return tl::unexpected(wrong_answer(message.from));
    answered(i, std::move(predicted->predicted));
  }
  return {};
}

Result<void> ProcessExecutor::evaluate_points(std::span<const PointQuestion> questions,
                                              Evaluation evaluation,
                                              const AnswerCallback& answered) {
  next_ = 0;
  std::size_t open = 0;
  for (int round = 0; round < 2; ++round)
    for (std::uint32_t to = 1; to < channel_.count(); ++to)
      if (send_piece(to, questions, evaluation)) ++open;
  std::optional<Error> error;
  for (; open > 0; --open) {
    const Message message = channel_.receive();
    if (error) continue;  // wait for the pieces that are already distributed
    if (auto fine = receive_answer(message, questions, evaluation, answered); !fine)
      error = fine.error();
    else if (send_piece(message.from, questions, evaluation))
      ++open;
  }
  if (!error) return {};
  for (Worker& one : workers_) one.pieces.clear();
  return tl::unexpected(*std::move(error));
}

void serve_points(Channel& channel, std::uint32_t threads) {
  std::optional<SearchSpace> space;
  std::optional<ThreadsExecutor> executor;
  for (;;) {
    const Message message = channel.receive();
    std::string_view said = message.text;
    if (said == kEnd) return;
    if (said.starts_with(kSpace)) {
      said.remove_prefix(kSpace.size());
      const std::string where(cut(said, '\n'));
      auto read = parse_space(said, where);
      if (!read) {
        channel.send(0, std::string(kFailed) + failure_line("", read.error()));
        continue;
      }
      space = *std::move(read);
      executor.emplace(*space, threads);
      channel.send(0, fmt::format("{}{}", kReady, threads_of(threads)));
    } else if (said.starts_with(kLook) && space) {
      auto numbers = numbers_of(said.substr(kLook.size()));
      const std::uint64_t word = numbers.empty() ? 0 : numbers[0];
      const Evaluation evaluation = word == 1   ? Evaluation::simulate
                                    : word == 2 ? Evaluation::columns
                                                : Evaluation::estimate;
      if (!numbers.empty()) numbers.erase(numbers.begin());
      channel.send(0, answers_to(*space, *executor, evaluation, numbers));
    }
  }
}

}  // namespace orrery::explore
