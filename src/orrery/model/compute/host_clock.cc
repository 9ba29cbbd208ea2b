// SPDX-License-Identifier: Apache-2.0
#include "orrery/model/compute/host_clock.h"

#include <algorithm>
#include <limits>

namespace orrery::model {

// Launches of one call end evenly, and their kernels begin evenly, so of all that makes one of them
// wait the first and the last matter.
std::int64_t HostClock::launch(const Launches& what, std::int64_t ready) {
  const std::int64_t last = what.count - 1;
  const std::int64_t first_issued = issued_ + what.each;
  const std::int64_t unhindered = issued_ + what.each * what.count;
  std::int64_t issued = unhindered;
  std::int64_t begin = std::max({ready, first_issued, issued - what.share * last});
  forget(made_ - what.ahead);
  for (std::size_t i = gone_; i < begun_.size(); ++i) {
    const Begun& one = begun_[i];
    const std::int64_t from = std::max(one.first, made_ - what.ahead);
    const std::int64_t to = std::min(one.first + one.count - 1, made_ + last - what.ahead);
    if (from > to) break;
    for (const std::int64_t number : {from, to}) {
      const std::int64_t launched = one.begin + (number - one.first) * one.share + what.each;
      const std::int64_t place = number + what.ahead - made_;
      const std::int64_t all = launched + (last - place) * what.each;
      begin = std::max({begin, launched - place * what.share, all - last * what.share});
      issued = std::max(issued, all);
    }
  }
  // More than fit at once wait for each other. They hold themselves up only if they run for longer
  // than they are launched, and then they begin none later for it.
  if (what.count > what.ahead && what.share > what.each)
    issued = std::max(issued, begin + (last - what.ahead) * what.share + what.each);
  if (begin > ready) ++waits_;
  room_ = (what.ahead - 1) * what.least;
  last_ = begin + last * what.share;
  if (std::max(begin - first_issued, last_ - unhindered) > room_)
    remember({made_, what.count, begin, what.share});
  made_ += what.count;
  issued_ = issued;
  return begin;
}

void HostClock::remember(const Begun& kernels) {
  begun_.push_back(kernels);
  ++remembered_;
}

void HostClock::forget(std::int64_t before) {
  while (gone_ < begun_.size() && begun_[gone_].first + begun_[gone_].count <= before) ++gone_;
  if (gone_ * 2 < begun_.size() || gone_ == 0) return;
  begun_.erase(begun_.begin(), begun_.begin() + static_cast<std::ptrdiff_t>(gone_));
  gone_ = 0;
}

bool HostClock::remembers_alike(const HostClock& before, std::int64_t step) const {
  return std::equal(begun_.begin() + static_cast<std::ptrdiff_t>(gone_), begun_.end(),
                    before.begun_.begin() + static_cast<std::ptrdiff_t>(before.gone_),
                    before.begun_.end(), [&](const Begun& is, const Begun& was) {
                      return is.first - made_ == was.first - before.made_ &&
                             is.count == was.count && is.begin - was.begin == step &&
                             is.share == was.share;
                    });
}

// It is where it was, a step later. Or no device has waited for it, nor it for the device, and it
// has got further ahead: then nothing waits in what is like that either.
bool HostClock::repeats(const HostClock& before, std::int64_t step) const {
  if (made_ == before.made_) return true;
  const std::int64_t gone = issued_ - before.issued_;
  if (gone == step) return remembers_alike(before, step);
  return gone < step && waits_ == before.waits_ && remembered_ == before.remembered_ &&
         gone_ == begun_.size();
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
  const std::int64_t launches = (made_ - before.made_) * times;
  issued_ += (issued_ - before.issued_) * times;
  waits_ += (waits_ - before.waits_) * static_cast<std::uint64_t>(times);
  remembered_ += (remembered_ - before.remembered_) * static_cast<std::uint64_t>(times);
  last_ += step * times;
  made_ += launches;
  for (Begun& one : begun_) {
    one.first += launches;
    one.begin += step * times;
  }
}

}  // namespace orrery::model
