//! Fetches a whole file from an address of the operator's settings. What is in it is for the caller to check.

use std::time::Duration;

use crate::call::{CallContext, CallKind, Caller, ProviderName};
use crate::client::HttpRequest;
use crate::{BaseUrl, CallFailure, HttpClient};

/// The file must begin to come within this time. How large it may be is the client's setting.
const FIRST_BYTE: Duration = Duration::from_secs(30);

/// The bytes at `path` below the address.
pub async fn download(
    client: &HttpClient,
    caller: &Caller,
    address: &BaseUrl,
    path: &str,
    context: &CallContext<'_>,
) -> Result<Vec<u8>, CallFailure> {
    let provider = ProviderName::new(&address.authority());
    // A large file takes as long as a model's answer.
    let context = context.with_kind(CallKind::Model);
    let fetched = caller.call(&provider, &context, |attempt| async move {
        let request = HttpRequest::get(address.join(path.split('/')), FIRST_BYTE);
        let reply = client.ask(&attempt, request).await?;
        Ok(reply.body().to_vec())
    });
    fetched.await
}
