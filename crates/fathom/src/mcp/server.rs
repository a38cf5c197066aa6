//! The server of the protocol: takes what a client asks for to the tools and resources, as the caller that it is.

use std::sync::Arc;

use axum::http::request::Parts;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::brought;
use super::follow::Follower;
use super::resources;
use super::tools::{ToolCall, ToolName};
use crate::http::Service;
use crate::http::access::Caller;
use crate::http::error::ApiError;

/// What an assistant is told before it calls anything.
const INSTRUCTIONS: &str = "Fathom researches questions and cites only what it has read. Use ask for the person's own \
    documents, answer for a short cited answer, research for a whole report. Keep citations such as [1] when you pass \
    text on; read_source gives the words behind one. A run that waits for a person goes on by the tool review, on the \
    person's word only.";

/// The service for one client, or for all clients of a route.
#[derive(Clone)]
pub struct McpServer {
    service: Arc<Service>,
    /// Whoever started the program, where a client does not come over HTTP.
    local: Option<Caller>,
}

impl McpServer {
    /// For clients that come over HTTP: each request says who makes it.
    pub fn over_http(service: Arc<Service>) -> Self {
        Self {
            service,
            local: None,
        }
    }

    /// For the client that started this program.
    pub fn over_stdio(service: Arc<Service>) -> Self {
        Self {
            service,
            local: Some(Caller::Local),
        }
    }

    /// Who asks. Over HTTP the request was let in with its caller.
    fn caller(&self, context: &RequestContext<RoleServer>) -> Result<Caller, ErrorData> {
        let request = context.extensions.get::<Parts>();
        let let_in = request.and_then(|request| request.extensions.get::<Caller>());
        let caller = self.local.as_ref().or(let_in).cloned();
        caller.ok_or_else(|| ErrorData::invalid_request("a valid token is needed", None))
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let can = ServerCapabilities::builder();
        ServerConfig::new(can.enable_tools().enable_resources().build())
            .with_server_info(Implementation::new("fathom", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        ToolName::parse(name).map(ToolName::described)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::ALL.map(ToolName::described);
        Ok(ListToolsResult::with_all_items(tools.into()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let caller = self.caller(&context)?;
        let Some(tool) = ToolName::parse(&request.name) else {
            let known = ToolName::ALL.map(ToolName::name).join(", ");
            let message = format!("there is no tool \"{}\"; there are {known}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let call = ToolCall {
            service: &self.service,
            caller: &caller,
            follower: Follower {
                service: &self.service,
                context: &context,
                cancels: self.local.is_some(),
            },
        };
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = match call.run(tool, arguments).await {
            Ok(output) => output.into_result(),
            Err(error) => brought::refused(error),
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let caller = self.caller(&context)?;
        let after = request.and_then(|request| request.cursor);
        let listed = resources::list(&self.service, &caller, after.as_deref()).await;
        listed.map_err(|error| ErrorData::invalid_params(error.sentence(), None))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let caller = self.caller(&context)?;
        let read = resources::read(&self.service, &caller, &request.uri).await;
        let not_found = |error: ApiError| ErrorData::resource_not_found(error.sentence(), None);
        Ok(read.map_err(not_found)?.into())
    }
}
