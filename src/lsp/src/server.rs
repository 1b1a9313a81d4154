//! The server: one thread that takes messages in their order, and for each site one that follows with its findings.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use crossbeam_channel::{Receiver, Sender, bounded, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    Cancel, DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument,
    Exit, Notification as _, ShowMessage,
};
use lsp_types::request::{
    CodeActionRequest, Completion, DocumentLinkRequest, DocumentSymbolRequest, ExecuteCommand,
    GotoDefinition, HoverRequest, PrepareRenameRequest, References, Rename, Request as _,
    ShowDocument, WillRenameFiles, WorkspaceSymbolRequest,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CompletionOptions,
    CompletionResponse, DocumentLinkOptions, DocumentSymbolResponse, ExecuteCommandOptions,
    FileOperationFilter, FileOperationPattern, FileOperationRegistrationOptions,
    GotoDefinitionResponse, Hover, HoverContents, HoverProviderCapability, InitializeParams,
    InitializeResult, MarkupContent, MarkupKind, MessageType, OneOf, PrepareRenameResponse,
    RenameOptions, SaveOptions, ServerCapabilities, ServerInfo, ShowDocumentParams,
    ShowMessageParams, TextDocumentPositionParams, TextDocumentSyncCapability,
    TextDocumentSyncKind, TextDocumentSyncOptions, TextDocumentSyncSaveOptions, Uri,
    WorkspaceFileOperationsServerCapabilities, WorkspaceServerCapabilities,
};
use queries::base::path::SitePath;
use queries::site::{is_config, is_page};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::project::{At, Project, file_of};
use crate::text::{Encoding, Text};
use crate::{actions, completion, diagnostics, hover, places, rename};

/// Levels of folders below that of the client in which a site is looked for.
const MAX_DEPTH: usize = 3;

/// Names of the configuration of a site.
const CONFIGS: &[&str] = &["docs.json", "mint.json"];

/// Settings of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder of the site; without it, sites are found from the folders and documents of the client.
    pub site: Option<PathBuf>,
    /// Address of the preview that pages are opened in.
    pub preview: String,
    /// Version of the program.
    pub version: String,
}

/// Serves one client on standard input and output, until it ends.
///
/// # Errors
///
/// Fails if the client does not speak the protocol, or if the site that is named cannot be read.
pub fn serve(options: Options) -> anyhow::Result<()> {
    let (connection, threads) = Connection::stdio();
    let served = serve_on(&connection, options);
    // The thread that writes ends when nobody can send it anything any more.
    drop(connection);
    served?;
    threads.join().context("write to the client")
}

/// Serves the client of `connection`, until it ends.
///
/// # Errors
///
/// As [`serve`].
pub fn serve_on(connection: &Connection, options: Options) -> anyhow::Result<()> {
    let (id, params) = connection.initialize_start()?;
    let params: InitializeParams = serde_json::from_value(params)?;
    let general = params.capabilities.general.as_ref();
    let offered = general.and_then(|general| general.position_encodings.as_deref());
    let encoding = Encoding::choose(offered.unwrap_or_default());
    let result = InitializeResult {
        capabilities: capabilities(encoding),
        server_info: Some(ServerInfo {
            name: "quire".to_owned(),
            version: Some(options.version.clone()),
        }),
    };
    connection.initialize_finish(id, serde_json::to_value(result)?)?;
    let (loaded, loads) = unbounded();
    let mut server = Server {
        sender: connection.sender.clone(),
        encoding,
        has_snippets: has_snippets(&params),
        shows_documents: shows_documents(&params),
        options,
        sites: Vec::new(),
        loaded,
        deferred_messages: Vec::new(),
        requests: 0,
    };
    server.find_sites(&params);
    server.run(&connection.receiver, &loads)
}

