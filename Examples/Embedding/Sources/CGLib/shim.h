// shim — GLib's main loop, and its sources of file descriptors.
#include <glib-unix.h>
#include <glib.h>
