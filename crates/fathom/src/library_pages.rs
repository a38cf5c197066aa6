//! Pages of the web that a person added to a library: kept as files in the data folder, called by their addresses, and asked for
//! again when the library is updated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fathom_providers::fetch::{FetchError, Fetcher, PageVersion};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::exit::{Problem, Result};
use crate::{files, screen};

const PAGES: &str = "pages";

/// Hidden, so that no walk through the folder takes it for a document.
const LIST: &str = ".pages.json";

/// What a server answers that has nothing newer.
const NOT_MODIFIED: u16 = 304;

/// A page that is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptPage {
    address: String,
    /// The file with its bytes.
    file: String,
    version: PageVersion,
}

/// The pages of one library.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PageList {
    pages: Vec<KeptPage>,
}

/// The folder that holds the pages of a library; it is one of the library's folders while there are any.
pub fn folder(home: &Path, library: &str) -> PathBuf {
    home.join(PAGES).join(library)
}

/// Whether something that was given is an address and no path.
pub fn is_address(given: &Path) -> bool {
    let text = given.to_string_lossy().to_lowercase();
    text.starts_with("https://") || text.starts_with("http://")
}

/// The addresses of the pages in those of the folders that hold some, by the files that they are kept in.
pub fn addresses(home: &Path, roots: &[PathBuf]) -> BTreeMap<PathBuf, String> {
    let mut all = BTreeMap::new();
    for folder in page_folders(home, roots) {
        let list = PageList::load(&folder).unwrap_or_default();
        let named = list.pages.into_iter();
        all.extend(named.map(|page| (folder.join(page.file), page.address)));
    }
    all
}

/// Only what lies in the data folder is called by the addresses of its list: a stranger's folder could claim any.
fn page_folders(home: &Path, roots: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(pages) = home.join(PAGES).canonicalize() else {
        return Vec::new();
    };
    let real = roots.iter().filter_map(|root| root.canonicalize().ok());
    real.filter(|root| root.parent() == Some(&pages)).collect()
}

/// Fetches a page and keeps it in a library's folder of pages.
pub async fn add(fetcher: &Fetcher, folder: &Path, address: &str) -> Result<()> {
    let unfetched = |error: FetchError| {
        let told = format!("{address} cannot be fetched: {error}");
        match error {
            FetchError::Refused(_) => Problem::usage(told),
            _ => Problem::failed(told),
        }
    };
    let mut list = PageList::load(folder)?;
    list.pages.retain(|page| page.address != address);
    let fetched = fetcher.get(address).await.map_err(unfetched)?;
    if !fetched.status.is_success() {
        let status = fetched.status;
        let told = format!("{address} cannot be fetched: its server answers {status}");
        return Err(Problem::failed(told));
    }
    fathom_store::create_private_folder(folder).map_err(|error| {
        Problem::failed(format!("{} cannot be made: {error}", folder.display()))
    })?;
    let page = KeptPage {
        address: address.to_owned(),
        file: file_name(address),
        version: fetched.version(),
    };
    files::write(&folder.join(&page.file), &fetched.bytes)?;
    list.pages.push(page);
    list.save(folder)
}

/// Asks for every page in these folders again. Those that have not changed, or cannot be had, stay as they are.
pub async fn refresh(fetcher: &Fetcher, home: &Path, roots: &[PathBuf]) -> Result<()> {
    for folder in page_folders(home, roots) {
        let mut list = PageList::load(&folder)?;
        for page in &mut list.pages {
            let fetched = fetcher.get_unless(&page.address, &page.version).await;
            let why = match fetched {
                Ok(fetched) if fetched.status.is_success() => {
                    page.version = fetched.version();
                    files::write(&folder.join(&page.file), &fetched.bytes)?;
                    continue;
                }
                Ok(fetched) if fetched.status.as_u16() == NOT_MODIFIED => continue,
                Ok(fetched) => format!("its server answers {}", fetched.status),
                Err(error) => error.to_string(),
            };
            let address = screen::harmless(&page.address);
            screen::tell(&format!("{address} stays as it was: {why}"));
        }
        list.save(&folder)?;
    }
    Ok(())
}

/// Whether a library has pages after one was taken out.
pub enum PagesLeft {
    Some,
    None,
}

/// Takes a page out of a library's folder, which goes with its last page; nothing where the page is not known.
pub fn remove(folder: &Path, address: &str) -> Result<Option<PagesLeft>> {
    let mut list = PageList::load(folder)?;
    let Some(at) = list.pages.iter().position(|page| page.address == address) else {
        return Ok(None);
    };
    let page = list.pages.remove(at);
    if list.pages.is_empty() {
        forget(folder)?;
        return Ok(Some(PagesLeft::None));
    }
    list.save(folder)?;
    // The list no longer names it; a file that stays would be called by its path.
    let removed = std::fs::remove_file(folder.join(&page.file));
    removed.map_err(|error| Problem::failed(format!("{address} cannot be deleted: {error}")))?;
    Ok(Some(PagesLeft::Some))
}

/// Deletes a folder and all that is in it.
pub fn forget(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            let folder = folder.display();
            Err(Problem::failed(format!(
                "{folder} cannot be deleted: {error}"
            )))
        }
        _ => Ok(()),
    }
}

impl PageList {
    fn load(folder: &Path) -> Result<Self> {
        let path = folder.join(LIST);
        let Some(text) = files::read_if_there(&path)? else {
            return Ok(Self::default());
        };
        serde_json::from_slice(&text).map_err(|error| {
            let problem = Problem::failed(format!("{} is damaged: {error}", path.display()));
            problem.advise("Delete its folder and add your pages again.")
        })
    }

    fn save(&self, folder: &Path) -> Result<()> {
        let text = serde_json::to_vec_pretty(self).map_err(Problem::failed)?;
        files::write(&folder.join(LIST), &text)
    }
}

/// A name for a page's file, which tells nothing but differs from all others.
fn file_name(address: &str) -> String {
    let hash = Sha256::digest(address.as_bytes());
    hash.iter().take(16).map(|b| format!("{b:02x}")).collect()
}
