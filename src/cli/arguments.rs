//! The grammar of the command line: every command, its arguments and its help.

mod deployments;

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::bench;
use crate::check::Format;
use crate::place::Place;
use quire_settings::Role;
use quire_settings::relay::RelayOverrides;
use quire_settings::{
    EmbedderSettings, LogFormat, ModelApi, ModelSettings, RelaySettings, SEARCH_DEADLINE_MS,
};
use quire_storage::store::state_folder;

pub(super) use deployments::{DeploymentsCommand, SiteOfDaemon};

/// Documentation sites from MDX pages, docs.json and OpenAPI documents: preview, build, check.
#[derive(Parser)]
#[command(
    name = "quire",
    version,
    max_term_width = 100,
    after_help = "\
Examples:
  quire dev docs                preview the site in docs/ and reload it while you write
  quire build docs --out site   write it as static files
  quire check docs --strict     list everything that is wrong with it"
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
    #[command(flatten)]
    pub(super) voice: Voice,
}

#[derive(Args)]
pub(super) struct Voice {
    /// Print only results and errors
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Increase verbosity (repeat for internal details)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Preview a site: serve it, watch its files, reload open pages, show errors over the page
    #[command(after_help = "\
Examples:
  quire dev                     the site in this folder, at http://127.0.0.1:3000
  quire dev docs --open         open it in a browser
  quire dev docs --port 8080    at another port; if it is taken, at the next free one
  quire dev docs --mock         with a mock of the documented API
  quire dev docs --relay-allow http://localhost:8080    the playground may try an API of this machine")]
    Dev(DevArguments),
    /// Serve many sites as a service: branch previews, deployments, metrics
    #[command(after_help = "\
Examples:
  quire daemon --site docs=docs --site api=api/docs     at http://docs.localhost:3000 and so on
  quire daemon --config /etc/quire.toml                 as a service; SIGHUP reads the file again
  quire daemon --config quire.toml --print-config       every setting with its value

A branch, tag or commit of a site's repository is at http://REF--ID.localhost:3000; /_quire/diff
there shows what it changes. POST /api/sites/ID/deployments publishes what has changed elsewhere:
with the token of the site, by the admin listener, or by the socket of the daemon:
  curl --unix-socket STATE/socket -X POST http://localhost/api/sites/docs/deployments")]
    Daemon(DaemonArguments),
    /// Serve what deployments have published, without its sources
    #[command(after_help = "\
Examples:
  quire serve --from /var/lib/quire                          beside a daemon, at http://127.0.0.1:3000
  quire serve --from /mnt/quire --listen 0.0.0.0:8080 --cache /var/cache/quire
  quire serve --from s3://docs/quire --cache /var/cache/quire     the bucket that a daemon publishes to
  quire serve --from s3://docs/quire --records postgres://docs@db.example/docs

Pages, files, redirects, texts, search and quotes of the assistant, of every site that publishes by
deployments, as it was published last; a new deployment or a rollback is taken up at once. Nothing
is written to the state folder, which may be a read-only mount. Buckets (s3://BUCKET/PREFIX) need a
program with the feature `s3` and are checked once a second. Databases
(postgres://USER@HOST/DATABASE) need the feature `postgres` and tell of changes; their password is
that of PGPASSWORD.")]
    Serve(ServeArguments),
    /// Show the status of a running daemon
    #[command(after_help = "\
Examples:
  quire status
  quire status --state /var/lib/quire --json | jq '.sites[].pages'")]
    Status(StatusArguments),
    /// List, compare and roll back deployments of a site of a running daemon
    #[command(after_help = "\
Examples:
  quire deployments list docs
  quire deployments show docs 12
  quire deployments diff docs 12 --with 9     the files that differ
  quire deployments rollback docs 9 --reason 'Wrong prices'
  quire deployments rollback docs             to the one that was published before

Only of sites that publish by deployments: `git`, or `root` with `watch = false`.")]
    Deployments {
        #[command(subcommand)]
        command: DeploymentsCommand,
    },
    /// Copy what a daemon cannot make again to a folder, while it runs
    #[command(after_help = "\
Examples:
  quire backup /mnt/backup/quire --state /var/lib/quire
  quire backup /mnt/backup/quire --quiet     in a timer: only what is new is copied
  quire backup s3://backups/quire            with a program that has the feature `s3`

Copied are the deployments with what they published, feedback, counts of views and of the language
model. The folder is a state folder itself: `quire serve --from` serves it.")]
    Backup(BackupArguments),
    /// Fill the state folder of a daemon that is not running from a backup
    #[command(after_help = "\
Examples:
  quire restore /mnt/backup/quire --state /var/lib/quire

The daemon publishes what was deployed last, also without folders and repositories.")]
    Restore(BackupArguments),
    /// Stop a running daemon gracefully
    #[command(after_help = "\
Examples:
  quire stop
  quire stop --state /var/lib/quire")]
    Stop(StopArguments),
    /// Exit with code 0 if a server answers, for health checks of containers
    #[command(after_help = "\
Examples:
  quire health
  quire health http://127.0.0.1:8080/_quire/readyz    is it ready for requests, too?")]
    Health(HealthArguments),
    /// Build the site as static files
    #[command(after_help = "\
Examples:
  quire build docs --out site
  quire build docs --out site --base-path /docs --base-url https://example.org")]
    Build(BuildArguments),
    /// Check a site: configuration, navigation, frontmatter, MDX, links, anchors
    #[command(after_help = "\
Examples:
  quire check docs              exit code 1 if there are errors
  quire check docs --strict     warnings count too
  quire check docs --format json | jq 'select(.severity == \"error\")'
  quire check docs --since main --format github     what a pull request brings, shown beside its lines
  quire check docs --format json > known.json; quire check docs --baseline known.json
  quire check docs --external          links to other sites too: 404, 410 and unknown hosts are warnings
  quire check docs --fix --dry-run      what would be corrected: misspelt links, names and values
  quire check docs --verbose    each of many warnings of a kind, and remarks: what a specification could say

docs.json grades the rules of specifications, by their codes: \"api\": {\"rules\": {\"tag-undefined\": \"off\",
\"spec-field-unknown\": \"error\"}}. Grades are off, info, warning and error. A comment with `quire-ignore CODE` leaves
out what is found on the next line.")]
    Check(CheckArguments),
    /// Write the docs.json of a folder, or begin a site in an empty one, with a job for CI
    #[command(after_help = "\
Examples:
  quire init                       the navigation of the folder, to be changed by hand
  quire init docs --template api   a new site with a specification
  quire init docs --template both  pages and a specification

Also written: a workflow that checks and builds the site (GitHub, or GitLab if the repository is
from there; at the top of the repository), .gitignore, .editorconfig, settings of VS Code and a
JSON Schema of docs.json. Files that are there stay as they are.")]
    Init(InitArguments),
    /// Move a page, a file or a folder, with the links, entries and imports that name it
    #[command(after_help = "\
Examples:
  quire mv docs/guides/start.mdx docs/quickstart.mdx
  quire mv docs/guides docs/learn                 a folder with all that is in it
  quire mv docs/a.mdx docs/b.mdx --dry-run        what would change

Pages get a redirect from their old address in docs.json. Paths are relative to this folder; the site is
the nearest folder above OLD with a docs.json.")]
    Mv(MvArguments),
    /// Write the docs.json of a site of Docusaurus, VitePress or MkDocs, or of mint.json
    #[command(after_help = "\
Examples:
  quire migrate website --dry-run            print docs.json, and what is not carried over
  quire migrate website                      write docs.json; pages stay as they are
  quire migrate website --write-titles       write labels of the sidebar to pages that have other titles
  quire migrate . --from mkdocs              of several generators in one folder")]
    Migrate(MigrateArguments),
    /// Serve an editor: diagnostics, completion, hover, references, renames
    #[command(after_help = "\
Speaks the Language Server Protocol on standard input and output; editors start it themselves. It
finds the sites in the folders that the editor has open. `quire manual` has the setup of editors.

Examples:
  quire lsp
  quire lsp --site docs                      one site, wherever its pages are opened from
  quire lsp --preview http://localhost:4000  pages are opened in the preview at this address")]
    Lsp(LspArguments),
    /// Print the navigation tree and the route of each page
    #[command(after_help = "\
Examples:
  quire routes docs
  quire routes docs --json | jq -r '.pages[].route'")]
    Routes(RoutesArguments),
    /// Show the queries and files behind a page, and what runs again after an edit
    #[command(after_help = "\
Examples:
  quire explain docs /guides/quickstart
  quire explain docs /guides/quickstart --watch           what ran after each edit, and why
  quire explain docs /api/list-pets --trace trace.json    for chrome://tracing or ui.perfetto.dev")]
    Explain(ExplainArguments),
    /// Search a site, by keywords or by meaning
    #[command(after_help = "\
Examples:
  quire search docs \"rotate an API key\"
  quire search docs webhooks --semantic --limit 3
  quire search docs webhooks --json | jq -r '.results[].url'
  quire search docs webhooks --semantic --embedder-url http://127.0.0.1:11434/v1 --embedder-model all-minilm
  quire search docs webhooks --semantic --embedder-folder models/all-MiniLM-L6-v2")]
    Search(SearchArguments),
    /// Answer a question from the pages of a site, with citations
    #[command(after_help = "\
Examples:
  quire ask docs \"How do I rotate an API key?\"     exit code 1 if the site does not answer it
  quire ask docs \"How do I rotate an API key?\" --json | jq -r '.parts[] | select(.type == \"source-url\").url'")]
    Ask(AskArguments),
    /// Show the manual in a browser
    #[command(after_help = "\
Examples:
  quire manual --open           serve it on this machine
  quire manual --out manual     write its pages to a folder, to be read as files")]
    Manual(ManualArguments),
    /// Run a Model Context Protocol server for a site on standard input and output
    #[command(after_help = "\
Examples:
  quire mcp docs                the site in docs/, as it is being written; ends when the editor does
  claude mcp add docs -- quire mcp docs

A site that is served answers the same over HTTP, at /mcp.")]
    Mcp(McpArguments),
    /// Replay edits on an in-memory copy of a site and measure them
    #[command(after_help = "\
Examples:
  quire bench docs                                    a table
  quire bench docs --edits 1000 --seed 7 --html costs.html
  quire bench docs --kinds words,operation            only these, and the first edits that they need")]
    Bench(BenchArguments),
    /// Inspect OpenAPI and AsyncAPI documents without a site
    Openapi {
        #[command(subcommand)]
        command: OpenapiCommand,
    },
    /// Print the completions of commands and options for a shell
    #[command(after_help = "\
Examples:
  quire completions bash > ~/.local/share/bash-completion/completions/quire
  quire completions zsh > ~/.zfunc/_quire             with `fpath+=~/.zfunc` before `compinit` in ~/.zshrc
  quire completions fish > ~/.config/fish/completions/quire.fish
  quire completions powershell >> $PROFILE")]
    Completions(CompletionsArguments),
    /// Print the man page, or write those of all commands into a folder
    #[command(after_help = "\
Examples:
  quire man | man -l -
  quire man ~/.local/share/man/man1    then `man quire-build`")]
    Man(ManArguments),
}

