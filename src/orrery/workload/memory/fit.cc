// SPDX-License-Identifier: Apache-2.0
//
// The nearest specification that fits.
#include "orrery/workload/memory/fit.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "orrery/workload/memory/fit_moves.h"
#include "orrery/workload/program/count.h"

namespace orrery::workload {
namespace {

/// Tasks of all plans that are tried, as they are written, in loops: some microseconds each.
constexpr std::size_t kMostTasks = 1 << 17;

struct Candidate {
  MemoryChange change;
  std::size_t moves = 1;
  std::int32_t disturbance = 0;
};

std::int64_t needed(const MemoryReport& report) {
  return report.roles.empty() ? 0 : report.roles[report.worst].total();
}

class Search {
 public:
  Search(const Spec& spec, std::int64_t capacity, const MemoryOptions& options,
         const TriedSoFar& progress)
      : spec_(spec), capacity_(capacity), options_(options), progress_(progress) {
    spec_.batch.global = spec.global_batch();
    options_.details = false;
  }

  Result<std::vector<MemoryChange>> run(std::size_t most) {
    if (auto fine = legal(spec_); !fine) return tl::unexpected(fine.error());
    Findings said;  // whoever asks has them already
    auto program = assemble(spec_, said);
    if (!program) return tl::unexpected(program.error());
    auto report = account_memory(*program, options_);
    if (!report) return tl::unexpected(report.error());
    if (needed(*report) <= capacity_ || most == 0) return std::vector<MemoryChange>{};
    auto counted = count(*program);
    if (!counted) return tl::unexpected(counted.error());
    flops_ = to_double(counted->flops.all());
    try_all();
    return cheapest(most);
  }

 private:
  void try_all() {
    const std::vector<Move> all = moves(spec_);
    std::vector<bool> enough(all.size());
    std::uint64_t tried = 0;
    const auto told = [&] {
      if (progress_) progress_(++tried, all.size() * (all.size() + 1) / 2);
    };
    for (std::size_t i = 0; i < all.size(); ++i, told()) enough[i] = attempt({&all[i]});
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (std::size_t j = i + 1; j < all.size(); ++j, told()) {
        if (all[i].kind != all[j].kind && !enough[i] && !enough[j]) attempt({&all[i], &all[j]});
      }
    }
  }

  /// Whether it fits with these changes.
  bool attempt(const std::vector<const Move*>& changes) {
    Candidate candidate;
    candidate.change.spec = spec_;
    candidate.moves = changes.size();
    for (const Move* move : changes) {
      const std::string what = move->apply(candidate.change.spec);
      if (what.empty()) return false;
      if (!candidate.change.what.empty()) candidate.change.what += "; ";
      candidate.change.what += what;
      candidate.disturbance += move->disturbance;
    }
    const auto program = assemble_legal(candidate.change.spec);
    if (!program) return false;
    const auto report = account_memory(*program, options_);
    if (!report || needed(*report) > capacity_) return false;
    const auto counted = count(*program);
    if (!counted) return false;
    candidate.change.total = needed(*report);
    candidate.change.cost = std::max(1.0, to_double(counted->flops.all()) / flops_);
    found_.push_back(std::move(candidate));
    return true;
  }

  std::optional<Program> assemble_legal(const Spec& spec) {
    if (tasks_ > kMostTasks || !legal(spec)) return std::nullopt;
    if (spec.schedule.kind == ScheduleKind::file)  // which is read again, pass by pass
      tasks_ += static_cast<std::size_t>(spec.microbatches() * spec.parallel.pp);
    Findings said;  // of a plan that is only tried
    auto program = assemble(spec, said);
    if (!program) return std::nullopt;
    for (const Role& role : program->roles) {
      for (const TaskLoop& loop : role.tasks) tasks_ += loop.tasks.size();
    }
    return std::move(*program);
  }

  std::vector<MemoryChange> cheapest(std::size_t most) {
    const auto key = [](const Candidate& c) {
      return std::tuple(std::llround(c.change.cost * 1000), c.moves, c.disturbance, c.change.total);
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const Candidate& a, const Candidate& b) { return key(a) < key(b); });
    std::vector<MemoryChange> out;
    for (Candidate& candidate : found_) {
      if (out.size() == most) break;
      out.push_back(std::move(candidate.change));
    }
    return out;
  }

  Spec spec_;
  std::int64_t capacity_;
  MemoryOptions options_;
  const TriedSoFar& progress_;
  double flops_ = 0;
  std::size_t tasks_ = 0;  ///< tried so far
  std::vector<Candidate> found_;
};

}  // namespace

Result<std::vector<MemoryChange>> make_it_fit(const Spec& spec, std::int64_t capacity,
                                              std::size_t most, const MemoryOptions& options,
                                              const TriedSoFar& progress) {
  return Search(spec, capacity, options, progress).run(most);
}

Result<std::vector<MemoryChange>> make_it_fit(const Spec& spec, std::int64_t capacity,
                                              std::size_t most, const MemoryOptions& options) {
  return make_it_fit(spec, capacity, most, options, {});
}

}  // namespace orrery::workload
