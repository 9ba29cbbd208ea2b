// SPDX-License-Identifier: Apache-2.0
#include "stream_order.h"

#include <algorithm>

namespace orrery::bench {

StreamOrder::StreamOrder(std::size_t count) {
  seen_.assign(count, std::vector<std::uint64_t>(count, 0));
}

std::vector<std::uint32_t> StreamOrder::step(std::uint32_t stream,
                                             const std::vector<MemoryUse>& uses) {
  std::vector<std::uint64_t> needed(count(), 0);  // by stream
  for (const MemoryUse& use : uses) {
    const auto found = users_.find(use.memory);
    if (found == users_.end()) continue;
    const Users& users = found->second;
    needed[users.writer] = std::max(needed[users.writer], users.written);
    for (std::size_t s = 0; use.written && s < users.readers.size(); ++s)
      needed[s] = std::max(needed[s], users.readers[s]);
  }
  std::vector<std::uint32_t> waits;
  std::vector<std::uint64_t>& seen = seen_[stream];
  for (std::uint32_t s = 0; s < count(); ++s)
    if (s != stream && needed[s] > seen[s]) waits.push_back(s);
  for (const std::uint32_t other : waits)
    for (std::size_t s = 0; s < count(); ++s) seen[s] = std::max(seen[s], seen_[other][s]);
  ++seen[stream];
  last_ = stream;
  for (const MemoryUse& use : uses) note(use, stream);
  return waits;
}

void StreamOrder::note(const MemoryUse& use, std::uint32_t stream) {
  Users& users = users_[use.memory];
  const std::uint64_t now = seen_[stream][stream];
  if (use.written) {
    users = {stream, now, {}};
  } else if (!(users.writer == stream && users.written == now)) {
    users.readers.resize(count());
    users.readers[stream] = now;
  }
}

void StreamOrder::made(const void* memory) { note({memory, true}, last_); }

void StreamOrder::forget(const void* memory) { users_.erase(memory); }

void StreamOrder::clear() {
  users_.clear();
  for (auto& seen : seen_) std::fill(seen.begin(), seen.end(), 0);
}

}  // namespace orrery::bench