#[derive(Subcommand)]
pub(super) enum OpenapiCommand {
    /// Check specifications
    #[command(after_help = "\
Examples:
  quire openapi check api.yaml
  quire openapi check *.json --strict --format sarif > findings.sarif")]
    Check(OpenapiCheckArguments),
    /// Print the pages that specifications would get, by group
    #[command(after_help = "\
Examples:
  quire openapi routes api.yaml
  quire openapi routes api.yaml --json | jq -r '.pages[] | .operation + \" \" + .route'")]
    Routes(OpenapiRoutesArguments),
}

#[derive(Args)]
pub(super) struct DevArguments {
    /// Site folder: with docs.json, or with Markdown or a specification
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Address to listen on; 0.0.0.0 exposes the preview to the whole network
    #[arg(long, default_value = "127.0.0.1")]
    pub(super) host: IpAddr,
    /// Port; 0 picks a free one
    #[arg(long, default_value_t = 3000)]
    pub(super) port: u16,
    /// Address of the admin listener (/_quire/status, /_quire/feedback); disabled by default
    #[arg(long, value_name = "ADDRESS")]
    pub(super) admin: Option<std::net::SocketAddr>,
    /// Open a browser
    #[arg(long)]
    pub(super) open: bool,
    /// Poll all files every two seconds as well, for file systems without change events. NFS, SMB, 9P, FUSE and overlays are
    /// polled by default
    #[arg(long)]
    pub(super) poll: bool,
    /// Serve a mock of every operation under /_quire/mock/ and offer it in the playground
    #[arg(long)]
    pub(super) mock: bool,
    /// Also expose an OpenAI-compatible endpoint at /v1/chat/completions
    #[arg(long)]
    pub(super) chat_completions: bool,
    /// Milliseconds that a search waits for pages that were just saved
    #[arg(long, value_name = "MS", default_value_t = SEARCH_DEADLINE_MS)]
    pub(super) search_deadline: u64,
    /// Site id in URLs (default: derived from the name of the site)
    #[arg(long)]
    pub(super) id: Option<String>,
    #[command(flatten)]
    pub(super) state: State,
    #[command(flatten)]
    pub(super) embedder: EmbedderArguments,
    #[command(flatten)]
    pub(super) model: ModelArguments,
    #[command(flatten)]
    pub(super) relay: RelayArguments,
}

