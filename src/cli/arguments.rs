//! The grammar of the command line: every command, its arguments and its help.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::bench;
use crate::check::Format;
use crate::settings::relay::Told;
use crate::settings::{EmbedderSettings, LogFormat, ModelApi, ModelSettings, RelaySettings};
use crate::store::state_folder;

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
    /// Say less: only results and errors
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Say more; twice for details of the program itself
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(super) verbose: u8,
}

#[derive(Subcommand)]
pub(super) enum Command {
    /// Preview a site: serve it, watch it, reload open pages in place, show errors over the page
    #[command(after_help = "\
Examples:
  quire dev                     the site in this folder, at http://127.0.0.1:3000
  quire dev docs --open         open it in a browser
  quire dev docs --port 8080    at another port; if it is taken, at the next free one
  quire dev docs --mock         with a mock of the documented API
  quire dev docs --relay-allow http://localhost:8080    the playground may try an API of this machine")]
    Dev(DevArguments),
    /// Serve many sites for as long as the machine runs: previews of branches, deployments, metrics
    #[command(after_help = "\
Examples:
  quire daemon --site docs=docs --site api=api/docs     at http://docs.localhost:3000 and so on
  quire daemon --config /etc/quire.toml                 as a service; SIGHUP reads the file again
  quire daemon --config quire.toml --print-config       every setting with its value

A branch, tag or commit of a site's repository is at http://REF--ID.localhost:3000; /_quire/diff there shows what it
changes. POST /api/sites/ID/deployments publishes what has changed elsewhere: with the token of the site, by the admin
listener, or by the socket of the daemon:
  curl --unix-socket STATE/socket -X POST http://localhost/api/sites/docs/deployments")]
    Daemon(DaemonArguments),
    /// Ask a running daemon how it is
    #[command(after_help = "\
Examples:
  quire status
  quire status --state /var/lib/quire --json | jq '.sites[].pages'")]
    Status(StatusArguments),
    /// End a running daemon; requests that run do first
    #[command(after_help = "\
Examples:
  quire stop
  quire stop --state /var/lib/quire")]
    Stop(StopArguments),
    /// Write the site as static files
    #[command(after_help = "\
Examples:
  quire build docs --out site
  quire build docs --out site --base-path /docs --base-url https://example.org")]
    Build(BuildArguments),
    /// List everything that is wrong: configuration, navigation, frontmatter, MDX, links, anchors
    #[command(after_help = "\
Examples:
  quire check docs              exit code 1 if there are errors
  quire check docs --strict     warnings count too
  quire check docs --format json | jq 'select(.severity == \"error\")'
  quire check docs --verbose    each of many warnings of a kind, and remarks: what a specification could say

docs.json grades the rules of specifications, by their codes: \"api\": {\"rules\": {\"tag-undefined\": \"off\",
\"spec-field-unknown\": \"error\"}}. Grades are off, info, warning and error.")]
    Check(CheckArguments),
    /// Print the navigation tree with the route of each page
    #[command(after_help = "\
Examples:
  quire routes docs
  quire routes docs --json | jq -r '.pages[].route'")]
    Routes(RoutesArguments),
    /// Show which queries and which files make a page, and what runs again after an edit
    #[command(after_help = "\
Examples:
  quire explain docs /guides/quickstart
  quire explain docs /guides/quickstart --watch           what ran after each edit, and why
  quire explain docs /api/list-pets --trace trace.json    for chrome://tracing or ui.perfetto.dev")]
    Explain(ExplainArguments),
    /// Find pages of a site, by their words or by what they mean
    #[command(after_help = "\
Examples:
  quire search docs \"rotate an API key\"
  quire search docs webhooks --semantic --limit 3
  quire search docs webhooks --json | jq -r '.results[].url'
  quire search docs webhooks --semantic --embedder-url http://127.0.0.1:11434/v1 --embedder-model all-minilm
  quire search docs webhooks --semantic --embedder-folder models/all-MiniLM-L6-v2")]
    Search(SearchArguments),
    /// Answer a question from the pages of a site, with the places that the answer comes from
    #[command(after_help = "\
