// recording.c — what `signalbox trace` needs: writing to a process, signals of the terminal, a file in
// memory, and the program that converts recordings.

#define _GNU_SOURCE
#include "csignalboxtool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

int csb_tool_write_memory(int process, unsigned long address, const void *from,
                          unsigned long size) {
  struct iovec local = {.iov_base = (void *)from, .iov_len = size};
  struct iovec remote = {.iov_base = (void *)address, .iov_len = size};
  ssize_t count = process_vm_writev(process, &local, 1, &remote, 1, 0);
  if (count < 0) return errno;
  return (unsigned long)count == size ? 0 : EFAULT;
}

unsigned long csb_tool_random(void) {
  unsigned long number = 0;
  // The system's source of random numbers is ready long before a user can call this. If it is not, the
  // time serves as well: the number only has to differ from another tool's.
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = csb_tool_uptime();
  return number ? number : 1;
}

int csb_tool_memory_file(void) {
  int file = memfd_create("signalbox trace", MFD_CLOEXEC);
  return file < 0 ? -errno : file;
}

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};
static volatile sig_atomic_t is_interrupted;
static volatile sig_atomic_t receiver;

static void handle_interrupts(void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
    sigaction(interrupts[i], &action, NULL);
}

static void note(int signal) {
  (void)signal;
  is_interrupted = 1;
}

static void pass_on(int signal) {
  int error = errno;
  kill((pid_t)receiver, signal);
  errno = error;
}

void csb_tool_note_interrupts(void) {
  // The terminal's signals then reach this process only through its parent, and once.
  setpgid(0, 0);
  handle_interrupts(note, (int)SA_RESETHAND);
}

int csb_tool_is_interrupted(void) { return is_interrupted; }

void csb_tool_pass_interrupts_to(int copy) {
  receiver = copy;
  handle_interrupts(copy ? pass_on : SIG_DFL, SA_RESTART);
}

int csb_tool_run(const char *path, const char *const *arguments, int input) {
  pid_t parent = getpid();
  pid_t child = fork();
  if (child < 0) return -errno;
  if (child == 0) {
    csb_tool_end_with(parent);
    int is_given = input < 0 || (input == STDIN_FILENO ? fcntl(input, F_SETFD, 0) : dup2(input, STDIN_FILENO)) >= 0;
    if (!is_given) _exit(127);
    // These variables would make the program record itself.
    for (char **line = environ; *line;) {
      if (strncmp(*line, "SIGNALBOX_", 10) != 0) {
        line++;
        continue;
      }
      for (char **next = line; (*next = next[1]); next++) {}
    }
    execv(path, (char *const *)arguments);
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -errno;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
