// Uses Dispatch, forks a child that uses it, and replaces itself by a program that does.
#include <dispatch/dispatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int counted(void) {
  dispatch_queue_t queue = dispatch_queue_create("org.example.children", NULL);
  __block int count = 0;
  for (int i = 0; i < 100; i++) dispatch_async(queue, ^{ count++; });
  dispatch_sync(queue, ^{ count++; });
  dispatch_release(queue);
  return count;
}

static void show(const char *name) {
  const char *value = getenv(name);
  printf("%s=%s\n", name, value ? value : "(none)");
}

int main(int count, char **arguments) {
  printf("%s=%d\n", count > 1 ? arguments[1] : "parent", counted());
  show("LD_LIBRARY_PATH");
  show("SIGNALBOX_RUN_BEFORE");
  fflush(stdout);
  if (count > 1) return 0;
  pid_t child = fork();
  if (child == 0) _exit(counted() == 101 ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  printf("fork=%d\n", status);
  fflush(stdout);
  execl("/proc/self/exe", arguments[0], "exec", NULL);
  return 1;
}
