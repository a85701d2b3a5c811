//! The thread that checks texts: the latest text wins, and what is outdated is given up.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gen_lsp_types::{Diagnostic, MessageType, PublishDiagnosticsParams, ShowMessageParams, Uri};
use lsp_server::{Message, Notification};
use sprag_analysis::{Definition, Finding, Identity, Standing};

use crate::base::Base;
use crate::diagnostics::{SOURCE, of_finding};
use crate::host::{Host, Problem};
use crate::scope::{Configured, Judged, Scope, definitions_of, home};
use crate::sources;
use crate::text::Text;
use crate::workspace::Workspace;

/// Longer texts are not checked while they are typed.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// Clients that do not watch files are followed by a look at the disk, at most this often.
const LOOK_AGAIN: Duration = Duration::from_secs(3);

/// Files of the last commit that are noted before the next look for messages.
const NOTED_AT_ONCE: usize = 32;

/// The kinds of texts that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// YAML or JSON.
    Manifest,
    /// Go or Rust.
    Source,
}

/// An open text at one moment.
#[derive(Clone)]
pub(crate) struct OpenText {
    pub(crate) uri: Uri,
    pub(crate) path: Option<PathBuf>,
    pub(crate) language: Language,
    /// The version that the client gave it.
    pub(crate) version: i32,
    pub(crate) text: Arc<Text>,
    /// The number of this state of the text, and that of the latest.
    pub(crate) number: u64,
    pub(crate) latest: Arc<AtomicU64>,
}

impl OpenText {
    fn is_outdated(&self) -> bool {
        self.latest.load(Ordering::Relaxed) != self.number
    }

    /// The name under which its findings and definitions are known.
    pub(crate) fn name(&self) -> String {
        self.path.as_ref().map_or_else(|| self.uri.0.clone(), |path| path.display().to_string())
    }

    fn folder(&self) -> &Path {
        self.path.as_deref().and_then(Path::parent).unwrap_or(Path::new("/"))
    }
}

/// What was found about a text.
#[derive(Clone)]
pub(crate) struct Checked {
    pub(crate) number: u64,
    pub(crate) findings: Vec<Found>,
}

/// A diagnostic with what it was made of.
#[derive(Clone)]
pub(crate) struct Found {
    /// The bytes that it is about.
    pub(crate) bytes: Range<usize>,
    pub(crate) finding: Option<Finding>,
    pub(crate) diagnostic: Diagnostic,
    /// The edits that mend it, where they are known already.
    pub(crate) edits: Vec<(Range<usize>, String)>,
}

/// What requests are answered from.
#[derive(Default)]
pub(crate) struct Shared {
    /// The scopes of open texts, by address.
    pub(crate) scopes: HashMap<String, Arc<Scope>>,
}

/// A request that is answered by what was read of the workspace.
pub(crate) type Question = Box<dyn FnOnce(&Answerer<'_>) + Send>;

/// A piece of work.
pub(crate) enum Task {
    /// A text was opened or changed.
    Text(OpenText),
    /// A text was closed.
    Closed(Uri),
    /// The folders that are open.
    Folders(Vec<PathBuf>),
    /// Files may have changed.
    Files,
    /// A request that needs the findings on a text.
    Ask(Question),
}

/// The state of checks, for requests.
pub(crate) struct Answerer<'a> {
    pub(crate) open: &'a HashMap<String, OpenText>,
    pub(crate) checked: &'a HashMap<String, Checked>,
    pub(crate) scopes: &'a HashMap<String, Arc<Scope>>,
}

/// The thread's state.
pub(crate) struct Worker {
    host: Arc<dyn Host>,
    tasks: Receiver<Task>,
    sender: Box<dyn Fn(Message) + Send>,
    shared: Arc<Mutex<Shared>>,
    watches_files: bool,
    workspaces: Vec<Workspace>,
    open: HashMap<String, OpenText>,
    /// Definitions of open texts.
    unsaved: HashMap<PathBuf, Vec<Arc<Definition>>>,
    configured: BTreeMap<PathBuf, Configured>,
    scopes: BTreeMap<PathBuf, Arc<Scope>>,
    bases: BTreeMap<PathBuf, RefCell<Option<Base>>>,
    checked: HashMap<String, Checked>,
    /// Texts to check, the latest last.
    waiting: Vec<String>,
    asked: Vec<Question>,
    looked: Option<Instant>,
    is_stale: bool,
    said: BTreeSet<String>,
}

