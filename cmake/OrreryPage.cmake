# The HTML report's page (web/dist/report.html, made by `./setup --page`) as a constant in the library. Without it the
# constant is empty, and everything else is as always.
#
# As a script (cmake -DPAGE=… -DOUT=… -P OrreryPage.cmake) this file writes the constant's source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "")
  if(PAGE)
    file(READ "${PAGE}" text)
  endif()
  string(FIND "${text}" ")orrery_page\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${PAGE} holds what ends a literal")
  endif()
  file(WRITE "${OUT}" "// Made by cmake/OrreryPage.cmake.
#include <cstddef>
namespace orrery::report {
namespace {
constexpr char kText[] = R\"orrery_page(${text})orrery_page\";
}
extern const char* const kPage;
extern const std::size_t kPageBytes;
const char* const kPage = kText;
const std::size_t kPageBytes = sizeof kText - 1;
}  // namespace orrery::report
")
  return()
endif()

# Made or built anew, the page is seen by the next build.
file(GLOB orrery_page CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/web/dist/report.html")
set(orrery_page_source "${CMAKE_BINARY_DIR}/generated/html_page_text.cc")
add_custom_command(
  OUTPUT "${orrery_page_source}"
  COMMAND "${CMAKE_COMMAND}" "-DPAGE=${orrery_page}" "-DOUT=${orrery_page_source}" -P "${CMAKE_CURRENT_LIST_FILE}"
  DEPENDS "${CMAKE_CURRENT_LIST_FILE}" ${orrery_page}
  COMMENT "Taking in the HTML report's page"
  VERBATIM)
target_sources(orrery_report PRIVATE "${orrery_page_source}")
# By itself: when the page changes, nothing else has to be compiled again.
set_source_files_properties("${orrery_page_source}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
