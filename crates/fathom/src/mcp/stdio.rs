//! The protocol over standard input and output, for the client that started this program.

use std::sync::Arc;

use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;

use super::server::McpServer;
use crate::exit::{Problem, Result};
use crate::http::Service;

/// Serves the client until it closes our input, or the service is told to stop.
pub async fn serve_stdio(service: Arc<Service>) -> Result<()> {
    let stop = service.stop.child_token();
    let server = McpServer::over_stdio(service);
    let serving = server.serve_with_ct(stdio_pipes(), stop).await;
    let serving = match serving {
        Ok(serving) => serving,
        Err(error) => {
            return Err(
                Problem::failed(format!("the client cannot be served: {error}"))
                    .advise("An MCP client starts this command itself: see docs/mcp.md"),
            );
        }
    };
    let ended = serving.waiting().await;
    ended.map(drop).map_err(Problem::failed)
}
