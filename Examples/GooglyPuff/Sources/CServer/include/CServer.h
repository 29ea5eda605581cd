// CServer: libmicrohttpd's daemon, driven by the caller's own sources.
//
// What starts and asks the daemon takes variable arguments, which Swift cannot pass. The rest of
// libmicrohttpd is used as it is. The daemon has no thread: whoever owns it watches its
// descriptor, keeps its time and runs it, one thread at a time.

#ifndef CSERVER_H
#define CSERVER_H

#include <microhttpd.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cserver_limits {
  unsigned int connections;
  // Seconds without a byte after which a connection is closed.
  unsigned int silence_seconds;
  // Bytes a connection has for a request's head.
  size_t memory;
} cserver_limits;

typedef struct cserver_calls {
  void *context;
  // Called first, with the target as it was sent; what it returns is the request.
  void *(*begin)(void *context, const char *target, struct MHD_Connection *connection);
  // Called when the head is there, for each piece of the body, and at the end.
  enum MHD_Result (*handle)(
      void *context, struct MHD_Connection *connection, const char *url, const char *method,
      const char *version, const char *data, size_t *size, void **request);
  // Called once for each request that began.
  void (*end)(
      void *context, struct MHD_Connection *connection, void **request,
      enum MHD_RequestTerminationCode code);
  // Called when a connection has come and when it is gone.
  void (*connect)(
      void *context, struct MHD_Connection *connection, void **socket_context,
      enum MHD_ConnectionNotificationCode code);
} cserver_calls;

// Listens on 127.0.0.1 alone, at `port`, or at a free one if that is 0. Returns NULL with the
// errno in `code`.
struct MHD_Daemon *cserver_start(
    uint16_t port, cserver_limits limits, cserver_calls calls, int *code);

// The descriptor that can be read when the daemon should be run.
int cserver_descriptor(struct MHD_Daemon *daemon);

uint16_t cserver_port(struct MHD_Daemon *daemon);

unsigned int cserver_connections(struct MHD_Daemon *daemon);

// The socket of a connection, or -1.
int cserver_socket(struct MHD_Connection *connection);

#endif
