// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/job/job.h"

#include <algorithm>
#include <atomic>
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

/// Returns the error of the lowest place, independent of the order of execution.
Result<void> JobReader::parallel(std::size_t first, std::size_t count,
                                 const std::function<Result<void>(std::size_t)>& work) const {
  std::vector<Result<void>> results(count);
  std::atomic<std::size_t> failed = count;
  const auto one = [&](std::size_t i) {
    if (i > failed.load(std::memory_order_relaxed)) return;  // its result is not needed
    results[i] = work(first + i);
    if (results[i]) return;
    std::size_t least = failed.load(std::memory_order_relaxed);
    while (i < least && !failed.compare_exchange_weak(least, i)) {
    }
  };
  ThreadPool pool(static_cast<std::uint32_t>(std::min<std::size_t>(threads_, count)));
  pool.parallel_for(static_cast<std::uint32_t>(count),
                    [&](std::uint32_t left) { one(count - 1 - left); });
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

/// Uses the rank at the end of a device file instead of a rank guessed from the order of files.
void JobReader::take_recorded_ranks(std::vector<RankComms>& comms) {
  std::set<std::uint32_t> distinct;
  bool changed = false;
  const auto recorded_rank = [&](std::size_t place) {
    const RankFiles& files = job_.ranks[place];
    const bool guessed = files.rank_from == "order";
    return guessed && files.device ? comms[place].rank : files.rank;
  };
  for (std::size_t place = 0; place < comms.size(); ++place) {
    distinct.insert(recorded_rank(place));
    changed = changed || recorded_rank(place) != job_.ranks[place].rank;
  }
  if (!changed || distinct.size() != comms.size()) return;
  std::vector<std::size_t> order(comms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](auto a, auto b) { return recorded_rank(a) < recorded_rank(b); });
  std::vector<RankFiles> ranks;
  std::vector<RankComms> sorted;
  std::vector<std::optional<ReadRank>> retained;
  for (const std::size_t place : order) {
    RankFiles& files = job_.ranks[place];
    if (const std::uint32_t rank = recorded_rank(place); rank != files.rank) {
      files.rank = rank;
      files.rank_from = "distributedInfo";
    }
    if (resident_ranks_[place]) resident_ranks_[place]->trace.files = files;
    ranks.push_back(std::move(files));
    sorted.push_back(std::move(comms[place]));
    retained.push_back(std::move(resident_ranks_[place]));
  }
  job_.ranks = std::move(ranks);
  comms = std::move(sorted);
  resident_ranks_ = std::move(retained);
}

Result<void> JobReader::read_all_ranks() {
  auto ranks = find_ranks(options_, job_.findings);
  if (!ranks) return tl::unexpected(ranks.error());
  job_.ranks = std::move(*ranks);
  const std::size_t count = job_.ranks.size();
  resident_ranks_.resize(count);
  std::vector<RankComms> comms(count);
  std::mutex progress_mutex;
  std::uint32_t read_so_far = 0;
  std::uint64_t resident = 0;
  const auto read_one = [&](std::size_t place) -> Result<void> {
    auto rank = read(place);
    if (!rank) return tl::unexpected(rank.error());
    comms[place] = rank_comms(rank->trace.profile, rank->dependencies);
    const std::uint64_t bytes =
        rank->trace.profile.resident_bytes() +
        rank->dependencies.edges.size() * sizeof(profile::Dependency) +
        rank->trace.profile.events.size() * (sizeof(Time) + 3 * sizeof(std::uint32_t));
    const std::lock_guard lock(progress_mutex);
    if (resident + bytes <= limits::kJobResidentBytes) {
      resident += bytes;
      resident_ranks_[place] = std::move(*rank);
    }
    if (options_.progress) options_.progress(++read_so_far, static_cast<std::uint32_t>(count));
    return {};
  };
  if (auto done = parallel(0, count, read_one); !done) return done;
  take_recorded_ranks(comms);
  return unite(comms, job_);
}

Result<void> JobReader::for_each(const Step& work, const Step& done) {
  const std::size_t count = job_.ranks.size();
  for (std::size_t first = 0; first < count; first += threads_) {
    const std::size_t batch = std::min<std::size_t>(threads_, count - first);
    const auto fetch = [&](std::size_t place) -> Result<void> {
      if (!resident_ranks_[place]) {
        auto reread = read(place);
        if (!reread) return tl::unexpected(reread.error());
        resident_ranks_[place] = std::move(*reread);
      }
      return work ? work(place, *resident_ranks_[place]) : Result<void>{};
    };
    if (auto fine = parallel(first, batch, fetch); !fine) return fine;
    for (std::size_t place = first; place < first + batch; ++place) {
      if (done) {
        if (auto fine = done(place, *resident_ranks_[place]); !fine) return fine;
      }
      resident_ranks_[place].reset();
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
