#define _GNU_SOURCE
#include "CSignalbox/process.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/syscall.h>
#include <unistd.h>

int csb_pidfd_open(int32_t process) {
#ifdef SYS_pidfd_open
  long number = SYS_pidfd_open;
#else
  // The number is the same on every architecture. Older headers lack it.
  long number = 434;
#endif
  long opened = syscall(number, (pid_t)process, 0u);
  return opened < 0 ? -errno : (int)opened;
}

// MARK: The process connector

// The layout of the kernel's messages: a header, a connector message, a process
// event. C cannot nest the packed structures of the headers, so use offsets.
enum {
  message_at = sizeof(struct nlmsghdr),
  event_at = message_at + sizeof(struct cn_msg),
  what_at = event_at + offsetof(struct proc_event, what),
  data_at = event_at + offsetof(struct proc_event, event_data),
  event_end = event_at + sizeof(struct proc_event),
  // struct fork_proc_event: parent's thread, parent, child's thread, child.
  // struct exec_proc_event: thread, process.
  subject_at = data_at + 4,
  child_thread_at = data_at + 8,
  child_at = data_at + 12,
};

static int ask(int socket, uint32_t operation) {
  char bytes[event_at + sizeof operation];
  memset(bytes, 0, sizeof bytes);
  struct nlmsghdr header = {.nlmsg_len = sizeof bytes, .nlmsg_type = NLMSG_DONE};
  struct cn_msg message = {.id = {CN_IDX_PROC, CN_VAL_PROC}, .len = sizeof operation};
  memcpy(bytes, &header, sizeof header);
  memcpy(bytes + message_at, &message, offsetof(struct cn_msg, data));
  memcpy(bytes + event_at, &operation, sizeof operation);
  return send(socket, bytes, sizeof bytes, MSG_NOSIGNAL) < 0 ? errno : 0;
}

/// Makes the kernel pass only events of this process, so that other processes
/// don't wake us. The filter reads words in network byte order. A fork created
/// a process if the new thread is the first of its process; otherwise it
/// created a thread.
static int filter(int socket, int32_t process, uint32_t events, int with_answers) {
  uint32_t answer = with_answers ? htonl(PROC_EVENT_NONE) : ~0u;
  uint32_t forked = events & CSB_PROCESS_FORKED ? htonl(PROC_EVENT_FORK) : ~0u;
  uint32_t executed = events & CSB_PROCESS_EXECUTED ? htonl(PROC_EVENT_EXEC) : ~0u;
  uint32_t wanted = htonl((uint32_t)process);
  enum { from_exec = 8, refuse = 10, pass = 11 };
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, what_at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, answer, pass - 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, executed, from_exec - 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forked, 0, refuse - 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, child_thread_at),
      BPF_STMT(BPF_MISC | BPF_TAX, 0),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, child_at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, refuse - 8),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, subject_at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, wanted, pass - 10, 0),
      BPF_STMT(BPF_RET | BPF_K, 0),
      BPF_STMT(BPF_RET | BPF_K, ~0u),
  };
  struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
  return setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) ? errno : 0;
}

/// Reads the kind of the next message and the word after it. Returns 0 or an
/// errno.
static int next(int socket, uint32_t *what, uint32_t *word) {
  char bytes[event_end];
  ssize_t size;
  do size = recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
  while (size < 0 && errno == EINTR);
  if (size < 0) return errno;
  *what = ~0u;
  if (size < data_at + 4) return 0;
  memcpy(what, bytes + what_at, sizeof *what);
  memcpy(word, bytes + data_at, sizeof *word);
  return 0;
}

/// Reads the kernel's answer, which arrives before `send` returns, or never.
static int wait_for_answer(int socket) {
  uint32_t what, answer = 0;
  int error;
  do error = next(socket, &what, &answer);
  while (!error && what != PROC_EVENT_NONE);
  if (error == EAGAIN) return ENODATA;
  return error ? error : (int)answer;
}

int csb_process_events_open(int32_t process, uint32_t events) {
  int opened = socket(PF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
  if (opened < 0) return -errno;
  struct sockaddr_nl group = {.nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC};
  int error = bind(opened, (struct sockaddr *)&group, sizeof group) ? errno : 0;
  if (!error) error = filter(opened, process, events, 1);
  if (!error) error = ask(opened, PROC_CN_MCAST_LISTEN);
  if (!error) error = wait_for_answer(opened);
  if (!error) error = filter(opened, process, events, 0);
  if (!error) return opened;
  close(opened);
  return -error;
}

uint32_t csb_process_events_read(int socket) {
  uint32_t found = 0, what, word;
  for (;;) {
    int error = next(socket, &what, &word);
    // The kernel has dropped messages and doesn't say which.
    if (error == ENOBUFS) found |= CSB_PROCESS_FORKED | CSB_PROCESS_EXECUTED;
    else if (error) return found;
    else if (what == PROC_EVENT_FORK) found |= CSB_PROCESS_FORKED;
    else if (what == PROC_EVENT_EXEC) found |= CSB_PROCESS_EXECUTED;
  }
}

void csb_process_events_close(int socket) {
  // Older kernels otherwise keep sending events when no process listens.
  ask(socket, PROC_CN_MCAST_IGNORE);
  close(socket);
}

long csb_number_of_sigsuspend(void) { return SYS_rt_sigsuspend; }

long csb_number_of_futex(void) { return SYS_futex; }
