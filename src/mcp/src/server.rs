//! The protocol itself, as the crate `rmcp` speaks it: over HTTP, where nothing is kept between requests, and over the
//! standard streams of a process. No other file names that crate.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Full;
use http_body_util::combinators::BoxBody;
use hyper::{Request, Response};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ServerCapabilities, ServerConfig, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::{Failure, SiteTools, TOOLS, Tool, resources};

impl From<Failure> for ErrorData {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Wrong(message) => Self::invalid_params(message, None),
            Failure::Unknown(message) => Self::resource_not_found(message, None),
            Failure::Internal => Self::internal_error("the server failed; its log says why", None),
        }
    }
}

fn described(tool: &Tool) -> rmcp::model::Tool {
    let object = |value: Value| match value {
        Value::Object(members) => Arc::new(members),
        _ => Arc::default(),
    };
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.is_read_only)
        .destructive(false)
        .idempotent(tool.is_read_only)
        .open_world(false);
    rmcp::model::Tool::new(tool.name, tool.description, object((tool.input)()))
        .with_title(tool.title)
        .with_annotations(annotations)
}

impl ServerHandler for SiteTools {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let server = Implementation::new(self.site().id(), env!("CARGO_PKG_VERSION"))
            .with_title(format!("{} documentation", self.name()));
        ServerConfig::new(capabilities)
            .with_server_info(server)
            .with_instructions(self.instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            TOOLS.iter().map(described).collect(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let result = match self.call(&request.name, arguments).await {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            // A model reads it and tries again.
            Err(Failure::Wrong(message)) => {
                CallToolResult::error(vec![ContentBlock::text(message)])
            }
            Err(Failure::Unknown(message)) => {
                return Err(ErrorData::invalid_params(message, None));
            }
            Err(failure) => return Err(failure.into()),
        };
        Ok(result.into())
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        TOOLS.iter().find(|tool| tool.name == name).map(described)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let (listed, next) = self
            .work(false, move |tools| {
                resources::list(tools, cursor.as_deref())
            })
            .await?;
        let listed = listed.into_iter().map(|listed| {
            let mut resource = Resource::new(listed.uri, listed.name)
                .with_title(listed.title)
                .with_mime_type(listed.media_type);
            resource.description = listed.description;
            resource
        });
        let mut result = ListResourcesResult::with_all_items(listed.collect());
        result.next_cursor = next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let page = ResourceTemplate::new(resources::TEMPLATE, "page")
            .with_title("A page as Markdown")
            .with_description(
                "A page of the documentation by its path, such as `guides/quickstart`",
            )
            .with_mime_type("text/markdown");
        Ok(ListResourceTemplatesResult::with_all_items(vec![page]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.clone();
        let found = self
            .work(false, move |tools| resources::read(tools, &uri))
            .await?;
        let contents = ResourceContents::text(found.text, request.uri);
        let contents = contents.with_mime_type(found.media_type);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

/// The reply of a site to one request over HTTP, whose host and origin were looked at. Nothing of it is kept.
pub async fn answer(
    tools: SiteTools,
    request: Request<Full<Bytes>>,
) -> Response<BoxBody<Bytes, Infallible>> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let service = StreamableHttpService::new(
        move || Ok(tools.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    service.handle(request).await
}

/// Answers a client at the other end of the standard streams, until it closes them.
///
/// # Errors
///
/// Returns why that cannot go on.
pub async fn over_standard_streams(tools: SiteTools) -> anyhow::Result<()> {
    use rmcp::service::ServerInitializeError;

    let running = match rmcp::serve_server(tools, rmcp::transport::stdio()).await {
        Ok(running) => running,
        // A client that went away before it said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    running.waiting().await?;
    Ok(())
}
