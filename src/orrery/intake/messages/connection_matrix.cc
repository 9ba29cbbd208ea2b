// SPDX-License-Identifier: Apache-2.0
#include "orrery/intake/messages/connection_matrix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/intake/messages/line_words.h"

namespace orrery::intake {
namespace {

constexpr std::int64_t kMostIds = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;
// Of all triggers: flows that fire × flows that start.
constexpr std::size_t kMostWaits = std::size_t{1} << 22;

/// One trigger, and the flows that name it.
struct MatrixTrigger {
  std::vector<std::uint32_t> fired_by, starts;
  std::string place;  ///< where it is declared; empty: nowhere
  bool barrier = false;
  std::int64_t count = 0;  ///< of a barrier
};

class ConnectionMatrix {
 public:
  ConnectionMatrix(trace::ByteSource& source, const std::string& where, Findings& findings)
      : lines_(source, where), where_(where), findings_(findings) {}

  Result<FlowTable> read() {
    for (;;) {
      const auto more = lines_.next();
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (auto done = read_line(); !done) return tl::unexpected(done.error());
    }
    if (auto done = check_counts(); !done) return tl::unexpected(done.error());
    if (auto done = resolve_triggers(); !done) return tl::unexpected(done.error());
    return std::move(table_);
  }

 private:
  Result<void> read_line() {
    const std::string_view first = lines_.words()[0];
    if (first.find("->") != std::string_view::npos) return read_connection();
    if (first == "trigger") return read_trigger();
    if (first == "failure")
      return fail(Errc::input_unsupported, lines_.place(), "failures of links are not read",
                  "state them in the cluster file (fabric.faults), and remove these lines");
    for (auto& [name, value] : declared_) {
      if (name != first) continue;
      const auto number = value_after(0, name, kMostIds);
      if (!number) return tl::unexpected(number.error());
      value = *number;
      return {};
    }
    return fail(Errc::input_corrupt, lines_.place(),
                fmt::format("{} begins no line of a connection matrix", in_quotes(first)),
                "lines are 'FROM->TO id N start T size BYTES', 'trigger id N oneshot' and counts");
  }

  /// The number after word `at`.
  [[nodiscard]] Result<std::int64_t> value_after(std::size_t at, std::string_view what,
                                                 std::int64_t most) const {
    if (at + 1 >= lines_.words().size())
      return fail(Errc::input_corrupt, lines_.place(), fmt::format("{} has no number", what));
    return number_in(lines_.words()[at + 1], what, lines_.place(), most);
  }

  /// Values of a connection that is being read.
  struct Keys {
    std::optional<Time> start;
    std::optional<std::int64_t> size, trigger;
    std::vector<std::int64_t> fires;  ///< triggers
  };

  Result<void> read_connection() {
    Flow flow;
    flow.line = lines_.number();
    if (auto done = read_ends(lines_.words()[0], flow); !done) return done;
    const auto number = static_cast<std::uint32_t>(table_.flows.size());
    if (number >= kMostIds / 4)
      return fail(Errc::limit_exceeded, lines_.place(), "there are too many flows");
    Keys keys;
    for (std::size_t at = 1; at < lines_.words().size(); ++at) {
      if (lines_.words()[at] == "msg") continue;  // one of several messages of a connection
      if (auto done = read_key(at++, keys); !done) return done;
    }
    if (keys.size.value_or(0) == 0)
      return fail(Errc::input_unsupported, lines_.place(), "a flow without a size never ends",
                  "give its bytes: size 2000000");
    if (keys.start.has_value() == keys.trigger.has_value())
      return fail(keys.start ? Errc::input_mismatch : Errc::input_missing_attr, lines_.place(),
                  keys.start ? "a flow has a start time and a trigger"
                             : "a flow has neither a start time nor a trigger",
                  "give one of them");
    for (const std::int64_t fired : keys.fires) triggers_[fired].fired_by.push_back(number);
    if (keys.trigger) triggers_[*keys.trigger].starts.push_back(number);
    flow.start = keys.start.value_or(Time{});
    flow.size = Bytes(*keys.size);
    table_.flows.push_back(std::move(flow));
    return {};
  }

  Result<void> read_key(std::size_t at, Keys& keys) {
    const std::string_view key = lines_.words()[at];
    constexpr std::string_view kKeys[] = {
        "start", "size", "id", "trigger", "prio", "send_done_trigger", "recv_done_trigger"};
    if (std::find(std::begin(kKeys), std::end(kKeys), key) == std::end(kKeys))
      return fail(Errc::input_corrupt, lines_.place(), fmt::format("{} is unknown", in_quotes(key)),
                  fmt::format("keys are {}", fmt::join(kKeys, ", ")));
    if (key == "start" && at + 1 < lines_.words().size()) {
      const auto time = time_in(lines_.words()[at + 1], 0, key, lines_.place());
      if (!time) return tl::unexpected(time.error());
      keys.start = *time;
      return {};
    }
    const auto value = value_after(at, key, key == "size" ? kMostBytes : kMostIds);
    if (!value) return tl::unexpected(value.error());
    if (key == "size") keys.size = *value;
    if (key == "trigger") keys.trigger = *value;
    if (key.ends_with("_done_trigger")) keys.fires.push_back(*value);
    if (key == "prio") findings_.add(FindingCode::key_without_effect, lines_.place() + ": prio");
    return {};
  }

  Result<void> read_ends(std::string_view word, Flow& flow) const {
    const std::size_t arrow = word.find("->");
    const auto most = static_cast<std::int64_t>(limits::kRanks) - 1;
    const auto from = number_in(word.substr(0, arrow), "the sender", lines_.place(), most);
    if (!from) return tl::unexpected(from.error());
    const auto to = number_in(word.substr(arrow + 2), "the receiver", lines_.place(), most);
    if (!to) return tl::unexpected(to.error());
    if (*from == *to)
      return fail(Errc::input_range, lines_.place(), fmt::format("host {} sends to itself", *from));
    flow.from = static_cast<std::uint32_t>(*from);
    flow.to = static_cast<std::uint32_t>(*to);
    return {};
  }