fn has_snippets(params: &InitializeParams) -> bool {
    let documents = params.capabilities.text_document.as_ref();
    let completion = documents.and_then(|documents| documents.completion.as_ref());
    let item = completion.and_then(|completion| completion.completion_item.as_ref());
    item.and_then(|item| item.snippet_support).unwrap_or(false)
}

fn shows_documents(params: &InitializeParams) -> bool {
    let window = params.capabilities.window.as_ref();
    let shown = window.and_then(|window| window.show_document.as_ref());
    shown.is_some_and(|shown| shown.support)
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let any_file = FileOperationFilter {
        scheme: Some("file".to_owned()),
        pattern: FileOperationPattern {
            glob: "**/*".to_owned(),
            matches: None,
            options: None,
        },
    };
    ServerCapabilities {
        position_encoding: Some(encoding.kind()),
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                    include_text: Some(false),
                })),
                ..TextDocumentSyncOptions::default()
            },
        )),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(
                ["<", "/", "(", "#", "\"", "'", " ", ":"]
                    .map(str::to_owned)
                    .to_vec(),
            ),
            ..CompletionOptions::default()
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: Default::default(),
        }),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX, CodeActionKind::SOURCE]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: vec![actions::OPEN_PREVIEW.to_owned()],
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceServerCapabilities {
            file_operations: Some(WorkspaceFileOperationsServerCapabilities {
                will_rename: Some(FileOperationRegistrationOptions {
                    filters: vec![any_file],
                }),
                ..WorkspaceFileOperationsServerCapabilities::default()
            }),
            ..WorkspaceServerCapabilities::default()
        }),
        ..ServerCapabilities::default()
    }
}

/// A site of the client.
struct Site {
    root: PathBuf,
    state: State,
}

enum State {
    Loading,
    Ready(Arc<Project>),
    /// It could not be read; said once.
    Failed,
}

/// A site that was read, by the folder it is in.
type LoadedSite = (PathBuf, anyhow::Result<Arc<Project>>);

struct Server {
    sender: Sender<Message>,
    encoding: Encoding,
    has_snippets: bool,
    shows_documents: bool,
    options: Options,
    sites: Vec<Site>,
    loaded: Sender<LoadedSite>,
    /// Messages that wait until the site of their document is read.
    deferred_messages: Vec<Message>,
    requests: i32,
}

/// What a message came to.
enum Outcome {
    Done,
    Exit,
}

impl Server {
    /// Begins to read the sites that the client has open.
    fn find_sites(&mut self, params: &InitializeParams) {
        if let Some(site) = self.options.site.clone() {
            self.load(&std::path::absolute(&site).unwrap_or(site));
            return;
        }
        let mut folders: Vec<PathBuf> = (params.workspace_folders.iter().flatten())
            .filter_map(|folder| file_of(&folder.uri))
            .collect();
        if folders.is_empty() {
            #[expect(deprecated, reason = "clients without folders of a workspace send it")]
            folders.extend(params.root_uri.as_ref().and_then(file_of));
        }
        for folder in folders {
            let mut found = Vec::new();
            sites_below(&folder, MAX_DEPTH, &mut found);
            found.iter().for_each(|site| self.load(site));
        }
    }

    /// Reads the site in `root` on a thread of its own.
    fn load(&mut self, root: &Path) {
        if self.sites.iter().any(|site| site.root == root) {
            return;
        }
        self.sites.push(Site {
            root: root.to_owned(),
            state: State::Loading,
        });
        let (root, encoding) = (root.to_owned(), self.encoding);
        let (loaded, sender) = (self.loaded.clone(), self.sender.clone());
        let load = move || {
            // One mark is enough: findings are always those of the last revision.
            let (changed, changes) = bounded(1);
            let project = Project::open(&root, encoding, changed).map(Arc::new);
            let follower = project.as_ref().ok().map(Arc::downgrade);
            if let Ok(project) = &project {
                project.warm();
            }
            let _ = loaded.send((root, project));
            if let Some(project) = follower {
                diagnostics::follow(&project, &changes, &sender);
            }
        };
        let spawned = std::thread::Builder::new()
            .name("lsp".to_owned())
            .stack_size(quire_engine::host::STACK)
            .spawn(load);
        if let Err(error) = spawned {
            tracing::error!("cannot read a site: {error}");
        }
    }

