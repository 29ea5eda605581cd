#include "csignalbox.h"
