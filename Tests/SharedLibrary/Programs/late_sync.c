// Uses Dispatch, and then loads the library that is its argument, which uses it in Swift.
#include <dispatch/dispatch.h>
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.early", NULL);
  dispatch_sync(queue, ^{});
  void *library = dlopen(count > 1 ? arguments[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (!library) return fputs(dlerror(), stderr), 1;
  void (*use)(void) = (void (*)(void))dlsym(library, "use_sync");
  if (!use) return fputs(dlerror(), stderr), 1;
  use();
  dispatch_release(queue);
}
