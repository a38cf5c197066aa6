//! PubMed: the medical literature. Works without a key.
//!
//! Two requests make one attempt: the first gives numbers of records, the second the records.

use std::borrow::Cow;

use roxmltree::Node;

use super::answer::body;
use super::endpoint::{EngineCall, told_by};
use super::gather::{HitCollector, HitDraft};
use super::xml::{self, at, children, document, text_at};
use super::{RESULTS_MAX, SearchAnswer};
use crate::Doi;
use crate::call::AttemptError;
use crate::client::{HttpReply, HttpRequest};
use crate::lenient::{list, text};

/// Its pages, by the number of the record.
const PAGES: &str = "https://pubmed.ncbi.nlm.nih.gov/";

/// Its one word for a wrong key, which it sends as a plain 400 without a code.
const WRONG_KEY: &str = "API key invalid";

const RETRACTED: &str = "Retracted Publication";

pub(super) async fn search(call: EngineCall<'_>) -> Result<SearchAnswer, AttemptError> {
    let (from, to) = call.query.years();
    let bounded = from.or(to).is_some();
    let year = |year: Option<i16>, open: i16| bounded.then(|| year.unwrap_or(open));
    let request = request(&call, "esearch.fcgi")
        .query("term", call.query.text())
        .query("retmode", "json")
        .query("retmax", call.query.max_results())
        .query("sort", "relevance")
        .query_if_set("datetype", bounded.then_some("pdat"))
        .query_if_set("mindate", year(from, 1_000))
        .query_if_set("maxdate", year(to, 3_000));
    let reply = call.send(request).await.map_err(understood)?;
    let ids = read_ids(&reply)?;
    if ids.is_empty() {
        return Ok(SearchAnswer::default());
    }
    let request = self::request(&call, "efetch.fcgi")
        .accept("application/xml")
        .query("id", ids.join(","))
        .query("retmode", "xml");
    let reply = call.send(request).await.map_err(understood)?;
    read(&call, &reply, &ids)
}

fn request(call: &EngineCall<'_>, program: &str) -> HttpRequest {
    call.get([program])
        .query("db", "pubmed")
        .query("tool", "fathom")
        .query_if_set("email", call.contact())
        .key_query("api_key", call.key())
}

fn understood(fault: AttemptError) -> AttemptError {
    told_by(fault, "error", WRONG_KEY, "api_key_invalid")
}

fn read_ids(reply: &HttpReply) -> Result<Vec<String>, AttemptError> {
    let body = body(reply)?;
    let result = &body.json["esearchresult"];
    if !result["idlist"].is_array() || !result["ERROR"].is_null() {
        return Err(reply.refused());
    }
    let is_number =
        |id: &Cow<'_, str>| id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit());
    let ids = list(&result["idlist"]).iter().filter_map(text);
    let ids = ids.filter(is_number).take(RESULTS_MAX);
    Ok(ids.map(Cow::into_owned).collect())
}

fn read(
    call: &EngineCall<'_>,
    reply: &HttpReply,
    ids: &[String],
) -> Result<SearchAnswer, AttemptError> {
    let xml = String::from_utf8_lossy(reply.body());
    let tree = document(&xml).ok_or_else(|| reply.refused())?;
    let set = tree.root_element();
    if set.tag_name().name() != "PubmedArticleSet" {
        return Err(reply.refused());
    }
    let mut records: Vec<PubmedRecord<'_>> = set
        .children()
        .filter(Node::is_element)
        .filter_map(PubmedRecord::new)
        .collect();
    // The first answer has the order of relevance.
    let place = |record: &PubmedRecord<'_>| {
        ids.iter()
            .position(|id| Some(id.as_str()) == record.id.as_deref())
    };
    records.sort_by_key(|record| place(record).unwrap_or(usize::MAX));
    let mut collector = HitCollector::new(call.query, call.engine);
    records
        .iter()
        .for_each(|record| collector.add(record.draft()));
    Ok(collector.finish())
}

/// An article, or a chapter of a book.
struct PubmedRecord<'a> {
    id: Option<Cow<'a, str>>,
    /// What is said of the article itself.
    article: Node<'a, 'a>,
    /// Where its other numbers are.
    data: Option<Node<'a, 'a>>,
    citation: Node<'a, 'a>,
}

