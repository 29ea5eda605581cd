#include "CSignalboxDropIn/given.h"

_Thread_local void *csd_given_storage;
