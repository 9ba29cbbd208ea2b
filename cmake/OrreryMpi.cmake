# What speaks MPI, loaded by `orrery search --executor mpi` alone: programs that are started a thousand times a day should
# not have to load an MPI library each time, nor need one.
option(ORRERY_MPI "Searches by MPI, where there is an MPI library" ON)
# Sanitizers take for leaks and races what MPI libraries do on purpose.
if(NOT ORRERY_MPI OR ORRERY_SANITIZE)
  return()
endif()
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI QUIET COMPONENTS CXX)
if(NOT MPI_CXX_FOUND)
  return()
endif()
add_library(orrery_mpi MODULE "${CMAKE_CURRENT_SOURCE_DIR}/mpi_plugin.cc")
target_include_directories(orrery_mpi PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/include")
target_compile_definitions(orrery_mpi PRIVATE ORRERY_VERSION="${PROJECT_VERSION}" OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(orrery_mpi PRIVATE MPI::MPI_CXX)
target_link_options(orrery_mpi PRIVATE -Wl,--as-needed)
# The program looks for it in <folder above it>/<lib>/orrery, in the build tree as where it is installed.
set_target_properties(orrery_mpi PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY
                                                      "${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR}/orrery")
install(TARGETS orrery_mpi DESTINATION "${CMAKE_INSTALL_LIBDIR}/orrery" COMPONENT mpi)
add_dependencies(orrery orrery_mpi)
