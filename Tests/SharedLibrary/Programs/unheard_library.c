// What `unheard` is linked with.
void dispatch_unheard_of(void) {}
