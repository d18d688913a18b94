/* Applies a patch through the C interface. usage: updater OLD PATCH NEW */
#include <bdelta/bdelta.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  char text[256];
  bdelta_error error;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.message = text;
  error.message_size = sizeof text;
  if (argc != 4) return 1;
  if (bdelta_apply_file(argv[1], argv[3], argv[2], NULL, NULL, &error) != 0) {
    fprintf(stderr, "%s\n", text);
    return bdelta_exit_class(error.code);
  }
  /* A patch is no OLD: the wrong source has to be refused. */
  return bdelta_exit_class(bdelta_check_file(argv[2], argv[2], NULL, NULL, &error)) == 4 ? 0 : 101;
}
