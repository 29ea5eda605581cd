//! Rows on Tokio's runtime with several threads. The main thread is none of them.

use crate::measure::{consume, in_batches, Perform};
use parking_lot::{Condvar, Mutex};
use std::future::Future;
use std::os::unix::io::RawFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{sleep_until, Instant, Sleep};

type Function = Box<dyn FnOnce() + Send>;

fn runtime() -> &'static Runtime {
    Box::leak(Box::new(
        Builder::new_multi_thread().enable_all().build().unwrap(),
    ))
}

/// Lets the main thread wait until tasks that end in any order have all ended.
struct Countdown {
    left: AtomicUsize,
    done: Mutex<bool>,
    condition: Condvar,
}

impl Countdown {
    const fn new() -> Countdown {
        let done = parking_lot::const_mutex(false);
        Countdown {
            left: AtomicUsize::new(0),
            done,
            condition: Condvar::new(),
        }
    }

    fn expect(&self, tasks: usize) {
        // order: relaxed; submitting a task publishes it.
        self.left.store(tasks, Ordering::Relaxed);
    }

    fn arrive(&self) {
        // order: both; the last to arrive has everyone's work behind it.
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            *self.done.lock() = true;
            self.condition.notify_one();
        }
    }

    fn wait(&self) {
        let mut done = self.done.lock();
        while !*done {
            self.condition.wait(&mut done);
        }
        *done = false;
    }
}

static COUNTDOWN: Countdown = Countdown::new();

/// A task calls the functions that the main thread sends.
pub fn serial() -> Perform {
    let (mailbox, mut functions) = unbounded_channel::<Function>();
    runtime().spawn(async move {
        while let Some(function) = functions.recv().await {
            function()
        }
    });
    Box::new(move |operations| {
        in_batches(operations, |batch| {
            COUNTDOWN.expect(1);
            for number in 0..batch {
                mailbox
                    .send(Box::new(move || consume(number)))
                    .ok()
                    .unwrap();
            }
            mailbox.send(Box::new(|| COUNTDOWN.arrive())).ok().unwrap();
            COUNTDOWN.wait();
        })
    })
}

/// The main thread starts the tasks and waits.
pub fn spawn() -> Perform {
    let runtime = runtime();
    Box::new(move |operations| {
        in_batches(operations, |batch| {
            COUNTDOWN.expect(batch);
            start(runtime, batch);
            COUNTDOWN.wait();
        })
    })
}

/// A task starts the others; the main thread waits.
pub fn spawn_inside() -> Perform {
    let runtime = runtime();
    Box::new(move |operations| {
        in_batches(operations, |batch| {
            COUNTDOWN.expect(batch + 1);
            runtime.spawn(async move {
                start(runtime, batch);
                COUNTDOWN.arrive();
            });
            COUNTDOWN.wait();
        })
    })
}

fn start(runtime: &Runtime, count: usize) {
    for number in 0..count {
        runtime.spawn(async move {
            consume(number);
            COUNTDOWN.arrive();
        });
    }
}

/// A number from one task to another and back.
pub fn hop() -> Perform {
    let (to_a, mut a) = unbounded_channel::<usize>();
    let (to_b, mut b) = unbounded_channel::<usize>();
    let (runtime, back) = (runtime(), to_a.clone());
    runtime.spawn(async move {
        while let Some(left) = a.recv().await {
            if left == 0 {
                COUNTDOWN.arrive();
            } else {
                to_b.send(left - 1).unwrap();
            }
        }
    });
    runtime.spawn(async move {
        while let Some(left) = b.recv().await {
            back.send(left).unwrap();
        }
    });
    Box::new(move |operations| {
        COUNTDOWN.expect(1);
        to_a.send(operations).unwrap();
        COUNTDOWN.wait();
    })
}

/// A sleep is polled once, which puts it into the timer wheel, and dropped, which takes it out.
pub fn timer() -> Perform {
    let runtime = runtime();
    Box::new(move |operations| {
        runtime.block_on(async {
            // One deadline, so that reading the clock is not measured.
            let deadline = Instant::now() + Duration::from_secs(10);
            for _ in 0..operations {
                let mut timer = Box::pin(sleep_until(deadline));
                Begin(timer.as_mut()).await;
            }
        })
    })
}

/// Polls a timer once.
struct Begin<'a>(Pin<&'a mut Sleep>);

impl Future for Begin<'_> {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, context: &mut Context) -> Poll<()> {
        assert!(self.0.as_mut().poll(context).is_pending());
        Poll::Ready(())
    }
}

/// A byte from one task to another through one pipe and back through another.
pub fn pipe() -> Perform {
    let runtime = runtime();
    let (_guard, there, back) = (runtime.enter(), Pipe::new(), Pipe::new());
    runtime.spawn(async move {
        loop {
            there.receive().await;
            back.send();
        }
    });
    Box::new(move |operations| {
        COUNTDOWN.expect(1);
        runtime.spawn(async move {
            for _ in 0..operations {
                there.send();
                back.receive().await;
            }
            COUNTDOWN.arrive();
        });
        COUNTDOWN.wait();
    })
}

/// Stays open to the end of the process. This Tokio has no pipes of its own yet.
struct Pipe {
    input: AsyncFd<RawFd>,
    output: RawFd,
}

impl Pipe {
    fn new() -> &'static Pipe {
        let mut ends = [0; 2];
        // SAFETY: it writes to `ends` only.
        assert_eq!(
            unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_NONBLOCK) },
            0
        );
        Box::leak(Box::new(Pipe {
            input: AsyncFd::new(ends[0]).unwrap(),
            output: ends[1],
        }))
    }

    /// Never waits: one byte at a time is under way.
    fn send(&self) {
        // SAFETY: the byte outlives the call.
        assert_eq!(
            unsafe { libc::write(self.output, [1u8].as_ptr().cast(), 1) },
            1
        );
    }

    async fn receive(&self) {
        loop {
            let mut ready = self.input.readable().await.unwrap();
            let length = ready.try_io(|input| {
                let mut byte = 0u8;
                // SAFETY: it writes to `byte` only.
                match unsafe { libc::read(*input.get_ref(), (&mut byte as *mut u8).cast(), 1) } {
                    -1 => Err(std::io::Error::last_os_error()),
                    length => Ok(length),
                }
            });
            if let Ok(length) = length {
                return assert_eq!(length.unwrap(), 1);
            }
        }
    }
}
