// Performs two recipes of the READMEs ("To add something") on a copy of the project, as a newcomer would, and runs the
// tests that they name. Fails if a recipe forgets a file that is needed, or names one that is not.
//
// node tests/additions/run.mjs   (needs the dependencies of the project in the registry of Cargo)

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const copy = join(root, "target/additions");

// A test that writes what it expects.
const UPDATE = "update";

// The version of the packages of the project.
const OWN_VERSION = "0.1.0";

// `named` is how the recipe calls the file; `after` a line of it, behind which `text` goes; without one it is new.
const component = {
  readme: "queries/README.md",
  recipe: "**A component of MDX**",
  optional: ["mdx/src/tag.rs"],
  files: {
    "queries/theme/src/components/marginal.rs": {
      named: "theme/src/components/NAME.rs",
      text: `//! Marginals: what a reader may skip.

use maud::{Markup, PreEscaped, html};

/// A marginal.
#[derive(Clone, Debug, Default)]
pub struct Marginal {
    /// Its title.
    pub title: Option<String>,
}

/// Draws a marginal around its text.
pub fn marginal(view: &Marginal, children: PreEscaped<&str>) -> Markup {
    html! {
        aside.marginal {
            @if let Some(title) = &view.title { p.marginal-title { (title) } }
            (children)
        }
    }
}
`,
    },
    "queries/theme/src/components.rs": {
      named: "theme/src/components.rs",
      after: "pub mod accordion;",
      text: "pub mod marginal;",
    },
    "queries/theme/src/element.rs": {
      named: "theme/src/element.rs",
      after: '        "Tile" => single::draw_tile(writer, element),',
      text: '        "Marginal" => single::draw_marginal(writer, element),',
    },
    "queries/theme/src/element/single.rs": {
      named: "theme/src/element/",
      after: "use crate::components::accordion::{Accordion, accordion};",
      text: `use crate::components::marginal::{Marginal, marginal};

/// Draws \`<Marginal>\`.
pub(super) fn draw_marginal<'a>(writer: &mut Writer<'a>, element: &Instance<'a>) -> Markup {
    let view = Marginal {
        title: element.text("title"),
    };
    marginal(&view, slot(&children(writer, element)))
}
`,
    },
    "queries/theme/css/components.css": {
      named: "theme/css/",
      text: "\n.marginal { padding-inline-start: 1rem; border-inline-start: 2px solid var(--line); }\n",
      after: null,
    },
    "fixtures/a-marginal-has-a-title/site/docs.json": {
      named: "fixtures/",
      text: '{"theme": "mint", "name": "Case", "colors": {"primary": "#00aa77"}, "navigation": {"pages": ["index"]}}\n',
    },
    "fixtures/a-marginal-has-a-title/site/index.mdx": {
      named: "fixtures/",
      text: '---\ntitle: Home\n---\n\n<Marginal title="By the way">\n  What it **holds**.\n</Marginal>\n',
    },
    "fixtures/a-marginal-has-a-title/expected/pages/index.html": {
      named: "fixtures/",
      text: `<article class="article">
  <header class="article-header" id="header">
    <div class="article-title">
      <h1 id="page-title">
        Home
      </h1>
      <page-menu/>
    </div>
  </header>
  <div class="prose mdx-content" id="content">
    <aside class="marginal">
      <p class="marginal-title">
        By the way
      </p>
      <p>
        What it <strong>holds</strong>.
      </p>
    </aside>
  </div>
</article>
`,
    },
    "fixtures/museum/components.mdx": {
      named: "fixtures/museum/",
      text: '\n<Marginal title="By the way">\n  The museum closes early on Mondays.\n</Marginal>\n',
      after: null,
    },
  },
  commands: [["test", "--workspace", "--test", "queries", "--", "cases", "gallery"]],
};

