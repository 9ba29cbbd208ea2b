// SPDX-License-Identifier: Apache-2.0
#include "orrery/platform/topology/formats/machines/nvidia_smi_lines.h"

#include <algorithm>
#include <vector>

#include "orrery/platform/topology/formats/machines/nvidia_smi_matrix.h"

namespace orrery::platform {
namespace {

using std::string_view;

constexpr string_view kSpace = " \t\r";

std::vector<string_view> words_in(string_view line) {
  std::vector<string_view> words;
  for (std::size_t at = line.find_first_not_of(kSpace); at != string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
  return words;
}

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

/// "GPU0", "NIC12", "mlx5_bond_0": letters first, a digit last.
bool is_device_name(string_view word) {
  const auto is_name_char = [](char c) {
    return is_digit_char(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return word.size() > 1 && !is_digit_char(word.front()) && is_digit_char(word.back()) &&
         std::all_of(word.begin(), word.end(), is_name_char) && !is_smi_cell(word);
}

/// Ranges of CPUs and NUMA nodes: "0-47,96-143", "1".
bool is_affinity(string_view word) {
  return word.find_first_not_of("0123456789-,") == string_view::npos;
}

constexpr string_view kTitles[] = {"CPU", "Affinity", "NUMA", "GPU", "ID", "N/A", "NIC"};

bool is_title(string_view word) {
  return std::find(std::begin(kTitles), std::end(kTitles), word) != std::end(kTitles);
}

/// The begin of a title or of a device's name.
bool is_cut_title(string_view word) {
  return std::any_of(std::begin(kTitles), std::end(kTitles),
                     [&](string_view title) { return title.starts_with(word); });
}

/// The end of a cell that was cut: "V18".
bool is_end_of_cell(string_view word) {
  return word.starts_with('V') && is_smi_cell("N" + std::string(word));
}

/// Whether a line begins a row: a device, then a cell, which may be cut.
bool begins_row(const std::vector<string_view>& words) {
  if (words.size() < 2 || !is_device_name(words[0]) || is_end_of_cell(words[0])) return false;
  return is_smi_cell(words[1]) || (words.size() == 2 && is_cut_smi_cell(words[1]));
}

/// Whether a line can only be the rest of the line before it.
bool is_rest(const std::vector<string_view>& words) {
  const auto fits = [](string_view word) {
    return is_smi_cell(word) || is_device_name(word) || is_affinity(word) || is_title(word) ||
           is_cut_smi_cell(word) || is_cut_title(word);
  };
  return !words.empty() && !begins_row(words) && std::all_of(words.begin() + 1, words.end(), fits);
}

/// Whether a word was cut between two lines: the parts make a word, and do not stand alone.
bool is_cut(string_view before, string_view after) {
  const std::string both = std::string(before) + std::string(after);
  if (is_smi_cell(before)) return is_smi_cell(both) && !is_smi_cell(after);
  if (is_device_name(before))
    return is_device_name(both) && !is_smi_cell(after) && !is_device_name(after) &&
           !is_title(after);
  if (is_affinity(before) && is_affinity(after)) return true;
  return is_smi_cell(both) || is_device_name(both) || is_cut_title(both);
}

}  // namespace

std::string join_wrapped_lines(string_view text) {
  std::string out;
  bool inside = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const string_view line = text.substr(0, end);
    const bool has_end = end < text.size();
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::vector<string_view> words = words_in(line);
    // The blanks at the end of a row, on a line of their own.
    if (inside && words.empty() && begins_row(words_in(text.substr(0, text.find('\n'))))) continue;
    if (inside && is_rest(words)) {
      if (out.ends_with('\n')) out.pop_back();
      if (out.ends_with('\r')) out.pop_back();
      const bool touches = !out.empty() && kSpace.find(out.back()) == string_view::npos &&
                           kSpace.find(line.front()) == string_view::npos;
      const std::size_t last = out.find_last_of(" \t\n") + 1;
      if (!touches || !is_cut(string_view(out).substr(last), words.front())) out += ' ';
    } else {
      inside = is_smi_header(words) || (inside && begins_row(words));
    }
    out += line;
    if (has_end) out += '\n';
  }
  return out;
}

}  // namespace orrery::platform
