#include "CCoverage.h"
