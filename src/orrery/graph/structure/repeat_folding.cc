// SPDX-License-Identifier: Apache-2.0
#include "orrery/graph/structure/repeat_folding.h"

#include <algorithm>
#include <map>
#include <utility>

namespace orrery::graph {
namespace {

/// An element of the partly folded sequence. Equal numbers mean equal content.
struct Element {
  std::uint32_t number = 0;
  Repeat repeat;
};

/// Assigns numbers to repeated bodies, above those of symbols.
class Numbers {
 public:
  explicit Numbers(std::uint32_t next) : next_(next) {}
  std::uint32_t of(std::vector<std::uint32_t> body, std::uint32_t times) {
    body.push_back(times);
    const auto [known, added] = known_.try_emplace(std::move(body), next_);
    next_ += added ? 1 : 0;
    return known->second;
  }

 private:
  std::uint32_t next_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> known_;
};

/// Folds `times` repetitions of a body of `body` elements, starting at `at`, into one element.
Element folded_at(std::vector<Element>& elements, std::size_t at, std::size_t body,
                  std::size_t times, Numbers& numbers) {
  Element made;
  std::vector<std::uint32_t> content;
  made.repeat.first = elements[at].repeat.first;
  made.repeat.times = static_cast<std::uint32_t>(times);
  made.repeat.length = 0;
  for (std::size_t i = 0; i < body; ++i) content.push_back(elements[at + i].number);
  for (std::size_t i = 0; i < body * times; ++i)
    made.repeat.length += elements[at + i].repeat.length;
  for (std::size_t i = 0; i < body; ++i)
    made.repeat.body.push_back(std::move(elements[at + i].repeat));
  made.number = numbers.of(std::move(content), made.repeat.times);
  return made;
}

/// Folds all repetitions of bodies of `body` elements. Returns false if there are none.
bool fold_bodies(std::vector<Element>& elements, std::size_t body, Numbers& numbers) {
  std::vector<Element> made;
  bool any = false;
  std::size_t retained = 0;  // number of elements already in `made`, if any fold was made
  for (std::size_t i = 0; i + 2 * body <= elements.size();) {
    std::size_t equal = 0;
    while (i + equal + body < elements.size() &&
           elements[i + equal].number == elements[i + equal + body].number)
      ++equal;
    if (equal < body) {
      i += equal + 1;  // no repetition begins before the mismatch
      continue;
    }
    const std::size_t times = equal / body + 1;
    for (; retained < i; ++retained) made.push_back(std::move(elements[retained]));
    made.push_back(folded_at(elements, i, body, times, numbers));
    i += body * times;
    retained = i;
    any = true;
  }
  if (!any) return false;
  for (; retained < elements.size(); ++retained) made.push_back(std::move(elements[retained]));
  elements = std::move(made);
  return true;
}

void unfold_into(const Repeat& repeat, std::vector<std::uint32_t>& made) {
  if (repeat.body.empty()) {
    made.push_back(repeat.symbol);
    return;
  }
  for (std::uint32_t i = 0; i < repeat.times; ++i)
    for (const Repeat& part : repeat.body) unfold_into(part, made);
}

}  // namespace

std::vector<Repeat> fold_repeats(std::span<const std::uint32_t> sequence,
                                 std::size_t longest_body) {
  std::vector<Element> elements(sequence.size());
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    elements[i].number = elements[i].repeat.symbol = sequence[i];
    elements[i].repeat.first = i;
    most = std::max(most, sequence[i]);
  }
  Numbers numbers(most + 1);
  // A fold can make longer bodies shorter, so that the search restarts.
  for (std::size_t body = 1; body <= longest_body && 2 * body <= elements.size();)
    body = fold_bodies(elements, body, numbers) ? 1 : body + 1;
  std::vector<Repeat> made;
  made.reserve(elements.size());
  for (Element& element : elements) made.push_back(std::move(element.repeat));
  return made;
}

std::vector<std::uint32_t> unfold(std::span<const Repeat> folded) {
  std::vector<std::uint32_t> made;
  for (const Repeat& repeat : folded) unfold_into(repeat, made);
  return made;
}

}  // namespace orrery::graph