#[derive(Args)]
pub(super) struct DaemonArguments {
    /// Configuration file
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Site and its folder; repeatable
    #[arg(long = "site", value_name = "ID=DIR", value_parser = site_argument)]
    pub(super) sites: Vec<(String, PathBuf)>,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<std::net::SocketAddr>,
    /// State folder
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// Log format
    #[arg(long, value_enum)]
    pub(super) log: Option<LogFormatArgument>,
    /// Part among several daemons on one storage: `serve` runs no deployments, `build` serves no
    /// published sites
    #[arg(long, value_enum)]
    pub(super) role: Option<RoleArgument>,
    /// Print the effective configuration and exit
    #[arg(long)]
    pub(super) print_config: bool,
    #[command(flatten)]
    pub(super) relay: RelayArguments,
}

#[derive(Args)]
pub(super) struct ServeArguments {
    /// State folder of the daemon that publishes, or its bucket or database
    #[arg(long, value_name = "DIR|URL")]
    pub(super) from: Place,
    /// Database that has the lists of deployments, if the daemon has both `blobs` and `records`
    #[arg(long, value_name = "URL")]
    pub(super) records: Option<Place>,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<std::net::SocketAddr>,
    /// Configuration file, for `listen`, `limits`, `rates` and `log`
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Folder for search indexes and for objects from other machines; without it a temporary one
    #[arg(long, value_name = "DIR")]
    pub(super) cache: Option<PathBuf>,
    /// Log format
    #[arg(long, value_enum)]
    pub(super) log: Option<LogFormatArgument>,
}