const operation = {
  readme: "tests/README.md",
  recipe: "An operation of a site:",
  optional: ["src/http/src/router.rs", "previews.rs"],
  files: {
    "src/http/src/about.rs": {
      named: "src/http/src/NAME.rs",
      text: `//! What a site is called. \`/api/sites/<id>/about\`

use hyper::{Response, StatusCode};

use super::api::Call;
use super::reply::{Body, Refusal, json};

/// Names the site.
pub(super) async fn show(call: Call<'_>) -> Result<Response<Body>, Refusal> {
    let about = serde_json::json!({ "id": call.slot.id });
    Ok(json(StatusCode::OK, &about))
}
`,
    },
    "src/http/src/lib.rs": { named: "src/http/src/lib.rs", after: "mod access;", text: "mod about;" },
    "src/http/src/api.rs": {
      named: "src/http/src/api.rs",
      after: "static OPERATIONS: &[Operation] = &[",
      text: `    Operation {
        methods: &[Method::GET, Method::HEAD],
        path: &[Is("about")],
        access: Access::Anyone,
        rate: None,
        max_body: 0,
        on_preview: Answers,
        handler: |call| Box::pin(super::about::show(call)),
    },`,
    },
    "src/http/src/openapi.json": {
      named: "src/http/src/openapi.json",
      after: ' "paths": {',
      text: `  "/api/sites/{id}/about": {
   "parameters": [{ "$ref": "#/components/parameters/SiteId" }],
   "get": {
    "operationId": "about",
    "tags": ["Search"],
    "summary": "Name a site",
    "responses": {
     "200": {
      "description": "The name of the site.",
      "content": {
       "application/json": {
        "schema": {
         "type": "object",
         "required": ["id"],
         "properties": { "id": { "type": "string" } }
        }
       }
      }
     },
     "400": { "$ref": "#/components/responses/BadRequest" },
     "404": { "$ref": "#/components/responses/NotFound" },
     "405": { "$ref": "#/components/responses/MethodNotAllowed" },
     "421": { "$ref": "#/components/responses/MisdirectedRequest" },
     "431": { "$ref": "#/components/responses/HeadersTooLarge" },
     "503": { "$ref": "#/components/responses/ServiceUnavailable" }
    }
   }
  },`,
    },
    "tests/shell/http_about.rs": {
      named: "tests/shell/http_NAME.rs",
      text: `//! What a site is called.

use quire_settings::SiteSettings;

use crate::support::daemon::{Daemon, settings};
use crate::support::folder::Folder;

#[test]
fn a_site_is_named() {
    let (site, state) = (Folder::new(&[("docs.json", "{}")]), Folder::new(&[]));
    let sites = [("tea", SiteSettings::of_folder(site.path()))];
    let daemon = Daemon::start(settings(state.path(), &sites));
    let status = |method, path| daemon.send(method, "tea.localhost", path, &[], "").status;
    let reply = daemon.send("GET", "tea.localhost", "/api/sites/tea/about", &[], "");
    assert_eq!((reply.status, reply.text().trim()), (200, r#"{"id":"tea"}"#));
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    assert_eq!(status("POST", "/api/sites/tea/about"), 405);
    assert_eq!(status("GET", "/api/sites/coffee/about"), 404);
}
`,
    },
    "tests/shell/main.rs": { named: "main.rs", after: "mod host;", text: "mod http_about;" },
  },
  commands: [
    ["test", "--workspace", "--lib", "--", "description", "router", "api"],
    [UPDATE, "--workspace", "--test", "shell", "--", "manual"],
    ["test", "--workspace", "--test", "shell", "--", "http_", "traversal", "previews"],
  ],
};

/// The paragraph that begins with `start` in the file at `path`.
function paragraph(path, start) {
  const text = readFileSync(join(root, path), "utf8");
  const at = text.indexOf(start);
  assert.notEqual(at, -1, `${path} has no recipe "${start}"`);
  return text.slice(at).split("\n\n")[0];
}

/// The files that a paragraph names in backticks.
function files(text) {
  const quoted = [...text.matchAll(/`([^`\s]+)`/g)].map((match) => match[1]);
  return quoted.filter((name) => /\/|\.(rs|mdx|css)$/.test(name));
}

function add({ files }) {
  for (const [path, { after, text }] of Object.entries(files)) {
    const file = join(copy, path);
    mkdirSync(dirname(file), { recursive: true });
    if (after === undefined) {
      writeFileSync(file, text);
      continue;
    }
    const before = readFileSync(file, "utf8");
    if (after === null) {
      writeFileSync(file, before + text);
      continue;
    }
    const at = before.indexOf(`${after}\n`);
    assert.notEqual(at, -1, `${path} has no line "${after}"`);
    const end = at + after.length + 1;
    writeFileSync(file, `${before.slice(0, end)}${text}\n${before.slice(end)}`);
  }
}

/// Every command is for the whole workspace: dependencies have the features then that they were compiled with already.
function cargo(parts) {
  const [name, ...rest] = parts;
  const update = name === UPDATE ? { UPDATE_EXPECT: "1" } : {};
  const env = { ...process.env, ...update, CARGO_TARGET_DIR: join(root, "target") };
  return execFileSync("cargo", [name === UPDATE ? "test" : name, "--offline", ...rest], {
    cwd: copy,
    env,
    encoding: "utf8",
  });
}

rmSync(copy, { recursive: true, force: true });
const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
for (const path of listed.toString().split("\0").filter(Boolean)) {
  const to = join(copy, path);
  mkdirSync(dirname(to), { recursive: true });
  try {
    copyFileSync(join(root, path), to);
  } catch (error) {
    // Deleted, and not committed yet.
    if (error.code !== "ENOENT") throw error;
  }
  if (path.endsWith("Cargo.toml")) {
    // The copy shares the target folder, for the dependencies. Cargo knows packages of a workspace by their names,
    // versions and places in it: with those of the project, its builds would be taken for the project's.
    const text = readFileSync(to, "utf8");
    writeFileSync(to, text.replaceAll(`version = "${OWN_VERSION}"`, 'version = "0.0.0-copy"'));
  }
}

for (const [name, addition] of Object.entries({ component, operation })) {
  test(`the recipe of ${addition.readme} for a new ${name} names its files, and they are enough`, () => {
    const recipe = paragraph(addition.readme, addition.recipe);
    const needed = new Set(Object.values(addition.files).map((file) => file.named));
    const missing = [...needed].filter((named) => !recipe.includes(`\`${named}`));
    assert.deepEqual(missing, [], "files that the recipe forgets");
    const idle = files(recipe).filter(
      (file) => !addition.optional.includes(file) && ![...needed].some((named) => file.startsWith(named)),
    );
    assert.deepEqual(idle, [], "files that nobody needed to touch");
    add(addition);
    for (const command of addition.commands) {
      assert.match(cargo(command), /test result: ok\. [1-9]/);
    }
  });
}
