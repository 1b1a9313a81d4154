//! Deployments.
