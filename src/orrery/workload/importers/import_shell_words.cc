// SPDX-License-Identifier: Apache-2.0
//
// A script as words.
#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "orrery/workload/importers/import_shell.h"

namespace orrery::workload {
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
      flush();  // NAME=( begins a list
    } else {
      keep(c);
    }
  }

  /// A quotation mark: the other kind inside a quotation is text, but no option has any.
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

  /// Within `$(…)` or `${…}`: all of it is one word.
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
        joins || (command && (word_.back() == ')' ||  // what a case matches
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
  bool bare_ = true;     ///< the word does not begin in quotes
  bool empty_ = false;   ///< the word is ""
  bool command_ = true;  ///< a command may begin
  std::string nesting_;  ///< what closes the brackets that are open
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
