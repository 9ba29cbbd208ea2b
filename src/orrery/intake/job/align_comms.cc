// SPDX-License-Identifier: Apache-2.0
//
// Aligns the communications of two ranks by their order and similarity.
#include <algorithm>

#include "orrery/core/statistics/statistics.h"
#include "orrery/intake/job/job_internal.h"

namespace orrery::intake {
namespace {

const JobComm& use_of(const Job& job, const CommChannel& channel, std::size_t member,
                      std::size_t i) {
  return job.comms[channel.places[member]][channel.uses[member][i]];
}

/// The member with the most uses (the first of several); the others are compared with it.
std::size_t reference_of(const CommChannel& channel) {
  std::size_t best = 0;
  for (std::size_t m = 1; m < channel.uses.size(); ++m) {
    if (channel.uses[m].size() > channel.uses[best].size()) best = m;
  }
  return best;
}

/// Agreement of a member's uses with the reference's, if its first use is the reference's number
/// `shift`.
struct Fit {
  std::int64_t shift = 0;
  std::size_t overlap = 0;
  std::size_t contradictions = 0;
  [[nodiscard]] std::size_t agreements() const { return overlap - contradictions; }
  /// Spread of the differences between ends; ends of one collective coincide.
  std::int64_t spread = 0;
};

Fit fit(const Job& job, const CommChannel& channel, std::size_t ref, std::size_t member,
        std::int64_t shift) {
  constexpr std::size_t kMost = 4096;
  Fit out{shift, 0, 0, 0};
  const auto ref_count = static_cast<std::int64_t>(channel.uses[ref].size());
  const auto member_count = static_cast<std::int64_t>(channel.uses[member].size());
  std::vector<std::int64_t> gaps;
  for (std::int64_t i = std::max<std::int64_t>(0, -shift);
       i < member_count && i + shift < ref_count; ++i) {
    if (out.overlap == kMost) break;
    ++out.overlap;
    const JobComm& a = use_of(job, channel, ref, static_cast<std::size_t>(i + shift));
    const JobComm& b = use_of(job, channel, member, static_cast<std::size_t>(i));
    if (!agree(a, b)) ++out.contradictions;
    gaps.push_back(a.end.count() / 1000 - b.end.count() / 1000);
  }
  if (gaps.empty()) return out;
  const std::int64_t median = upper_median(gaps);
  for (std::int64_t& gap : gaps) gap = std::abs(gap - median);
  out.spread = upper_median(gaps);
  return out;
}

/// Number of the reference's communications before this member's first, because traces may begin in
/// the middle. It is 0 unless another shift finds clearly more partners. If one member has more
/// uses than the other, an equally good shift is also accepted if the ends agree much better,
/// because steps are similar.
std::int64_t shift_of(const Job& job, const CommChannel& channel, std::size_t ref,
                      std::size_t member) {
  const auto ref_count = static_cast<std::int64_t>(channel.uses[ref].size());
  const auto member_count = static_cast<std::int64_t>(channel.uses[member].size());
  const Fit unshifted = fit(job, channel, ref, member, 0);
  if (member_count == 0 || (member_count == ref_count && unshifted.contradictions == 0)) return 0;
  constexpr std::int64_t kFar = 4096;
  const std::int64_t max_shift =
      std::min(kFar, std::min<std::int64_t>(64, member_count) + (ref_count - member_count));
  const std::size_t clearly = 1 + unshifted.overlap / 8;
  Fit best = unshifted;
  for (std::int64_t distance = 1; distance <= max_shift; ++distance) {
    for (const std::int64_t shift : {distance, -distance}) {
      const Fit other = fit(job, channel, ref, member, shift);
      const std::size_t least =
          best.shift == 0 ? best.agreements() + clearly : best.agreements() + 1;
      const bool has_closer_ends = member_count != ref_count && other.overlap == best.overlap &&
                                   other.contradictions == best.contradictions &&
                                   other.spread < best.spread / 2;
      if (other.agreements() >= least || has_closer_ends) best = other;
    }
  }
  return best.shift;
}

/// For each use of the member: the matching use of the reference, or -1. Matches as many agreeing
/// pairs as possible in order.
std::vector<std::int64_t> partners_of(const Job& job, const CommChannel& channel, std::size_t ref,
                                      std::size_t member) {
  const std::size_t ref_count = channel.uses[ref].size(),
                    member_count = channel.uses[member].size();
  std::vector<std::int64_t> out(member_count, -1);
  const auto agrees = [&](std::size_t r, std::size_t m) {
    return agree(use_of(job, channel, ref, r), use_of(job, channel, member, m));
  };
  std::size_t front = 0, back = 0;
  for (; front < member_count && agrees(front, front); ++front)
    out[front] = static_cast<std::int64_t>(front);
  for (; front + back < member_count && agrees(ref_count - 1 - back, member_count - 1 - back);
       ++back)
    out[member_count - 1 - back] = static_cast<std::int64_t>(ref_count - 1 - back);
  const std::size_t rows = ref_count - front - back, columns = member_count - front - back;
  constexpr std::size_t kMost = std::size_t{1} << 24;
  if (columns == 0 || rows >= kMost / columns) {
    for (std::size_t m = front; m < front + columns; ++m)
      out[m] = agrees(m, m) ? static_cast<std::int64_t>(m) : -1;
    return out;
  }
  // best[r][m]: maximum number of pairs from r and m on.
  std::vector<std::uint32_t> best((rows + 1) * (columns + 1), 0);
  const auto at = [&](std::size_t r, std::size_t m) -> std::uint32_t& {
    return best[r * (columns + 1) + m];
  };
  for (std::size_t r = rows; r-- > 0;) {
    for (std::size_t m = columns; m-- > 0;) {
      at(r, m) = std::max(at(r + 1, m), at(r, m + 1));
      if (agrees(front + r, front + m)) at(r, m) = std::max(at(r, m), at(r + 1, m + 1) + 1);
    }
  }
  for (std::size_t r = 0, m = 0; r < rows && m < columns;) {
    if (agrees(front + r, front + m) && at(r, m) == at(r + 1, m + 1) + 1) {
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

Positions align_by_order(const Job& job, const CommChannel& channel) {
  const std::size_t ref = reference_of(channel);
  Positions out(channel.uses.size());
  std::int64_t least = 0;
  for (std::size_t m = 0; m < channel.uses.size(); ++m) {
    const std::int64_t shift = m == ref ? 0 : shift_of(job, channel, ref, m);
    least = std::min(least, shift);
    for (std::size_t i = 0; i < channel.uses[m].size(); ++i)
      out[m].push_back(static_cast<std::int64_t>(i) + shift);
  }
  for (auto& positions : out) {
    for (std::int64_t& position : positions) position -= least;
  }
  return out;
}

/// A use without a partner gets a separate position after all others.
Positions align_by_similarity(const Job& job, const CommChannel& channel) {
  const std::size_t ref = reference_of(channel);
  Positions out(channel.uses.size());
  auto next_free = static_cast<std::int64_t>(channel.uses[ref].size());
  for (std::size_t m = 0; m < channel.uses.size(); ++m) {
    if (m == ref) {
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(channel.uses[m].size()); ++i)
        out[m].push_back(i);
      continue;
    }
    out[m] = partners_of(job, channel, ref, m);
    for (std::int64_t& position : out[m]) {
      if (position < 0) position = next_free++;
    }
  }
  return out;
}

}  // namespace orrery::intake
