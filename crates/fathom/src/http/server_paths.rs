//! No reply tells where things lie on the server's disk: its own folders are called by their names.
//!
//! States and logs of runs hold the paths that the program works with. What leaves as text is looked through here, so that
//! no route has to think of it.

use std::path::Path;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::header;
use axum::response::Response;
use futures::TryStreamExt as _;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::access::Caller;
use super::service::Service;
use crate::library_list::LibraryList;

/// What the data folder is called.
const HOME: &str = "FATHOM_HOME";

/// How the address of a file begins.
const FILE_ADDRESS: &str = "file://";

/// What is not written as it is in the address of a file.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'-')
    .remove(b'_')
    .remove(b'~');

/// Paths of the server, the longest first, each with what is shown in its place.
#[derive(Clone)]
struct ServerPaths(Vec<(String, String)>);

impl ServerPaths {
    fn new(service: &Service, caller: &Caller) -> Self {
        let home = &service.settings.home;
        let own = service.libraries.join(caller.folder());
        let mut shown = vec![(own, String::new()), (home.clone(), HOME.to_owned())];
        let set = &service.settings;
        let set = [&set.answer.library, &set.ask.library, &set.report.library];
        let list = LibraryList::load(home).unwrap_or_default();
        let added = list.names().flat_map(|name| list.folders(name));
        for folder in added.chain(set.into_iter().flatten()) {
            let name = folder.file_name().unwrap_or_default();
            shown.push((folder.clone(), name.to_string_lossy().into_owned()));
        }
        let mut hidden: Vec<(String, String)> = Vec::new();
        for (path, name) in shown {
            let real = path.canonicalize().unwrap_or_else(|_| path.clone());
            for path in [path, real] {
                hidden.extend(pairs(&path, &name));
            }
        }
        hidden.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        hidden.dedup();
        Self(hidden)
    }

    fn hide(&self, text: Bytes) -> Bytes {
        let Ok(read) = std::str::from_utf8(&text) else {
            return text;
        };
        if !self.0.iter().any(|(path, _)| read.contains(path.as_str())) {
            return text;
        }
        let mut hidden = String::with_capacity(read.len());
        let mut done = 0;
        for (at, _) in read.match_indices('/') {
            if at < done || !begins_path(&text[..at]) {
                continue;
            }
            let here = &read[at..];
            let whole = |path: &str| here.strip_prefix(path).is_some_and(ends_path);
            let Some((path, shown)) = self.0.iter().find(|(path, _)| whole(path)) else {
                continue;
            };
            hidden.push_str(&read[done..at]);
            done = at + path.len();
            if read[..at].ends_with(FILE_ADDRESS) {
                hidden.push('/');
            }
            hidden.push_str(shown);
            // Below a folder without a name of its own, paths begin with what follows.
            if shown.is_empty() && read[done..].starts_with('/') {
                done += 1;
            }
        }
        hidden.push_str(&read[done..]);
        hidden.into()
    }
}

/// Whether a slash behind this text may begin an absolute path: not within an address of the web or a longer path.
fn begins_path(before: &[u8]) -> bool {
    match before {
        [] | [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., last] => {
            let goes_on = last.is_ascii_alphanumeric() || b"/.-_~%".contains(last);
            !goes_on || before.ends_with(FILE_ADDRESS.as_bytes())
        }
    }
}

/// Whether a folder's name ends before this text.
fn ends_path(behind: &str) -> bool {
    let mut next = behind.chars();
    let goes_on = |letter: char| letter.is_alphanumeric() || "-_~%".contains(letter);
    match next.next() {
        None => true,
        // The end of a sentence, or of a file's name.
        Some('.') => !next.next().is_some_and(goes_on),
        Some(letter) => !goes_on(letter),
    }
}