Examples:
  quire ask docs \"How do I rotate an API key?\"     exit code 1 if the site does not answer it
  quire ask docs \"How do I rotate an API key?\" --json | jq -r '.parts[] | select(.type == \"source-url\").url'")]
    Ask(AskArguments),
    /// Answer programs, such as editors, about a site through the Model Context Protocol, over standard input and output
    #[command(after_help = "\
Examples:
  quire mcp docs                the site in docs/, as it is being written; ends when the editor does
  claude mcp add docs -- quire mcp docs

A site that is served answers the same over HTTP, at /mcp.")]
    Mcp(McpArguments),
    /// Replay edits on a copy of a site in memory, and measure them
    #[command(after_help = "\
Examples:
  quire bench docs                                    a table
  quire bench docs --edits 1000 --seed 7 --html costs.html
  quire bench docs --kinds words,operation            only these, and the first edits that they need")]
    Bench(BenchArguments),
    /// Look at OpenAPI and AsyncAPI documents by themselves
    Openapi {
        #[command(subcommand)]
        command: OpenapiCommand,
    },
}

#[derive(Subcommand)]
pub(super) enum OpenapiCommand {
    /// List everything that is wrong with specifications
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
    /// The folder of docs.json
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// The address to listen on; 0.0.0.0 shows the preview to the whole network
    #[arg(long, default_value = "127.0.0.1")]
    pub(super) host: IpAddr,
    /// The port; 0 for any
    #[arg(long, default_value_t = 3000)]
    pub(super) port: u16,
    /// The address and port at which status and what readers say are shown, at /_quire/status and /_quire/feedback; nowhere
    /// without
    #[arg(long, value_name = "ADDRESS")]
    pub(super) admin: Option<std::net::SocketAddr>,
    /// Open a browser
    #[arg(long)]
    pub(super) open: bool,
    /// Look at every file every two seconds as well, where the file system does not tell of changes. On NFS, SMB, 9P, FUSE and
    /// overlays that is done without it
    #[arg(long)]
    pub(super) poll: bool,
    /// Answer every operation of the specifications with its examples, below /_quire/mock/, and offer that as a server in the
    /// playground
    #[arg(long)]
    pub(super) mock: bool,
    /// Answer at /v1/chat/completions too, in the form of OpenAI
    #[arg(long)]
    pub(super) chat_completions: bool,
    /// The id of the site in addresses; made from its name without one
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
    /// The configuration
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// A site and its folder; may be given several times
    #[arg(long = "site", value_name = "ID=DIR", value_parser = site_argument)]
    pub(super) sites: Vec<(String, PathBuf)>,
    /// The address and port to listen on
    #[arg(long, value_name = "ADDRESS")]
    pub(super) listen: Option<std::net::SocketAddr>,
    /// The folder that state is kept in
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// How the log is written
    #[arg(long, value_enum)]
    pub(super) log: Option<LogFormat>,
    /// Print the settings that would be used, and end
    #[arg(long)]
    pub(super) print_config: bool,
    #[command(flatten)]
    pub(super) relay: RelayArguments,
}

