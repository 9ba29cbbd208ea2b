// SPDX-License-Identifier: Apache-2.0
#include "orrery/result/run_file/database_writer.h"

#include <algorithm>
#include <cstring>

namespace orrery::result {

namespace {

constexpr std::uint8_t kInterior = 0x05, kLeaf = 0x0d;
constexpr std::size_t kLeafHeader = 8, kInteriorHeader = 12;
constexpr std::size_t kFileHeader = 100;

// If a row is larger than kMaxLocal, the leaf contains only its start (at least kMinLocal).
constexpr std::size_t kMaxLocal = kPageBytes - 35;
constexpr std::size_t kMinLocal = (kPageBytes - 12) * 32 / 255 - 23;
constexpr std::size_t kOverflowBytes = kPageBytes - 4;

// Children of an interior page: they fit even with the longest row ids and next to the file header.
constexpr std::size_t kFanOut = 256;
static_assert(kFileHeader + kInteriorHeader + kFanOut * (2 + 4 + 9) <= kPageBytes);

// Maximum size of the numbers of one row.
constexpr std::size_t kNumberBytes = TableBuilder::kColumns * 8 + 8;

void put16(std::uint8_t* at, std::size_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

void put32(std::uint8_t* at, std::uint32_t value) {
  put16(at, value >> 16);
  put16(at + 2, value & 0xffff);
}

// Writes SQLite's varint: seven bits per byte, high bits first. Returns its length. For values
// below 2^56.
std::size_t put_varint(std::uint8_t* at, std::uint64_t value) {
  ORRERY_CHECK(value >> 56 == 0);
  std::size_t size = 1;
  while (value >> (7 * size) != 0) ++size;
  for (std::size_t left = size - 1; left > 0; --left)
    *at++ = static_cast<std::uint8_t>(0x80 | ((value >> (7 * left)) & 0x7f));
  *at = static_cast<std::uint8_t>(value & 0x7f);
  return size;
}

}  // namespace

TableBuilder::TableBuilder(PageFile& file, bool has_key)
    : file_(&file), has_key_(has_key), body_(kNumberBytes), record_(1024), row_(has_key ? 0 : 1) {
  begin_row();
}

void TableBuilder::begin_row() {
  types_size_ = columns_ = body_size_ = 0;
  if (has_key_) null();  // in a record, the INTEGER PRIMARY KEY is NULL
}

void TableBuilder::text(std::string_view value) {
  ORRERY_CHECK(columns_ < kColumns);
  ++columns_;
  types_size_ += put_varint(types_.data() + types_size_, 13 + 2 * value.size());
  if (body_.size() < body_size_ + value.size() + kNumberBytes)
    body_.resize(2 * (body_size_ + value.size()) + kNumberBytes);
  std::copy(value.begin(), value.end(), body_.begin() + static_cast<std::ptrdiff_t>(body_size_));
  body_size_ += value.size();
}

void TableBuilder::put_cell(const std::uint8_t* head, std::size_t head_size,
                            std::size_t tail_size) {
  // The tail is in record_.
  free_end_ -= head_size + tail_size;
  std::memcpy(page_.data() + free_end_, head, head_size);
  std::memcpy(page_.data() + free_end_ + head_size, record_.data(), tail_size);
  cells_.push_back(static_cast<std::uint16_t>(free_end_));
}

void TableBuilder::end_row() {
  // The record starts with the length of its list of types, including this length.
  const std::size_t own = types_size_ + 1 < 128 ? 1 : 2;
  const std::size_t size = own + types_size_ + body_size_;
  if (record_.size() < size + 4) record_.resize(2 * size + 4);
  std::uint8_t* at = record_.data();
  at += put_varint(at, own + types_size_);
  std::memcpy(at, types_.data(), types_size_);
  std::memcpy(at + types_size_, body_.data(), body_size_);

  std::uint8_t head[18];
  std::size_t head_size = put_varint(head, size);
  head_size += put_varint(head + head_size, static_cast<std::uint64_t>(row_));
  std::size_t local = size;
  if (size > kMaxLocal) {
    local = kMinLocal + (size - kMinLocal) % kOverflowBytes;
    if (local > kMaxLocal) local = kMinLocal;
  }
  const std::size_t tail = local + (local < size ? 4 : 0);
  const std::size_t taken = kLeafHeader + 2 * (cells_.size() + 1);
  if (taken + head_size + tail > free_end_) end_leaf();
  if (local < size)
    put32(record_.data() + local, write_overflow(record_.data() + local, size - local));
  put_cell(head, head_size, tail);
  ++row_;
  begin_row();
}

std::uint32_t TableBuilder::write_overflow(const std::uint8_t* bytes, std::size_t size) {
  std::array<std::uint8_t, kPageBytes> page{};
  const std::uint32_t first = file_->next();
  while (size > 0) {
    const std::size_t part = std::min(size, kOverflowBytes);
    page.fill(0);
    std::memcpy(page.data() + 4, bytes, part);
    bytes += part;
    size -= part;
    if (size > 0) put32(page.data(), file_->after_next());
    (void)file_->append(page);
  }
  return first;
}

// Writes the page's header and the list of its cells.
void TableBuilder::finish_page(std::uint8_t kind, std::size_t offset, std::uint32_t right) {
  std::uint8_t* at = page_.data() + offset;
  std::memset(at, 0, kLeafHeader);
  at[0] = kind;
  put16(at + 3, cells_.size());
  put16(at + 5, free_end_);
  at += kLeafHeader;
  if (kind == kInterior) {
    put32(at, right);
    at += 4;
  }
  for (const std::uint16_t cell : cells_) {
    put16(at, cell);
    at += 2;
  }
  std::memset(at, 0, static_cast<std::size_t>(page_.data() + free_end_ - at));
  cells_.clear();
  free_end_ = kPageBytes;
}

void TableBuilder::end_leaf() {
  finish_page(kLeaf, 0, 0);
  add_child(0, {file_->append(page_), row_ - 1});
}

// A level is flushed when it has two children more than a page holds: the remaining two form a
// valid page.
void TableBuilder::add_child(std::size_t level, Child child) {
  if (levels_.size() == level) levels_.emplace_back();
  levels_[level].push_back(child);
  if (levels_[level].size() < kFanOut + 2) return;
  const Child parent = end_interior(level, 0, kFanOut);
  levels_[level].erase(levels_[level].begin(), levels_[level].begin() + kFanOut);
  add_child(level + 1, parent);
}

// The last child has no cell: it contains all larger row ids.
void TableBuilder::fill_interior(std::size_t level, std::size_t from, std::size_t to,
                                 std::size_t offset) {
  const std::vector<Child>& children = levels_[level];
  for (std::size_t i = from; i + 1 < to; ++i) {
    std::uint8_t cell[4 + 9];
    put32(cell, children[i].page);
    const std::size_t size = put_varint(cell + 4, static_cast<std::uint64_t>(children[i].last));
    put_cell(cell, 4 + size, 0);
  }
  finish_page(kInterior, offset, children[to - 1].page);
}

TableBuilder::Child TableBuilder::end_interior(std::size_t level, std::size_t from,
                                               std::size_t to) {
  fill_interior(level, from, to, 0);
  return {file_->append(page_), levels_[level][to - 1].last};
}

// Writes all pages below the root; returns the level of the root's children.
std::size_t TableBuilder::finish_levels() {
  end_leaf();
  for (std::size_t level = 0;; ++level) {
    const std::size_t count = levels_[level].size();
    if (level + 1 == levels_.size() && count <= kFanOut) return level;
    const std::size_t middle = count <= kFanOut ? count : count - 2;
    const Child first = end_interior(level, 0, middle);
    if (middle == count) {
      add_child(level + 1, first);
      continue;
    }
    const Child second = end_interior(level, middle, count);
    add_child(level + 1, first);
    add_child(level + 1, second);
  }
}

const Page& TableBuilder::finish_root(std::size_t reserve) {
  if (levels_.empty()) {
    // If cells fill a page, there may be no space for the reserve. With this schema there always
    // is.
    ORRERY_CHECK(reserve + kLeafHeader + 2 * cells_.size() <= free_end_);
    finish_page(kLeaf, reserve, 0);
  } else {
    const std::size_t level = finish_levels();
    fill_interior(level, 0, levels_[level].size(), reserve);
  }
  return page_;
}

std::uint32_t TableBuilder::finish() { return file_->append(finish_root(0)); }

Result<void> finish_database(PageFile& file, const std::vector<SchemaEntry>& schema,
                             std::uint32_t application, std::uint32_t version) {
  TableBuilder table(file, false);
  for (const SchemaEntry& entry : schema) {
    table.text(entry.type);
    table.text(entry.name);
    table.text(entry.name);
    table.integer(entry.root);
    table.text(entry.sql);
    table.end_row();
  }
  Page first = table.finish_root(kFileHeader);
  std::uint8_t* at = first.data();
  std::memset(at, 0, kFileHeader);
  std::memcpy(at, "SQLite format 3", 16);
  put16(at + 16, kPageBytes);
  at[18] = at[19] = 1;  // written and read with a rollback journal
  at[21] = 64;          // these three have fixed values
  at[22] = at[23] = 32;
  put32(at + 24, 1);  // change counter
  put32(at + 28, file.next() - 1);
  put32(at + 40, 1);  // schema version, for caches
  put32(at + 44, 4);  // schema format
  put32(at + 56, 1);  // UTF-8
  put32(at + 60, version);
  put32(at + 68, application);
  put32(at + 92, 1);  // value of the change counter for which the next number is valid
  // The first SQLite version that supports all used features (generated columns).
  put32(at + 96, 3031000);
  return file.commit(first);
}

}  // namespace orrery::result
