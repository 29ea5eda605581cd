// job.h — runs a job of Swift's runtime.
#pragma once

/// Runs a job on no particular executor, as the runtime's own function for
/// dispatch_async_f does.
void csd_job_run(void *_Nullable job);

/// Submits a job to a queue of the copy that serves the process, as the runtime
/// does without dispatch_async_swift_job.
void csd_job_forward(void *_Nullable queue, void *_Nullable job);
