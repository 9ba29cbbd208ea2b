// SPDX-License-Identifier: Apache-2.0
//
// Expands and evaluates words of a script: variables, arithmetic, conditions, Python lists.

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "orrery/job_formats/importers/megatron/shell_script.h"

namespace orrery::workload {

namespace {

constexpr int kDeepest = 32;  ///< maximum nesting of an expression

/// The entire `text` as a number; empty if it is not one.
std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The characters of an expression, without spaces.
class Characters {
 public:
  explicit Characters(std::string_view text) : text_(text) {}

  [[nodiscard]] char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  /// Reads the following letters, digits and underscores.
  std::string word() {
    static_cast<void>(peek());
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_shell_name(text_.substr(at_, 1))) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

using Number = std::optional<std::int64_t>;

class Arithmetic {
 public:
  Arithmetic(std::string_view text, const ShellLookup& lookup) : in_(text), lookup_(lookup) {}

  Number value() {
    const Number sum = add(0);
    return in_.peek() == '\0' ? sum : std::nullopt;
  }

 private:
  static Number apply(char op, std::int64_t a, std::int64_t b) {
    std::int64_t made = 0;
    if (op == '+') return __builtin_add_overflow(a, b, &made) ? Number() : made;
    if (op == '-') return __builtin_sub_overflow(a, b, &made) ? Number() : made;
    if (op == '*') return __builtin_mul_overflow(a, b, &made) ? Number() : made;
    if (b == 0 || b == -1) return std::nullopt;
    return op == '/' ? a / b : a % b;
  }

  Number add(int depth) {
    Number sum = multiply(depth);
    for (char op = in_.peek(); sum && (op == '+' || op == '-'); op = in_.peek()) {
      in_.take(op);
      const Number next = multiply(depth);
      sum = next ? apply(op, *sum, *next) : next;
    }
    return sum;
  }

  Number multiply(int depth) {
    Number all = factor(depth);
    for (char op = in_.peek(); all && (op == '*' || op == '/' || op == '%'); op = in_.peek()) {
      in_.take(op);
      const Number next = factor(depth);
      all = next ? apply(op, *all, *next) : next;
    }
    return all;
  }

  Number factor(int depth) {
    if (depth > kDeepest) return std::nullopt;
    if (in_.take('(')) {
      const Number inner = add(depth + 1);
      return in_.take(')') ? inner : std::nullopt;
    }
    const bool braces = in_.take('$') && in_.take('{');
    const std::string word = in_.word();
    if ((braces && !in_.take('}')) || word.empty()) return std::nullopt;
    if (const Number number = number_in(word)) return number;
    const std::optional<std::string> known = lookup_(word);
    return known ? number_in(*known) : std::nullopt;
  }

  Characters in_;
  const ShellLookup& lookup_;
};

/// Either a number or a list of numbers.
struct NumberOrList {
  bool list = false;
  std::vector<std::int64_t> values;
};

class PythonList {
 public:
  PythonList(std::string_view text, std::size_t maximum) : in_(text), maximum_(maximum) {}

  std::optional<std::vector<std::int64_t>> value() {
    auto all = add(0);
    if (!all || !all->list || in_.peek() != '\0') return std::nullopt;
    return std::move(all->values);
  }

 private:
  std::optional<NumberOrList> add(int depth) {
    auto sum = multiply(depth);
    while (sum && in_.take('+')) {
      const auto next = multiply(depth);
      if (!next || !sum->list || !next->list || sum->values.size() + next->values.size() > maximum_)
        return std::nullopt;
      sum->values.insert(sum->values.end(), next->values.begin(), next->values.end());
    }
    return sum;
  }

  std::optional<NumberOrList> multiply(int depth) {
    auto all = factor(depth);
    while (all && in_.take('*')) {
      auto next = factor(depth);
      if (!next || all->list == next->list) return std::nullopt;
      if (!all->list) std::swap(all, next);
      if (!repeat(all->values, next->values.front())) return std::nullopt;
    }
    return all;
  }

  [[nodiscard]] bool repeat(std::vector<std::int64_t>& values, std::int64_t times) const {
    const std::size_t one = values.size();
    if (times < 0 || static_cast<std::uint64_t>(times) > maximum_ || one * times > maximum_)
      return false;
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < times; ++i) all.insert(all.end(), values.begin(), values.end());
    values = std::move(all);
    return true;
  }

  std::optional<NumberOrList> factor(int depth) {
    if (depth > kDeepest) return std::nullopt;
    if (in_.take('(')) {
      auto inner = add(depth + 1);
      return in_.take(')') ? inner : std::nullopt;
    }
    if (!in_.take('[')) {
      const Number number = number_in(in_.word());
      return number ? std::optional(NumberOrList{false, {*number}}) : std::nullopt;
    }
    NumberOrList made{true, {}};
    while (!in_.take(']')) {
      const Number number = number_in(in_.word());
      if (!number || made.values.size() >= maximum_) return std::nullopt;
      made.values.push_back(*number);
      if (in_.peek() != ']' && !in_.take(',')) return std::nullopt;
    }
    return made;
  }

