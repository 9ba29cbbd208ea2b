// SPDX-License-Identifier: Apache-2.0
//
// Which communication of one rank stands where among those of another, as far as order and likeness
// tell it.
#include <algorithm>

#include "orrery/core/statistics/statistics.h"
#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

const JobComm& use_of(const Job& job, const CommLine& line, std::size_t member, std::size_t i) {
  return job.comms[line.places[member]][line.uses[member][i]];
}

/// The member whose uses the others are compared with: the first with the most.
std::size_t reference_of(const CommLine& line) {
  std::size_t best = 0;
  for (std::size_t m = 1; m < line.uses.size(); ++m) {
    if (line.uses[m].size() > line.uses[best].size()) best = m;
  }
  return best;
}

/// How a member's uses would fit the reference's, if its first were the reference's `shift`th.
struct Fit {
  std::int64_t shift = 0;
  std::size_t overlap = 0;
  std::size_t contradictions = 0;
  [[nodiscard]] std::size_t fitting() const { return overlap - contradictions; }
  std::int64_t spread = 0;  ///< of the differences between ends; ends of one collective coincide
};

Fit fit(const Job& job, const CommLine& line, std::size_t ref, std::size_t member,
        std::int64_t shift) {
  constexpr std::size_t kMost = 4096;
  Fit out{shift, 0, 0, 0};
  const auto theirs = static_cast<std::int64_t>(line.uses[ref].size());
  const auto ours = static_cast<std::int64_t>(line.uses[member].size());
  std::vector<std::int64_t> gaps;
  for (std::int64_t i = std::max<std::int64_t>(0, -shift); i < ours && i + shift < theirs; ++i) {
    if (out.overlap == kMost) break;
    ++out.overlap;
    const JobComm& a = use_of(job, line, ref, static_cast<std::size_t>(i + shift));
    const JobComm& b = use_of(job, line, member, static_cast<std::size_t>(i));
    if (!agree(a, b)) ++out.contradictions;
    gaps.push_back(a.end.count() / 1000 - b.end.count() / 1000);
  }
  if (gaps.empty()) return out;
  const std::int64_t median = upper_median(gaps);
  for (std::int64_t& gap : gaps) gap = std::abs(gap - median);
  out.spread = upper_median(gaps);
  return out;
}

/// Traces may begin in the middle: how many of the reference's communications came before this
/// member's first. 0 unless clearly more find a partner otherwise, or (where one has more than the
/// other) as many do and their ends tell them apart: steps are alike.
std::int64_t shift_of(const Job& job, const CommLine& line, std::size_t ref, std::size_t member) {
  const auto theirs = static_cast<std::int64_t>(line.uses[ref].size());
  const auto ours = static_cast<std::int64_t>(line.uses[member].size());
  const Fit unshifted = fit(job, line, ref, member, 0);
  if (ours == 0 || (ours == theirs && unshifted.contradictions == 0)) return 0;
  constexpr std::int64_t kFar = 4096;
  const std::int64_t far = std::min(kFar, std::min<std::int64_t>(64, ours) + (theirs - ours));
  const std::size_t clearly = 1 + unshifted.overlap / 8;
  Fit best = unshifted;
  for (std::int64_t distance = 1; distance <= far; ++distance) {
    for (const std::int64_t shift : {distance, -distance}) {
      const Fit other = fit(job, line, ref, member, shift);
      const std::size_t least = best.shift == 0 ? best.fitting() + clearly : best.fitting() + 1;
      const bool sharper = ours != theirs && other.overlap == best.overlap &&
                           other.contradictions == best.contradictions &&
                           other.spread < best.spread / 2;
      if (other.fitting() >= least || sharper) best = other;
    }
  }
  return best.shift;
}

/// For each of the member's uses which of the reference's it is, or -1: as many pairs that agree as
/// can be had in order.
std::vector<std::int64_t> partners_of(const Job& job, const CommLine& line, std::size_t ref,
                                      std::size_t member) {
  const std::size_t theirs = line.uses[ref].size(), ours = line.uses[member].size();
  std::vector<std::int64_t> out(ours, -1);
  const auto like = [&](std::size_t r, std::size_t m) {
    return agree(use_of(job, line, ref, r), use_of(job, line, member, m));
  };
  std::size_t front = 0, back = 0;
  for (; front < ours && like(front, front); ++front) out[front] = static_cast<std::int64_t>(front);
  for (; front + back < ours && like(theirs - 1 - back, ours - 1 - back); ++back)
    out[ours - 1 - back] = static_cast<std::int64_t>(theirs - 1 - back);
  const std::size_t rows = theirs - front - back, columns = ours - front - back;
  constexpr std::size_t kMost = std::size_t{1} << 24;
  if (columns == 0 || rows >= kMost / columns) {
    for (std::size_t m = front; m < front + columns; ++m)
      out[m] = like(m, m) ? static_cast<std::int64_t>(m) : -1;
    return out;
  }
  // best[r][m]: pairs among what stands from r and m on.
  std::vector<std::uint32_t> best((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t r, std::size_t m) -> std::uint32_t& {
    return best[r * (columns + 1) + m];
  };
  for (std::size_t r = rows; r-- > 0;) {
    for (std::size_t m = columns; m-- > 0;) {
      at(r, m) = std::max(at(r + 1, m), at(r, m + 1));
      if (like(front + r, front + m)) at(r, m) = std::max(at(r, m), at(r + 1, m + 1) + 1);
    }
  }
  for (std::size_t r = 0, m = 0; r < rows && m < columns;) {
    if (like(front + r, front + m) && at(r, m) == at(r + 1, m + 1) + 1) {
      out[front + m++] = static_cast<std::int64_t>(front + r++);
    } else if (at(r + 1, m) == at(r, m)) {
      ++r;
    } else {
      ++m;
    }
  }
  return out;
}

}  // namespace

Positions align_by_order(const Job& job, const CommLine& line) {
  const std::size_t ref = reference_of(line);
  Positions out(line.uses.size());
  std::int64_t least = 0;
  for (std::size_t m = 0; m < line.uses.size(); ++m) {
    const std::int64_t shift = m == ref ? 0 : shift_of(job, line, ref, m);
    least = std::min(least, shift);
    for (std::size_t i = 0; i < line.uses[m].size(); ++i)
      out[m].push_back(static_cast<std::int64_t>(i) + shift);
  }
  for (auto& positions : out) {
    for (std::int64_t& position : positions) position -= least;
  }
  return out;
}

/// What finds no partner gets a position of its own, behind all others.
Positions align_by_similarity(const Job& job, const CommLine& line) {
  const std::size_t ref = reference_of(line);
  Positions out(line.uses.size());
  auto own = static_cast<std::int64_t>(line.uses[ref].size());
  for (std::size_t m = 0; m < line.uses.size(); ++m) {
    if (m == ref) {
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(line.uses[m].size()); ++i)
        out[m].push_back(i);
      continue;
    }
    out[m] = partners_of(job, line, ref, m);
    for (std::int64_t& position : out[m]) {
      if (position < 0) position = own++;
    }
  }
  return out;
}

}  // namespace orrery::intake