#[derive(Args)]
pub(super) struct StatusArguments {
    /// The state folder of the daemon
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct StopArguments {
    /// The state folder of the daemon
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct BuildArguments {
    /// The folder of docs.json
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// The folder to write to
    #[arg(long, default_value = "site")]
    pub(super) out: PathBuf,
    /// The path below which the site will be served
    #[arg(long, default_value = "")]
    pub(super) base_path: String,
    /// The address of the site, for canonical links, the site map, feeds and lists for programs. Without it these have
    /// addresses from the root, or those of `seo.metatags.canonical`
    #[arg(long)]
    pub(super) base_url: Option<String>,
    /// Whether addresses of pages end in a slash: with one every server of files answers at once; without, pages are files
    /// such as guide.html, for servers that look for that at /guide
    #[arg(long, value_enum, value_name = "WHEN", default_value = "always", num_args = 0..=1, default_missing_value = "always")]
    pub(super) trailing_slash: TrailingSlash,
    /// Draw no pictures of pages for those who show links to them (og:image); they are drawn where the address of the site is
    /// known
    #[arg(long)]
    pub(super) no_cards: bool,
    /// Empty the output folder first
    #[arg(long)]
    pub(super) clean: bool,
    /// Write to a folder that holds files of others, too; those of the same names are replaced
    #[arg(long, conflicts_with = "clean")]
    pub(super) force: bool,
    /// Say of each file whether it was added, changed, removed or left as it was
    #[arg(long)]
    pub(super) explain: bool,
    /// Exit with code 0 although the site has errors
    #[arg(long)]
    pub(super) allow_errors: bool,
    /// Count warnings as errors
    #[arg(long, conflicts_with = "allow_errors")]
    pub(super) strict: bool,
    /// Print the counts as JSON
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) state: State,
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
    /// The folder of docs.json
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Warnings count as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
    #[command(flatten)]
    pub(super) state: State,
}

#[derive(Args)]
pub(super) struct RoutesArguments {
    /// The folder of docs.json
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// Print `{\"tree\":[…],\"pages\":[…]}`
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Args)]
pub(super) struct ExplainArguments {
    /// The folder of docs.json, this one without it, and the address of the page
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "ROUTE"])]
    pub(super) page: Vec<String>,
    /// Stay, and show after each edit what ran
    #[arg(long)]
    pub(super) watch: bool,
    /// How many levels of queries to show
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
    /// The folder of docs.json, this one without it, and what to look for
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "QUERY"])]
    pub(super) query: Vec<String>,
    /// Find pages that say the same in other words, too
    #[arg(long)]
    pub(super) semantic: bool,
    /// How many pages to show
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(super) limit: u8,
    /// Only pages below the tab of this label
    #[arg(long)]
    pub(super) tab: Option<String>,
    /// Only pages of the version of this label
    #[arg(long = "version-label", value_name = "VERSION")]
    pub(super) version: Option<String>,
    /// Only pages in the language of this code
    #[arg(long)]
    pub(super) language: Option<String>,
    /// Only pages with this tag
    #[arg(long)]
    pub(super) tag: Option<String>,
    /// Print `{\"mode\":…,\"results\":[…]}` with the passages of each page
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) embedder: EmbedderArguments,
}

#[derive(Args)]
pub(super) struct AskArguments {
    /// The folder of docs.json, this one without it, and the question
    #[arg(required = true, num_args = 1..=2, value_names = ["DIR", "QUESTION"])]
    pub(super) question: Vec<String>,
    /// Print the answer as the assistant's HTTP operation gives it
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) embedder: EmbedderArguments,
    #[command(flatten)]
    pub(super) model: ModelArguments,
}

#[derive(Args)]
pub(super) struct McpArguments {
    /// The folder of docs.json
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    #[command(flatten)]
    pub(super) state: State,
}

#[derive(Args)]
pub(super) struct BenchArguments {
    /// The folder of docs.json
    #[arg(default_value = ".")]
    pub(super) dir: PathBuf,
    /// How many edits
    #[arg(long, default_value_t = 200)]
    pub(super) edits: usize,
    /// Where the random choices begin: the same seed makes the same edits
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// The kinds of edits to make, and those that must come before them [default: all]
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(super) kinds: Vec<bench::Kind>,
    /// Write everything that was measured as JSON
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<PathBuf>,
    /// Write a page with a table and plots
    #[arg(long, value_name = "FILE")]
    pub(super) html: Option<PathBuf>,
}