  Characters in_;
  std::size_t maximum_;
};

/// The position of the bracket that closes the one at `open`; npos if there is none.
std::size_t closing(std::string_view text, std::size_t open) {
  const char left = text[open], right = left == '{' ? '}' : ')';
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == left) ++depth;
    if (text[i] == right && --depth == 0) return i;
  }
  return std::string_view::npos;
}

/// The value of the expression at a "$" and its length in characters; empty if the value is
/// unknown.
struct Expansion {
  std::string value;
  std::size_t size = 0;
};

std::optional<Expansion> arithmetic_at(std::string_view text, const ShellLookup& lookup) {
  const std::size_t end = closing(text, 1);
  if (end == std::string_view::npos || text[end - 1] != ')') return std::nullopt;
  const auto number = shell_arithmetic(text.substr(3, end - 4), lookup);
  if (!number) return std::nullopt;
  return Expansion{std::to_string(*number), end + 1};
}

std::optional<Expansion> name_at(std::string_view text, const ShellLookup& lookup, bool empty) {
  const bool braces = text[1] == '{';
  const std::size_t first = braces ? 2 : 1;
  std::size_t last = first;
  while (last < text.size() && is_shell_name(text.substr(last, 1))) ++last;
  const std::size_t end = braces ? closing(text, 1) : last;
  if (last == first || end == std::string_view::npos) return std::nullopt;
  const std::size_t size = end + (braces ? 1 : 0);
  const std::string name(text.substr(first, last - first));
  const std::string_view rest = text.substr(last, end - last);
  auto value = lookup(name);
  const std::size_t dash = rest.rfind(':', 0) == 0 ? 1 : 0;
  const bool has_default = rest.size() > dash && (rest[dash] == '-' || rest[dash] == '=');
  if (!rest.empty() && !has_default) return std::nullopt;
  if (has_default && (!value || value->empty())) value = std::string(rest.substr(dash + 1));
  if (!value && empty) value = "";
  if (!value || value->find("$" + name) != std::string::npos) return std::nullopt;
  return Expansion{*std::move(value), size};
}

bool is_pattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

std::optional<bool> compare(const std::string& a, std::string_view op, const std::string& b) {
  if (op == "=" || op == "==" || op == "!=") {
    if (is_pattern(b)) return std::nullopt;
    return (a == b) == (op != "!=");
  }
  const Number left = number_in(a), right = number_in(b);
  if (!left || !right) return std::nullopt;
  if (op == "-eq") return *left == *right;
  if (op == "-ne") return *left != *right;
  if (op == "-gt") return *left > *right;
  if (op == "-ge") return *left >= *right;
  if (op == "-lt") return *left < *right;
  if (op == "-le") return *left <= *right;
  return std::nullopt;
}

/// Evaluates one comparison, with or without brackets.
std::optional<bool> holds(std::vector<std::string> words, const ShellLookup& lookup) {
  bool brackets = false, wanted = true;
  std::erase_if(words, [&](const std::string& word) {
    const bool bracket = word == "[" || word == "]" || word == "[[" || word == "]]";
    brackets = brackets || bracket;
    return bracket;
  });
  if (!words.empty() && words.front() == "!") {
    wanted = false;
    words.erase(words.begin());
  }
  for (std::string& word : words) {
    word = shell_expand(std::move(word), lookup, true);
    if (word.find('$') != std::string::npos) return std::nullopt;
  }
  std::optional<bool> predicted;
  if (words.size() == 1 && (words[0] == "true" || words[0] == "false") && !brackets) {
    predicted = words[0] == "true";
  } else if (words.size() == 2 && (words[0] == "-z" || words[0] == "-n")) {
    predicted = words[1].empty() == (words[0] == "-z");
  } else if (words.size() == 3) {
    predicted = compare(words[0], words[1], words[2]);
  }
  return predicted ? std::optional(*predicted == wanted) : predicted;
}

}  // namespace

std::optional<std::int64_t> shell_arithmetic(std::string_view text, const ShellLookup& lookup) {
  return Arithmetic(text, lookup).value();
}

std::optional<std::vector<std::int64_t>> python_list(std::string_view text, std::size_t maximum) {
  return PythonList(text, maximum).value();
}

std::string shell_expand(std::string word, const ShellLookup& lookup, bool unset_is_empty) {
  constexpr std::size_t kLongest = 256;
  for (int rounds = 0; rounds < 32 && word.size() <= kLongest; ++rounds) {
    const std::size_t dollar = word.find('$');
    if (dollar == std::string::npos || dollar + 1 >= word.size()) break;
    const std::string_view rest = std::string_view(word).substr(dollar);
    const auto known = rest.substr(0, 3) == "$((" ? arithmetic_at(rest, lookup)
                                                  : name_at(rest, lookup, unset_is_empty);
    if (!known || known->value.size() > kLongest) break;
    word.replace(dollar, known->size, known->value);
  }
  return word;
}

