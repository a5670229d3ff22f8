# Debian packages by CPack (make deb): command, library, headers, and a package for each plug-in that needs much.
# SPDX-License-Identifier: BSD-3-Clause
if(NOT VINCOLO_DEB)
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vincolo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "Vincolo developers <vincolo@packages.debian.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL command library headers)

# vincolo_package(COMPONENT NAME SECTION SUMMARY WORDS): copyright and changelog go into each.
string(TIMESTAMP VINCOLO_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(scripts/debian-changelog.in debian/changelog @ONLY)
execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/debian/changelog)
configure_file(scripts/debian-copyright.in debian/copyright @ONLY)
macro(vincolo_package component name section summary words)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${words}")
  install(FILES ${CMAKE_BINARY_DIR}/debian/copyright DESTINATION share/doc/${name} COMPONENT ${component})
  install(FILES ${CMAKE_BINARY_DIR}/debian/changelog.gz DESTINATION share/doc/${name} COMPONENT ${component})
endmacro()

set(of "Vincolo takes models written as equations and constraints (Modelica text)\nand tells what the system is, how it moves, and by which formulation and\nmethod.")
vincolo_package(command vincolo science "models of equations and constraints: the command"
  "${of}\n.\nThis package has the command, its library of models, and the examples.")
vincolo_package(library libvincolo0 libs "models of equations and constraints: shared library"
  "${of}\n.\nThis package has the shared library.")
vincolo_package(headers libvincolo-dev libdevel "models of equations and constraints: development files"
  "${of}\n.\nThis package has headers, the static library, and files for\npkg-config and CMake.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS libcairo2) # opened when the first figure is drawn
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "vincolo-live, vincolo-mpi, vincolo-petsc, vincolo-hdf5, vincolo-ipopt, vincolo-metis")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS libcairo2)
file(WRITE ${CMAKE_BINARY_DIR}/debian/shlibs "libvincolo 0 libvincolo0 (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${CMAKE_BINARY_DIR}/debian/shlibs;${CMAKE_BINARY_DIR}/debian/triggers")
set(CPACK_DEBIAN_HEADERS_PACKAGE_DEPENDS "libvincolo0 (= ${PROJECT_VERSION}), libsuitesparse-dev, libsuperlu-dev, liblapack-dev, libblas-dev")
# Plug-ins: component, what its package is called after, what it lets happen. One that is built and not named is an error.
set(plugins "mpi|sweeps over MPI|lets sweeps run in the processes of mpirun"
            "petsc|runs over MPI|lets one model run in the processes of mpirun, by PETSc"
            "hdf5|HDF5 files|lets sweeps write their results as HDF5"
            "ipopt|optimal motions|lets motions be optimized under constraints, by Ipopt"
            "metis|nested dissection|orders the unknowns of grids by nested dissection, by METIS"
            "live|live pages|serves pages in which a model runs")
get_property(built GLOBAL PROPERTY VINCOLO_PLUGINS)
foreach(plugin ${plugins})
  string(REPLACE "|" ";" plugin "${plugin}")
  list(GET plugin 0 name)
  list(GET plugin 1 summary)
  list(GET plugin 2 does)
  if(name IN_LIST built)
    list(REMOVE_ITEM built ${name})
    list(APPEND CPACK_COMPONENTS_ALL ${name})
    vincolo_package(${name} vincolo-${name} science "models of equations and constraints: ${summary}"
      "${of}\n.\nThis plug-in ${does}.")
    string(TOUPPER ${name} upper)
    set(CPACK_DEBIAN_${upper}_PACKAGE_ENHANCES vincolo)
  endif()
endforeach()
list(REMOVE_ITEM built unpack) # goes with the command
if(built)
  message(FATAL_ERROR "scripts/debian.cmake names no package for the plug-in ${built}")
endif()
install(CODE "execute_process(COMMAND gzip -9nf \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/vincolo.1\")" COMPONENT command)
include(CPack)
