//! Tells how much of each room the corpora of the fuzz targets reach.
//!
//! `coverage NAME DIRECTORY [NAME DIRECTORY]…` runs each target with the files of a directory, and prints
//! the edges of the control flow that were taken, of all that a room (a crate, and a module of it) has. The
//! program reads the counters which the instrumentation of the targets has put into it, see `FUZZ_FLAGS` in
//! the Makefile; it is no fuzzer itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, process, slice};

// It has the functions that instrumented code calls.
use libfuzzer_sys as _;

/// What the instrumentation keeps of an edge: its address, and whether a function begins there.
#[repr(C)]
struct Edge {
    address: usize,
    flags: usize,
}

// The linker gives these names to the ends of the sections that the instrumentation fills.
unsafe extern "C" {
    #[link_name = "__start___sancov_cntrs"]
    static mut FIRST_COUNTER: u8;
    #[link_name = "__stop___sancov_cntrs"]
    static END_OF_COUNTERS: u8;
    #[link_name = "__start___sancov_pcs"]
    static FIRST_EDGE: Edge;
}

/// The edges of the program: the room of each, for those of this repository, and whether it was taken.
struct Edges {
    rooms: Vec<Option<String>>,
    taken: Vec<bool>,
}

/// The edges of a room.
#[derive(Default)]
struct Room {
    taken: usize,
    all: usize,
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (pairs, rest) = arguments.as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        eprintln!("usage: coverage NAME DIRECTORY [NAME DIRECTORY]...");
        process::exit(2);
    }
    let mut edges = Edges::new();
    for [name, directory] in pairs {
        let Some(target) = bunraku_fuzz::target(name) else {
            eprintln!("coverage: there is no target '{name}'");
            process::exit(2);
        };
        let mut inputs = 0;
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Ok(input) = fs::read(entry.path()) else { continue };
            target(&input);
            edges.count();
            inputs += 1;
        }
        let rooms = edges.by_room();
        println!("{name}: {inputs} inputs, {:.1} % of all edges with those before", percent(&total(&rooms)));
    }
    let rooms = edges.by_room();
    println!("\n{:40} {:>8} {:>8} {:>6}", "room", "edges", "taken", "%");
    for (name, room) in &rooms {
        println!("{name:40} {:8} {:8} {:6.1}", room.all, room.taken, percent(room));
    }
    let total = total(&rooms);
    println!("{:40} {:8} {:8} {:6.1}", "all", total.all, total.taken, percent(&total));
}

impl Edges {
    fn new() -> Self {
        // SAFETY: The linker puts one `Edge` for each counter behind the symbol; nothing writes them.
        let edges = unsafe { slice::from_raw_parts(&raw const FIRST_EDGE, counters().len()) };
        let rooms = edges.iter().map(|edge| room_at(edge.address)).collect();
        Self { rooms, taken: vec![false; edges.len()] }
    }

    /// Takes down what an input has reached. The counters have eight bits and wrap, so that this is done
    /// after each input.
    fn count(&mut self) {
        for (taken, counter) in self.taken.iter_mut().zip(counters()) {
            *taken |= std::mem::take(counter) > 0;
        }
    }

    fn by_room(&self) -> BTreeMap<&str, Room> {
        let mut rooms: BTreeMap<&str, Room> = BTreeMap::new();
        for (room, &taken) in self.rooms.iter().zip(&self.taken) {
            if let Some(room) = room {
                let room = rooms.entry(room).or_default();
                room.all += 1;
                room.taken += usize::from(taken);
            }
        }
        rooms
    }
}

/// The counters of all edges.
fn counters() -> &'static mut [u8] {
    // SAFETY: The linker puts the counters between the two symbols. Only instrumented code writes them beside
    // the caller, and none of it runs while the caller holds the slice.
    unsafe {
        let length = (&raw const END_OF_COUNTERS).offset_from_unsigned(&raw const FIRST_COUNTER);
        slice::from_raw_parts_mut(&raw mut FIRST_COUNTER, length)
    }
}

/// The room of the innermost function that an address belongs to.
fn room_at(address: usize) -> Option<String> {
    let mut room = None;
    let mut innermost = true;
    backtrace::resolve(address as *mut _, |symbol| {
        if innermost {
            room = symbol.filename().and_then(room_of);
        }
        innermost = false;
    });
    room
}

/// The crate and the module of a file of this repository: `core/pcore/types`.
fn room_of(file: &Path) -> Option<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?.parent()?;
    let file = fs::canonicalize(file).ok()?;
    let (of, module) = file.strip_prefix(root).ok()?.to_str()?.split_once("/src/")?;
    let module = module.split_once('/').map_or_else(|| module.trim_end_matches(".rs"), |(module, _)| module);
    of.starts_with("core").then(|| format!("{of}/{module}"))
}

fn total(rooms: &BTreeMap<&str, Room>) -> Room {
    rooms
        .values()
        .fold(Room::default(), |sum, room| Room { taken: sum.taken + room.taken, all: sum.all + room.all })
}

fn percent(room: &Room) -> f64 {
    100.0 * room.taken as f64 / room.all.max(1) as f64
}
