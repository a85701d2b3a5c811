//! Content negotiation.

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use sprag_rest::{ApiError, parse_bool};

use crate::query::Query;
use crate::refuse;

/// Media types of bodies, as errors list them. Upstream lists protobuf for custom resources, too, which do not support it.
pub(crate) const MEDIA_TYPES: [&str; 3] = [Media::Json.name(), Media::Yaml.name(), Media::Protobuf.name()];
/// Media types of watch events.
const STREAM_TYPES: [&str; 2] = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];
/// Media types of lists and watches.
pub(crate) const LIST_TYPES: [&str; 5] =
    [MEDIA_TYPES[0], MEDIA_TYPES[1], MEDIA_TYPES[2], STREAM_TYPES[0], STREAM_TYPES[1]];
/// At most so many wishes of a client are looked at.
const MAX_CLAUSES: usize = 64;

/// The media type of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    Json,
    Yaml,
    Protobuf,
}

impl Media {
    /// The media type.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Media::Json => "application/json",
            Media::Yaml => "application/yaml",
            Media::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) media: Media,
    pub(crate) pretty: bool,
    pub(crate) view: View,
}

/// The form of objects: full, table or metadata only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// All of them.
    Whole,
    /// A table, in this version of tables.
    Table(&'static str),
    /// The metadata, in this version.
    Metadata(&'static str),
    /// The metadata of a list, in this version.
    MetadataList(&'static str),
    /// All groups with their resources.
    Aggregated,
}

/// Forms that an endpoint offers beside plain objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Nothing.
    Plain,
    /// Tables and metadata.
    Objects,
    /// Metadata.
    Metadata,
    /// Everything about all groups at once.
    Aggregated,
}

/// One wish of a client.
struct Clause<'h> {
    media: (&'h str, &'h str),
    params: Vec<(&'h str, &'h str)>,
    quality: f64,
}

impl Output {
    /// Plain JSON.
    pub(crate) const JSON: Output = Output { media: Media::Json, pretty: false, view: View::Whole };
    /// Indented JSON.
    pub(crate) const JSON_FOR_PEOPLE: Output = Output { pretty: true, ..Output::JSON };

    /// Selects the output format by what the client accepts. Whether plain objects can be had in protobuf is asked only
    /// for clients that accept it.
    pub(crate) fn negotiate(
        headers: &HeaderMap,
        pretty: bool,
        offer: Offer,
        in_protobuf: impl Fn() -> bool,
    ) -> Result<Output, ApiError> {
        let accept = accept(headers);
        if accept.is_empty() {
            return Ok(Output { pretty, ..Output::JSON });
        }
        for clause in clauses(accept) {
            for media in [Media::Json, Media::Yaml, Media::Protobuf] {
                if let Some(output) = clause.output(media, pretty, offer)
                    && (media != Media::Protobuf || output.can_be_protobuf(&in_protobuf))
                {
                    return Ok(output);
                }
            }
        }
        Err(refuse::not_acceptable(&MEDIA_TYPES))
    }

    /// The output format of an error: plain objects only, and indented JSON if the client accepts none.
    pub(crate) fn of_failure(headers: &HeaderMap, pretty: bool) -> Output {
        Output::negotiate(headers, pretty, Offer::Plain, || true).unwrap_or(Output::JSON_FOR_PEOPLE)
    }

    /// True if protobuf has what is to be shown: there are no tables, and metadata of everything.
    // As upstream's handlers.RequestScope.AllowsMediaTypeTransform.
    fn can_be_protobuf(self, plain: impl Fn() -> bool) -> bool {
        match self.view {
            View::Whole => plain(),
            View::Table(_) => false,
            View::Metadata(_) | View::MetadataList(_) | View::Aggregated => true,
        }
    }

    /// The same for a watch, which has no end that YAML could have.
    pub(crate) fn of_events(self) -> Result<Output, ApiError> {
        match self.media {
            Media::Json | Media::Protobuf => Ok(self),
            Media::Yaml => Err(refuse::not_acceptable(&STREAM_TYPES)),
        }
    }

    /// True if objects are sent as they are stored.
    pub(crate) fn is_plain(self) -> bool {
        self == Output::JSON
    }

