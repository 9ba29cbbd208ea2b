// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/host_clock.h"

#include <algorithm>
#include <limits>

namespace orrery::model {

std::int64_t HostClock::launch(const Launches& what, std::int64_t ready) {
  const std::int64_t last = what.count - 1;
  const std::int64_t first_issued = issued_ + what.each;
  const std::int64_t unhindered = issued_ + what.each * what.count;
  std::int64_t issued = unhindered;
  std::int64_t begin = std::max({ready, first_issued, issued - what.share * last});
  if (stored_ > 0) apply_launch_limit(what, begin, issued);
  // If more than `ahead` kernels are launched at once, later launches wait for begins of earlier
  // ones. This delays the host only if a kernel lasts longer than its launch, and it delays the
  // begin of no kernel.
  if (what.count > what.ahead && what.share > what.each)
    issued = std::max(issued, begin + (last - what.ahead) * what.share + what.each);
  if (begin > ready) ++waits_;
  max_lag_ = (what.ahead - 1) * what.least;
  last_begin_ = begin + last * what.share;
  const bool far = std::max(begin - first_issued, last_begin_ - unhindered) > max_lag_;
  if (far) ++stores_;
  if (far || stored_ > 0) store_begins(what, begin, far);
  launches_ += what.count;
  issued_ = issued;
  return begin;
}

void HostClock::wait_until(std::int64_t time) {
  issued_ = std::max(issued_, time);
  ++waits_;  // a repetition may wait longer or shorter
}

/// Index in the ring buffer of the launch `launch` after the next one.
std::size_t HostClock::slot_of(std::int64_t launch) const {
  const std::size_t place = next_ + static_cast<std::size_t>(launch);
  return place < begins_.size() ? place : place % begins_.size();
}

// Applies waits for earlier kernels. A launch that waits delays all later ones. Its own kernel and
// the last kernel determine by how much the begin is delayed.
void HostClock::apply_launch_limit(const Launches& what, std::int64_t& begin,
                                   std::int64_t& issued) const {
  const std::int64_t last = what.count - 1;
  for (std::int64_t i = 0; i < std::min(what.count, what.ahead); ++i) {
    const std::int64_t freed = begins_[slot_of(i)];
    if (freed == kNotStored) continue;
    const std::int64_t launched = freed + what.each, all = launched + (last - i) * what.each;
    begin = std::max({begin, launched - i * what.share, all - last * what.share});
    issued = std::max(issued, all);
  }
}

void HostClock::store_begins(const Launches& what, std::int64_t begin, bool all) {
  if (begins_.empty()) begins_.assign(static_cast<std::size_t>(what.ahead), kNotStored);
  for (std::int64_t i = std::max<std::int64_t>(0, what.count - what.ahead); i < what.count; ++i) {
    std::int64_t& one = begins_[slot_of(i)];
    stored_ += (all ? 1 : 0) - (one == kNotStored ? 0 : 1);
    one = all ? begin + i * what.share : kNotStored;
  }
  next_ = slot_of(what.count);
}

bool HostClock::has_same_queue(const HostClock& before, std::int64_t step) const {
  if (stored_ != before.stored_) return false;
  if (stored_ == 0) return true;
  for (std::size_t i = 0; i < begins_.size(); ++i) {
    const std::int64_t is = begins_[slot_of(static_cast<std::int64_t>(i))];
    const std::int64_t was = before.begins_[before.slot_of(static_cast<std::int64_t>(i))];
    if (is == kNotStored ? was != kNotStored : was == kNotStored || is - was != step) return false;
  }
  return true;
}

// True in two cases. The host is in the same state, `step` later. Or neither host nor device has
// waited and the host has gained time: then nothing waits in a repetition either.
bool HostClock::repeats(const HostClock& before, std::int64_t step) const {
  if (launches_ == before.launches_) return true;
  const std::int64_t gone = issued_ - before.issued_;
  if (gone == step) return has_same_queue(before, step);
  return gone < step && waits_ == before.waits_ && stores_ == before.stores_ && stored_ == 0;
}

// Since `before`, no time from launch to begin is longer than that from before.issued_ to the begin
// of the last kernel.
std::int64_t HostClock::repetitions(const HostClock& before, std::int64_t step) const {
  const std::int64_t further = step - (issued_ - before.issued_);
  if (launches_ == before.launches_ || further <= 0)
    return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, max_lag_ - (last_begin_ - before.issued_)) / further;
}

void HostClock::skip(const HostClock& before, std::int64_t step, std::int64_t times) {
  if (launches_ == before.launches_) return;
  issued_ += (issued_ - before.issued_) * times;
  waits_ += (waits_ - before.waits_) * static_cast<std::uint64_t>(times);
  stores_ += (stores_ - before.stores_) * static_cast<std::uint64_t>(times);
  last_begin_ += step * times;
  launches_ += (launches_ - before.launches_) * times;
  for (std::int64_t& begun : begins_)
    if (begun != kNotStored) begun += step * times;
}

}  // namespace orrery::model
