#!/usr/bin/env node
// Runs the program of this platform, which is a package of its own: arguments, standard streams, signals and exit code
// are those of the program.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const own = require("../package.json");

/** Name of the platform as packages have it, such as `linux-x64` or `linux-arm64-musl`. */
function platform() {
  const { glibcVersionRuntime } = process.report?.getReport().header ?? {};
  const libc = process.platform === "linux" && !glibcVersionRuntime ? "-musl" : "";
  return `${process.platform}-${process.arch}${libc}`;
}

/** Path of the program, or `null` after it was said why there is none. */
function program(name) {
  const needed = `@quire-docs/${name}`;
  if (!(needed in own.optionalDependencies)) {
    const offered = Object.keys(own.optionalDependencies).map((known) => known.split("/")[1]);
    console.error(
      `quire: there is no program for ${name}, only for ${offered.join(", ")}.
On Windows, run Quire in WSL or as a container. On other systems: cargo install --locked --path .`,
    );
    return null;
  }
  try {
    return require.resolve(`${needed}/quire`);
  } catch {
    console.error(
      `quire: the package ${needed} is not installed.
It is an optional dependency of ${own.name}, which a package manager leaves out with --omit=optional or --no-optional,
and where node_modules was copied from another platform. Install again on this one:
  npm install --include=optional ${own.name}@${own.version}`,
    );
    return null;
  }
}

const path = program(platform());
if (path) {
  let child;
  const forward = (signal) => {
    // A terminal sends Ctrl-C to both, and a second one ends the program at once.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child?.kill(signal);
  };
  // Before the program starts: it may be ready, and be told to end, before this line would be reached.
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];
  for (const signal of signals) process.on(signal, forward);
  child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => {
    console.error(`quire: start ${path}: ${error.message}`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    for (const signal of signals) process.removeAllListeners(signal);
    if (signal) process.kill(process.pid, signal);
    process.exitCode = code ?? 1;
  });
} else {
  process.exitCode = 2;
}