std::optional<bool> shell_condition(const std::vector<std::string>& words,
                                    const ShellLookup& lookup) {
  std::optional<bool> all = false;
  std::vector<std::string> part;
  std::string joined = "||";
  const auto join = [&] {
    const std::optional<bool> next = holds(std::exchange(part, {}), lookup);
    const bool decides = joined == "||";  // true || x and false && x are known without x
    if (all == decides || next == decides) {
      all = decides;
    } else if (all && next) {
      all = !decides;
    } else {
      all.reset();
    }
  };
  for (const std::string& word : words) {
    if (word == "||" || word == "&&") {
      join();
      joined = word;
    } else {
      part.push_back(word);
    }
  }
  join();
  return all;
}

// Splits a script into words.

namespace {

class Splitter {
 public:
  Splitter(std::string_view text, std::size_t limit) : text_(text), limit_(limit) {}

  std::vector<ShellWord> split() {
    for (; at_ < text_.size() && words_.size() <= limit_; ++at_) {
      if (text_[at_] == '\n') ++line_;
      step(text_[at_]);
    }
    flush();
    return std::move(words_);
  }

 private:
  [[nodiscard]] bool quoted() const { return quote_ != '\0'; }
  [[nodiscard]] char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void step(char c) {
    if (c == '"' || c == '\'') {
      mark(c);
    } else if (!nesting_.empty()) {
      inside(c);
    } else if (c == '$' && quote_ != '\'' && (next() == '(' || next() == '{')) {
      keep(c);
      keep(text_[++at_]);
      nesting_ += text_[at_] == '(' ? ')' : '}';
    } else if (c == '#' && !quoted() && word_.empty()) {
      at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == '\\') {
      flush();
      if (c == '\\' && (next() == '\n' || next() == '"')) {
        line_ += next() == '\n' ? 1 : 0;
        ++at_;
      } else if (c == '\n' && !quoted()) {
        command_ = true;
      }
    } else if (c == ';' && !quoted()) {
      end_command();
    } else if (c == '(' && !quoted() && !word_.empty() && word_.back() == '=') {
      flush();  // NAME=( starts a list
    } else {
      keep(c);
    }
  }

  /// Handles a quotation mark. The other kind within a quotation is text, but no option contains
  /// one.
  void mark(char c) {
    if (!quoted()) {
      quote_ = c;
    } else if (quote_ == c) {
      quote_ = '\0';
      if (text_[at_ - 1] != c || !word_.empty()) return;
      empty_ = true;
      begin();
    }
  }

  /// Handles a character in `$(…)` or `${…}`: all of it is one word.
  void inside(char c) {
    keep(c);
    if (c == nesting_.back()) {
      nesting_.pop_back();
    } else if (c == '(') {
      nesting_ += ')';
    } else if (c == '{') {
      nesting_ += '}';
    }
  }

  void begin() {
    begun_ = line_;
    bare_ = !quoted();
  }

  void keep(char c) {
    if (word_.empty() && !empty_) begin();
    word_ += c;
  }

  void end_command() {
    flush();
    if (next() == ';') {
      ++at_;
      words_.push_back({";;", line_, true});
    }
    command_ = true;
  }

  void flush() {
    if (word_.empty()) {
      if (std::exchange(empty_, false)) words_.push_back({"", begun_, false});
      return;
    }
    static constexpr std::array<std::string_view, 13> kBefore = {
        "&&", "||", "|", "!", "{", "(", "if", "elif", "else", "then", "do", "while", "until"};
    const bool command = command_ && bare_;
    const bool joins = bare_ && (word_ == "&&" || word_ == "||" || word_ == "|");
    command_ =
        joins || (command && (word_.back() == ')' ||  // a pattern of a `case`
                              std::find(kBefore.begin(), kBefore.end(), word_) != kBefore.end()));
    words_.push_back({std::exchange(word_, ""), begun_, command});
    empty_ = false;
  }

  std::string_view text_;
  std::size_t limit_;
  std::size_t at_ = 0;
  std::int64_t line_ = 1;
  std::int64_t begun_ = 1;
  char quote_ = '\0';
  bool bare_ = true;     ///< the word does not start with a quote
  bool empty_ = false;   ///< the word is ""
  bool command_ = true;  ///< a command may start here
  std::string nesting_;  ///< closing brackets of the open ones, innermost last
  std::string word_;
  std::vector<ShellWord> words_;
};

}  // namespace

bool is_shell_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
}

std::vector<ShellWord> shell_words(std::string_view text, std::size_t limit) {
  return Splitter(text, limit).split();
}

}  // namespace orrery::workload