    fn run(
        &mut self,
        messages: &Receiver<Message>,
        loads: &Receiver<LoadedSite>,
    ) -> anyhow::Result<()> {
        let mut queue: VecDeque<Message> = VecDeque::new();
        loop {
            if queue.is_empty() {
                select! {
                    recv(messages) -> message => match message {
                        Ok(message) => queue.push_back(message),
                        Err(_) => return Ok(()),
                    },
                    recv(loads) -> loaded => if let Ok(loaded) = loaded {
                        self.take_loaded(loaded);
                        queue.extend(std::mem::take(&mut self.deferred_messages));
                    },
                }
            }
            // What is already here may take back what waits.
            while let Ok(message) = messages.try_recv() {
                if let Some(id) = cancelled(&message) {
                    self.cancel(&mut queue, &id);
                } else {
                    queue.push_back(message);
                }
            }
            let Some(message) = queue.pop_front() else {
                continue;
            };
            if let Outcome::Exit = self.take(message)? {
                return Ok(());
            }
        }
    }

    fn take_loaded(&mut self, (root, project): LoadedSite) {
        let state = match project {
            Ok(project) => {
                fetch_later(project.clone());
                State::Ready(project)
            }
            Err(error) => {
                self.say(MessageType::ERROR, &format!("{error:#}"));
                State::Failed
            }
        };
        if let Some(site) = self.sites.iter_mut().find(|site| site.root == root) {
            site.state = state;
        }
    }

    fn cancel(&mut self, queue: &mut VecDeque<Message>, id: &RequestId) {
        let is_it =
            |message: &Message| matches!(message, Message::Request(request) if request.id == *id);
        let before = queue.len() + self.deferred_messages.len();
        queue.retain(|message| !is_it(message));
        self.deferred_messages.retain(|message| !is_it(message));
        if queue.len() + self.deferred_messages.len() < before {
            let message = "the request was cancelled".to_owned();
            let code = ErrorCode::RequestCanceled as i32;
            self.send(Response::new_err(id.clone(), code, message).into());
        }
    }

    fn send(&self, message: Message) {
        // Without a receiver the client is gone, which ends the loop.
        let _ = self.sender.send(message);
    }

    fn say(&self, kind: MessageType, words: &str) {
        let params = ShowMessageParams {
            typ: kind,
            message: format!("Quire: {words}"),
        };
        let method = ShowMessage::METHOD.to_owned();
        self.send(Notification::new(method, params).into());
    }

    fn take(&mut self, message: Message) -> anyhow::Result<Outcome> {
        let uri = match &message {
            Message::Request(request) => document_of(&request.params),
            Message::Notification(notification) => document_of(&notification.params),
            Message::Response(_) => return Ok(Outcome::Done),
        };
        if let Some(file) = uri.as_ref().and_then(file_of)
            && self.is_loading(&file)
        {
            self.deferred_messages.push(message);
            return Ok(Outcome::Done);
        }
        match message {
            Message::Request(request) => self.answer(request),
            Message::Notification(notification) => {
                if notification.method == Exit::METHOD {
                    return Ok(Outcome::Exit);
                }
                if let Err(error) = self.note(notification) {
                    tracing::warn!("{error:#}");
                }
                Ok(Outcome::Done)
            }
            Message::Response(_) => Ok(Outcome::Done),
        }
    }

    /// Returns true if the site of the file is being read. Begins to read the one around it if none is known.
    fn is_loading(&mut self, file: &Path) -> bool {
        if self.site_of(file).is_none()
            && self.options.site.is_none()
            && let Some(root) = site_around(file)
        {
            self.load(&root);
        }
        (self.site_of(file)).is_some_and(|site| matches!(site.state, State::Loading))
    }

