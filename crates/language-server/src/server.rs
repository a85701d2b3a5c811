//! The thread that answers messages, in their order.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use gen_lsp_types::{
    CodeAction, CodeActionParams, CompletionItem, CompletionOptions, CompletionParams, DefinitionParams,
    DidChangeTextDocumentParams, DidChangeWatchedFilesRegistrationOptions, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, FileSystemWatcher, Hover, HoverParams, InitializeParams,
    Location, Registration, RegistrationParams, Save, ServerCapabilities, ServerInfo, TextDocumentContentChangeEvent,
    TextDocumentPositionParams, TextDocumentSyncKind, TextDocumentSyncOptions, Uri, WorkspaceFolders,
    WorkspaceFoldersServerCapabilities, WorkspaceOptions,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, RequestId, Response};
use serde::de::DeserializeOwned;

use crate::actions::Fixer;
use crate::completion::{self, Asked};
use crate::definition;
use crate::fields::Fields;
use crate::host::Host;
use crate::hover;
use crate::scope::Scope;
use crate::sources;
use crate::text::Text;
use crate::uri;
use crate::worker::{Answerer, Language, OpenText, Shared, Task, Worker};

/// The stack of the thread that checks: documents are nested up to 512 levels.
const STACK_BYTES: usize = 16 << 20;

/// The reasons why the server ends before it is asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The client breaks the protocol.
    #[error("{0}")]
    Protocol(#[from] ProtocolError),
    /// The client sent parameters that cannot be read.
    #[error("initialize: {0}")]
    Parameters(#[from] serde_json::Error),
    /// The thread that checks could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Serves a client until it says goodbye or is gone.
pub fn serve(connection: &Connection, host: Arc<dyn Host>) -> Result<(), ServerError> {
    let (id, params) = match connection.initialize_start() {
        // The client went before it said anything.
        Err(error) if error.channel_is_disconnected() => return Ok(()),
        started => started?,
    };
    let params: InitializeParams = serde_json::from_value(params)?;
    let server_info = ServerInfo { name: "sprag".to_owned(), version: Some(env!("CARGO_PKG_VERSION").to_owned()) };
    let answer = serde_json::json!({ "capabilities": capabilities(), "serverInfo": server_info });
    connection.initialize_finish(id, answer)?;
    let watches_files = watches_files(&params);
    if watches_files {
        let _ = connection.sender.send(Message::Request(watch()));
    }
    let shared = Arc::default();
    let (tasks, inbox) = mpsc::channel();
    let sender = connection.sender.clone();
    let send = Box::new(move |message| {
        // The client may be gone.
        let _ = sender.send(message);
    });
    let worker = Worker::new(host, inbox, send, Arc::clone(&shared), watches_files);
    let thread = thread::Builder::new().name("checks".to_owned()).stack_size(STACK_BYTES).spawn(|| worker.run())?;
    let mut server = Server {
        connection,
        tasks,
        shared,
        open: HashMap::new(),
        folders: folders(&params),
        fields: Arc::default(),
        snippets: knows_snippets(&params),
        count: 0,
    };
    server.send(Task::Folders(server.folders.clone()));
    let ended = server.run();
    drop(server);
    // It ends when nobody sends tasks any more.
    let _ = thread.join();
    ended
}

fn capabilities() -> ServerCapabilities {
    ServerCapabilities {
        text_document_sync: Some(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::Incremental),
                save: Some(Save::Bool(true)),
                ..TextDocumentSyncOptions::default()
            }
            .into(),
        ),
        hover_provider: Some(true.into()),
        definition_provider: Some(true.into()),
        code_action_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([":", " ", ".", "-", "+", "\n"].map(str::to_owned).to_vec()),
            ..CompletionOptions::default()
        }),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(true.into()),
            }),
            ..WorkspaceOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// True if the client can tell of changed files.
fn watches_files(params: &InitializeParams) -> bool {
    let workspace = params.capabilities.workspace.as_ref();
    let watched = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
    watched.and_then(|watched| watched.dynamic_registration).unwrap_or(false)
}

/// True if completions may have places to fill in.
fn knows_snippets(params: &InitializeParams) -> bool {
    let text = params.capabilities.text_document.as_ref();
    let item = text.and_then(|text| text.completion.as_ref()?.completion_item.as_ref());
    item.and_then(|item| item.snippet_support).unwrap_or(false)
}

/// The request to tell of changed files.
fn watch() -> Request {
    let watcher = |pattern: &str| FileSystemWatcher { glob_pattern: pattern.to_owned().into(), kind: None };
    let patterns =
        ["**/*.{yaml,yml,json}", "**/*.{go,rs}", "**/{Kustomization,.gitignore,.helmignore}", "**/.git/HEAD"];
    let options = DidChangeWatchedFilesRegistrationOptions { watchers: patterns.map(watcher).to_vec() };
    let method = "workspace/didChangeWatchedFiles".to_owned();
    let registration =
        Registration { id: "files".to_owned(), method, register_options: serde_json::to_value(options).ok() };
    let params = RegistrationParams { registrations: vec![registration] };
    Request::new("files".to_owned().into(), "client/registerCapability".to_owned(), params)
}

