#include "CSignalbox/object.h"

// Functions of Swift's runtime.
extern void *swift_retain(void *object);
extern void swift_release(void *object);

void csb_object_retain(void *object) { swift_retain(object); }

void csb_object_release(void *object) { swift_release(object); }