    /// Returns the innermost site around `file`.
    fn site_of(&self, file: &Path) -> Option<&Site> {
        let around = self
            .sites
            .iter()
            .filter(|site| file.starts_with(&site.root));
        around.max_by_key(|site| site.root.as_os_str().len())
    }

    fn project_of(&self, uri: &Uri) -> Option<(Arc<Project>, SitePath)> {
        let site = self.site_of(&file_of(uri)?)?;
        let State::Ready(project) = &site.state else {
            return None;
        };
        Some((project.clone(), project.path_of(uri)?))
    }

    fn note(&mut self, notification: Notification) -> anyhow::Result<()> {
        match &*notification.method {
            DidOpenTextDocument::METHOD => {
                let params = params::<DidOpenTextDocument>(notification.params)?;
                let document = params.text_document;
                if let Some((project, path)) = self.project_of(&document.uri) {
                    project.open_document(&path, document.text);
                }
            }
            DidChangeTextDocument::METHOD => {
                let params = params::<DidChangeTextDocument>(notification.params)?;
                if let Some((project, path)) = self.project_of(&params.text_document.uri) {
                    project.change_document(&path, params.content_changes);
                }
            }
            DidCloseTextDocument::METHOD => {
                let params = params::<DidCloseTextDocument>(notification.params)?;
                if let Some((project, path)) = self.project_of(&params.text_document.uri) {
                    project.close_document(&path);
                }
            }
            DidSaveTextDocument::METHOD => {
                let params = params::<DidSaveTextDocument>(notification.params)?;
                if let Some((project, path)) = self.project_of(&params.text_document.uri)
                    && is_config(&path)
                {
                    fetch_later(project);
                }
            }
            // Cancelled too late, settings of clients, traces.
            _ => {}
        }
        Ok(())
    }

    fn answer(&mut self, request: Request) -> anyhow::Result<Outcome> {
        let (id, method) = (request.id.clone(), request.method.clone());
        if method == lsp_types::request::Shutdown::METHOD {
            self.send(Response::new_ok(id, ()).into());
            return Ok(Outcome::Done);
        }
        // A fault in an answer costs that answer.
        let answer = std::panic::AssertUnwindSafe(|| self.result(request));
        let answer = std::panic::catch_unwind(answer)
            .unwrap_or_else(|_| bail!("a fault of the program; please report it"));
        let response = match answer {
            Ok(Some(value)) => Response::new_ok(id, value),
            Ok(None) => {
                let message = format!("`{method}` is not known");
                Response::new_err(id, ErrorCode::MethodNotFound as i32, message)
            }
            Err(error) => {
                Response::new_err(id, ErrorCode::RequestFailed as i32, format!("{error:#}"))
            }
        };
        self.send(response.into());
        Ok(Outcome::Done)
    }