    /// The value of the `Content-Type` header.
    pub(crate) const fn content_type(self) -> &'static str {
        self.media.name()
    }

    /// The same for events, of which upstream says in protobuf only that they are such.
    // As upstream's handlers.serveWatchHandler.
    pub(crate) const fn stream_type(self) -> &'static str {
        match self.media {
            Media::Json | Media::Yaml => self.content_type(),
            Media::Protobuf => STREAM_TYPES[1],
        }
    }
}

impl Offer {
    /// True if objects can be had in a view.
    fn has(self, view: View) -> bool {
        self == Offer::Objects || (self == Offer::Metadata && !matches!(view, View::Table(_)))
    }
}

impl Clause<'_> {
    fn fits(&self, offer: &str) -> bool {
        let fits = |wanted: &str, offered: &str| wanted == "*" || wanted == offered;
        offer.split_once('/').is_some_and(|(kind, subtype)| fits(self.media.0, kind) && fits(self.media.1, subtype))
    }

    fn output(&self, media: Media, pretty: bool, offer: Offer) -> Option<Output> {
        if !self.fits(media.name()) {
            return None;
        }
        let param = |name: &str| self.params.iter().find(|(given, _)| *given == name).map(|(_, value)| *value);
        if param("stream").is_some_and(|stream| !stream.is_empty() && stream != "watch")
            || param("sv").is_some_and(|version| !version.is_empty())
        {
            return None;
        }
        let view = match [param("as"), param("g"), param("v")] {
            [None, None, None] => View::Whole,
            [Some(kind), Some("meta.k8s.io"), Some(version)] => {
                View::of(kind, version).filter(|view| offer.has(*view))?
            }
            [Some("APIGroupDiscoveryList"), Some("apidiscovery.k8s.io"), Some("v2")] if offer == Offer::Aggregated => {
                View::Aggregated
            }
            _ => return None,
        };
        Some(Output { media, pretty: pretty || param("pretty") == Some("1"), view })
    }
}

impl View {
    fn of(kind: &str, version: &str) -> Option<View> {
        let api_version = match version {
            "v1" => "meta.k8s.io/v1",
            "v1beta1" => "meta.k8s.io/v1beta1",
            _ => return None,
        };
        match kind {
            "Table" => Some(View::Table(api_version)),
            "PartialObjectMetadata" => Some(View::Metadata(api_version)),
            "PartialObjectMetadataList" => Some(View::MetadataList(api_version)),
            _ => None,
        }
    }
}

/// Reports whether a client wants to read the answer itself: it says so, or is a browser or a tool for people.
pub(crate) fn is_for_people(headers: &HeaderMap, query: &Query<'_>) -> bool {
    if let Some(said) = query.get("pretty") {
        return parse_bool(said) == Some(true);
    }
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|prefix| agent.starts_with(prefix))
}

/// The `Accept` header; empty if absent or unreadable.
fn accept(headers: &HeaderMap) -> &str {
    headers.get(ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default()
}

/// The wishes of a client, the dearest first.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<Clause<'_>> = accept.split(',').take(MAX_CLAUSES).filter_map(clause).collect();
    clauses.sort_by(|a, b| b.quality.total_cmp(&a.quality));
    clauses
}

fn clause(text: &str) -> Option<Clause<'_>> {
    let mut parts = text.split(';').map(str::trim);
    let media = parts.next().filter(|media| !media.is_empty())?;
    let media = match media.split_once('/') {
        Some((kind, subtype)) => (kind.trim(), subtype.trim()),
        None if media == "*" => ("*", "*"),
        None => (media, ""),
    };
    let mut clause = Clause { media, params: Vec::new(), quality: 1.0 };
    for (name, value) in parts.filter_map(|part| part.split_once('=')) {
        match (name.trim(), value.trim()) {
            ("q", quality) => clause.quality = quality.parse().ok().filter(|q: &f64| q.is_finite()).unwrap_or(1.0),
            param => clause.params.push(param),
        }
    }
    Some(clause)
}

/// Refuses what the reference's router refuses before it looks at parameters: it knows no ranges but `*/*`.
pub(crate) fn check_route(headers: &HeaderMap, produced: &[&str]) -> Result<(), ApiError> {
    let accept = accept(headers);
    let mut wanted = accept.split(',').map(|clause| clause.split(';').next().unwrap_or_default().trim());
    if accept.is_empty() || wanted.any(|media| media == "*/*" || produced.contains(&media)) {
        return Ok(());
    }
    Err(refuse::no_representation(produced))
}

