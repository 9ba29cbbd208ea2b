# Language, warnings and sanitizers: one place, the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# The rooms also form a shared library, which exports only the C interface (include/orrery/orrery.h).
if(NOT EMSCRIPTEN)  # a module is larger and slower with it
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(ORRERY_TESTS "Build the tests" ON)
option(ORRERY_BENCHMARKS "Build the benchmarks" OFF)
option(ORRERY_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(ORRERY_WERROR "Treat warnings as errors" OFF)
set(ORRERY_SANITIZE "" CACHE STRING "Sanitizers, e.g. address,undefined or thread")
set(ORRERY_NO_SANITIZE "" CACHE STRING "Checks of these that are left out")

include(OrreryUnits)

find_program(ORRERY_CCACHE ccache)
if(ORRERY_CCACHE)
  # Keys without absolute paths, so that a second clone in another folder hits. CCACHE_DEPEND: no preprocessing on a miss.
  set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
                                  "${ORRERY_CCACHE}")
endif()

# -ffp-contract=off: the same doubles on every machine and at every optimization level.
add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in `"literal" + std::string` that are not there (PR 105651), and takes what is in an empty
  # optional for uninitialized (PR 80635).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
# The program's own folder never shows in its bytes.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
if(ORRERY_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # A batch that is compiled needs up to 1.2 GB instead of 0.9, and 6 to 8 % less time: GCC looks for garbage later.
  add_compile_options("SHELL:--param ggc-min-heapsize=500000")
endif()
if(EMSCRIPTEN)
  # Exceptions as instructions: a call of JavaScript at each try is larger and slower.
  add_compile_options(-fwasm-exceptions)
  add_link_options(-fwasm-exceptions)
  add_compile_options(-Wno-c++11-narrowing)  # sizes have 32 bits there
  add_compile_options("SHELL:-include ${CMAKE_CURRENT_SOURCE_DIR}/packaging/wasm/missing_std.h")
endif()
if(ORRERY_WERROR)
  add_compile_options(-Werror)
endif()
if(ORRERY_SANITIZE)
  add_compile_options(-fsanitize=${ORRERY_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ORRERY_SANITIZE})
  if(ORRERY_NO_SANITIZE)
    add_compile_options(-fno-sanitize=${ORRERY_NO_SANITIZE})
  endif()
endif()
if(ORRERY_FUZZ)
  # Every room reports the branches it takes, so that the fuzzer can see into the libraries.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
