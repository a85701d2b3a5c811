//! References to container images: whether they mean the latest image.

const DEFAULT_DOMAIN: &str = "docker.io";
const OFFICIAL_REPOSITORIES: &str = "library/";

/// The bytes of the longest path of a repository, as upstream's `reference.RepositoryNameTotalLengthMax`.
const MAX_PATH: usize = 255;

/// Tells if an image has the tag `latest`, or neither tag nor digest, as upstream's `parsers.ParseImageName` has it. A text
/// that is not a reference has no tag.
pub(crate) fn is_latest(image: &str) -> bool {
    if image.len() == 64 && image.bytes().all(is_lower_hex) {
        return false;
    }
    let (domain, remainder) = split_domain(image);
    let (name, digest) = remainder.split_once('@').map_or((remainder, None), |(name, digest)| (name, Some(digest)));
    let (path, tag) = name.split_once(':').map_or((name, None), |(path, tag)| (path, Some(tag)));
    if !tag.map_or(digest.is_none(), |tag| tag == "latest") {
        return false;
    }
    // As upstream: a first part that is not a valid domain may be part of the path.
    let has_domain = is_domain(domain);
    let implied = if domain == DEFAULT_DOMAIN && !path.contains('/') {
        OFFICIAL_REPOSITORIES.len()
    } else if has_domain {
        0
    } else {
        domain.len() + 1
    };
    (has_domain || is_path_component(domain))
        && path.split('/').all(is_path_component)
        && implied + path.len() <= MAX_PATH
        && digest.is_none_or(is_digest)
}

/// As upstream's `reference.splitDockerDomain`, without what it adds to names of official images.
fn split_domain(image: &str) -> (&str, &str) {
    match image.split_once('/') {
        Some(("index.docker.io", rest)) => (DEFAULT_DOMAIN, rest),
        Some((domain, rest))
            if domain == "localhost" || domain.contains(['.', ':']) || domain.contains(char::is_uppercase) =>
        {
            (domain, rest)
        }
        _ => (DEFAULT_DOMAIN, image),
    }
}

/// A host, which may be an address in brackets, and perhaps a port.
fn is_domain(text: &str) -> bool {
    let is_port = |text: &str| {
        text.strip_prefix(':').is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if let Some((address, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
        let is_address = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b':');
        return is_address && (rest.is_empty() || is_port(rest));
    }
    let (host, rest) = text.split_at(text.find(':').unwrap_or(text.len()));
    host.split('.').all(is_domain_component) && (rest.is_empty() || is_port(rest))
}

fn is_domain_component(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('-')
        && !text.ends_with('-')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Lower-case letters and digits, separated by one dot, one or two underscores, or any number of dashes.
fn is_path_component(text: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends_well = |byte: Option<u8>| byte.is_some_and(is_word);
    let mut separators = text.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    ends_well(text.bytes().next())
        && ends_well(text.bytes().next_back())
        && separators.all(|text| matches!(text, "" | "." | "_" | "__") || text.bytes().all(|byte| byte == b'-'))
}

/// A digest of an algorithm that is known, as upstream's `digest.Parse` demands.
fn is_digest(text: &str) -> bool {
    let Some((algorithm, encoded)) = text.split_once(':') else { return false };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    encoded.len() == length && encoded.bytes().all(is_lower_hex)
}

fn is_lower_hex(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'a'..=b'f')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_without_tag_and_digest_are_the_latest() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for image in [
            "nginx",
            "nginx:latest",
            "a/b",
            "localhost/a",
            "localhost:5000/a",
            "nginx:5000/a",
            "[::1]:5000/a:latest",
            "registry.example.com:5000/a/b--c/d__e.f",
            "index.docker.io/nginx",
            "UPPER/a",
            "a_b.c/x",
            &format!("nginx:latest@{digest}"),
            &format!("a/{}", "b".repeat(253)),
        ] {
            assert!(is_latest(image), "{image}");
        }
    }

    #[test]
    fn other_images_are_not() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for image in [
            "",
            " nginx",
            "nginx:",
            "nginx:1.0",
            "nginx:-",
            "nginx:a:b",
            "Nginx",
            "a/B",
            "a//b",
            "a/",
            "-a",
            "a_.b",
            "a___b",
            "localhost:/a",
            "[]/a",
            "nginx@",
            "nginx:latest@sha256:0a",
            "nginx@md5:00000000000000000000000000000000",
            &format!("nginx@{digest}"),
            &format!("nginx:1@{digest}"),
            &format!("nginx:latest@{}", digest.to_uppercase()),
            &"0a".repeat(32),
            &"b".repeat(248),
            &format!("a/{}", "b".repeat(254)),
            &format!("nginx:{}", "1".repeat(129)),
        ] {
            assert!(!is_latest(image), "{image}");
        }
        assert!(is_latest(&"b".repeat(247)));
    }
}
