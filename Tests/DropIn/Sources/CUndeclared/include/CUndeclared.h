// CUndeclared.h — names of the interface that no installed header declares.
#pragma once

/// Submits a job of Swift's runtime.
void dispatch_async_swift_job(void *_Nonnull queue, void *_Nonnull job, unsigned qos_class);

/// The address that dispatch_get_global_queue returns.
void *_Nonnull undeclared_global_queue(void);

/// The address that dispatch_get_main_queue returns.
void *_Nonnull undeclared_main_queue(void);
