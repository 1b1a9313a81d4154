//! Arguments of `quire deployments`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Subcommand)]
pub(in crate::cli) enum DeploymentsCommand {
    /// List the last fifty deployments, the newest first
    #[command(after_help = "\
Examples:
  quire deployments list docs
  quire deployments list docs --json | jq '.deployments[0].status'

The one that visitors see has a `*`.")]
    List(SiteOfDaemon),
    /// Show a deployment with its log
    #[command(after_help = "\
Examples:
  quire deployments show docs 12")]
    Show(DeploymentArguments),
    /// List the files that differ between what two deployments published
    #[command(after_help = "\
Examples:
  quire deployments diff docs 12
  quire deployments diff docs 12 --with 9")]
    Diff(DiffArguments),
    /// Publish what an earlier deployment published again
    #[command(after_help = "\
Examples:
  quire deployments rollback docs
  quire deployments rollback docs 9 --reason 'Wrong prices'

It ends when that is published. The next deployment publishes the present files again.")]
    Rollback(RollbackArguments),
}

#[derive(Args)]
pub(in crate::cli) struct SiteOfDaemon {
    /// Id of the site
    #[arg(value_name = "SITE")]
    pub(in crate::cli) site: String,
    /// State folder of the daemon
    #[arg(long, value_name = "DIR")]
    pub(in crate::cli) state: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(in crate::cli) json: bool,
}

#[derive(Args)]
pub(in crate::cli) struct DeploymentArguments {
    #[command(flatten)]
    pub(in crate::cli) of: SiteOfDaemon,
    /// Number of the deployment
    #[arg(value_name = "N")]
    pub(in crate::cli) number: u64,
}

#[derive(Args)]
pub(in crate::cli) struct DiffArguments {
    #[command(flatten)]
    pub(in crate::cli) of: SiteOfDaemon,
    /// Number of the later deployment
    #[arg(value_name = "N")]
    pub(in crate::cli) number: u64,
    /// Number of the earlier deployment [default: the one published before]
    #[arg(long, value_name = "N")]
    pub(in crate::cli) with: Option<u64>,
}

#[derive(Args)]
pub(in crate::cli) struct RollbackArguments {
    #[command(flatten)]
    pub(in crate::cli) of: SiteOfDaemon,
    /// Number of the deployment to go back to [default: the one published before]
    #[arg(value_name = "N")]
    pub(in crate::cli) number: Option<u64>,
    /// Why, for the list of deployments
    #[arg(long, value_name = "TEXT")]
    pub(in crate::cli) reason: Option<String>,
}
