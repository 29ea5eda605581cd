#include "CServer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Paths and queries are taken apart by the caller, who has the target as it was sent.
static size_t leave_as_it_is(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

static int listen_on_loopback(uint16_t port, int backlog) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener < 0) return -1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  // A port that was ours a moment ago may be ours again.
  int yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0
      && listen(listener, backlog) == 0)
    return listener;
  int code = errno;
  close(listener);
  errno = code;
  return -1;
}

struct MHD_Daemon *cserver_start(
    uint16_t port, cserver_limits limits, cserver_calls calls, int *code) {
  int listener = listen_on_loopback(port, 128);
  if (listener < 0) {
    *code = errno;
    return NULL;
  }
  struct MHD_OptionItem options[] = {
      {MHD_OPTION_LISTEN_SOCKET, listener, NULL},
      {MHD_OPTION_CONNECTION_LIMIT, limits.connections, NULL},
      {MHD_OPTION_CONNECTION_TIMEOUT, limits.silence_seconds, NULL},
      {MHD_OPTION_CONNECTION_MEMORY_LIMIT, (intptr_t)limits.memory, NULL},
      // A request without a host, or with a space in its target, is the caller's to refuse.
      {MHD_OPTION_STRICT_FOR_CLIENT, 0, NULL},
      {MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, NULL},
      {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)leave_as_it_is, NULL},
      {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)calls.begin, calls.context},
      {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)calls.end, calls.context},
      {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)calls.connect, calls.context},
      {MHD_OPTION_END, 0, NULL},
  };
  errno = 0;
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, port, NULL, NULL, calls.handle,
      calls.context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
  if (daemon == NULL) {
    *code = errno != 0 ? errno : ENOMEM;
    close(listener);
  }
  return daemon;
}

int cserver_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info == NULL ? -1 : info->epoll_fd;
}

uint16_t cserver_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_LISTEN_FD);
  struct sockaddr_in address = {0};
  socklen_t length = sizeof address;
  if (info == NULL || getsockname(info->listen_fd, (struct sockaddr *)&address, &length) != 0)
    return 0;
  return ntohs(address.sin_port);
}

unsigned int cserver_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info == NULL ? 0 : info->num_connections;
}

int cserver_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == NULL ? -1 : info->connect_fd;
}
