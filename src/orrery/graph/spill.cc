// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/spill.h"

#include <fcntl.h>
#include <stdlib.h>  // mkostemp
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "orrery/graph/columns.h"

namespace orrery::graph {
namespace {

// Linux maps all bytes of one write call, up to 2 MB, when one of them is read. So the writer
// writes in small pieces.
constexpr std::size_t kPiece = 16 << 10;

// Graphs begin at page boundaries, so that releasing one does not affect its neighbors.
std::uint64_t next_page(std::uint64_t offset) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return (offset + page - 1) / page * page;
}

tl::unexpected<Error> failed(const std::string& folder, const char* doing) {
  return fail(Errc::output_failed, folder,
              std::string(doing) + ": " + std::generic_category().message(errno),
              "choose a folder with enough space for the traces, or keep them in memory");
}

}  // namespace

struct Spill::Region {
  Region(const std::byte* start, std::uint64_t offset, std::size_t length)
      : bytes(start), begin(offset), size(length) {}
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() { ::munmap(const_cast<std::byte*>(bytes), size); }

  const std::byte* bytes;
  std::uint64_t begin;  // in the file
  std::size_t size;
};

Result<Spill> Spill::create(const std::string& folder, std::size_t map_bytes) {
  std::string path = (folder.empty() ? "." : folder) + "/orrery-XXXXXX";
  const int file = ::mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) return failed(folder, "cannot make a temporary file");
  ::unlink(path.c_str());
  return Spill(folder, map_bytes, file);
}

Spill::Spill(Spill&& other) noexcept
    : folder_(std::move(other.folder_)),
      map_bytes_(other.map_bytes_),
      file_(std::exchange(other.file_, -1)),
      end_(other.end_),
      region_(std::move(other.region_)) {}

Spill::~Spill() {
  if (file_ >= 0) ::close(file_);  // maps stay valid
}

Result<void> Spill::write(std::uint64_t offset, const void* bytes, std::size_t size) {
  const auto* from = static_cast<const std::byte*>(bytes);
  while (size > 0) {
    const std::size_t piece = std::min(size, kPiece);
    const ssize_t done = ::pwrite(file_, from, piece, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done == 0) errno = ENOSPC;
    if (done <= 0) return failed(folder_, "cannot write a temporary file");
    from += done;
    offset += static_cast<std::uint64_t>(done);
    size -= static_cast<std::size_t>(done);
  }
  return {};
}

Result<std::shared_ptr<const std::byte>> Spill::map(std::uint64_t begin, std::size_t size) {
  if (!region_ || begin + size > region_->begin + region_->size) {
    const std::size_t length = next_page(std::max(map_bytes_, size));
    void* start = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, file_, static_cast<off_t>(begin));
    if (start == MAP_FAILED) return failed(folder_, "cannot map a temporary file");
    region_ = std::make_shared<Region>(static_cast<const std::byte*>(start), begin, length);
  }
  return std::shared_ptr<const std::byte>(region_, region_->bytes + (begin - region_->begin));
}

Result<Graph> Spill::put(const Graph& graph) {
  if (graph.spilled()) return graph;
  const std::size_t strings = graph.strings_->size();
  std::vector<std::uint64_t> ends;
  std::string text;
  ends.reserve(strings);
  for (std::size_t id = 0; id < strings; ++id) {
    text += graph.string(static_cast<StringId>(id));
    ends.push_back(text.size());
  }
  const std::uint64_t begin = next_page(end_);
  const std::size_t ends_at = align_up(graph.block_bytes_);
  const std::size_t text_at = ends_at + ends.size() * sizeof(ends[0]);
  const std::size_t size = text_at + text.size();
  for (const auto& done : {write(begin, graph.block_.get(), graph.block_bytes_),
                           write(begin + ends_at, ends.data(), text_at - ends_at),
                           write(begin + text_at, text.data(), text.size())}) {
    if (!done) return tl::unexpected(done.error());
  }
  auto block = map(begin, size);
  if (!block) return tl::unexpected(block.error());
  end_ = begin + size;
  const std::byte* place = block->get();

  Graph spilled;
  spilled.first_id_ = graph.first_id_;
  spilled.content_hash_ = graph.content_hash_;
  spilled.has_device_ = graph.has_device_;
  spilled.kernels_ = graph.kernels_;
  pair_columns(graph.columns_, spilled.columns_, [&](const auto& from, auto& to) {
    to = rebase_column(from, graph.block_.get(), place);
  });
  spilled.string_ends_ = {reinterpret_cast<const std::uint64_t*>(place + ends_at), ends.size()};
  spilled.string_text_ = {reinterpret_cast<const char*>(place + text_at), text.size()};
  spilled.block_ = std::move(*block);
  spilled.block_bytes_ = size;
  return spilled;
}

}  // namespace orrery::graph
