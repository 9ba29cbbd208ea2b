// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>
#include <utility>

#include "orrery/core/whole_file.h"

namespace orrery::explore {

using search::Gear;

namespace {

bool holds_something(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return !none && size > 0;
}

}  // namespace

Answers::Answers(const SearchSpace& space, const AnswerOptions& options)
    : space_(space),
      options_(options),
      file_(options.file),
      pool_(options.threads > 0 ? options.threads
                                : std::max(1u, std::thread::hardware_concurrency())) {
  if (options.part > 0) file_ += fmt::format(".part-{}-of-{}", options.part, options.parts);
}

Result<std::unique_ptr<Answers>> Answers::open(const SearchSpace& space,
                                               const AnswerOptions& options) {
  std::unique_ptr<Answers> made(new Answers(space, options));
  if (options.file.empty()) return made;
  // What stands in this one's own file is written again; what others have is only known.
  std::string own;
  if (auto fine = read_own(made->file_, made->kept_, made->lines_); !fine)
    return tl::unexpected(fine.error());
  for (const auto& [digest, line] : made->lines_) own += line;
  if (!options.force && made->lines_.empty() && holds_something(made->file_))
    return fail(Errc::output_exists, made->file_, "is there, and nothing that a search kept",
                "take another name, or --force overwrites it");
  std::map<std::string, std::string> others;
  if (auto fine = read_kept(options.file, made->kept_, others); !fine)
    return tl::unexpected(fine.error());
  if (options.part == 0) made->lines_.merge(others);
  auto begun = space::KeptFile::begin(made->file_, own);
  if (!begun) return tl::unexpected(begun.error());
  made->kept_file_.emplace(*std::move(begun));
  return made;
}

std::vector<Answers::Open> Answers::look_up(const std::vector<std::uint64_t>& points,
                                            std::size_t begin, std::size_t end, Gear gear,
                                            std::vector<Told>& told) {
  std::vector<Open> open;
  for (std::size_t i = begin; i < end; ++i) {
    auto asked = asked_at(space_, space_.at(points[i]));
    if (!asked) {
      told[i].state = State::failed;
      told[i].error = asked.error();
      continue;
    }
    if (!kept_file_) {
      open.push_back({i, points[i], *std::move(asked), ""});
      continue;
    }
    std::string key = digest(space_, *asked, gear);
    order_.emplace(std::tuple(points[i], gear == Gear::simulate), key);
    if (const auto known = kept_.find(key); known != kept_.end()) {
      told[i] = known->second;
    } else {
      open.push_back({i, points[i], *std::move(asked), std::move(key)});
    }
  }
  return open;
}

void Answers::keep(const Open& one, Gear gear, const Told& told) {
  const std::lock_guard lock(mutex_);
  ++found_out_;
  if (told.state == State::failed || !kept_file_ || error_) return;
  kept_.emplace(one.digest, told);
  std::string line = line_of(space_, space_.at(one.point), gear, one.digest, told);
  if (auto added = kept_file_->add(line); !added) error_ = added.error();
  lines_.emplace(one.digest, std::move(line));
}

std::unique_ptr<Evaluator> Answers::take() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Evaluator>(space_);
  auto evaluator = std::move(idle_.back());
  idle_.pop_back();
  return evaluator;
}

void Answers::give_back(std::unique_ptr<Evaluator> evaluator) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(evaluator));
}

void Answers::find_out(const std::vector<Open>& open, Gear gear, std::vector<Told>& told,
                       const std::function<void()>& one_more) {
  // A few neighbours at a time, which most often are of the same cluster.
  constexpr std::size_t kTogether = 8;
  const auto pieces = static_cast<std::uint32_t>((open.size() + kTogether - 1) / kTogether);
  pool_.share(pieces, [&](std::uint32_t piece) {
    auto evaluator = take();
    const std::size_t end = std::min(open.size(), (piece + std::size_t{1}) * kTogether);
    for (std::size_t i = piece * kTogether; i < end; ++i) {
      told[open[i].place] = evaluator->tell(open[i].asked, gear);
      keep(open[i], gear, told[open[i].place]);
      one_more();
    }
    give_back(std::move(evaluator));
  });
}

Result<std::vector<Told>> Answers::tell(const std::vector<std::uint64_t>& points, Gear gear,
                                        const char* what) {
  // What is asked is put together for so many at a time.
  constexpr std::size_t kBlock = 4096;
  std::vector<Told> told(points.size());
  std::size_t done = 0;
  const auto say = [&] {
    if (options_.progress) options_.progress(what, done, points.size());
  };
  say();
  for (std::size_t begin = 0; begin < points.size(); begin += kBlock) {
    const std::size_t end = std::min(points.size(), begin + kBlock);
    const auto open = look_up(points, begin, end, gear, told);
    done += end - begin - open.size();
    find_out(open, gear, told, [&] {
      const std::lock_guard lock(mutex_);
      ++done;
      say();
    });
    if (error_) return tl::unexpected(*error_);
  }
  return told;
}

Result<void> Answers::close() {
  if (!kept_file_) return {};
  std::string text;
  std::set<std::string_view> written;
  for (const auto& [place, digest] : order_)
    if (const auto line = lines_.find(digest); line != lines_.end())
      if (written.insert(line->first).second) text += line->second;
  for (const auto& [digest, line] : lines_)
    if (!written.contains(digest)) text += line;
  return write_whole(file_, text, {.force = true});
}

}  // namespace orrery::explore
