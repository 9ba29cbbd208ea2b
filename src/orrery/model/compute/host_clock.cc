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
  if (waiting_for_ > 0) hold_back(what, begin, issued);
  // More than fit at once wait for each other. They hold themselves up only if they run for longer
  // than they are launched, and then they begin none later for it.
  if (what.count > what.ahead && what.share > what.each)
    issued = std::max(issued, begin + (last - what.ahead) * what.share + what.each);
  if (begin > ready) ++waits_;
  room_ = (what.ahead - 1) * what.least;
  last_ = begin + last * what.share;
  const bool far = std::max(begin - first_issued, last_ - unhindered) > room_;
  if (far) ++remembered_;
  if (far || waiting_for_ > 0) remember(what, begin, far);
  made_ += what.count;
  issued_ = issued;
  return begin;
}

/// In the ring, from the next one on.
std::size_t HostClock::place_of(std::int64_t launch) const {
  const std::size_t place = next_ + static_cast<std::size_t>(launch);
  return place < begun_.size() ? place : place % begun_.size();
}

// Each launch that waits delays those behind it; its own kernel, and the last one, tell how much.
void HostClock::hold_back(const Launches& what, std::int64_t& begin, std::int64_t& issued) const {
  const std::int64_t last = what.count - 1;
  for (std::int64_t i = 0; i < std::min(what.count, what.ahead); ++i) {
    const std::int64_t freed = begun_[place_of(i)];
    if (freed == kForgotten) continue;
    const std::int64_t launched = freed + what.each, all = launched + (last - i) * what.each;
    begin = std::max({begin, launched - i * what.share, all - last * what.share});
    issued = std::max(issued, all);
  }
}

void HostClock::remember(const Launches& what, std::int64_t begin, bool all) {
  if (begun_.empty()) begun_.assign(static_cast<std::size_t>(what.ahead), kForgotten);
  for (std::int64_t i = std::max<std::int64_t>(0, what.count - what.ahead); i < what.count; ++i) {
    std::int64_t& one = begun_[place_of(i)];
    waiting_for_ += (all ? 1 : 0) - (one == kForgotten ? 0 : 1);
    one = all ? begin + i * what.share : kForgotten;
  }
  next_ = place_of(what.count);
}

bool HostClock::remembers_same(const HostClock& before, std::int64_t step) const {
  if (waiting_for_ != before.waiting_for_) return false;
  if (waiting_for_ == 0) return true;
  for (std::size_t i = 0; i < begun_.size(); ++i) {
    const std::int64_t is = begun_[place_of(static_cast<std::int64_t>(i))];
    const std::int64_t was = before.begun_[before.place_of(static_cast<std::int64_t>(i))];
    if (is == kForgotten ? was != kForgotten : was == kForgotten || is - was != step) return false;
  }
  return true;
}

// It is where it was, a step later. Or no device has waited for it, nor it for the device, and it
// has got further ahead: then nothing waits in what is like that either.
bool HostClock::repeats(const HostClock& before, std::int64_t step) const {
  if (made_ == before.made_) return true;
  const std::int64_t gone = issued_ - before.issued_;
  if (gone == step) return remembers_same(before, step);
  return gone < step && waits_ == before.waits_ && remembered_ == before.remembered_ &&
         waiting_for_ == 0;
}

// None of what it launched since then began later, after its launch, than the last one begins after
// all that was launched before.
std::int64_t HostClock::repetitions(const HostClock& before, std::int64_t step) const {
  const std::int64_t further = step - (issued_ - before.issued_);
  if (made_ == before.made_ || further <= 0) return std::numeric_limits<std::int64_t>::max();
  return std::max<std::int64_t>(0, room_ - (last_ - before.issued_)) / further;
}

void HostClock::skip(const HostClock& before, std::int64_t step, std::int64_t times) {
  if (made_ == before.made_) return;
  issued_ += (issued_ - before.issued_) * times;
  waits_ += (waits_ - before.waits_) * static_cast<std::uint64_t>(times);
  remembered_ += (remembered_ - before.remembered_) * static_cast<std::uint64_t>(times);
  last_ += step * times;
  made_ += (made_ - before.made_) * times;
  for (std::int64_t& begun : begun_)
    if (begun != kForgotten) begun += step * times;
}

}  // namespace orrery::model
