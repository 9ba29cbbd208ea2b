// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/flow_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "orrery/core/limits.h"
#include "orrery/intake/messages/line_words.h"

namespace orrery::intake {
namespace {

constexpr std::int64_t kMostFlows = std::numeric_limits<std::uint32_t>::max() / 4;
constexpr int kSecondDigits = 12;  // of picoseconds

Result<Flow> read_flow(const LineWords& line, std::size_t columns) {
  const auto& words = line.words();
  if (words.size() != columns)
    return fail(Errc::input_corrupt, line.place(),
                fmt::format("has {} columns, but the first flow has {}", words.size(), columns));
  const std::size_t first = columns == 7 ? 1 : 0;
  const auto most = static_cast<std::int64_t>(limits::kRanks) - 1;
  const auto from = number_in(words[first], "the source", line.place(), most);
  if (!from) return tl::unexpected(from.error());
  const auto to = number_in(words[first + 1], "the destination", line.place(), most);
  if (!to) return tl::unexpected(to.error());
  const auto size =
      number_in(words[columns - 2], "the number of bytes", line.place(), std::int64_t{1} << 50);
  if (!size) return tl::unexpected(size.error());
  const auto start = time_in(words[columns - 1], kSecondDigits, "the start", line.place());
  if (!start) return tl::unexpected(start.error());
  if (*from == *to || *size == 0)
    return fail(
        Errc::input_range, line.place(),
        *size == 0 ? "the flow has no bytes" : fmt::format("host {} sends to itself", *from));
  return Flow{.from = static_cast<std::uint32_t>(*from),
              .to = static_cast<std::uint32_t>(*to),
              .size = Bytes(*size),
              .start = *start,
              .line = line.number()};
}

}  // namespace

Result<FlowTable> read_flow_list(trace::ByteSource& source, const std::string& where,
                                 Findings& findings) {
  LineWords line(source, where);
  auto more = line.next();
  if (!more) return tl::unexpected(more.error());
  if (!*more) return fail(Errc::input_empty, where, "has no lines");
  const auto declared =
      line.words().size() == 1
          ? number_in(line.words()[0], "the number of flows", line.place(), kMostFlows)
          : Result<std::int64_t>(
                fail(Errc::input_corrupt, line.place(), "must be the number of flows"));
  if (!declared) return tl::unexpected(declared.error());
  if (*declared == 0) return fail(Errc::input_empty, where, "declares no flows");
  FlowTable table;
  std::size_t columns = 0;
  while ((more = line.next()) && *more) {
    if (static_cast<std::int64_t>(table.flows.size()) == *declared) {
      findings.add(FindingCode::attr_ignored, line.place() + ": more lines than flows declared");
      break;
    }
    if (columns == 0) columns = std::clamp<std::size_t>(line.words().size(), 5, 7);
    auto flow = read_flow(line, columns);
    if (!flow) return tl::unexpected(flow.error());
    table.ranks = std::max({table.ranks, flow->from + 1, flow->to + 1});
    table.flows.push_back(*std::move(flow));
  }
  if (!more) return tl::unexpected(more.error());
  if (static_cast<std::int64_t>(table.flows.size()) < *declared)
    return fail(Errc::input_truncated, where,
                fmt::format("declares {} flows, but has {}", *declared, table.flows.size()));
  const Time first =
      std::min_element(table.flows.begin(), table.flows.end(), [](const Flow& a, const Flow& b) {
        return a.start < b.start;
      })->start;
  for (Flow& flow : table.flows) flow.start -= first;
  return table;
}

}  // namespace orrery::intake
