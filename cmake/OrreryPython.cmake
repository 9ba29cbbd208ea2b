# The Python package orrery (python/): the module orrery._library over liborrery, beside the package's own files in
# build/<preset>/python. Built where Debian's pybind11 and Python's headers are installed (./setup python); ORRERY_PYTHON=OFF
# leaves it out. `cmake --install … --component python` installs the package with liborrery inside: python/setup.py makes a
# wheel of it, CPack the Debian package python3-orrery.
option(ORRERY_PYTHON "Build the Python package where pybind11 is installed" ON)
set(ORRERY_PYTHON_BUILT OFF)
if(NOT ORRERY_PYTHON)
  return()
endif()
find_program(ORRERY_PYTHON_COMMAND python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(ORRERY_PYTHON_COMMAND)
  set(Python_EXECUTABLE "${ORRERY_PYTHON_COMMAND}")
  find_package(Python QUIET COMPONENTS Interpreter Development.Module)
  find_package(pybind11 QUIET CONFIG)
endif()
if(NOT Python_FOUND OR NOT pybind11_FOUND)
  message(STATUS "Python package: left out; './setup python' installs what it needs")
  return()
endif()
pybind11_add_module(orrery_python MODULE "${CMAKE_SOURCE_DIR}/python/library.cc")
target_link_libraries(orrery_python PRIVATE orrery_library)
set_target_properties(orrery_python PROPERTIES OUTPUT_NAME _library LIBRARY_OUTPUT_DIRECTORY
                      "${CMAKE_BINARY_DIR}/python/orrery" BUILD_RPATH "${CMAKE_BINARY_DIR}" INSTALL_RPATH "$ORIGIN"
                      EXCLUDE_FROM_ALL OFF)
if(ORRERY_PORTABLE)
  orrery_make_portable(orrery_python)
endif()
# The package's own files, as links, so that a change of them needs no build.
file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/python/orrery")
file(GLOB python_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/python/orrery/*")
foreach(file IN LISTS python_files)
  get_filename_component(name "${file}" NAME)
  if(NOT name STREQUAL "__pycache__")
    file(CREATE_LINK "${file}" "${CMAKE_BINARY_DIR}/python/orrery/${name}" SYMBOLIC)
  endif()
endforeach()
set(ORRERY_PYTHON_BUILT ON)

# Where Debian's Python looks, and liborrery by the name that the module asks for.
set(ORRERY_PYTHON_FOLDER "lib/python3/dist-packages/orrery")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/python/orrery/" DESTINATION "${ORRERY_PYTHON_FOLDER}" COMPONENT python EXCLUDE_FROM_ALL
        PATTERN __pycache__ EXCLUDE)
install(TARGETS orrery_python LIBRARY DESTINATION "${ORRERY_PYTHON_FOLDER}" COMPONENT python EXCLUDE_FROM_ALL)
install(PROGRAMS "$<TARGET_FILE:orrery_library>" DESTINATION "${ORRERY_PYTHON_FOLDER}" COMPONENT python EXCLUDE_FROM_ALL
        RENAME "$<TARGET_SONAME_FILE_NAME:orrery_library>")
