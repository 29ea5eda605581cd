#include <poll.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern void libdispatch_init(void);
extern void dispatch_atfork_prepare(void), dispatch_atfork_parent(void), dispatch_atfork_child(void);
extern int _dispatch_get_main_queue_port_4CF(void), _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

/// Whether the main queue asks for its thread.
static int is_ready(int port) {
  struct pollfd poll_for = {port, POLLIN, 0};
  return poll(&poll_for, 1, 0) == 1;
}

/// As CoreFoundation's run loop does.
static void serve(int port) {
  uint64_t count;
  expect(is_ready(port) && read(port, &count, sizeof count) == sizeof count);
  expect(!is_ready(port));
  _dispatch_main_queue_callback_4CF(NULL);
}

static void *end_in_dispatch_main(void *context) {
  (void)context;
  dispatch_main();
}

static void *from_another_thread(void *context) {
  dispatch_async_f(dispatch_get_main_queue(), context, (dispatch_function_t)context);
  return NULL;
}

static int ran;
static void add(void *context) {
  (void)context;
  ran++;
}

static void use_fork(void) {
  dispatch_atfork_prepare();
  pid_t child = fork();
  if (child == 0) {
    dispatch_atfork_child();
    dispatch_queue_t queue = dispatch_queue_create("org.example.child", NULL);
    __block int done = 0;
    dispatch_async(queue, ^{ done = 1; });
    dispatch_sync(queue, ^{});
    _exit(done ? 0 : 1);
  }
  dispatch_atfork_parent();
  int status;
  expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

void use_process(void) {
  libdispatch_init();
  libdispatch_init();
  // The process has used nothing yet; then it has threads.
  use_fork();
  dispatch_sync(dispatch_get_global_queue(0, 0), ^{});
  dispatch_group_t group = dispatch_group_create();
  dispatch_group_async(group, dispatch_get_global_queue(0, 0), ^{});
  dispatch_group_wait(group, DISPATCH_TIME_FOREVER);
  dispatch_release(group);
  if (CHILDREN_MAY_GO_ON) use_fork();

  int port = _dispatch_get_main_queue_port_4CF();
  expect(port >= 0 && port == _dispatch_get_main_queue_handle_4CF() && !is_ready(port));
  pthread_t thread;
  expect(!pthread_create(&thread, NULL, from_another_thread, (void *)add));
  pthread_join(thread, NULL);
  expect(ran == 0);
  serve(port);
  expect(ran == 1 && !is_ready(port));
  // What an item submits waits for the next call, and a call within an item does nothing.
  dispatch_async(dispatch_get_main_queue(), ^{
    dispatch_async_f(dispatch_get_main_queue(), NULL, add);
    _dispatch_main_queue_callback_4CF(NULL);
    expect(ran == 1);
  });
  serve(port);
  expect(ran == 1);
  serve(port);
  expect(ran == 2 && !is_ready(port));

  // dispatch_main on another thread ends that thread.
  expect(!pthread_create(&thread, NULL, end_in_dispatch_main, NULL));
  expect(!pthread_join(thread, NULL));
  dispatch_async(dispatch_get_main_queue(), ^{
    puts("done");
    exit(0);
  });
  dispatch_main();
}