  Result<void> read_trigger() {
    MatrixTrigger read;
    std::optional<std::int64_t> id;
    int kinds = 0;
    const auto& words = lines_.words();
    for (std::size_t at = 1; at < words.size(); ++at) {
      const std::string_view key = words[at];
      if (key == "oneshot" || key == "multishot" || key == "barrier") {
        ++kinds;
        read.barrier = key == "barrier";
        continue;
      }
      if (key != "id" && key != "count")
        return fail(Errc::input_corrupt, lines_.place(),
                    fmt::format("{} is unknown", in_quotes(key)),
                    "a trigger has an id, and is oneshot, multishot, or barrier with a count");
      const auto value = value_after(at++, key, kMostIds);
      if (!value) return tl::unexpected(value.error());
      (key == "id" ? id.emplace() : read.count) = *value;
    }
    if (!id || kinds != 1)
      return fail(
          Errc::input_missing_attr, lines_.place(),
          id ? "a trigger needs one of oneshot, multishot and barrier" : "a trigger has no id");
    MatrixTrigger& known = triggers_[*id];
    if (!known.place.empty())
      return fail(Errc::input_duplicate_id, lines_.place(),
                  fmt::format("trigger {} is declared twice", *id));
    known.place = lines_.place();
    known.barrier = read.barrier;
    known.count = read.count;
    ++trigger_lines_;
    return {};
  }

  Result<void> check_counts() {
    if (table_.flows.empty()) return fail(Errc::input_empty, where_, "has no connections");
    const auto check = [&](std::optional<std::int64_t> declared, std::size_t found,
                           std::string_view what) -> Result<void> {
      const auto has = static_cast<std::int64_t>(found);
      if (!declared || *declared == has) return {};
      return fail(has < *declared ? Errc::input_truncated : Errc::input_mismatch, where_,
                  fmt::format("declares {} {}, but has {}", *declared, what, has),
                  "htsim refuses the file, too; correct the number or add the lines");
    };
    if (auto fine = check(declared("Connections"), table_.flows.size(), "connections"); !fine)
      return fine;
    if (auto fine = check(declared("Triggers"), trigger_lines_, "triggers"); !fine) return fine;
    if (declared("Failures").value_or(0) > 0)
      return fail(Errc::input_unsupported, where_, "declares failures of links");
    std::uint32_t last = 0;
    for (const Flow& flow : table_.flows) last = std::max({last, flow.from, flow.to});
    const auto nodes = declared("Nodes").value_or(std::int64_t{last} + 1);
    if (nodes > static_cast<std::int64_t>(limits::kRanks))
      return fail(Errc::limit_exceeded, where_, fmt::format("more than {} hosts", limits::kRanks));
    for (const Flow& flow : table_.flows)
      if (std::max(flow.from, flow.to) >= nodes)
        return fail(Errc::input_range, fmt::format("{}:line {}", where_, flow.line),
                    fmt::format("there is no host {}: the file declares {}",
                                std::max(flow.from, flow.to), nodes));
    table_.ranks = static_cast<std::uint32_t>(nodes);
    return {};
  }

  [[nodiscard]] std::optional<std::int64_t> declared(std::string_view name) const {
    return std::find_if(std::begin(declared_), std::end(declared_),
                        [&](const auto& one) { return one.first == name; })
        ->second;
  }

  Result<void> resolve_triggers() {
    std::size_t waits = 0;
    for (const auto& [id, trigger] : triggers_) {
      if (trigger.starts.empty()) continue;
      const std::string first =
          fmt::format("{}:line {}", where_, table_.flows[trigger.starts.front()].line);
      if (trigger.place.empty())
        return fail(Errc::input_dangling_dep, first, fmt::format("trigger {} is not declared", id),
                    fmt::format("add the line 'trigger id {} oneshot'", id));
      const auto fires = static_cast<std::int64_t>(trigger.fired_by.size());
      const std::int64_t needed = trigger.barrier ? trigger.count : 1;
      if (fires < needed || fires == 0)
        return fail(Errc::input_dangling_dep, first,
                    fmt::format("trigger {} never fires: {} flows name it", id, fires));
      if (fires > needed)
        return fail(Errc::input_unsupported, trigger.place,
                    fmt::format("{} flows fire trigger {}, and the first {} of them count", fires,
                                id, needed),
                    "a workload can only wait for all of them: use 'barrier count' with their "
                    "number");
      waits += trigger.fired_by.size() * trigger.starts.size();
      if (waits > kMostWaits)
        return fail(Errc::limit_exceeded, trigger.place,
                    fmt::format("with trigger {}, flows wait for more than {} others in all", id,
                                kMostWaits));
      for (const std::uint32_t flow : trigger.starts) table_.flows[flow].after = trigger.fired_by;
    }
    return {};
  }

  LineWords lines_;
  const std::string& where_;
  Findings& findings_;
  FlowTable table_;
  std::map<std::int64_t, MatrixTrigger> triggers_;
  std::size_t trigger_lines_ = 0;
  std::pair<std::string_view, std::optional<std::int64_t>> declared_[4] = {
      {"Nodes", {}}, {"Connections", {}}, {"Triggers", {}}, {"Failures", {}}};
};

}  // namespace

Result<FlowTable> read_connection_matrix(trace::ByteSource& source, const std::string& where,
                                         Findings& findings) {
  return ConnectionMatrix(source, where, findings).read();
}

}  // namespace orrery::intake
