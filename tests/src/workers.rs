//! Runs many questions on all cores, each guarded: a panic is an answer like any other, a wrong one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// The stack of a worker. Deep programs are a question, too.
const STACK: usize = 512 << 20;

/// Applies `work` to every item on all cores; the results have the order of the items. A panic becomes its
/// message.
pub fn run_all<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<Result<R, String>> {
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    let count = thread::available_parallelism().map_or(1, usize::from).min(items.len().max(1));
    thread::scope(|scope| {
        for _ in 0..count {
            let (send, next, work) = (send.clone(), &next, &work);
            let worker = move || {
                while let Some((index, item)) = take(next, items) {
                    let result = catch_unwind(AssertUnwindSafe(|| work(item))).map_err(panic_text);
                    if send.send((index, result)).is_err() {
                        return;
                    }
                }
            };
            thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, worker)
                .expect("a thread can be started");
        }
    });
    drop(send);
    let mut results: Vec<_> = receive.into_iter().collect();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Runs one piece of work on a thread with a large stack; a panic becomes its message.
pub fn run_one<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, String> {
    thread::scope(|scope| {
        let handle = thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        handle.join().map_err(panic_text)
    })
}

fn take<'i, T>(next: &AtomicUsize, items: &'i [T]) -> Option<(usize, &'i T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    items.get(index).map(|item| (index, item))
}

fn panic_text(payload: Box<dyn std::any::Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked".to_owned())
}
