// SPDX-License-Identifier: Apache-2.0
//
// Opens a page in the web browser of the desktop.
#pragma once

#include <string>

#include "session.h"

namespace orrery::app {

/// `path` as a URL: "file:///home/me/a%20page.html".
[[nodiscard]] std::string file_address(const std::string& path);

/// Opens the file at `path`, and waits for the program that opens it: the first command of $BROWSER
/// that works (separated by ':'; %s is replaced by the address), else xdg-open if there is a
/// display. Uses no shell. If no program opens it, prints the address to stderr.
void show_page(const std::string& path, const Session& session);

}  // namespace orrery::app
