// request_record.h — where the request's record is, for the table of outside.c.
#pragma once

#include "CSignalbox/request.h"

extern struct csb_request csb_request_here __attribute__((visibility("hidden")));