#[derive(Args)]
pub(super) struct OpenapiCheckArguments {
    /// The specifications: JSON or YAML
    #[arg(required = true, value_name = "SPEC")]
    pub(super) specs: Vec<PathBuf>,
    /// Warnings count as errors
    #[arg(long)]
    pub(super) strict: bool,
    /// How findings are written
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: Format,
}

#[derive(Args)]
pub(super) struct OpenapiRoutesArguments {
    /// The specifications: JSON or YAML
    #[arg(required = true, value_name = "SPEC")]
    pub(super) specs: Vec<PathBuf>,
    /// Print `{\"tree\":[…],\"pages\":[…]}`
    #[arg(long)]
    pub(super) json: bool,
}

/// Where to keep what was drawn.
#[derive(clap::Args)]
pub(super) struct State {
    /// The folder that keeps what was drawn for the next start; the user's cache folder without it, and nothing if
    /// QUIRE_STATE is `off`. It may be deleted at any time
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// Keep nothing, and use nothing that was kept
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
    /// An endpoint that makes vectors of texts as OpenAI's /v1/embeddings does; passages are sent to it. What it made is
    /// kept, so each is sent once. Its key is taken from QUIRE_EMBEDDER_KEY
    #[arg(long, value_name = "URL", requires = "embedder_model")]
    embedder_url: Option<String>,
    /// The name of the model there
    #[arg(long, value_name = "NAME", requires = "embedder_url")]
    embedder_model: Option<String>,
    /// A folder with a model of the BERT family (config.json, tokenizer.json, model.safetensors), which is run here. Needs
    /// a program that was built with `--features bert`
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
    /// An endpoint of a language model that writes the assistant's answers from the passages that are found; questions and
    /// passages are sent to it. Its key is taken from QUIRE_MODEL_KEY
    #[arg(long, value_name = "URL", requires = "model")]
    model_url: Option<String>,
    /// The name of the model there
    #[arg(long, value_name = "NAME", requires = "model_url")]
    model: Option<String>,
    /// Form in which it is asked: chat completions (OpenAI, Ollama, vLLM, llama.cpp), or the messages of Anthropic
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
    /// An origin, such as http://127.0.0.1:8080, that the playground may send requests to although it is in a private network
    /// or no server of the documented API; may be given several times
    #[arg(long = "relay-allow", value_name = "ORIGIN", value_parser = relay_origin)]
    allow: Vec<String>,
    /// Send no requests for readers: their browsers do it, which most APIs do not answer
    #[arg(long, conflicts_with = "allow")]
    no_relay: bool,
}

impl RelayArguments {
    /// Adds what they say to `settings`.
    pub(super) fn change(self, settings: &mut RelaySettings) {
        settings.tell(Told {
            allow: self.allow,
            is_off: self.no_relay,
        });
    }
}

fn relay_origin(text: &str) -> Result<String, String> {
    crate::settings::relay::origin(text).map_err(|error| format!("{error:#}"))
}

/// A site on the command line: `ID=DIR`.
fn site_argument(text: &str) -> Result<(String, PathBuf), String> {
    let (id, folder) = text.split_once('=').ok_or("write `ID=DIR`")?;
    crate::settings::check_id(id).map_err(|error| error.to_string())?;
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
        assert_eq!(unknown("init docs"), Some("init"));
        assert_eq!(unknown("check --strikt"), Some("--strikt"));
        assert_eq!(unknown("openapi check a.yaml --strict -q"), None);
        assert_eq!(
            command_lines("run `quire init`\n  quire dev docs  # here"),
            ["init", "dev docs"]
        );
    }

    #[test]
    fn hints_help_and_documents_name_commands_that_exist() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (mut report, mut count) = (String::new(), 0);
        for folder in ["src", "queries", "fixtures"] {
            check(&root.join(folder), &mut report, &mut count);
        }
        for file in ["README.md", "queries/README.md", "tests/README.md"] {
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