#[derive(Args)]
pub(super) struct BackupArguments {
    /// Folder of the backup, or a bucket or a database
    #[arg(value_name = "DIR|URL")]
    pub(super) place: Place,
    /// Database for the records of a backup whose objects are in a bucket
    #[arg(long, value_name = "URL")]
    pub(super) records: Option<Place>,
    /// State folder of the daemon
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct StatusArguments {
    /// State folder of the daemon
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct StopArguments {
    /// State folder of the daemon
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct HealthArguments {
    /// Address of the server; without a path, its liveness check
    #[arg(default_value = "http://127.0.0.1:3000")]
    pub(super) url: String,
}

#[derive(Args)]
pub(super) struct CompletionsArguments {
    /// Shell that reads them
    #[arg(value_enum)]
    pub(super) shell: clap_complete::Shell,
}

#[derive(Args)]
pub(super) struct ManArguments {
    /// Folder to write a page for the program and for each command to; created if it is not there
    pub(super) dir: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct BuildArguments {
    /// Site folder: with docs.json, or with Markdown or a specification
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Output folder
    #[arg(long, default_value = "site")]
    pub(super) out: PathBuf,
    /// Path prefix under which the site will be served
    #[arg(long, default_value = "")]
    pub(super) base_path: String,
    /// Public URL of the site, for canonical links, the sitemap, feeds and llms.txt (default: `seo.metatags.canonical`, else
    /// root-relative URLs)
    #[arg(long)]
    pub(super) base_url: Option<String>,
    /// Trailing slash in page URLs: `always` writes guide/index.html, `never` writes guide.html
    #[arg(long, value_enum, value_name = "WHEN", default_value = "always", num_args = 0..=1, default_missing_value = "always")]
    pub(super) trailing_slash: TrailingSlash,
    /// Do not generate Open Graph images
    #[arg(long)]
    pub(super) no_cards: bool,
    /// Empty the output folder first
    #[arg(long)]
    pub(super) clean: bool,
    /// Allow a non-empty output folder; overwrite files with the same names
    #[arg(long, conflicts_with = "clean")]
    pub(super) force: bool,
    /// List every file as added, changed, removed or unchanged
    #[arg(long)]
    pub(super) explain: bool,
    /// Exit with code 0 even if the site has errors
    #[arg(long)]
    pub(super) allow_errors: bool,
    /// Treat warnings as errors
    #[arg(long, conflicts_with = "allow_errors")]
    pub(super) strict: bool,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) state: State,
}

/// [`LogFormat`] as an argument: settings know no command line.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum LogFormatArgument {
    /// A line of text for each event
    Text,
    /// A JSON object for each event
    Json,
}

impl From<LogFormatArgument> for LogFormat {
    fn from(argument: LogFormatArgument) -> Self {
        match argument {
            LogFormatArgument::Text => Self::Text,
            LogFormatArgument::Json => Self::Json,
        }
    }
}

/// [`Role`] as an argument.
#[derive(Clone, Copy, ValueEnum)]
pub(super) enum RoleArgument {
    /// Everything
    All,
    /// Everything but running deployments
    Serve,
    /// Running deployments and showing previews, not serving published sites
    Build,
}

impl From<RoleArgument> for Role {
    fn from(argument: RoleArgument) -> Self {
        match argument {
            RoleArgument::All => Self::All,
            RoleArgument::Serve => Self::Serve,
            RoleArgument::Build => Self::Build,
        }
    }
}

/// When addresses of pages end in a slash.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum TrailingSlash {
    /// `/guide/`, in guide/index.html
    Always,
    /// `/guide`, in guide.html
    Never,
}

#[derive(Args)]
pub(super) struct CheckArguments {
    /// Site folder: with docs.json, or with Markdown or a specification
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Treat warnings as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    /// Report only what this branch brings: findings that were not there where it left REF
    #[arg(long, value_name = "REF")]
    pub(super) since: Option<String>,
    /// Leave out the findings of an earlier run, as `--format json` wrote them to FILE
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Ask other sites for the links to them, at most 16 at once; answers are believed for a day
    #[arg(long)]
    pub(super) external: bool,
    /// Write what findings propose ("did you mean") into the files of the site, then report what is left
    #[arg(long)]
    pub(super) fix: bool,
    /// With --fix: print the changed lines, and write nothing
    #[arg(long, requires = "fix")]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) state: State,
}

#[derive(Args)]
pub(super) struct ManualArguments {
    /// Port; 0 picks a free one
    #[arg(long, default_value_t = 3000)]
    pub(super) port: u16,
    /// Open a browser
    #[arg(long)]
    pub(super) open: bool,
    /// Write its pages to FOLDER instead
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct MvArguments {
    /// Page, file or folder
    pub(super) old: PathBuf,
    /// New path, or a folder to move it into
    pub(super) new: PathBuf,
    /// Folder of the site, if it has no docs.json
    #[arg(long)]
    pub(super) dir: Option<PathBuf>,
    /// It is at the new path already, as another program moved it: change what names it
    #[arg(long)]
    pub(super) moved: bool,
    /// Add no redirects
    #[arg(long)]
    pub(super) no_redirect: bool,
    /// Print what would change, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Args)]
pub(super) struct InitArguments {
    /// Folder of the site; created if it is not there
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Pages of a site that begins in an empty folder
    #[arg(long, value_enum, default_value_t)]
    pub(super) template: Template,
}

#[derive(Args)]
pub(super) struct LspArguments {
    /// Folder of the site, if it is not found
    #[arg(long, value_name = "DIR")]
    pub(super) site: Option<PathBuf>,
    /// Address of the preview that pages are opened in
    #[arg(long, value_name = "URL", default_value = "http://localhost:3000")]
    pub(super) preview: String,
    /// Standard input and output; accepted because editors pass it
    #[arg(long, hide = true)]
    pub(super) stdio: bool,
}

#[derive(Args)]
pub(super) struct MigrateArguments {
    /// Folder of the site
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Generator of the site; by default the one whose configuration is in the folder
    #[arg(long, value_enum)]
    pub(super) from: Option<Generator>,
    /// Print docs.json, and the report on standard error; write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Write `sidebarTitle` to the frontmatter of pages whose titles are not those of the sidebar
    #[arg(long)]
    pub(super) write_titles: bool,
    /// Replace a docs.json that is there
    #[arg(long)]
    pub(super) force: bool,
}

/// Generator of a site that is migrated.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Generator {
    /// Docusaurus 2 and 3
    Docusaurus,
    /// VitePress
    Vitepress,
    /// MkDocs, with or without Material
    Mkdocs,
    /// The old configuration mint.json
    Mint,
}

/// Pages that a new site begins with.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Template {
    /// Two pages of text
    #[default]
    Docs,
    /// A reference of a specification
    Api,
    /// Pages of text, and a reference
    Both,
}

#[derive(Args)]
pub(super) struct RoutesArguments {
    /// Site folder: with docs.json, or with Markdown or a specification
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Print `{"tree":[…],"pages":[…]}`
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct ExplainArguments {
    /// Site folder (default: current directory), then the route of the page
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "ROUTE"])]
    pub(super) page: Vec<String>,
    /// Keep running, and show after each edit what ran
    #[arg(long)]
    pub(super) watch: bool,
    /// Depth of the query tree
    #[arg(long, default_value_t = 4)]
    pub(super) depth: usize,
    /// Write a trace for Chrome's viewer
    #[arg(long, value_name = "FILE", conflicts_with = "watch")]
    pub(super) trace: Option<PathBuf>,
    /// Print JSON; with --watch an object a line
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct SearchArguments {
    /// Site folder (default: current directory), then the query
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "QUERY"])]
    pub(super) query: Vec<String>,
    /// Also match pages that say the same in other words
    #[arg(long)]
    pub(super) semantic: bool,
    /// Maximum number of pages
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(super) limit: u8,
    /// Only pages under the tab with this label
    #[arg(long)]
    pub(super) tab: Option<String>,
    /// Only pages of the version with this label
    #[arg(long = "version-label", value_name = "VERSION")]
    pub(super) version: Option<String>,
    /// Only pages in the language with this code
    #[arg(long)]
    pub(super) language: Option<String>,
    /// Only pages with this tag
    #[arg(long)]
    pub(super) tag: Option<String>,
    /// Print `{"mode":…,"results":[…]}` with the passages of each page
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) embedder: EmbedderArguments,
}

