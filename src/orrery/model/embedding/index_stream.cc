// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/embedding/index_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <unordered_map>

namespace orrery::model {
namespace {

constexpr std::int64_t kNoPlan = std::numeric_limits<std::int64_t>::max();

/// Whole rows by the largest remainders; their sum is `rows`.
std::array<std::int64_t, kReuseBins> rows_by_bin(const ReuseHistogram& shares, std::int64_t rows) {
  std::array<std::int64_t, kReuseBins> whole{};
  std::array<std::size_t, kReuseBins> order{};
  std::array<double, kReuseBins> left{};
  std::int64_t missing = rows;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    const double wanted = shares[bin] * static_cast<double>(rows);
    whole[bin] = static_cast<std::int64_t>(wanted);
    left[bin] = wanted - static_cast<double>(whole[bin]);
    missing -= whole[bin];
    order[bin] = bin;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return left[a] > left[b]; });
  for (std::size_t i = 0; missing > 0 && i < kReuseBins; ++i, --missing) ++whole[order[i]];
  return whole;
}

/// The most lookups of a bin that count: the last one has as many as it takes.
std::int64_t most_of(std::size_t bin, std::int64_t lookups) {
  return bin + 1 == kReuseBins ? std::max(lookups, reuse_bin_minimum(bin)) : reuse_bin_maximum(bin);
}

/// Lookups that so many rows take at the least, or kNoPlan where no number of times is right.
std::int64_t least_lookups(const std::array<std::int64_t, kReuseBins>& rows, std::int64_t lookups) {
  double least = 0, most = 0;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    least += static_cast<double>(rows[bin]) * static_cast<double>(reuse_bin_minimum(bin));
    most += static_cast<double>(rows[bin]) * static_cast<double>(most_of(bin, lookups));
  }
  const auto wanted = static_cast<double>(lookups);
  return least <= wanted && wanted <= most ? static_cast<std::int64_t>(least) : kNoPlan;
}

double distance(const std::array<std::int64_t, kReuseBins>& rows, std::int64_t all,
                const ReuseHistogram& shares) {
  double off = 0;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    off = std::max(
        off, std::abs(static_cast<double>(rows[bin]) / static_cast<double>(all) - shares[bin]));
  return off;
}

/// Spreads what is above the least over the bins, each as far into its range as the others.
void spread(std::int64_t above, std::int64_t lookups, StreamPlan& plan) {
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    plan.lookups_in[bin] = plan.rows_in[bin] * reuse_bin_minimum(bin);
  const auto room = [&](std::size_t bin) {
    // Beyond the last bin's double only what does not fit anywhere else goes.
    const std::int64_t most = bin + 1 == kReuseBins
                                  ? std::min(4 * reuse_bin_minimum(bin), most_of(bin, lookups))
                                  : reuse_bin_maximum(bin);
    return plan.rows_in[bin] * (most - reuse_bin_minimum(bin));
  };
  double all = 0;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) all += static_cast<double>(room(bin));
  const double share = all > 0 ? std::min(1.0, static_cast<double>(above) / all) : 0;
  std::int64_t rest = above;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    const auto more =
        std::min(rest, static_cast<std::int64_t>(share * static_cast<double>(room(bin))));
    plan.lookups_in[bin] += more;
    rest -= more;
  }
  for (std::size_t bin = kReuseBins; rest > 0 && bin-- > 0;) {
    const std::int64_t most =
        bin + 1 == kReuseBins && plan.rows_in[bin] > 0
            ? rest
            : plan.rows_in[bin] * reuse_bin_maximum(bin) - plan.lookups_in[bin];
    const std::int64_t more = std::min(rest, std::max<std::int64_t>(most, 0));
    plan.lookups_in[bin] += more;
    rest -= more;
  }
}

Result<void> check_wish(const StreamRequest& wish) {
  for (const auto& [name, value] :
       {std::pair{"batch", wish.batch}, std::pair{"pooling", wish.pooling},
        std::pair{"rows", wish.rows}})
    if (value < 1) return fail(Errc::usage, name, "has to be 1 or more");
  if (wish.batch > StreamRequest::kMaxLookups / wish.pooling)
    return fail(Errc::limit_exceeded, "batch",
                fmt::format("more than {} lookups", StreamRequest::kMaxLookups),
                "make several batches");
  double sum = 0;
  for (const double share : wish.shares) {
    if (!(share >= 0)) return fail(Errc::usage, "histogram", "a share below zero");
    sum += share;
  }
  if (!(std::abs(sum - 1) < 1e-6))
    return fail(Errc::usage, "histogram", fmt::format("its shares sum to {:.6g}, not to 1", sum));
  return {};
}

}  // namespace

Result<StreamPlan> plan_stream(const StreamRequest& wish) {
  if (auto fine = check_wish(wish); !fine) return tl::unexpected(fine.error());
  const std::int64_t lookups = wish.batch * wish.pooling;
  double rows = 0;
  for (const RowGroup& group : groups_of(wish.shares, lookups)) rows += group.rows;
  // Around the number of rows that fits bins' middles: the nearest that works, or, among the first
  // few hundred, the one whose whole rows are nearest to the shares.
  const auto middle = std::max<std::int64_t>(1, static_cast<std::int64_t>(rows + 0.5));
  StreamPlan best;
  best.off = 2;
  for (std::int64_t away = 0; away <= 2 * middle; ++away) {
    for (const std::int64_t at : {middle + away, middle - away}) {
      if (at < 1 || at > std::min(wish.rows, lookups)) continue;
      const auto by_bin = rows_by_bin(wish.shares, at);
      if (least_lookups(by_bin, lookups) == kNoPlan) continue;
      const double off = distance(by_bin, at, wish.shares);
      if (off < best.off) best = {by_bin, {}, at, off};
    }
    if (best.rows > 0 && (away >= 500 || best.off < 1e-12)) break;
    if (away > 100000 && best.rows == 0) away += away / 100;  // far from the middle: in strides
  }
  if (best.rows == 0)
    return fail(
        Errc::usage, "histogram",
        fmt::format("no {} lookups of at most {} rows are read again like this", lookups,
                    wish.rows),
        fmt::format("about {} different rows would do, or take another batch or pooling", middle));
  spread(lookups - least_lookups(best.rows_in, lookups), lookups, best);
  return best;
}

std::vector<std::int64_t> make_stream(const StreamRequest& wish, const StreamPlan& plan) {
  std::mt19937_64 random(wish.seed);
  // The first places of a shuffled table, of which only what was moved is kept.
  std::unordered_map<std::int64_t, std::int64_t> moved;
  const auto at = [&](std::int64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::int64_t drawn = 0;
  const auto draw = [&] {
    const auto left = static_cast<std::uint64_t>(wish.rows - drawn);
    const std::int64_t place = drawn + static_cast<std::int64_t>(random() % left);
    const std::int64_t row = at(place);
    moved[place] = at(drawn);
    ++drawn;
    return row;
  };
  std::vector<std::int64_t> stream;
  stream.reserve(static_cast<std::size_t>(wish.batch * wish.pooling));
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    const std::int64_t rows = plan.rows_in[bin];
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t times = plan.lookups_in[bin] / rows + (i < plan.lookups_in[bin] % rows);
      stream.insert(stream.end(), static_cast<std::size_t>(times), draw());
    }
  }
  for (std::size_t i = stream.size(); i > 1; --i) std::swap(stream[i - 1], stream[random() % i]);
  return stream;
}

}  // namespace orrery::model
