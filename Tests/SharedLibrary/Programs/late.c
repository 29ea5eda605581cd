// Loads the library that is its argument, and uses it.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

typedef void function(void *);

static void add(void *sum) { ++*(int *)sum; }

int main(int count, char **arguments) {
  void *library = dlopen(count > 1 ? arguments[1] : "libdispatch.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) return fputs(dlerror(), stderr), 1;
  void *(*create)(const char *, void *) =
      (void *(*)(const char *, void *))dlsym(library, "dispatch_queue_create");
  void (*submit)(void *, void *, function *) =
      (void (*)(void *, void *, function *))dlsym(library, "dispatch_async_f");
  void (*perform)(void *, void *, function *) =
      (void (*)(void *, void *, function *))dlsym(library, "dispatch_sync_f");
  void (*release)(void *) = (void (*)(void *))dlsym(library, "dispatch_release");
  void *queue = create("org.example.late", NULL);
  int sum = 0;
  for (int i = 0; i < 999; i++) submit(queue, &sum, add);
  perform(queue, &sum, add);
  release(queue);
  printf("sum=%d\n", sum);
}