    /// Returns the result of a request; `None` for a method that is not known.
    fn result(&mut self, request: Request) -> anyhow::Result<Option<Value>> {
        let Request { method, params, .. } = request;
        let value = match &*method {
            Completion::METHOD => {
                let params = parse_params::<Completion>(params)?;
                let has_snippets = self.has_snippets;
                let list = self.at(&params.text_document_position, |at| {
                    completion::complete(at, has_snippets)
                });
                to_json(list.map(CompletionResponse::List))?
            }
            HoverRequest::METHOD => {
                let params = parse_params::<HoverRequest>(params)?;
                let found = self.at(&params.text_document_position_params, |at| {
                    let (value, range) = hover::hover(at)?;
                    let kind = MarkupKind::Markdown;
                    Some(Hover {
                        contents: HoverContents::Markup(MarkupContent { kind, value }),
                        range: Some(at.text.range(range)),
                    })
                });
                to_json(found.flatten())?
            }
            GotoDefinition::METHOD => {
                let params = parse_params::<GotoDefinition>(params)?;
                let found = self.at(&params.text_document_position_params, |at| {
                    places::definition(at)
                });
                to_json(found.flatten().map(GotoDefinitionResponse::Scalar))?
            }
            References::METHOD => {
                let params = parse_params::<References>(params)?;
                let found = self.at(&params.text_document_position, places::references);
                to_json(found)?
            }
            DocumentSymbolRequest::METHOD => {
                let params = parse_params::<DocumentSymbolRequest>(params)?;
                let found = self.document(&params.text_document.uri);
                let found = found.filter(|(_, path, _)| is_page(path));
                let found = found.map(|(_, _, text)| places::symbols(&text));
                to_json(found.map(DocumentSymbolResponse::Nested))?
            }
            DocumentLinkRequest::METHOD => {
                let params = parse_params::<DocumentLinkRequest>(params)?;
                let found = self.document(&params.text_document.uri);
                let found = found.filter(|(_, path, _)| is_page(path));
                to_json(found.map(|(project, path, text)| places::links(&project, &path, &text)))?
            }
            WorkspaceSymbolRequest::METHOD => {
                let params = parse_params::<WorkspaceSymbolRequest>(params)?;
                let ready = self.sites.iter().filter_map(|site| match &site.state {
                    State::Ready(project) => Some(project),
                    _ => None,
                });
                let found = ready.flat_map(|project| places::site_symbols(project, &params.query));
                to_json(Some(found.collect::<Vec<_>>()))?
            }
            PrepareRenameRequest::METHOD => {
                let params = parse_params::<PrepareRenameRequest>(params)?;
                let found = self.at(&params, |at| {
                    let (range, name) = rename::prepare(at)?;
                    Some(PrepareRenameResponse::RangeWithPlaceholder {
                        range: at.text.range(range),
                        placeholder: name,
                    })
                });
                to_json(found.flatten())?
            }
            Rename::METHOD => {
                let params = parse_params::<Rename>(params)?;
                let edit = self.at(&params.text_document_position, |at| {
                    rename::rename(at, &params.new_name)
                });
                to_json(edit.transpose()?)?
            }
            WillRenameFiles::METHOD => {
                let params = parse_params::<WillRenameFiles>(params)?;
                let renamed = params.files.iter().filter_map(|file| {
                    let (old, new) = (file.old_uri.parse().ok()?, file.new_uri.parse().ok()?);
                    let (project, old) = self.project_of(&old)?;
                    let new = project.path_of(&new)?;
                    Some((project, (old, new)))
                });
                let renamed: Vec<_> = renamed.collect();
                let project = renamed.first().map(|(project, _)| project.clone());
                let files: Vec<_> = renamed.into_iter().map(|(_, files)| files).collect();
                to_json(project.map(|project| rename::will_rename(&project, &files)))?
            }
            CodeActionRequest::METHOD => {
                let params = parse_params::<CodeActionRequest>(params)?;
                let uri = params.text_document.uri;
                let found = self.document(&uri).map(|(_, path, text)| {
                    actions::actions(&uri, &path, &text, &params.context.diagnostics)
                });
                to_json(found)?
            }
            ExecuteCommand::METHOD => {
                let params = parse_params::<ExecuteCommand>(params)?;
                self.execute(&params.command, &params.arguments)?;
                Value::Null
            }
            _ => return Ok(None),
        };
        Ok(Some(value))
    }

