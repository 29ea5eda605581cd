#include "CSignalbox/engine.h"

void *csb_engine;
uint32_t csb_probe_mask;
