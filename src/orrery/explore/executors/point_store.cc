// SPDX-License-Identifier: Apache-2.0
#include "orrery/explore/executors/point_store.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "orrery/core/system/atomic_file.h"

namespace orrery::explore {

namespace {

bool holds_something(const std::string& path) {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  return !none && size > 0;
}

}  // namespace

PointStore::PointStore(const SearchSpace& space, const PointStoreOptions& options)
    : space_(space),
      options_(options),
      file_(options.file),
      own_(options.executor == nullptr ? std::make_unique<ThreadsExecutor>(space, options.threads)
                                       : nullptr),
      executor_(options.executor == nullptr ? *own_ : *options.executor),
      fresh_(space.where),
      estimated_(space),
      simulated_(space) {
  if (options.part > 0) file_ = part_file(options.file, options.part, options.parts);
}

Result<std::unique_ptr<PointStore>> PointStore::open(const SearchSpace& space,
                                                     const PointStoreOptions& options) {
  std::unique_ptr<PointStore> made(new PointStore(space, options));
  if (options.file.empty()) return made;
  // Rewrites the lines of its own file; only reads those of other files.
  std::string own;
  if (auto fine = read_journal_file(made->file_, made->fresh_, made->stored_, made->lines_); !fine)
    return tl::unexpected(fine.error());
  for (const auto& [digest, line] : made->lines_) own += line;
  if (!options.force && made->lines_.empty() && holds_something(made->file_))
    return fail(Errc::output_exists, made->file_,
                "exists, but contains no stored points of a search",
                "choose another name, or overwrite it with --force");
  std::map<std::string, std::string> others;
  if (auto fine = read_journals(options.file, made->fresh_, made->stored_, others); !fine)
    return tl::unexpected(fine.error());
  if (options.part == 0)
    for (auto& [digest, line] : others) made->lines_.insert_or_assign(digest, std::move(line));
  auto begun = LineFile::begin(made->file_, own);
  if (!begun) return tl::unexpected(begun.error());
  made->file_writer_.emplace(*std::move(begun));
  return made;
}

PointStore::Open PointStore::find_stored(const std::vector<std::uint64_t>& points,
                                         std::size_t begin, std::size_t end, Evaluation evaluation,
                                         std::vector<PointPrediction>& predicted) {
  Open open;
  for (std::size_t i = begin; i < end; ++i) {
    auto asked = spec_at(space_, space_.at(points[i]));
    if (!asked) {
      predicted[i].state = State::failed;
      predicted[i].error = asked.error();
      continue;
    }
    std::string key;
    if (file_writer_) {
      key = digest(space_, *asked, evaluation);
      order_.emplace(std::tuple(points[i], evaluation), key);
      if (const auto known = stored_.find(key); known != stored_.end()) {
        if (fresh_.holds(known->second.provenance)) {
          predicted[i] = known->second;
          continue;
        }
        out_of_date_.insert(points[i]);
      }
    }
    open.questions.push_back({points[i], *std::move(asked), std::move(key)});
    open.places.push_back(i);
  }
  return open;
}

void PointStore::store(const PointQuestion& one, Evaluation evaluation,
                       const PointPrediction& predicted) {
  ++evaluated_;
  if (predicted.state == State::failed || !file_writer_ || error_) return;
  stored_.insert_or_assign(one.digest, predicted);
  std::string line = line_of(space_, space_.at(one.point), evaluation, one.digest, predicted);
  if (auto added = file_writer_->add(line); !added) error_ = added.error();
  lines_.insert_or_assign(one.digest, std::move(line));
}

Result<std::vector<PointPrediction>> PointStore::find_results(
    const std::vector<std::uint64_t>& points, Evaluation evaluation, const char* what) {
  // Builds this many questions at a time.
  constexpr std::size_t kBlock = 4096;
  std::vector<PointPrediction> predicted(points.size());
  RunningBest& best = evaluation == Evaluation::simulate ? simulated_ : estimated_;
  PointProgress so_far{what, 0, points.size(), 0, best};
  const auto learn = [&](std::size_t place) {
    ++so_far.done;
    if (!options_.progress) return;
    best.add(points[place], predicted[place]);
    options_.progress(so_far);
  };
  if (options_.progress) options_.progress(so_far);
  for (std::size_t begin = 0; begin < points.size(); begin += kBlock) {
    const std::size_t end = std::min(points.size(), begin + kBlock);
    const Open open = find_stored(points, begin, end, evaluation, predicted);
    for (std::size_t i = begin, next = 0; i < end; ++i) {
      if (next < open.places.size() && open.places[next] == i) {
        ++next;
      } else {
        ++so_far.known;
        learn(i);
      }
    }
    auto asked = executor_.evaluate_points(open.questions, evaluation,
                                           [&](std::size_t place, PointPrediction answer) {
                                             store(open.questions[place], evaluation, answer);
                                             predicted[open.places[place]] = std::move(answer);
                                             learn(open.places[place]);
                                           });
    if (!asked) return tl::unexpected(asked.error());
    if (error_) return tl::unexpected(*error_);
  }
  return predicted;
}

Result<void> PointStore::close() {
  if (!file_writer_) return {};
  file_writer_.reset();
  std::string text;
  std::set<std::string_view> written;
  for (const auto& [place, digest] : order_)
    if (const auto line = lines_.find(digest); line != lines_.end())
      if (written.insert(line->first).second) text += line->second;
  for (const auto& [digest, line] : lines_)
    if (!written.contains(digest)) text += line;
  return write_file_atomically(file_, text, {.force = true});
}

}  // namespace orrery::explore
