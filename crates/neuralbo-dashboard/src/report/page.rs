//! The page of a report: the dashboard's files and the answers, in one.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::assets::{self, Asset};
use crate::error::DashboardError;

/// The tags of `index.html` that name other files.
const STYLE: &str = "<link rel=\"stylesheet\" href=\"assets/";
const ICON: &str = "href=\"assets/icon.svg\"";
const SCRIPT: &str = "<script type=\"module\" src=\"assets/app.js\"></script>";
const START: &str = "import \"neuralbo/app.js\";";

pub(super) fn page(answers: &str) -> Result<String, DashboardError> {
    let mut page = text("index.html")?.to_owned();
    let mut styles = Vec::new();
    while let Some(at) = page.find(STYLE) {
        let rest = &page[at + STYLE.len()..];
        let end = rest.find("\">").ok_or_else(|| incomplete("index.html"))?;
        let style = text(&rest[..end])?;
        styles.push(hash(style));
        let tag = format!("{STYLE}{}\">", &rest[..end]);
        page = page.replacen(&tag, &format!("<style>{style}</style>"), 1);
    }
    if let Some(icon) = assets::find("icon.svg") {
        page = page.replacen(
            ICON,
            &format!(
                "href=\"data:image/svg+xml;base64,{}\"",
                STANDARD.encode(icon.content)
            ),
            1,
        );
    }
    let map = import_map()?;
    if !page.contains(SCRIPT) {
        return Err(incomplete("index.html"));
    }
    let scripts = format!(
        "<script type=\"application/json\" id=\"data\">{}</script>\n<script type=\"importmap\">{map}</script>\n\
         <script type=\"module\">{START}</script>",
        answers.replace('<', "\\u003c")
    );
    let policy = format!(
        "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src data: {} {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'\">",
        hash(&map),
        hash(START),
        styles.join(" ")
    );
    // The answers come last: nothing in them may be taken for a tag of the page.
    Ok(page
        .replacen("<meta charset=\"utf-8\">", &policy, 1)
        .replacen(SCRIPT, &scripts, 1))
}

/// All modules under names of their own: a file opened from a disk cannot import others beside it.
fn import_map() -> Result<String, DashboardError> {
    let modules = assets::all().filter(|asset| asset.name.ends_with(".js"));
    let entry = |asset: Asset| {
        let code = named_imports(asset.name, text(asset.name)?)?;
        let address = format!("data:text/javascript;base64,{}", STANDARD.encode(code));
        Ok(format!("\"neuralbo/{}\":\"{address}\"", asset.name))
    };
    let entries: Vec<String> = modules.map(entry).collect::<Result<_, DashboardError>>()?;
    Ok(format!("{{\"imports\":{{{}}}}}", entries.join(",")))
}

/// The code of a module with `from "./x.js"` by the module's name.
fn named_imports(module: &str, code: &str) -> Result<String, DashboardError> {
    let mut written = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find("from \".") {
        let start = at + "from \"".len();
        let end = rest[start..].find('"').ok_or_else(|| incomplete(module))? + start;
        written += &rest[..start];
        written += &format!("neuralbo/{}", resolved(module, &rest[start..end]));
        rest = &rest[end..];
    }
    Ok(written + rest)
}

/// `../dom.js` as seen from `pages/trial.js` is `dom.js`.
fn resolved(module: &str, relative: &str) -> String {
    let mut folders: Vec<&str> = module.split('/').collect();
    folders.pop();
    for part in relative.split('/') {
        match part {
            "." => {}
            ".." => _ = folders.pop(),
            part => folders.push(part),
        }
    }
    folders.join("/")
}

fn text(name: &str) -> Result<&'static str, DashboardError> {
    let asset = assets::find(name).ok_or_else(|| incomplete(name))?;
    std::str::from_utf8(asset.content).map_err(|_| incomplete(name))
}

fn incomplete(name: &str) -> DashboardError {
    DashboardError::Page {
        name: name.to_owned(),
    }
}

fn hash(text: &str) -> String {
    format!(
        "'sha256-{}'",
        STANDARD.encode(Sha256::digest(text.as_bytes()))
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_resolved_from_the_folder_of_the_module() {
        for (module, relative, name) in [
            ("app.js", "./dom.js", "dom.js"),
            ("pages/trial.js", "../dom.js", "dom.js"),
            ("pages/a.js", "./b.js", "pages/b.js"),
        ] {
            assert_eq!(resolved(module, relative), name);
        }
        let code =
            "import { a } from \"../dom.js\";\nexport { b } from \"./b.js\";\nconst from = \"x\";";
        let named = "import { a } from \"neuralbo/dom.js\";\nexport { b } from \"neuralbo/pages/b.js\";\nconst from = \"x\";";
        assert_eq!(named_imports("pages/trial.js", code).unwrap(), named);
    }

    #[test]
    fn every_import_of_every_module_is_in_the_map() {
        let map: serde_json::Value = serde_json::from_str(&import_map().unwrap()).unwrap();
        for asset in assets::all().filter(|asset| asset.name.ends_with(".js")) {
            let code = named_imports(asset.name, text(asset.name).unwrap()).unwrap();
            for part in code.split("from \"neuralbo/").skip(1) {
                let name = format!("neuralbo/{}", part.split('"').next().unwrap());
                assert!(map["imports"][&name].is_string(), "{}: {name}", asset.name);
            }
        }
    }

    #[test]
    fn nothing_in_the_answers_ends_their_script() {
        let page = page(r#"{"/api/x":{"name":"</script><script>alert(1)</script><!--"}}"#).unwrap();
        assert!(
            !page.contains("assets/")
                && !page.contains("alert(1)</script>")
                && page.contains("\\u003c/script>")
        );
        let data = page
            .split("id=\"data\">")
            .nth(1)
            .unwrap()
            .split("</script>")
            .next()
            .unwrap();
        let read: serde_json::Value = serde_json::from_str(data).unwrap();
        assert_eq!(
            read["/api/x"]["name"],
            "</script><script>alert(1)</script><!--"
        );
    }
}
