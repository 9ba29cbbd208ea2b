# What is installed besides programs and libraries, and Debian packages by CPack: orrery, liborrery-dev, and plug-ins
# apart (orrery-mpi, orrery-bench, orrery-ui), python3-orrery. `./check package` makes them, and packages of other kinds, from the preset `package`.
include(GNUInstallDirs)

# Manual pages, completion scripts and JSON Schemas: the program writes them, from the tables of --help. Sanitizers and
# fuzzing have programs of their own.
if(NOT ORRERY_SANITIZE AND NOT ORRERY_FUZZ)
  set(files "${CMAKE_BINARY_DIR}/share/files")
  add_custom_command(
    OUTPUT "${files}.stamp"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${files}"
    COMMAND orrery install-files "${files}"
    COMMAND sh -c "exec gzip -9n \"$0\"/man/man1/*.1" "${files}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${files}.stamp"
    DEPENDS orrery
    COMMENT "Writing manual pages, completion scripts and schemas"
    VERBATIM)
  add_custom_target(orrery_files ALL DEPENDS "${files}.stamp")
  # Who built the program alone (./orrery) installs without them.
  install(DIRECTORY "${files}/" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}" COMPONENT program OPTIONAL)
endif()

if(NOT ORRERY_PORTABLE)
  return()
endif()

# Debian wants a license and a changelog of each package, and portable programs contain the code of others.
set(linked libfmt-dev libyaml-cpp-dev libpugixml-dev libsimdjson-dev libsqlite3-dev zlib1g-dev libzstd-dev libexpected-dev
           libprotozero-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libstdc++-${CMAKE_CXX_COMPILER_VERSION})
if(ORRERY_PYTHON_BUILT)
  list(APPEND linked pybind11-dev)
endif()
string(REGEX REPLACE "(libstdc[+][+]-[0-9]+).*" "\\1-dev" linked "${linked}")
set(documents "${CMAKE_BINARY_DIR}/documents")
file(MAKE_DIRECTORY "${documents}")
add_custom_command(
  OUTPUT "${documents}/copyright" "${documents}/changelog.gz"
  COMMAND sh -c "exec \"$@\" > \"$0\"" "${documents}/copyright" "${CMAKE_SOURCE_DIR}/packaging/gather_copyrights.sh"
          "${CMAKE_SOURCE_DIR}/LICENSE" "${CMAKE_SOURCE_DIR}/web" ${linked}
  COMMAND sh -c "gzip -9nc \"$1\" > \"$0\"" "${documents}/changelog.gz" "${CMAKE_SOURCE_DIR}/CHANGELOG.md"
  DEPENDS "${CMAKE_SOURCE_DIR}/packaging/gather_copyrights.sh" "${CMAKE_SOURCE_DIR}/CHANGELOG.md" "${CMAKE_SOURCE_DIR}/LICENSE"
  COMMENT "Gathering licenses"
  VERBATIM)
add_custom_target(orrery_documents ALL DEPENDS "${documents}/copyright" "${documents}/changelog.gz")

# orrery_debian_package(<component> <package> <section> <dependencies> <text>)
function(orrery_debian_package component package section dependencies text)
  install(FILES "${CMAKE_BINARY_DIR}/documents/copyright" "${CMAKE_BINARY_DIR}/documents/changelog.gz"
          DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/${package}" COMPONENT ${component})
  string(TOUPPER ${component} name)
  set(CPACK_DEBIAN_${name}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_PACKAGE_DEPENDS "${dependencies}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${name}_DESCRIPTION "${text}" PARENT_SCOPE)
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} PARENT_SCOPE)
endfunction()

# The installed rooms fit the shared libraries that they were compiled for: "libfmt9" and its like.
set(needed "")
foreach(library fmt yaml-cpp pugixml simdjson)
  find_library(ORRERY_SHARED_${library} ${library})
  get_filename_component(file "${ORRERY_SHARED_${library}}" REALPATH)
  get_filename_component(file "${file}" NAME)
  execute_process(COMMAND dpkg-query -S "*/${file}" OUTPUT_VARIABLE owner ERROR_QUIET)
  if(owner MATCHES "^([^:]+):")
    string(APPEND needed ", ${CMAKE_MATCH_1}")
  endif()
endforeach()

orrery_debian_package(program orrery science ""
                      "It predicts the step time of training jobs on modeled clusters, from traces
or from a model and a parallelism plan, and shows where the time goes.")
orrery_debian_package(development liborrery-dev libdevel
                      "libfmt-dev, libexpected-dev, nlohmann-json3-dev, libyaml-cpp-dev, zlib1g-dev, libpugixml-dev, \
libsqlite3-dev, libsimdjson-dev, libzstd-dev, libprotozero-dev${needed}"
                      "Headers, static libraries and find_package(Orrery), for C++ programs.")
if(TARGET orrery_mpi)
  orrery_debian_package(mpi orrery-mpi science "orrery (= ${PROJECT_VERSION})" "A plug-in: searches on many machines, by 'orrery search --executor mpi'.")
endif()
if(TARGET orrery_http)
  orrery_debian_package(ui orrery-ui web "orrery (= ${PROJECT_VERSION})" "A plug-in: the web page of 'orrery ui'.")
endif()
if(TARGET orrery_bench_module)
  orrery_debian_package(bench orrery-bench science "orrery (= ${PROJECT_VERSION})" "A plug-in: replays of recordings with PyTorch, by 'orrery bench run'.")
endif()

if(ORRERY_PYTHON_BUILT)
  math(EXPR next "${Python_VERSION_MINOR} + 1")
  orrery_debian_package(python python3-orrery python
                        "python3 (>= ${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}), python3 (<< ${Python_VERSION_MAJOR}.${next}), \
python3-numpy, libc6 (>= 2.34)"
                        "The Python package orrery: the same questions and answers as on the command line,
as objects, NumPy columns and Arrow streams.")
  # The module finds liborrery in its own folder, which dpkg-shlibdeps does not search.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS "python3-pandas")
  # Python compiles the files at installation and removes what it compiled, as for Debian's own packages.
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA "${CMAKE_SOURCE_DIR}/packaging/python/postinst;${CMAKE_SOURCE_DIR}/packaging/python/prerm")
  # A wheel has one folder.
  install(FILES "${documents}/copyright" DESTINATION "${ORRERY_PYTHON_FOLDER}" COMPONENT python EXCLUDE_FROM_ALL RENAME LICENSES)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "simulator of machine-learning clusters")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Orrery maintainers <maintainers@orrery.invalid>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
