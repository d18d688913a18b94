# Run by cpack over the packages that it made. It has put scripts that run ldconfig into those with a shared library; Debian
# wants the trigger that they have in place of these.
cmake_minimum_required(VERSION 3.22)

foreach(package IN LISTS CPACK_PACKAGE_FILES)
  if(package MATCHES "/libbdelta(-apply)?[0-9.]+_[^/]*$")
    set(tree "${CPACK_TEMPORARY_DIRECTORY}/without_scripts")
    execute_process(COMMAND dpkg-deb --raw-extract "${package}" "${tree}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${tree}/DEBIAN/postinst" "${tree}/DEBIAN/postrm")
    execute_process(COMMAND dpkg-deb --root-owner-group -Zxz --build "${tree}" "${package}" OUTPUT_QUIET
      COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE_RECURSE "${tree}")
  endif()
endforeach()
