//! Revisions of a git repository, read without a checkout.

use std::collections::HashSet;
use std::io::Read as _;
use std::process::Stdio;
use std::sync::Arc;

use bunraku::Host;
use bunraku::host::disk::{self, DiskHost};
use bunraku::host::memory::MemoryHost;
use bunraku::host::overlay::Overlay;
use bunraku::host::{HostError, Reading};

use crate::{CommandError, Session};

/// How large the files of a revision may be together.
const MAX_SIZE: u64 = 1 << 30;

/// The directory of a repository, its top, and the files that git knows in the working tree.
pub(crate) struct Repository {
    directory: String,
    top: String,
    tracked: HashSet<String>,
}

impl Repository {
    /// The repository that a directory is in.
    pub(crate) fn at(directory: &str, session: &Session<'_>) -> Result<Self, CommandError> {
        let directory = disk::absolute_path(directory)?;
        let top = text_of_git(&directory, &["rev-parse", "--show-toplevel"], session)
            .map_err(|_| CommandError::misuse(format!("there is no git repository at {directory}")))?;
        let top = top.trim_end().to_owned();
        let tracked = text_of_git(&top, &["ls-files", "-z"], session)?;
        let tracked = tracked.split('\0').filter(|path| !path.is_empty());
        let tracked = tracked.map(|path| format!("{top}/{path}")).collect();
        Ok(Self { directory, top, tracked })
    }

    /// The directory.
    pub(crate) fn directory(&self) -> &str {
        &self.directory
    }

    /// The files as they are in a revision, before those of the working tree: of these, what git does not
    /// know (modules that a Puppetfile has brought) stays.
    pub(crate) fn at_revision(
        &self,
        revision: &str,
        below: Arc<dyn Host>,
        session: &Session<'_>,
    ) -> Result<Arc<dyn Host>, CommandError> {
        let tree = self.tree_of(revision, session)?;
        let check = || session.embedder.host().check_interrupt(0);
        let reading = Reading::checked(MAX_SIZE, &check);
        let archive = ["git", "-C", self.top.as_str(), "archive", "--format=tar", tree.trim_end()];
        let output = disk::output_of_program(&archive, Stdio::null(), &reading)?;
        if !output.status.success() {
            return Err(HostError::Failed(format!("{}: {}", archive.join(" "), output.status)).into());
        }
        let files = self.files_of(&output.bytes)?;
        Ok(Arc::new(Overlay::new(below, files, self.tracked.clone())))
    }

    /// Returns the absolute paths of the files below the directory that differ between the working tree and a
    /// revision, and of the files that git does not track.
    pub(crate) fn changed_since(
        &self,
        revision: &str,
        session: &Session<'_>,
    ) -> Result<Vec<String>, CommandError> {
        self.tree_of(revision, session)?;
        let changed = ["diff", "--name-only", "-z", "--relative", "--no-ext-diff", revision, "--"];
        let unknown = ["ls-files", "--others", "--exclude-standard", "-z"];
        let mut found = text_of_git(&self.directory, &changed, session)?;
        found.push_str(&text_of_git(&self.directory, &unknown, session)?);
        let paths = found.split('\0').filter(|path| !path.is_empty());
        Ok(paths.map(|path| format!("{}/{path}", self.directory)).collect())
    }

    /// The tree of a revision, as git names it.
    fn tree_of(&self, revision: &str, session: &Session<'_>) -> Result<String, CommandError> {
        let name = format!("{revision}^{{tree}}");
        text_of_git(&self.top, &["rev-parse", "--verify", "--end-of-options", &name], session).map_err(|_| {
            CommandError::misuse(format!("{revision} is neither a directory nor a revision in {}", self.top))
        })
    }

    fn files_of(&self, archive: &[u8]) -> Result<MemoryHost, CommandError> {
        let failed = |error: std::io::Error| HostError::Failed(format!("git archive: {error}"));
        let mut files = MemoryHost::new();
        let mut links = Vec::new();
        for entry in tar::Archive::new(archive).entries().map_err(failed)? {
            let mut entry = entry.map_err(failed)?;
            let path = String::from_utf8_lossy(&entry.path_bytes()).trim_end_matches('/').to_owned();
            let path = format!("{}/{path}", self.top);
            let kind = entry.header().entry_type();
            if kind.is_dir() {
                files.add_directory(path);
            } else if kind.is_symlink() {
                let target = entry.link_name_bytes().map(|name| String::from_utf8_lossy(&name).into_owned());
                links.push((path, target.unwrap_or_default()));
            } else if kind.is_file() {
                let mut bytes = Vec::new();
                entry.read_to_end(&mut bytes).map_err(failed)?;
                files.add(path, bytes);
            }
        }
        // A link to a file is that file; git keeps no directories that a link could name and that have none.
        for (path, target) in links {
            let above = path.rsplit_once('/').map_or("/", |(above, _)| above);
            let target = bunraku::loader::expand_path(&target, above);
            if let Ok(bytes) = files.read(&target, &Reading::of_size(MAX_SIZE)) {
                files.add(path, bytes);
            }
        }
        Ok(files)
    }
}

fn text_of_git(directory: &str, arguments: &[&str], session: &Session<'_>) -> Result<String, CommandError> {
    let check = || session.embedder.host().check_interrupt(0);
    let reading = Reading::checked(MAX_SIZE, &check);
    let command: Vec<&str> = ["git", "-C", directory].into_iter().chain(arguments.iter().copied()).collect();
    Ok(DiskHost.run_command(&command, &reading)?)
}
