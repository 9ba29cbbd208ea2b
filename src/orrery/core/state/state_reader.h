// SPDX-License-Identifier: Apache-2.0
//
// Reads the state of objects from the bytes that StateWriter has written.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "orrery/core/quantity.h"
#include "orrery/core/state/state_writer.h"

namespace orrery {

/// Accepts references to objects of the types that StateWriter has written, in the same order.
/// Invalid bytes make it fail: from then on it reads zeros and empty containers. It never
/// allocates much more memory than the bytes need.
class StateReader {
 public:
  /// `bytes` must outlive the reader.
  explicit StateReader(std::string_view bytes) : bytes_(bytes) {}
  StateReader(const StateReader&) = delete;
  StateReader& operator=(const StateReader&) = delete;
  ~StateReader() = default;

  template <class... T>
  void operator()(T&&... values) {
    (read(values), ...);
  }

  /// Whether some bytes were invalid.
  [[nodiscard]] bool failed() const { return failed_; }
  /// The caller has found invalid values.
  void fail() { failed_ = true; }
  /// Fails unless `fine`.
  void require(bool fine) { failed_ = failed_ || !fine; }
  [[nodiscard]] bool at_end() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t remaining() const { return bytes_.size(); }
  /// Reads one value.
  template <class T>
  [[nodiscard]] T take() {
    T value{};
    read(value);
    return value;
  }
  /// The number of elements that follow; fails if there are fewer bytes.
  [[nodiscard]] std::size_t count(std::size_t bytes_each = 1) {
    const auto claimed = take<std::uint64_t>();
    if (claimed > bytes_.size() / bytes_each) failed_ = true;
    return failed_ ? 0 : static_cast<std::size_t>(claimed);
  }

 private:
  bool take_bytes(void* to, std::size_t size) {
    if (failed_ || size > bytes_.size()) {
      failed_ = true;
      return false;
    }
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
    return true;
  }

  template <class T>
  void read(T& value) {
    if constexpr (HasStateOf<T>) {
      StateOf<T>::load(*this, value);
    } else if constexpr (std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      read_number(byte);
      require(byte <= 1);
      value = byte == 1;
    } else if constexpr (StateNumber<T>) {
      read_number(value);
    } else if constexpr (ListsFields<T>) {
      std::apply(*this, T::fields(value));
    } else if constexpr (SavesItself<T>) {
      value.load(*this);
    } else if constexpr (requires { read_standard(value); }) {
      read_standard(value);
    } else {
      std::apply(*this, members(value));
    }
  }

  template <class T>
  void read_number(T& value) {
    std::array<char, sizeof(T)> bytes{};
    (void)take_bytes(bytes.data(), bytes.size());
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    std::memcpy(&value, bytes.data(), sizeof(T));
  }

  template <class All>
  void read_each(All& all) {
    all.clear();
    for (std::size_t left = count(); left > 0 && !failed_; --left) read(all.emplace_back());
  }
  template <class Key, class All>
  void read_pairs(All& all) {
    all.clear();
    for (std::size_t left = count(); left > 0 && !failed_; --left) {
      Key key{};
      read(key);
      read(all[std::move(key)]);
    }
  }

  template <class Unit, class Rep>
  void read_standard(Quantity<Unit, Rep>& value) {
    value = Quantity<Unit, Rep>(take<Rep>());
  }
  void read_standard(std::string& text) {
    text.resize(count());
    (void)take_bytes(text.data(), text.size());
  }
  template <class T>
  void read_standard(std::vector<T>& all) {
    if constexpr (StateNumber<T> && !std::is_same_v<T, bool> &&
                  std::endian::native == std::endian::little) {
      all.resize(count(sizeof(T)));
      (void)take_bytes(all.data(), all.size() * sizeof(T));
    } else if constexpr (std::is_same_v<T, bool>) {
      all.assign(count(sizeof(T)), false);
      for (auto one : all) one = take<bool>();
    } else {
      read_each(all);
    }
  }
  template <class T>
  void read_standard(std::deque<T>& all) {
    read_each(all);
  }
  template <class Key, class T>
  void read_standard(std::map<Key, T>& all) {
    read_pairs<Key>(all);
  }
  template <class Key, class T, class Hash>
  void read_standard(std::unordered_map<Key, T, Hash>& all) {
    read_pairs<Key>(all);
  }
  template <class Key>
  void read_standard(std::set<Key>& all) {
    all.clear();
    for (std::size_t left = count(); left > 0 && !failed_; --left) all.insert(take<Key>());
  }
  template <class T, std::size_t n>
  void read_standard(std::array<T, n>& all) {
    for (T& one : all) read(one);
  }
  template <class T, std::size_t n>
  void read_standard(T (&all)[n]) {
    for (T& one : all) read(one);
  }
  template <class A, class B>
  void read_standard(std::pair<A, B>& both) {
    (*this)(both.first, both.second);
  }
  template <class... T>
  void read_standard(std::tuple<T...>& all) {
    std::apply(*this, all);
  }
  template <class T>
  void read_standard(std::optional<T>& value) {
    value.reset();
    if (take<bool>()) read(value.emplace());
  }

  /// The object must exist if it existed when it was written.
  template <class T>
  void read_standard(std::unique_ptr<T>& value) {
    require(take<bool>() == (value != nullptr));
    if (value != nullptr && !failed_) read(*value);
  }

  std::string_view bytes_;
  bool failed_ = false;
};

}  // namespace orrery
