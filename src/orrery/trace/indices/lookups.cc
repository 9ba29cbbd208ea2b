// SPDX-License-Identifier: Apache-2.0
#include "orrery/trace/indices/lookups.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "orrery/trace/indices/index_formats.h"

namespace orrery::trace {
namespace {

/// Rejects common formats that Orrery does not read.
Result<void> check_head(std::string_view head, const std::string& where) {
  const auto is_pickle = [](std::string_view text) {
    return text.size() > 1 && text[0] == '\x80' && text[1] >= '\x02' && text[1] <= '\x05';
  };
  if (!head.starts_with("PK\x03\x04") && !is_pickle(head)) return {};
  return fail(Errc::input_unsupported, where,
              "a zip archive or pickle, such as PyTorch's .pt and NumPy's .npz: Orrery does not "
              "read them, because loading a pickle can run code",
              "if you trust the file: i, o = torch.load(FILE)[:2]; numpy.save('indices.npy', i); "
              "numpy.save('offsets.npy', o); then use --offsets offsets.npy");
}

bool has_single_index_bags(const TableLookups& table) {
  return table.ends.size() == table.indices.size();
}

/// All numbers of a file, in any arrangement.
Result<std::vector<std::int64_t>> read_numbers(const std::string& path) {
  auto all = read_lookups(path, {});
  if (!all) return tl::unexpected(all.error());
  if (all->size() != 1)
    return fail(Errc::input_unsupported, path, "several tables, but must be one list of numbers");
  return std::move(all->front().indices);
}

/// Converts begins of bags to ends. An additional offset is the end of the last bag.
Result<std::vector<std::int64_t>> ends_of_offsets(std::vector<std::int64_t> offsets,
                                                  std::int64_t count, const BagShape& shape) {
  const auto bad = [&](std::string what) {
    return fail(
        Errc::input_range, shape.offsets, std::move(what),
        "offsets of bags must begin with 0 and ascend; for several tables, give their number");
  };
  if (offsets.empty() || offsets.front() != 0) return bad("the first offset is not 0");
  if (!std::is_sorted(offsets.begin(), offsets.end())) return bad("offsets do not ascend");
  if (offsets.back() > count)
    return bad(fmt::format("offset {} of {} indices", offsets.back(), count));
  const bool closed = offsets.size() > 1 && offsets.back() == count;
  offsets.erase(offsets.begin());
  if (!closed) offsets.push_back(count);
  return offsets;
}

Result<std::vector<std::int64_t>> ends_of_lengths(std::vector<std::int64_t> lengths,
                                                  std::int64_t count, const BagShape& shape) {
  std::int64_t sum = 0;
  for (std::int64_t& length : lengths) {
    if (length > count - sum) {
      sum = -1;
      break;
    }
    length = sum += length;
  }
  if (sum != count)
    return fail(Errc::input_range, shape.lengths,
                fmt::format("the lengths of the bags do not sum to {} indices", count),
                "lengths must match the file of indices");
  return lengths;
}

Result<std::vector<std::int64_t>> bag_ends(std::int64_t count, const BagShape& shape) {
  if (!shape.offsets.empty()) {
    auto numbers = read_numbers(shape.offsets);
    if (!numbers) return tl::unexpected(numbers.error());
    return ends_of_offsets(*std::move(numbers), count, shape);
  }
  if (!shape.lengths.empty()) {
    auto numbers = read_numbers(shape.lengths);
    if (!numbers) return tl::unexpected(numbers.error());
    return ends_of_lengths(*std::move(numbers), count, shape);
  }
  const std::int64_t each = std::max<std::int64_t>(shape.pooling, 1);
  if (count % each != 0)
    return fail(Errc::usage, "--pooling",
                fmt::format("{} indices are not a multiple of the bag size {}", count, each));
  std::vector<std::int64_t> ends;
  for (std::int64_t end = each; end <= count; end += each) ends.push_back(end);
  return ends;
}

/// Splits bags, which are ordered by table, into tables.
Result<std::vector<TableLookups>> by_tables(TableLookups all, std::vector<std::int64_t> ends,
                                            std::int64_t tables) {
  const auto bags = static_cast<std::int64_t>(ends.size());
  if (tables < 1 || bags % tables != 0)
    return fail(Errc::usage, "--tables",
                fmt::format("{} bags are not a multiple of {} tables", bags, tables));
  if (tables == 1) {
    all.ends = std::move(ends);
    std::vector<TableLookups> one;
    one.push_back(std::move(all));
    return one;
  }
  std::vector<TableLookups> each;
  std::int64_t begin = 0;
  for (std::int64_t t = 0; t < tables; ++t) {
    TableLookups& table = each.emplace_back();
    table.table = std::to_string(t);
    const auto first = ends.begin() + t * (bags / tables);
    for (auto end = first; end != first + bags / tables; ++end) table.ends.push_back(*end - begin);
    const std::int64_t end = begin + table.ends.back();
    table.indices.assign(all.indices.begin() + begin, all.indices.begin() + end);
    begin = end;
  }
  return each;
}

Result<void> check_shape(const BagShape& shape) {
  const int given = (shape.offsets.empty() ? 0 : 1) + (shape.lengths.empty() ? 0 : 1) +
                    (shape.pooling != 0 ? 1 : 0);
  if (given > 1)
    return fail(Errc::usage, "--offsets", "offsets, lengths and pooling all specify the bag sizes",
                "give one of them");
  if (shape.pooling < 0) return fail(Errc::usage, "--pooling", "must be 1 or more");
  return {};
}

}  // namespace

Result<std::vector<TableLookups>> read_lookups(std::unique_ptr<ByteSource> source,
                                               const std::string& where, const BagShape& shape) {
  if (auto fine = check_shape(shape); !fine) return tl::unexpected(fine.error());
  auto plain = decompress(std::move(source), where);
  if (!plain) return tl::unexpected(plain.error());
  Window window(**plain);
  if (const auto some = window.need(8); !some) return tl::unexpected(some.error());
  if (auto fine = check_head(window.text(), where); !fine) return tl::unexpected(fine.error());
  const bool has_shape =
      !shape.offsets.empty() || !shape.lengths.empty() || shape.pooling > 0 || shape.tables != 1;
  std::vector<TableLookups> tables(1);
  if (is_npy(window.text())) {
    auto numbers = read_npy(window, where);
    if (!numbers) return tl::unexpected(numbers.error());
    tables.front().indices = *std::move(numbers);
  } else {
    auto read = read_index_text(window, where);
    if (!read) return tl::unexpected(read.error());
    tables = *std::move(read);
    const bool empty = std::all_of(tables.begin(), tables.end(),
                                   [](const TableLookups& table) { return table.indices.empty(); });
    if (!empty && !has_shape) return tables;
    if (!empty && (tables.size() != 1 || !has_single_index_bags(tables.front())))
      return fail(Errc::usage, where, "specifies the bags itself",
                  "remove --offsets, --lengths, --pooling and --tables");
  }
  if (tables.empty() || tables.front().indices.empty())
    return fail(Errc::input_empty, where, "has no indices");
  TableLookups all = std::move(tables.front());
  auto ends = bag_ends(static_cast<std::int64_t>(all.indices.size()), shape);
  if (!ends) return tl::unexpected(ends.error());
  return by_tables(std::move(all), *std::move(ends), shape.tables);
}

Result<std::vector<TableLookups>> read_lookups(const std::string& path, const BagShape& shape) {
  auto source = open_file(path);
  if (!source) return tl::unexpected(source.error());
  return read_lookups(*std::move(source), path, shape);
}

}  // namespace orrery::trace