impl Worker {
    pub(crate) fn new(
        host: Arc<dyn Host>,
        tasks: Receiver<Task>,
        sender: Box<dyn Fn(Message) + Send>,
        shared: Arc<Mutex<Shared>>,
        watches_files: bool,
    ) -> Worker {
        Worker {
            host,
            tasks,
            sender,
            shared,
            watches_files,
            workspaces: Vec::new(),
            open: HashMap::new(),
            unsaved: HashMap::new(),
            configured: BTreeMap::new(),
            scopes: BTreeMap::new(),
            bases: BTreeMap::new(),
            checked: HashMap::new(),
            waiting: Vec::new(),
            asked: Vec::new(),
            looked: None,
            is_stale: true,
            said: BTreeSet::new(),
        }
    }

    /// Works until nobody sends tasks any more.
    pub(crate) fn run(mut self) {
        while self.wait() {
            while self.take_all() {
                if self.is_stale {
                    self.look();
                } else if let Some(uri) = self.waiting.pop() {
                    self.check(&uri);
                } else {
                    self.answer();
                    break;
                }
            }
        }
    }

    /// Waits for a task. Returns false if there will be none.
    fn wait(&mut self) -> bool {
        loop {
            let next = match self.idle() {
                Some(limit) => self.tasks.recv_timeout(limit),
                None => self.tasks.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match next {
                Ok(task) => {
                    self.take(task);
                    return true;
                }
                Err(RecvTimeoutError::Disconnected) => return false,
                Err(RecvTimeoutError::Timeout) => {
                    if self.note_bases() {
                        return true;
                    }
                }
            }
        }
    }

    /// The time to wait before the next piece of work in the background, if there is any.
    fn idle(&self) -> Option<Duration> {
        let is_noted = |base: &RefCell<Option<Base>>| base.borrow().as_ref().is_none_or(Base::is_noted);
        (!self.bases.values().all(is_noted)).then_some(Duration::ZERO)
    }

    /// Notes some objects of last commits. Returns true if texts have to be checked again.
    fn note_bases(&mut self) -> bool {
        let mut is_done = false;
        for base in self.bases.values() {
            let mut base = base.borrow_mut();
            if let Some(base) = base.as_mut().filter(|base| !base.is_noted()) {
                base.note_more(NOTED_AT_ONCE);
                is_done |= base.is_noted();
            }
        }
        if is_done {
            self.check_all();
        }
        is_done
    }

    /// Takes all tasks that are there. Returns false if there will be none.
    fn take_all(&mut self) -> bool {
        loop {
            match self.tasks.try_recv() {
                Ok(task) => self.take(task),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }

    fn take(&mut self, task: Task) {
        match task {
            Task::Text(text) => {
                let uri = text.uri.0.clone();
                if self.open.insert(uri.clone(), text).is_none() {
                    self.is_stale = true;
                }
                self.waiting.retain(|waiting| *waiting != uri);
                self.waiting.push(uri);
            }
            Task::Closed(uri) => {
                if let Some(path) = self.open.remove(&uri.0).and_then(|text| text.path)
                    && self.unsaved.remove(&path).is_some_and(|definitions| !definitions.is_empty())
                {
                    self.drop_scopes();
                }
                self.checked.remove(&uri.0);
                self.waiting.retain(|waiting| *waiting != uri.0);
                self.lock().scopes.remove(&uri.0);
                self.publish(uri, None, Vec::new());
            }
            Task::Folders(folders) => {
                self.workspaces.retain(|workspace| folders.iter().any(|folder| folder == workspace.root()));
                for folder in folders {
                    if !self.workspaces.iter().any(|workspace| workspace.root() == folder) {
                        let built_in = self.configured(&home(&folder)).settings.built_in.clone();
                        self.workspaces.push(Workspace::new(folder, built_in));
                    }
                }
                self.is_stale = true;
            }
            Task::Files => self.is_stale = true,
            Task::Ask(ask) => self.asked.push(ask),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at files, settings and commits again.
    fn look(&mut self) {
        self.is_stale = false;
        self.looked = Some(Instant::now());
        let before = self.configured.len();
        self.configured.retain(|_, configured| configured.is_current());
        let mut is_changed = self.configured.len() != before;
        for mut workspace in std::mem::take(&mut self.workspaces) {
            let settings = self.configured(&home(workspace.root())).settings.clone();
            if !Arc::ptr_eq(workspace.built_in(), &settings.built_in) {
                workspace = Workspace::new(workspace.root().to_owned(), settings.built_in.clone());
            }
            is_changed |= workspace.refresh(&settings.ignored);
            self.workspaces.push(workspace);
        }
        for base in self.bases.values() {
            is_changed |= base.borrow_mut().as_mut().is_some_and(Base::refresh);
        }
        if is_changed {
            self.drop_scopes();
        }
    }

    /// Checks all open texts by new scopes.
    fn drop_scopes(&mut self) {
        self.scopes.clear();
        self.check_all();
    }

    fn check_all(&mut self) {
        let mut others: Vec<String> = self.open.keys().filter(|uri| !self.waiting.contains(uri)).cloned().collect();
        others.sort();
        self.waiting.splice(0..0, others);
    }

    fn configured(&mut self, home: &Path) -> &Configured {
        let host = &*self.host;
        self.configured.entry(home.to_owned()).or_insert_with(|| Configured::read(host, home))
    }

    /// The innermost open folder that a file is in.
    fn workspace(&self, path: Option<&Path>) -> Option<&Workspace> {
        let around =
            self.workspaces.iter().filter(|workspace| path.is_some_and(|path| path.starts_with(workspace.root())));
        around.max_by_key(|workspace| workspace.root().components().count())
    }

    fn scope(&mut self, text: &OpenText) -> Arc<Scope> {
        let home = home(text.folder());
        if let Some(scope) = self.scopes.get(&home) {
            return scope.clone();
        }
        self.configured(&home);
        let workspace = self.workspace(text.path.as_deref());
        let among = match workspace {
            Some(workspace) => workspace.definitions(&self.unsaved),
            // Without a folder, definitions of open texts count.
            None => self.unsaved.values().flatten().cloned().collect(),
        };
        let Some(configured) = self.configured.get(&home) else { unreachable!("it was read above") };
        let (scope, problem) = Scope::new(&*self.host, configured, workspace, &among);
        let problem = problem.or_else(|| configured.problem.as_ref().map(|problem| problem.message.clone()));
        if let Some(problem) = problem {
            self.say(&problem);
        }
        let scope = Arc::new(scope);
        self.scopes.insert(home, scope.clone());
        scope
    }

    /// Shows a message, once.
    fn say(&mut self, message: &str) {
        if self.said.insert(message.to_owned()) {
            let params = ShowMessageParams { kind: MessageType::Warning, message: format!("sprag: {message}") };
            self.notify("window/showMessage", params);
        }
    }

    /// Checks an open text, and publishes what is found unless there is a later text by then.
    fn check(&mut self, uri: &str) {
        let Some(text) = self.open.get(uri).cloned().filter(|text| !text.is_outdated()) else { return };
        if text.language == Language::Manifest {
            self.note_definitions(&text);
        }
        let scope = self.scope(&text);
        self.lock().scopes.insert(uri.to_owned(), scope.clone());
        // A mistake of ours in one text should not end the checks of others.
        let found = catch_unwind(AssertUnwindSafe(|| self.findings(&text, &scope)));
        let found = found.unwrap_or_else(|_| Some(Vec::new()));
        let Some(findings) = found.filter(|_| !text.is_outdated()) else { return };
        let diagnostics = findings.iter().map(|found| found.diagnostic.clone()).collect();
        self.checked.insert(uri.to_owned(), Checked { number: text.number, findings });
        self.publish(text.uri, Some(text.version), diagnostics);
        if !self.watches_files && self.looked.is_none_or(|looked| looked.elapsed() > LOOK_AGAIN) {
            self.is_stale = true;
        }
    }

    fn findings(&mut self, text: &OpenText, scope: &Scope) -> Option<Vec<Found>> {
        let whole = text.text.as_str();
        if whole.len() > MAX_TEXT_BYTES {
            return Some(Vec::new());
        }
        if text.language == Language::Source {
            let path = text.path.as_deref()?;
            return Some(sources::findings(path, &text.text, self.unsaved_sources(), &scope.settings));
        }
        if let Some(problem) = text.path.as_deref().and_then(|path| self.host.check(path, whole)) {
            return Some(vec![of_problem(&problem, &text.text)]);
        }
        self.open_base(text, scope);
        let base = self.bases.get(&home(text.folder()));
        let old = |identity: &Identity| {
            // Objects whose name is generated are new every time.
            base?.borrow_mut().as_mut()?.find(text.path.as_ref(), identity)
        };
        let standing = match (&text.path, self.workspace(text.path.as_deref())) {
            (Some(path), Some(workspace)) => workspace.standing(path),
            _ => Standing::Found,
        };
        let name = text.name();
        let judged = Judged { name: &name, text: whole, standing };
        let findings = scope.judge(&judged, &old, &|| text.is_outdated())?;
        let advice = scope.advice(&judged, &text.text);
        Some(
            findings
                .into_iter()
                .map(|finding| {
                    let (bytes, diagnostic) = of_finding(&finding, &text.text);
                    Found { bytes, finding: Some(finding), diagnostic, edits: Vec::new() }
                })
                .chain(advice)
                .collect(),
        )
    }

    /// The open sources.
    fn unsaved_sources(&self) -> BTreeMap<PathBuf, Arc<str>> {
        let sources = self.open.values().filter(|text| text.language == Language::Source);
        sources.filter_map(|text| Some((text.path.clone()?, text.text.as_str().into()))).collect()
    }

    fn open_base(&mut self, text: &OpenText, scope: &Scope) {
        if text.path.is_none() {
            return;
        }
        let home = home(text.folder());
        let revision = scope.base();
        let is_same =
            |base: &RefCell<Option<Base>>| base.borrow().as_ref().is_none_or(|base| base.revision() == revision);
        if !self.bases.get(&home).is_some_and(is_same) {
            let base = Base::open(text.folder(), revision.cloned());
            self.bases.insert(home, RefCell::new(base));
        }
    }

    /// Takes the definitions of a text in place of those on disk. If there are or were any, other texts are checked again.
    fn note_definitions(&mut self, text: &OpenText) {
        let Some(path) = &text.path else { return };
        let built_in = match self.workspace(Some(path)) {
            Some(workspace) => workspace.built_in().clone(),
            None => self.configured(&home(text.folder())).settings.built_in.clone(),
        };
        let is_read = text.text.as_str().len() <= MAX_TEXT_BYTES;
        let read = || definitions_of(&text.name(), text.text.as_str(), &built_in);
        let definitions = if is_read { catch_unwind(AssertUnwindSafe(read)).unwrap_or_default() } else { Vec::new() };
        let is_any = !definitions.is_empty();
        let before = self.unsaved.insert(path.clone(), definitions);
        let is_changed = match (&before, self.unsaved.get(path)) {
            (Some(before), Some(after)) => !sources(before).eq(sources(after)),
            _ => is_any,
        };
        if is_changed {
            self.drop_scopes();
            self.waiting.retain(|waiting| *waiting != text.uri.0);
        }
    }

    fn answer(&mut self) {
        let answerer = Answerer { open: &self.open, checked: &self.checked, scopes: &self.lock_scopes() };
        for ask in std::mem::take(&mut self.asked) {
            // A mistake of ours leaves one request without an answer.
            let _ = catch_unwind(AssertUnwindSafe(|| ask(&answerer)));
        }
    }

    fn lock_scopes(&self) -> HashMap<String, Arc<Scope>> {
        self.lock().scopes.clone()
    }

    fn publish(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        self.notify("textDocument/publishDiagnostics", PublishDiagnosticsParams { uri, version, diagnostics });
    }

    fn notify(&self, method: &str, params: impl serde::Serialize) {
        (self.sender)(Message::Notification(Notification::new(method.to_owned(), params)));
    }
}

/// The definitions as they were written.
fn sources(definitions: &[Arc<Definition>]) -> impl Iterator<Item = &sprag_value::Value> {
    definitions.iter().map(|definition| definition.source())
}

/// The diagnostic of a mistake in settings or tests.
fn of_problem(problem: &Problem, text: &Text) -> Found {
    let line = problem.line.unwrap_or(1).saturating_sub(1);
    let start = text.offset_of(line + 1, 1);
    let shown = text.line(line);
    let indent = shown.len() - shown.trim_start().len();
    let bytes = start + indent..start + shown.len();
    let diagnostic = Diagnostic {
        range: text.range(bytes.clone()),
        severity: Some(gen_lsp_types::DiagnosticSeverity::Error),
        source: Some(SOURCE.to_owned()),
        message: gen_lsp_types::Message::String(problem.message.clone()),
        ..Diagnostic::default()
    };
    Found { bytes, finding: None, diagnostic, edits: Vec::new() }
}
