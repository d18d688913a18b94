/* What options say and structs of other sizes hold, on one golden set. */
#ifndef BDELTA_TESTS_CAPI_OPTION_CHECKS_H
#define BDELTA_TESTS_CAPI_OPTION_CHECKS_H

#include "support.h"

typedef struct set {
  char folder[700];
  bytes source;
  bytes target;
  bytes patch;
} set;

void check_apply_options(const set *of);
void check_struct_sizes(const set *of);

#endif
