// Writes the packages of npm: one with the command, and one for each platform with its program.
//
//   node src/packaging/npm/assemble.mjs VERSION BINARIES OUT
//
// BINARIES holds `linux-x64/quire` and so on, as `platforms` names them; those that are missing are left out. OUT gets
// a folder for each package. Publish those of platforms first: the command names them by their exact version.
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const scope = "@quire-docs";

/** What npm compares with the system: `os`, `cpu`, and the C library of Linux. */
const platforms = {
  "linux-x64": { os: ["linux"], cpu: ["x64"], libc: ["glibc"] },
  "linux-arm64": { os: ["linux"], cpu: ["arm64"], libc: ["glibc"] },
  "linux-x64-musl": { os: ["linux"], cpu: ["x64"], libc: ["musl"] },
  "linux-arm64-musl": { os: ["linux"], cpu: ["arm64"], libc: ["musl"] },
  "darwin-x64": { os: ["darwin"], cpu: ["x64"] },
  "darwin-arm64": { os: ["darwin"], cpu: ["arm64"] },
};

const here = dirname(fileURLToPath(import.meta.url));
const repository = join(here, "../../..");
const licenses = ["LICENSE-APACHE", "LICENSE-MIT"];

/** Fields of every package. */
const common = (name, version, description) => ({
  name: `${scope}/${name}`,
  version,
  description,
  license: "Apache-2.0 OR MIT",
  repository: { type: "git", url: "git+https://github.com/quire-docs/quire.git" },
  publishConfig: { access: "public" },
});

/** Makes the folder of a package with its manifest and the licenses. */
function begin(folder, manifest) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  for (const license of licenses) cpSync(join(repository, license), join(folder, license));
}

function assemble(version, binaries, out) {
  const found = Object.keys(platforms).filter((name) => existsSync(join(binaries, name, "quire")));
  if (!found.length) throw new Error(`${binaries}: no folder of a platform: ${Object.keys(platforms).join(", ")}`);
  for (const name of found) {
    const folder = join(out, name);
    const manifest = common(name, version, `The program of ${scope}/cli for ${name}`);
    // Yarn keeps packages zipped, from where nothing can be run.
    begin(folder, { ...manifest, ...platforms[name], preferUnplugged: true, files: ["quire", ...licenses] });
    writeFileSync(
      join(folder, "README.md"),
      `# Quire for ${name}\n\nInstall \`${scope}/cli\`, which needs this package.\n`,
    );
    cpSync(join(binaries, name, "quire"), join(folder, "quire"));
    chmodSync(join(folder, "quire"), 0o755);
  }
  const description = "Documentation sites from MDX pages, docs.json and OpenAPI documents: preview, build, check";
  const folder = join(out, "cli");
  begin(folder, {
    ...common("cli", version, description),
    keywords: ["documentation", "mdx", "openapi", "asyncapi", "static-site"],
    type: "module",
    engines: { node: ">=18" },
    bin: { quire: "bin/quire.mjs" },
    files: ["bin", ...licenses],
    optionalDependencies: Object.fromEntries(found.map((name) => [`${scope}/${name}`, version])),
  });
  cpSync(join(here, "cli"), folder, { recursive: true });
  return [...found, "cli"];
}

const [version, binaries, out] = process.argv.slice(2);
if (!out || !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
  console.error("usage: node assemble.mjs VERSION BINARIES OUT");
  process.exitCode = 2;
} else {
  for (const name of assemble(version, binaries, out)) console.log(join(out, name));
}