impl<'a> PubmedRecord<'a> {
    fn new(node: Node<'a, 'a>) -> Option<Self> {
        let article = at(node, &["MedlineCitation"]);
        let citation = article.or_else(|| at(node, &["BookDocument"]))?;
        Some(Self {
            id: text_at(citation, &["PMID"]),
            article: at(citation, &["Article"]).unwrap_or(citation),
            data: at(node, &["PubmedData"]).or(Some(citation)),
            citation,
        })
    }

    fn draft(&self) -> HitDraft<'a> {
        let article = self.article;
        let venue = text_at(article, &["Journal", "Title"]);
        HitDraft {
            url: self.id.as_ref().map(|id| format!("{PAGES}{id}/").into()),
            title: text_at(article, &["ArticleTitle"])
                .or_else(|| text_at(article, &["VernacularTitle"]))
                .or_else(|| text_at(article, &["Book", "BookTitle"])),
            authors: self.authors(),
            date: self.date(),
            venue: venue.or_else(|| text_at(article, &["Book", "BookTitle"])),
            doi: self.doi(),
            abstract_text: self.abstract_text(),
            language: text_at(article, &["Language"]),
            retracted: self.is_retracted(),
            ..HitDraft::default()
        }
    }

    /// `2024 Mar 5`, or the words of `MedlineDate`.
    fn date(&self) -> Option<Cow<'a, str>> {
        let places: [&[&str]; 3] = [
            &["Journal", "JournalIssue", "PubDate"],
            &["ArticleDate"],
            &["Book", "PubDate"],
        ];
        let date = places.iter().find_map(|path| at(self.article, path))?;
        let parts = ["Year", "Month", "Day"].map(|name| text_at(date, &[name]));
        let told: Vec<Cow<'_, str>> = parts.into_iter().flatten().collect();
        let told = (!told.is_empty()).then(|| told.join(" ").into());
        told.or_else(|| text_at(date, &["MedlineDate"]))
    }

    fn authors(&self) -> Vec<Cow<'a, str>> {
        let lists = children(self.article, "AuthorList");
        let authors = lists.flat_map(|list| children(list, "Author"));
        authors
            .filter_map(|author| {
                let names = ["ForeName", "LastName"].map(|name| text_at(author, &[name]));
                let whole: Vec<Cow<'_, str>> = names.into_iter().flatten().collect();
                let whole = (!whole.is_empty()).then(|| whole.join(" ").into());
                whole.or_else(|| text_at(author, &["CollectiveName"]))
            })
            .collect()
    }

    fn doi(&self) -> Option<Doi> {
        let lists = self
            .data
            .into_iter()
            .flat_map(|data| children(data, "ArticleIdList"));
        let ids = lists.flat_map(|list| children(list, "ArticleId"));
        let in_data = ids.filter(|id| id.attribute("IdType") == Some("doi"));
        let in_article = children(self.article, "ELocationID")
            .filter(|id| id.attribute("EIdType") == Some("doi"));
        let mut all = in_data.chain(in_article).filter_map(xml::text);
        all.find_map(|doi| Doi::told(&doi))
    }

    /// The parts of the abstract, with their headings.
    fn abstract_text(&self) -> Option<Cow<'a, str>> {
        let parts = children(at(self.article, &["Abstract"])?, "AbstractText");
        let told: Vec<Cow<'_, str>> = parts
            .filter_map(|part| {
                let words = xml::text(part)?;
                Some(match part.attribute("Label") {
                    Some(label) => format!("{label}: {words}").into(),
                    None => words,
                })
            })
            .collect();
        (!told.is_empty()).then(|| told.join(" ").into())
    }

    fn is_retracted(&self) -> bool {
        let lists = children(self.article, "PublicationTypeList");
        let mut types = lists.flat_map(|list| children(list, "PublicationType"));
        let notes = children(self.citation, "CommentsCorrectionsList");
        let mut notes = notes.flat_map(|list| children(list, "CommentsCorrections"));
        types.any(|kind| xml::text(kind).as_deref() == Some(RETRACTED))
            || notes.any(|note| note.attribute("RefType") == Some("RetractionIn"))
    }
}
