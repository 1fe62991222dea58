//! Files that replace those of another host, such as a commit's instead of the working tree's.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use bunraku_pcore::value::Timestamp;
use bunraku_syntax::diagnostic::{Error, LogEntry};

use crate::memory::MemoryHost;
use crate::{
    DeepStacks, ErbTemplate, ExportedQuery, ExportedResource, FileInfo, ForeignCall, ForeignFunction,
    FunctionApi, Host, HostError, Machine, ModuleRuby, Reading, RubySurroundings, TemplateChoice,
};

/// A host whose own files precede those of another host, which serves everything else. Files that are left
/// out do not exist.
pub struct Overlay {
    below: Arc<dyn Host>,
    files: MemoryHost,
    left_out: HashSet<String>,
}

impl Overlay {
    /// `files` precede those of `below`, in which `left_out` (paths of files) do not exist.
    pub fn new(below: Arc<dyn Host>, files: MemoryHost, left_out: HashSet<String>) -> Self {
        Self { below, files, left_out }
    }

    fn is_left_out(&self, path: &str) -> bool {
        self.left_out.contains(path.trim_end_matches('/'))
    }

    /// Whether a directory of the other host contains a file that exists.
    fn has_any(&self, path: &str) -> bool {
        let names = self.below.list(path).unwrap_or_default();
        names.is_empty()
            || names.iter().any(|name| self.info(&format!("{}/{name}", path.trim_end_matches('/'))).is_some())
    }
}

impl Host for Overlay {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        match self.files.info(path) {
            Some(info) if info.size > reading.size => Err(HostError::too_large(path, reading.size)),
            Some(info) if !info.is_directory => self.files.read(path, reading),
            _ if self.is_left_out(path) => Err(HostError::NotFound(path.to_owned())),
            _ => self.below.read(path, reading),
        }
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        if let Some(info) = self.files.info(path) {
            return Some(info);
        }
        let info = self.below.info(path).filter(|_| !self.is_left_out(path))?;
        (!info.is_directory || self.left_out.is_empty() || self.has_any(path)).then_some(info)
    }

    fn is_link(&self, path: &str) -> bool {
        self.files.info(path).is_none() && !self.is_left_out(path) && self.below.is_link(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let own = self.files.list(path);
        let below = match self.below.list(path) {
            Ok(names) => names,
            Err(error) => return own.map_err(|_| error),
        };
        let directory = path.trim_end_matches('/');
        let there = below.into_iter().filter(|name| self.info(&format!("{directory}/{name}")).is_some());
        let names: BTreeSet<String> = own.unwrap_or_default().into_iter().chain(there).collect();
        Ok(names.into_iter().collect())
    }

    fn now(&self) -> Timestamp {
        self.below.now()
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.below.cpu_time()
    }

    fn machine(&self) -> Machine {
        self.below.machine()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        self.below.random(bytes)
    }

    fn foreign_function(
        &self,
        name: &str,
        module_path: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        self.below.foreign_function(name, module_path)
    }

    fn unknown_function(
        &self,
        name: &str,
        path: &str,
        api: FunctionApi,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        self.below.unknown_function(name, path, api)
    }

    fn module_ruby(&self, around: &RubySurroundings<'_>) -> Result<Option<Arc<dyn ModuleRuby>>, Error> {
        self.below.module_ruby(around)
    }

    fn check_interrupt(&self, steps: u64) -> Result<(), Error> {
        self.below.check_interrupt(steps)
    }

    fn log(&self, entry: &LogEntry) {
        self.below.log(entry);
    }

    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        self.below.run_on_deep_stack(stacks, work)
    }

    fn template_choice(&self) -> TemplateChoice {
        self.below.template_choice()
    }

    fn render_erb(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, Error>> {
        self.below.render_erb(template, call)
    }

    fn render_unknown(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, Error>> {
        self.below.render_unknown(template, call)
    }

    fn exported_resources(&self, query: &ExportedQuery<'_>) -> Result<Vec<ExportedResource>, HostError> {
        self.below.exported_resources(query)
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        self.below.environment_variable(name)
    }

    fn run_command(&self, command: &[&str], reading: &Reading<'_>) -> Result<String, HostError> {
        self.below.run_command(command, reading)
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        self.below.write(path, bytes)
    }

    fn make_directories(&self, path: &str) -> Result<(), HostError> {
        self.below.make_directories(path)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn files(paths: &[&str]) -> MemoryHost {
        let mut host = MemoryHost::new();
        paths.iter().for_each(|path| host.add(*path, *path));
        host
    }

    #[test]
    fn own_files_go_before_and_others_stay_unless_they_are_left_out() {
        let below =
            files(&["/r/a.pp", "/r/old/b.pp", "/r/modules/m/init.pp", "/r/mixed/gone", "/r/mixed/kept"]);
        let left_out = ["/r/a.pp", "/r/old/b.pp", "/r/mixed/gone"].map(str::to_owned).into();
        let host = Overlay::new(Arc::new(below), files(&["/r/new/c.pp", "/r/mixed/own"]), left_out);
        assert_eq!(host.list("/r").unwrap(), ["mixed", "modules", "new"]);
        assert_eq!(host.list("/r/mixed").unwrap(), ["kept", "own"]);
        let reading = Reading::of_size(20);
        assert!(host.read("/r/a.pp", &reading).is_err() && host.info("/r/old").is_none());
        assert_eq!(host.read("/r/new/c.pp", &reading).unwrap(), b"/r/new/c.pp");
        assert_eq!(host.read("/r/modules/m/init.pp", &reading).unwrap(), b"/r/modules/m/init.pp");
    }

    /// Notes what it is asked.
    #[derive(Debug, Default)]
    struct Noting(Mutex<Vec<String>>);

    impl Host for Noting {
        fn read(&self, path: &str, _reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
            Err(HostError::NotFound(path.to_owned()))
        }

        fn info(&self, _path: &str) -> Option<FileInfo> {
            None
        }

        fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
            Err(HostError::NotFound(path.to_owned()))
        }

        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn random(&self, _bytes: &mut [u8]) -> Result<(), HostError> {
            Ok(())
        }

        fn write(&self, path: &str, _bytes: &[u8]) -> Result<(), HostError> {
            self.0.lock().unwrap().push(format!("write {path}"));
            Ok(())
        }

        fn make_directories(&self, path: &str) -> Result<(), HostError> {
            self.0.lock().unwrap().push(format!("make {path}"));
            Ok(())
        }
    }

    #[test]
    fn what_is_no_file_is_for_the_host_below() {
        let below = Arc::new(Noting::default());
        let host = Overlay::new(Arc::clone(&below) as Arc<dyn Host>, files(&["/r/a"]), [].into());
        host.write("/r/b", b"").unwrap();
        host.make_directories("/r/c").unwrap();
        assert_eq!(*below.0.lock().unwrap(), ["write /r/b", "make /r/c"]);
        let mut has_run = false;
        host.run_on_deep_stack(&DeepStacks::default(), &mut || has_run = true).unwrap();
        assert!(has_run);
        let refused = host.run_command(&["a", "b"], &Reading::default()).unwrap_err();
        assert_eq!(refused.to_string(), HostError::commands_refused(&["a", "b"]).to_string());
    }
}