/// The folders that are open in the editor.
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let given = &params.workspace_folders_initialize_params.workspace_folders;
    let mut uris: Vec<Uri> = match given {
        Some(WorkspaceFolders::WorkspaceFolderList(folders)) => {
            folders.iter().map(|folder| folder.uri.clone()).collect()
        }
        _ => Vec::new(),
    };
    #[expect(deprecated, reason = "older clients send nothing else")]
    if uris.is_empty() {
        uris.extend(params.root_uri.clone());
    }
    uris.iter().filter_map(uri::to_path).collect()
}

/// A text that is open in the editor.
struct Open {
    path: Option<PathBuf>,
    language: Language,
    version: i32,
    text: Arc<Text>,
    latest: Arc<AtomicU64>,
}

/// The state of the thread that answers.
struct Server<'c> {
    connection: &'c Connection,
    tasks: Sender<Task>,
    shared: Arc<Mutex<Shared>>,
    open: HashMap<String, Open>,
    folders: Vec<PathBuf>,
    fields: Arc<Fields>,
    /// True if the client knows texts with places to fill in.
    snippets: bool,
    /// The number of states of texts so far.
    count: u64,
}

impl Server<'_> {
    fn run(&mut self) -> Result<(), ServerError> {
        for message in &self.connection.receiver {
            match message {
                Message::Request(request) => {
                    if self.connection.handle_shutdown(&request)? {
                        return Ok(());
                    }
                    self.request(request);
                }
                Message::Notification(notification) => self.notification(notification),
                // Nothing is asked whose answer matters.
                Message::Response(_) => {}
            }
        }
        Ok(())
    }

    fn send(&self, task: Task) {
        // The other thread ends after this one.
        let _ = self.tasks.send(task);
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if method == "textDocument/codeAction" {
            return self.ask_actions(id, params);
        }
        // A mistake of ours costs one answer, not the editor's server.
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
        let response = match answer {
            Ok(Ok(answer)) => Response::new_ok(id, answer),
            Ok(Err((code, message))) => Response::new_err(id, code as i32, message),
            Err(_) => Response::new_err(id, ErrorCode::InternalError as i32, format!("{method} failed")),
        };
        // The client may be gone.
        let _ = self.connection.sender.send(Message::Response(response));
    }

    /// Fixes belong to findings, so they are made by the thread that has them.
    fn ask_actions(&self, id: RequestId, params: serde_json::Value) {
        let sender = self.connection.sender.clone();
        let response = match serde_json::from_value::<CodeActionParams>(params) {
            Ok(params) => {
                let fields = Arc::clone(&self.fields);
                self.send(Task::Ask(Box::new(move |answerer| {
                    let actions = fixes(&params, answerer, &fields);
                    // The client may be gone.
                    let _ = sender.send(Message::Response(Response::new_ok(id, actions)));
                })));
                return;
            }
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
        };
        let _ = sender.send(Message::Response(response));
    }

    fn answer(&self, method: &str, params: serde_json::Value) -> Result<serde_json::Value, (ErrorCode, String)> {
        let unreadable = |error: serde_json::Error| (ErrorCode::InvalidParams, error.to_string());
        let answer = match method {
            "textDocument/hover" => {
                let params: HoverParams = serde_json::from_value(params).map_err(unreadable)?;
                serde_json::to_value(self.hover(&params.text_document_position_params))
            }
            "textDocument/completion" => {
                let params: CompletionParams = serde_json::from_value(params).map_err(unreadable)?;
                serde_json::to_value(self.completion(&params.text_document_position_params))
            }
            "textDocument/definition" => {
                let params: DefinitionParams = serde_json::from_value(params).map_err(unreadable)?;
                serde_json::to_value(self.definition(&params.text_document_position_params))
            }
            _ => return Err((ErrorCode::MethodNotFound, format!("there is no method {method:?}"))),
        };
        answer.map_err(|error| (ErrorCode::InternalError, error.to_string()))
    }

    /// An open text, the byte of a position in it, and the scope it was checked in last.
    fn at(&self, params: &TextDocumentPositionParams) -> Option<(&Open, usize, Arc<Scope>)> {
        let uri = &params.text_document.uri.0;
        let open = self.open.get(uri)?;
        let shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        Some((open, open.text.offset(params.position), shared.scopes.get(uri)?.clone()))
    }

    fn hover(&self, params: &TextDocumentPositionParams) -> Option<Hover> {
        let (open, offset, scope) = self.at(params)?;
        match open.language {
            Language::Manifest => hover::hover(&open.text, offset, &scope.analysis, &self.fields),
            Language::Source => sources::hover(&open.text, offset, &scope.settings.lint.registry),
        }
    }

    fn completion(&self, params: &TextDocumentPositionParams) -> Vec<CompletionItem> {
        let Some((open, offset, scope)) = self.at(params) else { return Vec::new() };
        match open.language {
            Language::Manifest => completion::complete(&Asked {
                text: &open.text,
                offset,
                analysis: &scope.analysis,
                fields: &self.fields,
                snippets: self.snippets,
            }),
            Language::Source => sources::complete(&open.text, offset, &scope.settings.lint.registry, self.snippets),
        }
    }

    fn definition(&self, params: &TextDocumentPositionParams) -> Option<Location> {
        let (open, offset, scope) = self.at(params)?;
        let shown = |path: &Path| {
            let open = self.open.values().find(|open| open.path.as_deref() == Some(path))?;
            Some(open.text.as_str().to_owned())
        };
        definition::find(&open.text, offset, &scope.analysis, &shown)
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => read(params, |params| self.did_open(params)),
            "textDocument/didChange" => read(params, |params| self.did_change(params)),
            "textDocument/didClose" => read(params, |params| self.did_close(params)),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.send(Task::Files),
            "workspace/didChangeWorkspaceFolders" => read(params, |params| self.did_change_folders(&params)),
            _ => {}
        }
    }

    fn did_open(&mut self, params: DidOpenTextDocumentParams) {
        let item = params.text_document;
        let path = uri::to_path(&item.uri);
        let kind = path.as_ref().and_then(|path| path.extension()).and_then(|ending| ending.to_str());
        let language = match kind.unwrap_or_default() {
            "go" | "rs" => Language::Source,
            _ => Language::Manifest,
        };
        let text = Arc::new(Text::new(item.text));
        let open = Open { path, language, version: item.version, text, latest: Arc::default() };
        self.open.insert(item.uri.0.clone(), open);
        self.changed(&item.uri);
    }

    fn did_change(&mut self, params: DidChangeTextDocumentParams) {
        let uri = params.text_document.text_document_identifier.uri;
        let Some(open) = self.open.get_mut(&uri.0) else { return };
        open.version = params.text_document.version;
        let text = Arc::make_mut(&mut open.text);
        for change in params.content_changes {
            match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    text.edit(Some(part.range), &part.text);
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    text.edit(None, &whole.text);
                }
            }
        }
        self.changed(&uri);
    }

    fn changed(&mut self, uri: &Uri) {
        self.count += 1;
        let Some(open) = self.open.get(&uri.0) else { return };
        open.latest.store(self.count, Ordering::Relaxed);
        self.send(Task::Text(OpenText {
            uri: uri.clone(),
            path: open.path.clone(),
            language: open.language,
            version: open.version,
            text: open.text.clone(),
            number: self.count,
            latest: open.latest.clone(),
        }));
    }

    fn did_close(&mut self, params: DidCloseTextDocumentParams) {
        let uri = params.text_document.uri;
        if let Some(open) = self.open.remove(&uri.0) {
            open.latest.store(0, Ordering::Relaxed);
            self.send(Task::Closed(uri));
        }
    }

    fn did_change_folders(&mut self, params: &DidChangeWorkspaceFoldersParams) {
        let paths = |folders: &[gen_lsp_types::WorkspaceFolder]| -> Vec<PathBuf> {
            folders.iter().filter_map(|folder| uri::to_path(&folder.uri)).collect()
        };
        let removed = paths(&params.event.removed);
        self.folders.retain(|folder| !removed.contains(folder));
        self.folders.extend(paths(&params.event.added));
        self.send(Task::Folders(self.folders.clone()));
    }
}

/// The fixes for a part of a text, as it was checked last.
fn fixes(params: &CodeActionParams, answerer: &Answerer<'_>, fields: &Fields) -> Vec<CodeAction> {
    let uri = &params.text_document.uri.0;
    let (Some(open), Some(checked), Some(scope)) =
        (answerer.open.get(uri), answerer.checked.get(uri), answerer.scopes.get(uri))
    else {
        return Vec::new();
    };
    if checked.number != open.number {
        return Vec::new();
    }
    let bytes = open.text.offset(params.range.start)..open.text.offset(params.range.end);
    Fixer { open, scope, fields }.all(&bytes, &checked.findings)
}

/// Reads parameters; what cannot be read is passed over, as notifications have no answer.
fn read<P: DeserializeOwned>(params: serde_json::Value, take: impl FnOnce(P)) {
    if let Ok(params) = serde_json::from_value(params) {
        take(params);
    }
}