/// A path that is worth to be hidden, plain and as it stands in addresses: one that is absolute, and not the root itself.
fn pairs(path: &Path, shown: &str) -> Vec<(String, String)> {
    let text = path.to_str().unwrap_or_default().trim_end_matches('/');
    if !path.is_absolute() || text.is_empty() {
        return Vec::new();
    }
    let encoded = |text: &str| utf8_percent_encode(text, ENCODED).to_string();
    vec![
        (text.to_owned(), shown.to_owned()),
        (encoded(text), encoded(shown)),
    ]
}

/// Takes the server's paths out of what leaves as text.
pub async fn hide_paths(
    service: &Service,
    caller: Option<&Caller>,
    response: Response,
) -> Response {
    let Some(caller) = caller.filter(|_| is_text(&response)) else {
        return response;
    };
    let (mut parts, body) = response.into_parts();
    if body.size_hint().exact().is_none() {
        let paths = ServerPaths::new(service, caller);
        // Streams are made of whole lines, one or more in each piece.
        let body = body
            .into_data_stream()
            .map_ok(move |piece| paths.hide(piece));
        return Response::from_parts(parts, Body::from_stream(body));
    }
    let bytes = axum::body::to_bytes(body, usize::MAX)
        .await
        .unwrap_or_default();
    if !may_hold_paths(&bytes) {
        return Response::from_parts(parts, Body::from(bytes));
    }
    parts.headers.remove(header::CONTENT_LENGTH);
    let hidden = ServerPaths::new(service, caller).hide(bytes);
    Response::from_parts(parts, Body::from(hidden))
}

/// Whether something in a text begins like an absolute path.
fn may_hold_paths(bytes: &[u8]) -> bool {
    let mut slashes = (0..bytes.len()).filter(|at| bytes[*at] == b'/');
    slashes.any(|at| !bytes[..at].ends_with(b"<") && begins_path(&bytes[..at]))
}

fn is_text(response: &Response) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.starts_with("text/") || kind.contains("json") || kind.contains("svg")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &'static str) -> Bytes {
        let folders = [
            ("/srv/fathom/owners/ada", ""),
            ("/srv/fathom", HOME),
            ("/home/ada/papers", "papers"),
            ("/home/ada/my notes", "my notes"),
            ("/data", "data"),
        ];
        let folders = folders.into_iter();
        let hidden = folders.flat_map(|(path, shown)| pairs(Path::new(path), shown));
        ServerPaths(hidden.collect()).hide(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn a_path_is_called_by_the_name_of_its_folder() {
        assert_eq!(
            hidden(
                r#"{"document":"/srv/fathom/owners/ada/notes/trial.md","library":["/home/ada/papers"],"index":"/srv/fathom/libraries/x"}"#
            ),
            r#"{"document":"notes/trial.md","library":["papers"],"index":"FATHOM_HOME/libraries/x"}"#
        );
        assert!(may_hold_paths(b"[\"/srv\"]") && !may_hold_paths(b"{\"a\":\"b/c\"}</p>"));
        assert!(pairs(Path::new("/"), "x").is_empty());
    }

    #[test]
    fn only_whole_paths_are_hidden() {
        for kept in [
            "https://x.org/data/y and https://data/y",
            "/data-old/y, /database, /data.old and a/data",
        ] {
            assert_eq!(hidden(kept), kept);
        }
        assert_eq!(hidden("in /data. Or /data/y"), "in data. Or data/y");
        assert_eq!(hidden(r#""read:\n/data/y""#), r#""read:\ndata/y""#);
        assert!(may_hold_paths(br#""read:\n/data/y""#));
    }

    #[test]
    fn the_address_of_a_file_stays_one() {
        assert_eq!(
            hidden("file:///srv/fathom/owners/ada/notes/t.pdf#page=2"),
            "file:///notes/t.pdf#page=2"
        );
        assert_eq!(
            hidden("file:///home/ada/my%20notes/t%201.pdf is /home/ada/my notes/t 1.pdf"),
            "file:///my%20notes/t%201.pdf is my notes/t 1.pdf"
        );
    }
}
