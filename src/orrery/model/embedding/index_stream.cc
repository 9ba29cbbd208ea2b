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

/// Integer numbers of rows by bin, by the largest remainders; their sum is `rows`.
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

/// Maximum number of lookups of a row in a bin; in the last bin all lookups.
std::int64_t most_of(std::size_t bin, std::int64_t lookups) {
  return bin + 1 == kReuseBins ? std::max(lookups, reuse_bin_minimum(bin)) : reuse_bin_maximum(bin);
}

/// Minimum number of lookups of these rows. kNoPlan: `lookups` is not possible with them.
std::int64_t least_lookups(const std::array<std::int64_t, kReuseBins>& rows, std::int64_t lookups) {
  double minimum = 0, maximum = 0;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin) {
    minimum += static_cast<double>(rows[bin]) * static_cast<double>(reuse_bin_minimum(bin));
    maximum += static_cast<double>(rows[bin]) * static_cast<double>(most_of(bin, lookups));
  }
  const auto wanted = static_cast<double>(lookups);
  return minimum <= wanted && wanted <= maximum ? static_cast<std::int64_t>(minimum) : kNoPlan;
}

double distance(const std::array<std::int64_t, kReuseBins>& rows, std::int64_t all,
                const ReuseHistogram& shares) {
  double off = 0;
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    off = std::max(
        off, std::abs(static_cast<double>(rows[bin]) / static_cast<double>(all) - shares[bin]));
  return off;
}

/// Distributes the lookups above the minimum over the bins, in proportion to the range of each.
void spread(std::int64_t above, std::int64_t lookups, StreamPlan& plan) {
  for (std::size_t bin = 0; bin < kReuseBins; ++bin)
    plan.lookups_in[bin] = plan.rows_in[bin] * reuse_bin_minimum(bin);
  const auto room = [&](std::size_t bin) {
    // The last bin gets more than four times its minimum only if all other bins are full.
    const std::int64_t maximum = bin + 1 == kReuseBins
                                     ? std::min(4 * reuse_bin_minimum(bin), most_of(bin, lookups))
                                     : reuse_bin_maximum(bin);
    return plan.rows_in[bin] * (maximum - reuse_bin_minimum(bin));
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
    const std::int64_t maximum =
        bin + 1 == kReuseBins && plan.rows_in[bin] > 0
            ? rest
            : plan.rows_in[bin] * reuse_bin_maximum(bin) - plan.lookups_in[bin];
    const std::int64_t more = std::min(rest, std::max<std::int64_t>(maximum, 0));
    plan.lookups_in[bin] += more;
    rest -= more;
  }
}

Result<void> check_request(const StreamRequest& request) {
  for (const auto& [name, value] :
       {std::pair{"batch", request.batch}, std::pair{"pooling", request.pooling},
        std::pair{"rows", request.rows}})
    if (value < 1) return fail(Errc::usage, name, "must be 1 or more");
  if (request.batch > StreamRequest::kMaxLookups / request.pooling)
    return fail(Errc::limit_exceeded, "batch",
                fmt::format("more than {} lookups", StreamRequest::kMaxLookups),
                "use several batches");
  double sum = 0;
  for (const double share : request.shares) {
    if (!(share >= 0)) return fail(Errc::usage, "histogram", "a share is negative");
    sum += share;
  }
  if (!(std::abs(sum - 1) < 1e-6))
    return fail(Errc::usage, "histogram", fmt::format("its shares sum to {:.6g}, not to 1", sum));
  return {};
}

}  // namespace

Result<StreamPlan> plan_stream(const StreamRequest& request) {
  if (auto fine = check_request(request); !fine) return tl::unexpected(fine.error());
  const std::int64_t lookups = request.batch * request.pooling;
  double rows = 0;
  for (const RowGroup& group : groups_of(request.shares, lookups)) rows += group.rows;
  // Searches numbers of rows around the one that fits the middles of the bins. Selects the best
  // match of the shares among numbers that differ by at most 500, or the nearest possible number.
  const auto middle = std::max<std::int64_t>(1, static_cast<std::int64_t>(rows + 0.5));
  StreamPlan best;
  best.max_deviation = 2;
  for (std::int64_t away = 0; away <= 2 * middle; ++away) {
    for (const std::int64_t at : {middle + away, middle - away}) {
      if (at < 1 || at > std::min(request.rows, lookups)) continue;
      const auto by_bin = rows_by_bin(request.shares, at);
      if (least_lookups(by_bin, lookups) == kNoPlan) continue;
      const double off = distance(by_bin, at, request.shares);
      if (off < best.max_deviation) best = {by_bin, {}, at, off};
    }
    if (best.rows > 0 && (away >= 500 || best.max_deviation < 1e-12)) break;
    if (away > 100000 && best.rows == 0) away += away / 100;  // larger steps far from the middle
  }
  if (best.rows == 0)
    return fail(
        Errc::usage, "histogram",
        fmt::format("{} lookups of at most {} rows cannot have this reuse", lookups, request.rows),
        fmt::format("use about {} different rows, or another batch or pooling", middle));
  spread(lookups - least_lookups(best.rows_in, lookups), lookups, best);
  return best;
}

std::vector<std::int64_t> make_stream(const StreamRequest& request, const StreamPlan& plan) {
  std::mt19937_64 random(request.seed);
  // The first places of a shuffled table; stores only the rows that were moved.
  std::unordered_map<std::int64_t, std::int64_t> moved;
  const auto at = [&](std::int64_t place) {
    const auto found = moved.find(place);
    return found == moved.end() ? place : found->second;
  };
  std::int64_t drawn = 0;
  const auto draw = [&] {
    const auto left = static_cast<std::uint64_t>(request.rows - drawn);
    const std::int64_t place = drawn + static_cast<std::int64_t>(random() % left);
    const std::int64_t row = at(place);
    moved[place] = at(drawn);
    ++drawn;
    return row;
  };
  std::vector<std::int64_t> stream;
  stream.reserve(static_cast<std::size_t>(request.batch * request.pooling));
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