#[derive(Args)]
pub(super) struct AskArguments {
    /// Site folder (default: current directory), then the question
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "QUESTION"])]
    pub(super) question: Vec<String>,
    /// Print the answer as JSON, as the HTTP API returns it
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) embedder: EmbedderArguments,
    #[command(flatten)]
    pub(super) model: ModelArguments,
}

#[derive(Args)]
pub(super) struct McpArguments {
    /// Site folder: with docs.json, or with Markdown or a specification
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    #[command(flatten)]
    pub(super) state: State,
}

#[derive(Args)]
pub(super) struct BenchArguments {
    /// Site folder: with docs.json, or with Markdown or a specification
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Number of edits
    #[arg(long, default_value_t = 200)]
    pub(super) edits: usize,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Kinds of edits to make, with those they depend on [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(super) kinds: Vec<bench::Kind>,
    /// Write all measurements as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write a page with a table and plots
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct OpenapiCheckArguments {
    /// Specifications, in JSON or YAML
    #[arg(required = true, value_name = "SPEC")]
    pub(super) specs: Vec<PathBuf>,
    /// Treat warnings as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Args)]
pub(super) struct OpenapiRoutesArguments {
    /// Specifications, in JSON or YAML
    #[arg(required = true, value_name = "SPEC")]
    pub(super) specs: Vec<PathBuf>,
    /// Print `{"tree":[…],"pages":[…]}`
    #[arg(long)]
    pub(super) json: bool,
}

/// Where to keep what was drawn.
#[derive(clap::Args)]
pub(super) struct State {
    /// State folder for the cache (default: the user's cache folder; none if QUIRE_STATE is `off`). Safe to delete at any time
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Disable the cache
    #[arg(long, conflicts_with = "state")]
    no_state: bool,
}

impl State {
    /// The folder for the site in `root`.
    pub(super) fn of(self, root: &Path) -> Option<PathBuf> {
        match self.no_state {
            true => None,
            false => self.state.or_else(|| state_folder(root)),
        }
    }
}

/// Embedder that makes vectors of passages besides this program.
#[derive(clap::Args)]
pub(super) struct EmbedderArguments {
    /// OpenAI-compatible embeddings endpoint (/v1/embeddings); passages are sent to it once and the vectors cached. The API key
    /// comes from QUIRE_EMBEDDER_KEY
    #[arg(long, value_name = "URL", requires = "embedder_model")]
    embedder_url: Option<String>,
    /// Name of the embedding model
    #[arg(long, value_name = "NAME", requires = "embedder_url")]
    embedder_model: Option<String>,
    /// Folder with a BERT model (config.json, tokenizer.json, model.safetensors) to run locally. Requires a build with
    /// `--features bert`
    #[arg(long, value_name = "PATH", conflicts_with_all = ["embedder_url", "embedder_model"])]
    embedder_folder: Option<PathBuf>,
}

/// The variable that holds the key of an embedder.
const EMBEDDER_KEY: &str = "QUIRE_EMBEDDER_KEY";

impl EmbedderArguments {
    /// The settings that they stand for: whoever gives them may ask any server that they can reach.
    pub(super) fn settings(self) -> anyhow::Result<Option<EmbedderSettings>> {
        if let Some(folder) = &self.embedder_folder {
            let settings = EmbedderSettings::of_folder(folder);
            settings.check().context("--embedder-folder")?;
            anyhow::ensure!(
                folder.is_dir(),
                "--embedder-folder: {} is no folder",
                folder.display()
            );
            return Ok(Some(settings));
        }
        let (Some(url), Some(model)) = (self.embedder_url, self.embedder_model) else {
            return Ok(None);
        };
        let settings = EmbedderSettings {
            private: true,
            key_env: std::env::var_os(EMBEDDER_KEY).map(|_| EMBEDDER_KEY.to_owned()),
            ..EmbedderSettings::new(&url, &model)
        };
        settings.check().context("--embedder-url")?;
        Ok(Some(settings))
    }
}

/// Language model that writes answers from what is found.
#[derive(clap::Args)]
pub(super) struct ModelArguments {
    /// Language model endpoint that writes the assistant's answers; questions and matching passages are sent to it. The API key
    /// comes from QUIRE_MODEL_KEY
    #[arg(long, value_name = "URL", requires = "model")]
    model_url: Option<String>,
    /// Name of the model
    #[arg(long, value_name = "NAME", requires = "model_url")]
    model: Option<String>,
    /// API of the endpoint: OpenAI chat completions (OpenAI, Ollama, vLLM, llama.cpp) or Anthropic messages
    #[arg(long, value_name = "FORM", requires = "model_url", default_value = "openai", value_parser = ["openai", "anthropic"])]
    model_api: String,
}

/// The variable that holds the key of a language model.
const MODEL_KEY: &str = "QUIRE_MODEL_KEY";

impl ModelArguments {
    /// The settings that they stand for: whoever gives them may ask any server that they can reach.
    pub(super) fn settings(&self) -> anyhow::Result<Option<ModelSettings>> {
        let (Some(url), Some(model)) = (&self.model_url, &self.model) else {
            return Ok(None);
        };
        let api = match self.model_api.as_str() {
            "anthropic" => ModelApi::Anthropic,
            _ => ModelApi::OpenAi,
        };
        let settings = ModelSettings {
            private: true,
            key_env: std::env::var_os(MODEL_KEY).map(|_| MODEL_KEY.to_owned()),
            per_day: None,
            ..ModelSettings::new(api, url, model)
        };
        settings.check().context("--model-url")?;
        Ok(Some(settings))
    }
}

/// The playground's requests to the documented APIs.
#[derive(clap::Args)]
pub(super) struct RelayArguments {
    /// Origin, such as http://127.0.0.1:8080, that the playground may call although it is private or not documented; repeatable
    #[arg(long = "relay-allow", value_name = "ORIGIN", value_parser = relay_origin)]
    allow: Vec<String>,
    /// Disable the playground relay; browsers call the API directly (needs CORS)
    #[arg(long, conflicts_with = "allow")]
    no_relay: bool,
}

impl RelayArguments {
    /// Adds what they say to `settings`.
    pub(super) fn change(self, settings: &mut RelaySettings) {
        settings.override_with(RelayOverrides {
            allow: self.allow,
            is_off: self.no_relay,
        });
    }
}

fn relay_origin(text: &str) -> Result<String, String> {
    quire_settings::relay::origin(text).map_err(|error| format!("{error:#}"))
}

/// A site on the command line: `ID=DIR`.
fn site_argument(text: &str) -> Result<(String, PathBuf), String> {
    let (id, folder) = text.split_once('=').ok_or("write `ID=DIR`")?;
    quire_settings::check_id(id).map_err(|error| error.to_string())?;
    Ok((id.to_owned(), PathBuf::from(folder)))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use clap::CommandFactory;

    use super::*;

    /// The command lines that `text` names: between backticks, or as a line of their own. Two spaces or a comment end one.
    fn command_lines(text: &str) -> Vec<&str> {
        let quoted = text.split("`quire ").skip(1);
        let quoted = quoted.map(|rest| rest.split('`').next().unwrap_or(rest));
        let lines = text
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("quire "));
        let lines = lines.map(|line| line.split("  ").next().unwrap_or(line));
        quoted.chain(lines).collect()
    }

    /// Says which part of `line` is no command or no option of it.
    fn unknown(line: &str) -> Option<&str> {
        let root = Cli::command();
        let mut command = &root;
        let mut words = line.split([' ', '\n', '=']).filter(|word| !word.is_empty());
        let first = words.clone().next()?;
        if first.starts_with(|c: char| c.is_ascii_lowercase()) {
            command = match root.find_subcommand(first) {
                Some(command) => command,
                None => return Some(first),
            };
        }
        let nested = words.clone().nth(1);
        command = nested
            .and_then(|word| command.find_subcommand(word))
            .unwrap_or(command);
        words.find(|word| {
            let Some(option) = word.strip_prefix("--") else {
                return false;
            };
            let mut known = command.get_arguments().chain(root.get_arguments());
            let is_built_in = matches!(option, "help" | "version");
            !is_built_in && !known.any(|argument| argument.get_long() == Some(option))
        })
    }

    fn check(folder: &Path, report: &mut String, count: &mut usize) {
        for entry in fs::read_dir(folder).expect("it is there").flatten() {
            let path = entry.path();
            if path.is_dir() {
                check(&path, report, count);
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            // Tests name commands that do not exist.
            let text = text.split("#[cfg(test)]\n").next().unwrap_or_default();
            for line in command_lines(text) {
                *count += 1;
                if let Some(word) = unknown(line) {
                    report.push_str(&format!("{}: `quire {line}`: {word}\n", path.display()));
                }
            }
        }
    }

    #[test]
    fn what_is_no_command_is_known() {
        assert_eq!(unknown("begin docs"), Some("begin"));
        assert_eq!(unknown("check --strikt"), Some("--strikt"));
        assert_eq!(unknown("openapi check a.yaml --strict -q"), None);
        assert_eq!(
            command_lines("run `quire begin`\n  quire dev docs  # here"),
            ["begin", "dev docs"]
        );
    }

    #[test]
    fn hints_help_and_documents_name_commands_that_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (mut report, mut count) = (String::new(), 0);
        for folder in ["src", "queries", "fixtures"] {
            check(&root.join(folder), &mut report, &mut count);
        }
        for file in [
            "README.md",
            ".github/CONTRIBUTING.md",
            "queries/README.md",
            "tests/README.md",
        ] {
            let text = fs::read_to_string(root.join(file)).expect("it is there");
            for line in command_lines(&text) {
                count += 1;
                if let Some(word) = unknown(line) {
                    report.push_str(&format!("{file}: `quire {line}`: {word}\n"));
                }
            }
        }
        assert_eq!(report, "");
        assert!(count > 60, "{count} command lines");
    }
}