/// The media type of a `Content-Type`, in lower case; `None` without the header.
pub(crate) fn content_type(headers: &HeaderMap) -> Option<String> {
    let header = headers.get(CONTENT_TYPE)?.to_str().unwrap_or_default();
    (!header.is_empty()).then(|| first_part(header).to_ascii_lowercase())
}

/// The same for a patch, whose type must be spelled exactly.
pub(crate) fn patch_type(headers: &HeaderMap) -> &str {
    let header = headers.get(CONTENT_TYPE).and_then(|header| header.to_str().ok());
    first_part(header.unwrap_or_default())
}

fn first_part(header: &str) -> &str {
    header.split(';').next().unwrap_or_default().trim()
}

/// The media type of these that fits the dearest wish of the client; the first one when it wishes nothing.
pub(crate) fn choose(headers: &HeaderMap, offers: &[&'static str]) -> Option<&'static str> {
    let accept = accept(headers);
    let accept = if accept.is_empty() { "*/*" } else { accept };
    clauses(accept).iter().find_map(|clause| offers.iter().copied().find(|offer| clause.fits(offer)))
}

/// The media type of a request body. `in_protobuf` is called only for protobuf.
pub(crate) fn input(headers: &HeaderMap, in_protobuf: impl Fn() -> bool) -> Result<Media, ApiError> {
    let Some(content_type) = content_type(headers) else { return Ok(Media::Json) };
    match [Media::Json, Media::Yaml, Media::Protobuf].into_iter().find(|media| media.name() == content_type) {
        Some(Media::Protobuf) if !in_protobuf() => Err(refuse::unsupported_media_type(&MEDIA_TYPES[..2])),
        Some(media) => Ok(media),
        None => Err(refuse::unsupported_media_type(&MEDIA_TYPES)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn negotiate(accept: &str) -> Result<Output, ApiError> {
        let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
        Output::negotiate(&headers, false, Offer::Objects, || false)
    }

    #[test]
    fn the_first_wish_that_can_be_met_is() {
        let table = negotiate("application/json;as=Table;v=v1;g=meta.k8s.io,application/json").unwrap();
        assert_eq!(table.view, View::Table("meta.k8s.io/v1"));
        assert_eq!(negotiate("application/json;as=Frob;v=v1;g=meta.k8s.io, */*").unwrap(), Output::JSON);
        assert_eq!(negotiate("application/yaml").unwrap().media, Media::Yaml);
        assert_eq!(negotiate("application/json;q=0.1,application/yaml;q=0.9").unwrap().media, Media::Yaml);
        assert!(negotiate("application/json;pretty=1").unwrap().pretty);
        assert_eq!(negotiate("application/vnd.kubernetes.protobuf,application/json").unwrap(), Output::JSON);
    }

    #[test]
    fn one_of_the_media_types_on_offer_is_chosen() {
        let offers = ["application/json", "application/a@b+protobuf"];
        let choose = |accept: &str| choose(&HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]), &offers);
        for accept in ["", "*/*", "application/*", "application/json;q=0.9, application/a@b+protobuf;q=0.8"] {
            assert_eq!(choose(accept), Some("application/json"), "{accept}");
        }
        assert_eq!(choose("application/xml, application/a@b+protobuf"), Some("application/a@b+protobuf"));
        assert_eq!(choose("application/xml"), None);
    }

    #[test]
    fn failures_are_plain_objects_or_json_for_people() {
        let of_failure =
            |accept: &str| Output::of_failure(&HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]), false);
        assert_eq!(of_failure("application/yaml").media, Media::Yaml);
        assert_eq!(of_failure("application/json"), Output::JSON);
        for accept in ["text/html", "application/yaml;as=Table;v=v1;g=meta.k8s.io"] {
            assert_eq!(of_failure(accept), Output::JSON_FOR_PEOPLE, "{accept}");
        }
        assert_eq!(of_failure("application/json;as=Table;v=v1;g=meta.k8s.io,application/json"), Output::JSON);
    }

    #[test]
    fn what_cannot_be_met_is_refused() {
        assert_eq!(negotiate("application/xml").unwrap_err().code(), 406);
        assert_eq!(negotiate("application").unwrap_err().code(), 406);
        assert!(negotiate("*").is_ok());
        assert_eq!(negotiate("application/json;as=Frob;v=v1;g=meta.k8s.io").unwrap_err().code(), 406);
    }
}
