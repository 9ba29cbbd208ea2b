// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/job/job.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "orrery/core/limits.h"
#include "orrery/core/system/thread_pool.h"
#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {

JobReader::JobReader(const JobOptions& options)
    : options_(options),
      threads_(options.threads != 0 ? options.threads
                                    : std::max(1u, std::thread::hardware_concurrency())) {}

/// The error of the lowest place is returned, whatever ran first.
Result<void> JobReader::parallel(std::size_t first, std::size_t count,
                                 const std::function<Result<void>(std::size_t)>& work) const {
  std::vector<Result<void>> results(count);
  std::atomic<std::size_t> failed = count;
  const auto one = [&](std::size_t i) {
    if (i > failed.load(std::memory_order_relaxed)) return;  // nobody will ask for it
    results[i] = work(first + i);
    if (results[i]) return;
    std::size_t least = failed.load(std::memory_order_relaxed);
    while (i < least && !failed.compare_exchange_weak(least, i)) {
    }
  };
  std::exception_ptr thrown;  // memory that cannot be had
  std::mutex throwing;
  ThreadPool pool(static_cast<std::uint32_t>(std::min<std::size_t>(threads_, count)));
  pool.share(static_cast<std::uint32_t>(count), [&](std::uint32_t left) {
    try {
      one(count - 1 - left);
    } catch (...) {
      const std::lock_guard lock(throwing);
      thrown = std::current_exception();
    }
  });
  if (thrown) std::rethrow_exception(thrown);
  for (Result<void>& result : results) {
    if (!result) return result;
  }
  return {};
}

Result<ReadRank> JobReader::read(std::size_t place) const {
  auto trace = read_rank(job_.ranks[place], std::make_shared<StringPool>());
  if (!trace) return tl::unexpected(trace.error());
  ReadRank out;
  out.trace = std::move(*trace);
  out.dependencies =
      profile::find_dependencies(out.trace.profile, options_.dependencies, out.found);
  if (options_.adjust) options_.adjust(out.trace.profile, out.dependencies);
  return out;
}

/// What a file says at its very end counts more than its number among the others.
void JobReader::take_recorded_ranks(std::vector<RankComms>& comms) {
  std::set<std::uint32_t> distinct;
  bool changed = false;
  const auto said = [&](std::size_t place) {
    const RankFiles& files = job_.ranks[place];
    const bool guessed = files.rank_from == "order";
    return guessed && files.device ? comms[place].rank : files.rank;
  };
  for (std::size_t place = 0; place < comms.size(); ++place) {
    distinct.insert(said(place));
    changed = changed || said(place) != job_.ranks[place].rank;
  }
  if (!changed || distinct.size() != comms.size()) return;
  std::vector<std::size_t> order(comms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return said(a) < said(b); });
  std::vector<RankFiles> ranks;
  std::vector<RankComms> sorted;
  std::vector<std::optional<ReadRank>> retained;
  for (const std::size_t place : order) {
    RankFiles& files = job_.ranks[place];
    if (const std::uint32_t rank = said(place); rank != files.rank) {
      files.rank = rank;
      files.rank_from = "distributedInfo";
    }
    if (kept_[place]) kept_[place]->trace.files = files;
    ranks.push_back(std::move(files));
    sorted.push_back(std::move(comms[place]));
    retained.push_back(std::move(kept_[place]));
  }
  job_.ranks = std::move(ranks);
  comms = std::move(sorted);
  kept_ = std::move(retained);
}

Result<void> JobReader::read_all_ranks() {
  auto ranks = find_ranks(options_, job_.findings);
  if (!ranks) return tl::unexpected(ranks.error());
  job_.ranks = std::move(*ranks);
  const std::size_t count = job_.ranks.size();
  kept_.resize(count);
  std::vector<RankComms> comms(count);
  std::mutex talking;
  std::uint32_t read_so_far = 0;
  std::uint64_t resident = 0;
  const auto survey_one = [&](std::size_t place) -> Result<void> {
    auto rank = read(place);
    if (!rank) return tl::unexpected(rank.error());
    comms[place] = rank_comms(rank->trace.profile, rank->dependencies);
    const std::uint64_t bytes =
        rank->trace.profile.resident_bytes() +
        rank->dependencies.edges.size() * sizeof(profile::Dependency) +
        rank->trace.profile.events.size() * (sizeof(Time) + 3 * sizeof(std::uint32_t));
    const std::lock_guard lock(talking);
    if (resident + bytes <= limits::kJobResidentBytes) {
      resident += bytes;
      kept_[place] = std::move(*rank);
    }
    if (options_.progress) options_.progress(++read_so_far, static_cast<std::uint32_t>(count));
    return {};
  };
  if (auto done = parallel(0, count, survey_one); !done) return done;
  take_recorded_ranks(comms);
  return unite(comms, job_);
}

Result<void> JobReader::for_each(const Step& work, const Step& done) {
  const std::size_t count = job_.ranks.size();
  for (std::size_t first = 0; first < count; first += threads_) {
    const std::size_t some = std::min<std::size_t>(threads_, count - first);
    const auto fetch = [&](std::size_t place) -> Result<void> {
      if (!kept_[place]) {
        auto again = read(place);
        if (!again) return tl::unexpected(again.error());
        kept_[place] = std::move(*again);
      }
      return work ? work(place, *kept_[place]) : Result<void>{};
    };
    if (auto fine = parallel(first, some, fetch); !fine) return fine;
    for (std::size_t place = first; place < first + some; ++place) {
      if (done) {
        if (auto fine = done(place, *kept_[place]); !fine) return fine;
      }
      kept_[place].reset();
    }
  }
  return {};
}

Result<void> unite(std::vector<RankComms>& ranks, Job& job) {
  if (auto fine = unite_groups(ranks, job); !fine) return fine;
  match_comms(job);
  make_order_consistent(ranks, job);
  align_clocks(ranks, job);
  return {};
}

Result<Job> for_each_rank(
    const JobOptions& options,
    const std::function<Result<void>(const Job&, std::size_t place, RankTrace&)>& use) {
  JobReader reader(options);
  if (auto fine = reader.read_all_ranks(); !fine) return tl::unexpected(fine.error());
  const auto one = [&](std::size_t place, ReadRank& rank) -> Result<void> {
    return use ? use(reader.job(), place, rank.trace) : Result<void>{};
  };
  if (auto fine = reader.for_each({}, one); !fine) return tl::unexpected(fine.error());
  return std::move(reader.job());
}

}  // namespace orrery::intake
