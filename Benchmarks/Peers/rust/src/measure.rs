//! How a subject is measured and how its program is called: the same for every language, and the
//! same as in Benchmarks/Measuring. A sample is as many operations as fill 25 ms, which a warm-up
//! determines; the figure is the median of five.
//!
//!   --list                        every subject, a line each: ROW/LIBRARY
//!   --subject NAME --least N      measures it; a sample has at least N operations
//!     --quick                     once and tiny
//!     --operations N              performs N operations and prints nothing

use std::arch::asm;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Performs so many operations and comes back when all are done.
pub type Perform = Box<dyn FnMut(usize)>;
pub type Subject = (&'static str, fn() -> Perform);

const SAMPLE: Duration = Duration::from_millis(25);

/// Makes the compiler believe that `value` is used.
#[inline(always)]
pub fn consume(value: usize) {
    // SAFETY: no instruction at all.
    unsafe { asm!("/* {0} */", in(reg) value) }
}

/// So many steps that depend on one another and that no compiler can fold.
pub fn compute(steps: u64) {
    let mut value = steps;
    for _ in 0..steps {
        value = value
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        // SAFETY: no instruction at all.
        unsafe { asm!("/* {0} */", inout(reg) value) }
    }
}

/// Splits operations into batches that are drained one after the other.
pub fn in_batches(mut operations: usize, mut body: impl FnMut(usize)) {
    while operations > 0 {
        let batch = operations.min(10_000);
        body(batch);
        operations -= batch;
    }
}

/// Runs `body` on so many threads, none of which begins before all are there.
pub fn on_threads(count: usize, body: impl Fn(usize) + Sync) {
    let missing = AtomicUsize::new(count);
    std::thread::scope(|scope| {
        for number in 0..count {
            let (missing, body) = (&missing, &body);
            scope.spawn(move || {
                // order: relaxed; it orders nothing but the start of the race.
                missing.fetch_sub(1, Ordering::Relaxed);
                while missing.load(Ordering::Relaxed) > 0 {
                    std::thread::yield_now();
                }
                body(number);
            });
        }
    });
}

/// Of all threads, user and system, in nanoseconds.
fn processor_time() -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it writes to `now` only.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

fn time(perform: &mut Perform, operations: usize) -> Duration {
    let begin = Instant::now();
    perform(operations);
    begin.elapsed()
}

/// The operations that fill a sample. Warms up on the way there.
fn calibrate(perform: &mut Perform, least: usize) -> usize {
    let mut operations = least;
    loop {
        let elapsed = time(perform, operations);
        if elapsed >= SAMPLE / 4 {
            let scale = SAMPLE.as_secs_f64() / elapsed.as_secs_f64();
            operations = least.max((operations as f64 * scale) as usize);
            // A process that other work delays seems to need few operations, so they are tried.
            if time(perform, operations) >= SAMPLE / 2 {
                return operations;
            }
        }
        operations *= 4;
    }
}

fn measure(perform: &mut Perform, operations: usize, samples: usize) {
    let before = processor_time();
    let mut times: Vec<f64> = (0..samples)
        .map(|_| time(perform, operations).as_nanos() as f64 / operations as f64)
        .collect();
    let processor = (processor_time() - before) / (operations * samples) as f64;
    times.sort_by(f64::total_cmp);
    println!(
        "median={}\tprocessor={}\toperations={}",
        times[samples / 2],
        processor,
        operations
    );
}

pub fn run(subjects: &[Subject]) {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let value = |option: &str| {
        let place = arguments.iter().position(|argument| argument == option);
        place.and_then(|place| arguments.get(place + 1))
    };
    let number = |option: &str| value(option).and_then(|value| value.parse().ok());
    if has("--list") {
        return subjects.iter().for_each(|(name, _)| println!("{name}"));
    }
    let subject = subjects
        .iter()
        .find(|(name, _)| value("--subject").map_or(false, |wanted| wanted == name));
    let mut perform = match subject {
        Some((_, prepare)) => prepare(),
        None => std::process::exit(64),
    };
    if let Some(operations) = number("--operations") {
        perform(operations);
    } else if has("--quick") {
        measure(&mut perform, 16, 1);
    } else {
        let operations = calibrate(&mut perform, number("--least").unwrap_or(16));
        measure(&mut perform, operations, 5);
    }
    // Without destructors: threads of the runtimes are waiting.
    std::process::exit(0);
}
