// SPDX-License-Identifier: Apache-2.0
#include "addons/split_bandwidth/split_arguments.h"

#include <string_view>
#include <utility>

#include "addons/split_bandwidth/limits.h"
#include "orrery/core/text/suggest.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::split_bandwidth {

namespace {

Result<std::uint32_t> dimension(std::string_view word, const std::string& where) {
  const auto read = parse_integer(word, where);
  if (!read) return tl::unexpected(read.error());
  if (*read < 0 || *read >= static_cast<std::int64_t>(limits::kDims))
    return fail(Errc::config_range, where, in_quotes(word) + " is not a dimension",
                "dimensions are numbered from 0, innermost first");
  return static_cast<std::uint32_t>(*read);
}

Result<void> read_bounds(const std::vector<std::string>& texts, const std::string& where,
                         std::vector<std::pair<std::uint32_t, Bandwidth>>& out) {
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      return fail(Errc::usage, where, in_quotes(text) + " is not a bound of a dimension",
                  where + " '1=50 GB/s'");
    const auto dim = dimension(std::string_view(text).substr(0, equals), where);
    if (!dim) return tl::unexpected(dim.error());
    const auto rate = parse_bandwidth(std::string_view(text).substr(equals + 1), where);
    if (!rate) return tl::unexpected(rate.error());
    out.emplace_back(*dim, *rate);
  }
  return {};
}

}  // namespace

std::vector<std::string_view> objective_names() { return {"time", "time-cost"}; }

Result<void> read_options(const SplitArguments& words, SplitQuestion& asked) {
  if (!words.total.empty()) {
    const auto total = parse_bandwidth(words.total, "--total");
    if (!total) return tl::unexpected(total.error());
    asked.total = *total;
  }
  if (auto known = one_of("--objective", words.objective, objective_names()); !known) return known;
  asked.objective = words.objective == "time" ? SplitObjective::time : SplitObjective::time_cost;
  if (words.costs.empty() == (asked.objective == SplitObjective::time_cost))
    return fail(Errc::usage, "--cost",
                words.costs.empty() ? "is missing" : "applies only to --objective time-cost",
                "give the cost of 1 GB/s in each dimension: --objective time-cost --cost 2,2,57.4");
  if (!words.costs.empty())
    for (const std::string_view piece : list_items(words.costs)) {
      const auto cost = parse_number(piece, "--cost");
      if (!cost) return tl::unexpected(cost.error());
      asked.costs.push_back(*cost);
    }
  if (auto read = read_bounds(words.lower, "--min-bandwidth", asked.lower); !read) return read;
  if (auto read = read_bounds(words.upper, "--max-bandwidth", asked.upper); !read) return read;
  if (words.order.empty()) return {};
  std::vector<std::uint32_t> order;
  for (const std::string_view piece : list_items(words.order)) {
    const auto dim = dimension(piece, "--order");
    if (!dim) return tl::unexpected(dim.error());
    order.push_back(*dim);
  }
  for (std::size_t i = 0; i + 1 < order.size(); ++i)
    asked.order.emplace_back(order[i], order[i + 1]);
  return {};
}

}  // namespace orrery::split_bandwidth
