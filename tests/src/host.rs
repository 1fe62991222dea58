//! The host of the driver: files in memory or on disk, and exported resources from the request.

use std::path::Path;
use std::time::Duration;

use bunraku::diagnostic::Error;
use bunraku::host::disk::DiskHost;
use bunraku::host::memory::MemoryHost;
use bunraku::host::{
    DeepStacks, ExportedQuery, ExportedResource, FileInfo, Host, HostError, Machine, Reading,
};
use bunraku::pcore::value::Timestamp;

/// Answers from a question's own material.
pub struct DriverHost {
    files: Box<dyn Host>,
    exported: Vec<ExportedResource>,
}

impl DriverHost {
    /// A host that knows the given files, and those of the repository by relative paths.
    pub fn in_memory(files: MemoryHost, exported: Vec<ExportedResource>) -> Self {
        Self { files: Box::new(files), exported }
    }

    /// A host that reads the disk.
    pub fn on_disk(exported: Vec<ExportedResource>) -> Self {
        Self { files: Box::new(DiskHost), exported }
    }

    /// Whether a directory is at a path.
    pub fn is_directory(&self, path: &str) -> bool {
        self.files.info(path).is_some_and(|info| info.is_directory)
    }
}

impl Host for DriverHost {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        if Path::new(path).is_relative() {
            DiskHost.read(path, reading)
        } else {
            self.files.read(path, reading)
        }
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        self.files.info(path)
    }

    fn is_link(&self, path: &str) -> bool {
        self.files.is_link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.files.list(path)
    }

    fn run_command(&self, command: &[&str], reading: &Reading<'_>) -> Result<String, HostError> {
        self.files.run_command(command, reading)
    }

    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        self.files.run_on_deep_stack(stacks, work)
    }

    fn now(&self) -> Timestamp {
        DiskHost.now()
    }

    fn cpu_time(&self) -> Option<Duration> {
        DiskHost.cpu_time()
    }

    fn machine(&self) -> Machine {
        DiskHost.machine()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        DiskHost.random(bytes)
    }

    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        let is_wanted = |resource: &&ExportedResource| {
            resource.type_name.eq_ignore_ascii_case(query.type_name) && resource.certname != query.node
        };
        Ok(self.exported.iter().filter(is_wanted).cloned().collect())
    }
}
