// SPDX-License-Identifier: Apache-2.0
#include "orrery/serving/request_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "orrery/config/document.h"
#include "orrery/config/json.h"
#include "orrery/core/text/csv.h"
#include "orrery/core/text/text.h"
#include "orrery/core/text/units.h"

namespace orrery::serving {
namespace {

enum class Column : std::uint8_t {
  seconds,
  milliseconds,
  nanoseconds,
  date,
  input,
  output,
  prefix,
  prefix_tokens,
  hash_ids,
  conversations,
};

struct ColumnName {
  std::string_view name;
  Column column;
};
constexpr std::array kColumns{
    ColumnName{"arrival", Column::seconds},
    ColumnName{"arrived_at", Column::seconds},         // Vidur
    ColumnName{"arrival_timestamp", Column::seconds},  // Splitwise's simulator
    ColumnName{"arrival_time", Column::seconds},
    ColumnName{"queued_ts", Column::seconds},            // vLLM
    ColumnName{"timestamp", Column::milliseconds},       // Mooncake
    ColumnName{"arrival_time_ns", Column::nanoseconds},  // LLMServingSim
    ColumnName{"TIMESTAMP", Column::date},               // Azure
    ColumnName{"input", Column::input},
    ColumnName{"input_toks", Column::input},
    ColumnName{"input_length", Column::input},
    ColumnName{"prompt_len", Column::input},
    ColumnName{"prompt_size", Column::input},
    ColumnName{"num_prefill_tokens", Column::input},
    ColumnName{"ContextTokens", Column::input},
    ColumnName{"output", Column::output},
    ColumnName{"output_toks", Column::output},
    ColumnName{"output_length", Column::output},
    ColumnName{"output_len", Column::output},
    ColumnName{"token_size", Column::output},
    ColumnName{"num_decode_tokens", Column::output},
    ColumnName{"GeneratedTokens", Column::output},
    ColumnName{"prefix", Column::prefix},
    ColumnName{"prefix_tokens", Column::prefix_tokens},
    ColumnName{"hash_ids", Column::hash_ids},
    ColumnName{"conversations", Column::conversations},
};

std::optional<Column> column_of(std::string_view name) {
  const auto* const found = std::ranges::find(kColumns, name, &ColumnName::name);
  if (found == kColumns.end()) return std::nullopt;
  return found->column;
}

/// One row before it is checked.
struct Row {
  std::optional<double> arrival;  ///< seconds
  std::optional<std::int64_t> input, output, prefix, prefix_tokens;
  std::vector<std::uint64_t> hashes;
};

constexpr double kMaxClockSeconds = 1e12;  // before the first arrival is subtracted

Result<void> set_arrival(Row& row, double seconds, const std::string& place) {
  if (!(seconds >= 0 && seconds <= kMaxClockSeconds))
    return fail(Errc::input_range, place, "the arrival is not between 0 and 10^12 seconds",
                "write seconds, milliseconds or a date as docs/serving.md lists");
  row.arrival = seconds;
  return {};
}

Result<void> set_count(std::optional<std::int64_t>& field, double value, std::string_view name,
                       std::int64_t most, const std::string& place) {
  if (!(value >= 0 && value <= static_cast<double>(most) && value == std::floor(value)))
    return fail(Errc::input_range, place,
                fmt::format("{} is not a whole number from 0 to {}", in_quotes(name), most));
  field = static_cast<std::int64_t>(value);
  return {};
}

Result<void> set_value(Row& row, std::string_view name, Column column, double value,
                       const std::string& place) {
  switch (column) {
    case Column::seconds:
      return set_arrival(row, value, place);
    case Column::milliseconds:
      return set_arrival(row, value / 1e3, place);
    case Column::nanoseconds:
      return set_arrival(row, value / 1e9, place);
    case Column::input:
      return set_count(row.input, value, name, kMaxRequestTokens, place);
    case Column::output:
      return set_count(row.output, value, name, kMaxRequestTokens, place);
    case Column::prefix:
      return set_count(row.prefix, value, name, std::int64_t{1} << 53, place);
    case Column::prefix_tokens:
      return set_count(row.prefix_tokens, value, name, kMaxRequestTokens, place);
    default:
      return fail(Errc::input_corrupt, place, fmt::format("{} is a number", in_quotes(name)));
  }
}

/// Days from 1970-01-01. H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400, of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/// Seconds by which the clock of a time zone is ahead of UTC: "Z", "+01", "-08:00" or "+0530" at
/// the end of `text`, which it removes. 0: no zone.
std::optional<std::int64_t> take_zone(std::string_view& text) {
  if (text.ends_with('Z')) text.remove_suffix(1);
  const std::size_t at = text.find_first_of("+-");
  if (at == std::string_view::npos) return 0;
  std::string digits;
  for (const char c : text.substr(at + 1))
    if (c != ':') digits += c;
  const std::size_t size = digits.size();
  if ((size != 2 && size != 4) || digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  digits.resize(4, '0');
  const std::int64_t value = *parse_integer(digits);
  const std::int64_t ahead = value / 100 * 3600 + value % 100 * 60;
  const bool west = text[at] == '-';
  text = text.substr(0, at);
  return west ? -ahead : ahead;
}

/// Seconds of "2023-11-16 18:17:03.9799600", also with 'T' and a time zone.
std::optional<double> date_seconds(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00 00:00:00";
  if (text.size() < kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    const bool blank = kForm[i] == ' ' && (text[i] == ' ' || text[i] == 'T');
    if (kForm[i] == '0' ? !digit : !(blank || text[i] == kForm[i])) return std::nullopt;
  }
  const auto part = [&](std::size_t at, std::size_t count) {
    std::int64_t value = 0;
    for (const char c : text.substr(at, count)) value = value * 10 + (c - '0');
    return value;
  };
  const std::int64_t month = part(5, 2), day = part(8, 2);
  if (month < 1 || month > 12 || day < 1 || day > 31 || part(0, 4) < 1970) return std::nullopt;
  std::string_view rest = text.substr(kForm.size());
  const auto ahead = take_zone(rest);
  if (!ahead) return std::nullopt;
  double fraction = 0;
  if (!rest.empty()) {
    const auto parsed = parse_number("0" + std::string(rest));
    if (!parsed || rest.front() != '.') return std::nullopt;
    fraction = *parsed;
  }
  const std::int64_t whole =
      days_of(part(0, 4), month, day) * 86400 + part(11, 2) * 3600 + part(14, 2) * 60 + part(17, 2);
  return static_cast<double>(whole - *ahead) + fraction;
}

Result<void> add_request(const Row& row, const std::string& place, RequestStream& stream,
                         std::vector<double>& arrivals, Findings& findings) {
  if (!row.input || !row.output)
    return fail(
        Errc::input_missing_attr, place,
        fmt::format("the request has no {}", row.input ? "output" : "input"),
        "\"input\" and \"output\" are numbers of tokens; docs/serving.md lists other names");
  if (static_cast<std::int64_t>(stream.requests.size()) >= kMaxRequests)
    return fail(Errc::limit_exceeded, place,
                fmt::format("a file has at most {} requests", kMaxRequests));
  if (!stream.requests.empty() && row.arrival.has_value() == arrivals.empty())
    return fail(Errc::input_missing_attr, place,
                row.arrival ? "the request has an arrival, earlier ones have none"
                            : "the request has no arrival, earlier ones have one",
                "give all requests an arrival, or none");
  if (row.arrival && !arrivals.empty() &&
      std::abs(*row.arrival - arrivals.front()) > kMaxArrivalSeconds)
    return fail(Errc::limit_exceeded, place,
                fmt::format("the arrival is more than {:.0f} s from the first of the file",
                            kMaxArrivalSeconds),
                "a part of the file (head -n 1000)");
  if (*row.input < 1 || *row.output < 1) findings.add(FindingCode::value_clamped, place);
  Request& one = stream.requests.emplace_back();
  one.input = std::max<std::int64_t>(*row.input, 1);
  one.output = std::max<std::int64_t>(*row.output, 1);
  if (row.prefix)
    one.prefix = {{static_cast<std::uint64_t>(*row.prefix),
                   std::min(row.prefix_tokens.value_or(one.input), one.input)}};
  for (const std::uint64_t hash : row.hashes) one.prefix.push_back({hash, kHashedTokens});
  if (row.arrival) arrivals.push_back(*row.arrival);
  return {};
}

/// Arrivals relative to the first; requests in their order.
void sort_requests(RequestStream& stream, const std::vector<double>& arrivals) {
  if (arrivals.empty()) return;  // all at time 0
  const double first = *std::ranges::min_element(arrivals);
  for (std::size_t i = 0; i < arrivals.size(); ++i)
    stream.requests[i].arrival =
        Time(static_cast<std::int64_t>((arrivals[i] - first) * kPsPerSecond + 0.5));
  std::ranges::stable_sort(stream.requests, {}, &Request::arrival);
}

Result<void> read_hashes(const config::Json& list, Row& row, const std::string& place) {
  if (!list.is_array())
    return fail(Errc::input_corrupt, place, "\"hash_ids\" is a list of whole numbers");
  for (const config::Json& one : list) {
    if (!one.is_number_integer())
      return fail(Errc::input_corrupt, place, "\"hash_ids\" is a list of whole numbers");
    row.hashes.push_back(static_cast<std::uint64_t>(one.get<std::int64_t>()));
  }
  return {};
}

Result<void> read_conversation(const config::Json& turns, Row& row, const std::string& place) {
  const auto tokens = [&](std::size_t at) -> std::optional<std::int64_t> {
    if (!turns.is_array() || turns.size() <= at || !turns[at].is_object()) return std::nullopt;
    const auto value = turns[at].find("value");
    if (value == turns[at].end() || !value->is_string()) return std::nullopt;
    // Bytes that continue a character of UTF-8 are 10xxxxxx.
    const auto length = std::ranges::count_if(value->get_ref<const std::string&>(),
                                              [](char byte) { return (byte & 0xc0) != 0x80; });
    return (length + kCharactersPerToken - 1) / kCharactersPerToken;
  };
  row.input = tokens(0);
  row.output = tokens(1);
  if (row.input && row.output) return {};
  return fail(Errc::input_corrupt, place, "a conversation needs two turns with a \"value\"",
              "leave out conversations without an answer");
}

Result<void> read_object(const config::Json& object, Row& row, const std::string& place) {
  for (const auto& [name, value] : object.items()) {
    const auto column = column_of(name);
    if (!column || value.is_null()) continue;
    Result<void> done{};
    if (*column == Column::hash_ids) {
      done = read_hashes(value, row, place);
    } else if (*column == Column::conversations) {
      done = read_conversation(value, row, place);
    } else if (*column == Column::date) {
      const auto seconds =
          value.is_string() ? date_seconds(value.get_ref<const std::string&>()) : std::nullopt;
      done = seconds ? set_arrival(row, *seconds, place)
                     : fail(Errc::input_corrupt, place, "\"TIMESTAMP\" is not a date");
    } else if (value.is_number()) {
      done = set_value(row, name, *column, value.get<double>(), place);
    } else {
      done = fail(Errc::input_corrupt, place, fmt::format("{} is not a number", in_quotes(name)));
    }
    if (!done) return done;
  }
  return {};
}

Result<void> read_cell(std::string_view name, Column column, std::string_view cell, Row& row,
                       const std::string& place) {
  if (cell.empty()) return {};
  if (column == Column::hash_ids) {
    std::string list(cell);
    if (list.front() != '[') std::ranges::replace(list, ' ', ',');
    const auto parsed = config::parse_json(list.front() == '[' ? list : "[" + list + "]", place);
    if (!parsed) return tl::unexpected(parsed.error());
    return read_hashes(*parsed, row, place);
  }
  if (column == Column::date) {
    const auto seconds = date_seconds(cell);
    if (!seconds)
      return fail(Errc::input_corrupt, place, fmt::format("{} is not a date", in_quotes(cell)),
                  "write 2023-11-16 18:17:03.97");
    return set_arrival(row, *seconds, place);
  }
  if (column == Column::conversations)
    return fail(Errc::input_corrupt, place, "conversations are in JSON Lines only");
  const auto number = parse_number(cell, place);
  if (!number)
    return fail(Errc::input_corrupt, place,
                fmt::format("{}: {} is not a number", name, in_quotes(cell)));
  return set_value(row, name, column, *number, place);
}

Result<RequestStream> parse_lines(TrimmedLineReader& lines, std::string_view line,
                                  Findings& findings) {
  RequestStream stream;
  std::vector<double> arrivals;
  do {
    if (line.empty()) continue;
    const std::string place = lines.place();
    const auto object = config::parse_json(line, place);
    if (!object) {
      Error error = object.error();
      error.code = error.code == Errc::limit_exceeded ? error.code : Errc::input_corrupt;
      return tl::unexpected(std::move(error));
    }
    if (!object->is_object())
      return fail(Errc::input_corrupt, place, "a line is not a JSON object",
                  R"(write {"arrival": 0.5, "input": 1024, "output": 128})");
    Row row;
    if (auto done = read_object(*object, row, place); !done) return tl::unexpected(done.error());
    if (auto done = add_request(row, place, stream, arrivals, findings); !done)
      return tl::unexpected(done.error());
  } while (lines.next(line));
  sort_requests(stream, arrivals);
  return stream;
}

Result<RequestStream> parse_table(TrimmedLineReader& lines, std::string_view line,
                                  Findings& findings) {
  RequestStream stream;
  std::vector<double> arrivals;
  std::vector<std::string_view> cells;
  std::vector<std::string> retained, names;
  std::vector<std::optional<Column>> columns;
  if (!split_csv_row(line, cells, retained))
    return fail(Errc::input_corrupt, lines.place(), "the header is not a row of CSV");
  bool any = false;
  for (const std::string_view cell : cells) {
    names.emplace_back(cell);
    columns.push_back(column_of(cell));
    any = any || columns.back().has_value();
  }
  if (!any)
    return fail(Errc::input_corrupt, lines.place(), "the header has no known column",
                "arrival,input,output; docs/serving.md lists other names");
  while (lines.next(line)) {
    if (line.empty()) continue;
    const std::string place = lines.place();
    if (!split_csv_row(line, cells, retained) || cells.size() != columns.size())
      return fail(Errc::input_corrupt, place,
                  fmt::format("the row does not have {} cells", columns.size()));
    Row row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (!columns[i]) continue;
      if (auto done = read_cell(names[i], *columns[i], cells[i], row, place); !done)
        return tl::unexpected(done.error());
    }
    if (auto done = add_request(row, place, stream, arrivals, findings); !done)
      return tl::unexpected(done.error());
  }
  sort_requests(stream, arrivals);
  return stream;
}

}  // namespace

Result<RequestStream> parse_requests(std::string_view text, const std::string& where,
                                     Findings& findings) {
  TrimmedLineReader lines(text, where);
  std::string_view line;
  bool more = lines.next(line);
  while (more && line.empty()) more = lines.next(line);
  auto stream = !more                 ? Result<RequestStream>(RequestStream{})
                : line.front() == '{' ? parse_lines(lines, line, findings)
                                      : parse_table(lines, line, findings);
  if (stream && stream->requests.empty())
    return fail(Errc::input_empty, where, "the file has no requests",
                "one request a line: arrival,input,output as CSV, or JSON Lines");
  return stream;
}

Result<RequestStream> read_requests(const std::string& path, Findings& findings) {
  const auto text = config::read_text(path, kRequestFileBytes);
  if (!text) {
    Error error = text.error();
    if (error.code == Errc::config_not_found) error.code = Errc::input_not_found;
    return tl::unexpected(std::move(error));
  }
  return parse_requests(*text, path, findings);
}

}  // namespace orrery::serving
