// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "orrery/core/limits.h"
#include "orrery/core/text/text.h"
#include "orrery/trace/indices/index_formats.h"

namespace orrery::trace {
namespace {

using std::string_view;

constexpr string_view kSeparators = " \t\r,;";

/// Removes and returns the text's next word; empty at the end. Consecutive blanks and commas are
/// one separator.
string_view take_word(string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(kSeparators), text.size());
  const std::size_t end = std::min(text.find_first_of(kSeparators, begin), text.size());
  const string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

/// Column numbers of a CSV row.
struct IndexColumns {
  std::size_t count = 0;
  std::size_t index = 0;
  std::optional<std::size_t> table, bag;
};

class IndexText {
 public:
  IndexText(Window& window, const std::string& where) : window_(window), where_(where) {}

  Result<std::vector<TableLookups>> read() {
    for (string_view line;;) {
      const Result<bool> more = next(line);
      if (!more) return tl::unexpected(more.error());
      if (!*more) break;
      if (line.starts_with('#')) continue;
      Result<void> fine;
      if (columns_) {
        fine = row(line);
      } else if (tables_.empty() && starts_with_letter(line)) {
        fine = header(line);
      } else {
        fine = bag(line);
      }
      if (!fine) return tl::unexpected(fine.error());
    }
    for (TableLookups& table : tables_)
      if (columns_) table.ends.push_back(static_cast<std::int64_t>(table.indices.size()));
    return std::move(tables_);
  }

 private:
  static bool starts_with_letter(string_view line) {
    const string_view word = take_word(line);
    return !word.empty() && ((word[0] | 0x20) >= 'a' && (word[0] | 0x20) <= 'z');
  }

  Result<bool> next(string_view& line) {
    window_.consume(line_bytes_);
    line_bytes_ = 0;
    ++line_number_;
    for (std::size_t seen = 0;;) {
      const std::size_t end = window_.text().find('\n', seen);
      if (end != string_view::npos) {
        line = window_.text().substr(0, end);
        line_bytes_ = end + 1;
        break;
      }
      seen = window_.size();
      if (seen > limits::kJsonElementBytes)
        return fail(Errc::limit_exceeded, place(),
                    fmt::format("a line longer than {} MiB", limits::kJsonElementBytes >> 20));
      const Result<bool> more = window_.need(std::max<std::size_t>(4096, 2 * seen));
      if (!more) return more;
      if (*more || window_.size() > seen) continue;
      if (seen == 0) return false;
      line = window_.text();
      line_bytes_ = seen;
      break;
    }
    if (line_number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    return true;
  }

  [[nodiscard]] std::string place() const { return fmt::format("{}:{}", where_, line_number_); }

  Result<std::int64_t> number(string_view word) const {
    std::int64_t value = 0;
    const char* const end = word.data() + word.size();
    const auto [at, error] = std::from_chars(word.data(), end, value);
    if (error == std::errc::result_out_of_range || (error == std::errc() && at == end && value < 0))
      return fail(Errc::input_range, place(), fmt::format("{} is not an index", in_quotes(word)),
                  "indices must be 0 or more");
    if (error != std::errc() || at != end)
      return fail(Errc::input_corrupt, place(), fmt::format("{} is not an index", in_quotes(word)),
                  "use one bag per line, with whole numbers separated by commas or blanks; or CSV "
                  "with columns table,bag,index; or a .npy file");
    return value;
  }

  Result<void> add(TableLookups& to, std::int64_t index) {
    if (++count_ > kMaximumIndices)
      return fail(Errc::limit_exceeded, place(),
                  fmt::format("more than {} indices", kMaximumIndices),
                  "pass one batch, or one table, at a time");
    to.indices.push_back(index);
    return {};
  }

  Result<void> bag(string_view line) {
    if (tables_.empty()) tables_.emplace_back();
    for (string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      const auto index = number(word);
      if (!index) return tl::unexpected(index.error());
      if (auto fine = add(tables_.front(), *index); !fine) return fine;
    }
    tables_.front().ends.push_back(static_cast<std::int64_t>(tables_.front().indices.size()));
    return {};
  }

  Result<void> header(string_view line) {
    IndexColumns columns;
    bool has_index = false;
    for (string_view word = take_word(line); !word.empty();
         word = take_word(line), ++columns.count) {
      if (word == "index" && !has_index) {
        columns.index = columns.count;
        has_index = true;
      } else if (word == "table" && !columns.table) {
        columns.table = columns.count;
      } else if (word == "bag" && !columns.bag) {
        columns.bag = columns.count;
      } else {
        return fail(Errc::input_unsupported, place(),
                    fmt::format("unknown or repeated column {}", in_quotes(word)),
                    "columns are index and, optionally, table and bag");
      }
    }
    if (!has_index)
      return fail(Errc::input_unsupported, place(), "no column is named index",
                  "columns are index and, optionally, table and bag");
    columns_ = columns;
    return {};
  }

  Result<void> row(string_view line) {
    string_view cells[3];
    std::size_t found = 0;
    for (string_view word = take_word(line); !word.empty(); word = take_word(line), ++found)
      if (found < 3) cells[found] = word;
    if (found == 0) return {};
    if (found != columns_->count)
      return fail(Errc::input_corrupt, place(),
                  fmt::format("{} cells, {} columns", found, columns_->count));
    const auto index = number(cells[columns_->index]);
    if (!index) return tl::unexpected(index.error());
    const string_view name = columns_->table ? cells[*columns_->table] : string_view();
    const auto [at, is_new] = places_.try_emplace(std::string(name), tables_.size());
    if (is_new) {
      if (tables_.size() >= kMaxTables)
        return fail(Errc::limit_exceeded, place(), fmt::format("more than {} tables", kMaxTables));
      tables_.emplace_back().table = name;
      bags_.emplace_back();
    }
    TableLookups& to = tables_[at->second];
    if (!columns_->bag) {
      if (!is_new) to.ends.push_back(static_cast<std::int64_t>(to.indices.size()));
    } else {
      const auto bag = number(cells[*columns_->bag]);
      if (!bag) return tl::unexpected(bag.error());
      if (!is_new && *bag != bags_[at->second])
        to.ends.push_back(static_cast<std::int64_t>(to.indices.size()));
      bags_[at->second] = *bag;
    }
    return add(to, *index);
  }

  static constexpr std::size_t kMaxTables = 1u << 16;

  Window& window_;
  const std::string& where_;
  std::uint64_t line_number_ = 0;
  std::size_t line_bytes_ = 0;
  std::size_t count_ = 0;
  std::optional<IndexColumns> columns_;
  std::vector<TableLookups> tables_;
  std::vector<std::int64_t> bags_;  // current bag, by table
  std::map<std::string, std::size_t> places_;
};

}  // namespace

Result<std::vector<TableLookups>> read_index_text(Window& window, const std::string& where) {
  return IndexText(window, where).read();
}

}  // namespace orrery::trace
