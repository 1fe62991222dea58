//! Makes [`bunraku_allocator::Counting`] the allocator of each program that links this crate: over the
//! system's allocator or, with the feature `mimalloc`, over that one.
//!
//! The choice is a crate of its own because only the top of the tree makes it. The crates that count depend
//! on `bunraku-allocator`, which has no such feature, so that one build of them serves the command, the C
//! library and the gem.

#[cfg(feature = "mimalloc")]
mod returning;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: bunraku_allocator::Counting<returning::Returning> =
    bunraku_allocator::Counting(returning::Returning);

#[cfg(not(feature = "mimalloc"))]
#[global_allocator]
static ALLOCATOR: bunraku_allocator::Counting<std::alloc::System> =
    bunraku_allocator::Counting(std::alloc::System);
