//! Work on many files, on all processors.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bunraku::ListedFile;
use bunraku::diagnostic::bug::{guarded, locked};
use bunraku::host::disk;

use crate::CommandError;

/// The answers for all files, in their order.
pub(crate) fn of_files<T: Send>(
    files: &[ListedFile],
    work: impl Fn(&ListedFile) -> Result<T, CommandError> + Sync,
) -> Vec<Result<T, CommandError>> {
    let next = AtomicUsize::new(0);
    let answers = Mutex::new(Vec::with_capacity(files.len()));
    let take = || {
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number) else { break };
            own.push((number, guarded(|| work(file)).unwrap_or_else(|bug| Err(bug.into()))));
        }
        locked(&answers).append(&mut own);
    };
    let threads = disk::processors().min(files.len());
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(take)).collect();
        take();
        others.into_iter().for_each(|thread| drop(thread.join()));
    });
    let mut answers = std::mem::take(&mut *locked(&answers));
    answers.sort_by_key(|(number, _)| *number);
    answers.into_iter().map(|(_, answer)| answer).collect()
}
