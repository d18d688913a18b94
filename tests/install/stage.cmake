# Installs BUILD into STAGE, which is emptied before, so that no file of an older build is taken for one of this.
file(REMOVE_RECURSE "${STAGE}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${STAGE}" COMMAND_ERROR_IS_FATAL ANY)
