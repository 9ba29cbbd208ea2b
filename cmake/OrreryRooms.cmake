include(GoogleTest OPTIONAL)

# orrery_room(<name> [COLD] DEPS <targets…>): the folder src/orrery/<name> as a library orrery_<name>.
# x.cc goes into the library, x_test.cc into orrery_<name>_tests, x_fuzz.cc becomes a libFuzzer target of its own.
# COLD: compiled quickly instead of to be quick, where that makes no command slower (memory and files take the time).
# A room without sources (yet) is header-only; a room without a folder is skipped.
function(orrery_room name)
  cmake_parse_arguments(ROOM "COLD" "" "DEPS" ${ARGN})
  set(dir "${CMAKE_SOURCE_DIR}/src/orrery/${name}")
  file(GLOB_RECURSE all CONFIGURE_DEPENDS "${dir}/*.cc")
  set(sources ${all})
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")

  set_property(GLOBAL APPEND PROPERTY ORRERY_ROOMS ${name})
  set(inside "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>" "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>")
  if(sources)
    add_library(orrery_${name} STATIC ${sources})
    target_include_directories(orrery_${name} PUBLIC ${inside} $<INSTALL_INTERFACE:include>)
    target_link_libraries(orrery_${name} PUBLIC ${ROOM_DEPS})
    if(ROOM_COLD)
      target_compile_options(orrery_${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endif()
  else()
    add_library(orrery_${name} INTERFACE)
    target_include_directories(orrery_${name} INTERFACE ${inside} $<INSTALL_INTERFACE:include>)
    target_link_libraries(orrery_${name} INTERFACE ${ROOM_DEPS})
  endif()

  if(ORRERY_TESTS AND tests)
    orrery_test(orrery_${name}_tests SOURCES ${tests} DEPS orrery_${name})
    set_tests_properties(orrery_${name}_tests PROPERTIES LABELS unit)
  endif()
  if(ORRERY_FUZZ)
    foreach(fuzzer ${fuzzers})
      get_filename_component(target "${fuzzer}" NAME_WE)
      add_executable(${target} "${fuzzer}")
      target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
      target_link_options(${target} PRIVATE -fsanitize=fuzzer)
      target_link_libraries(${target} PRIVATE orrery_${name})
    endforeach()
  endif()
endfunction()

# orrery_test(<target> SOURCES … DEPS …): one GoogleTest program, one CTest entry.
function(orrery_test target)
  cmake_parse_arguments(TEST "" "" "SOURCES;DEPS;ARGS" ${ARGN})
  add_executable(${target} ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE ${TEST_DEPS} GTest::gmock GTest::gtest_main rapidcheck)
  # What is tested is optimised; how it is asked need not be.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${target} PRIVATE ORRERY_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${target} COMMAND ${target} ${TEST_ARGS} WORKING_DIRECTORY "${CMAKE_BINARY_DIR}")
  # The same properties every time; run the program by itself for new random ones.
  set_tests_properties(${target} PROPERTIES ENVIRONMENT "RC_PARAMS=seed=1")
endfunction()