    fn execute(&mut self, command: &str, arguments: &[Value]) -> anyhow::Result<()> {
        if command != actions::OPEN_PREVIEW {
            bail!("`{command}` is not known");
        }
        let uri = arguments.first().and_then(Value::as_str);
        let uri: Uri = uri
            .and_then(|uri| uri.parse().ok())
            .context("name a page")?;
        let (_, path) = self.project_of(&uri).context("the page is in no site")?;
        let address = places::preview(&self.options.preview, &path).context("it has no address")?;
        if !self.shows_documents {
            self.say(
                MessageType::INFO,
                &format!("the page is at {}", address.as_str()),
            );
            return Ok(());
        }
        self.requests += 1;
        let params = ShowDocumentParams {
            uri: address,
            external: Some(true),
            take_focus: Some(true),
            selection: None,
        };
        let id = RequestId::from(format!("quire-{}", self.requests));
        let method = ShowDocument::METHOD.to_owned();
        self.send(Request::new(id, method, params).into());
        Ok(())
    }

    /// The document at `uri`, if it belongs to a site.
    fn document(&self, uri: &Uri) -> Option<(Arc<Project>, SitePath, Arc<Text>)> {
        let (project, path) = self.project_of(uri)?;
        let text = project.text(&path)?;
        Some((project, path, text))
    }

    /// Asks `ask` about a place of a document that belongs to a site.
    fn at<T>(&self, place: &TextDocumentPositionParams, ask: impl FnOnce(&At) -> T) -> Option<T> {
        let (project, path, text) = self.document(&place.text_document.uri)?;
        let offset = text.offset(place.position);
        Some(ask(&At {
            project,
            path,
            text,
            offset,
        }))
    }
}

fn params<N: lsp_types::notification::Notification>(params: Value) -> anyhow::Result<N::Params>
where
    N::Params: DeserializeOwned,
{
    serde_json::from_value(params).with_context(|| format!("read `{}`", N::METHOD))
}

fn parse_params<R: lsp_types::request::Request>(params: Value) -> anyhow::Result<R::Params>
where
    R::Params: DeserializeOwned,
{
    serde_json::from_value(params).with_context(|| format!("read `{}`", R::METHOD))
}

fn to_json(value: Option<impl Serialize>) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(value)?)
}

/// Fetches the specifications of a site on a thread of its own.
fn fetch_later(project: Arc<Project>) {
    let spawned = std::thread::Builder::new()
        .name("lsp".to_owned())
        .stack_size(quire_engine::host::STACK)
        .spawn(move || project.fetch());
    if let Err(error) = spawned {
        tracing::warn!("specifications cannot be fetched: {error}");
    }
}

/// Returns the request that a message cancels.
fn cancelled(message: &Message) -> Option<RequestId> {
    let Message::Notification(notification) = message else {
        return None;
    };
    if notification.method != Cancel::METHOD {
        return None;
    }
    match &notification.params["id"] {
        Value::String(id) => Some(RequestId::from(id.clone())),
        id => Some(RequestId::from(i32::try_from(id.as_i64()?).ok()?)),
    }
}

/// Returns the document that a message is about.
fn document_of(params: &Value) -> Option<Uri> {
    let uri = params.get("textDocument")?.get("uri")?.as_str()?;
    uri.parse().ok()
}

/// Adds the sites in `folder` and `depth` levels below it; nothing within a site.
fn sites_below(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    if is_site(folder) {
        found.push(folder.to_owned());
        return;
    }
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let mut folders: Vec<PathBuf> = (std::fs::read_dir(folder).into_iter().flatten())
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let is_left_out = name.starts_with('.') || matches!(&*name, "node_modules" | "target");
            let is_folder = entry.file_type().ok()?.is_dir();
            (is_folder && !is_left_out).then(|| entry.path())
        })
        .collect();
    folders.sort();
    for folder in folders {
        sites_below(&folder, depth, found);
    }
}

fn is_site(folder: &Path) -> bool {
    CONFIGS.iter().any(|name| folder.join(name).is_file())
}

/// Returns the nearest folder around `file` that holds a configuration.
fn site_around(file: &Path) -> Option<PathBuf> {
    let mut above = file.ancestors().skip(1);
    above.find(|folder| is_site(folder)).map(Path::to_owned)
}
