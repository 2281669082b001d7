// Bundles the program and the library: `node scripts/bundle.mjs OUT TYPES`. Both are CommonJS, since a small command spends most of
// its time on loading and Node loads that sooner, and share their files; of the types of all files in TYPES the library's are rolled up
// into one. Names stay readable in stack traces, source maps without the sources lie beside, and the licences of what is bundled in
// licenses.txt.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { finishedRows } from './finished-rows.mjs';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
// Large, and asked for by trackers and the watcher alone: they stay packages of their own, as package.json says. So do
// those that only a person who wants them installs.
const { dependencies, peerDependencies } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const OWN_PACKAGES = Object.keys({ ...dependencies, ...peerDependencies });
// What lies together in one file, with all it imports; the first that fits has it. Opening a file costs more than
// reading some kilobytes too many. What only one command needs lies with that command.
const CHUNKS = [
  // What parses inputs; no small command parses any.
  { name: 'zod', test: /node_modules\/zod\// },
  // What the program of a turn needs, and every other command as well.
  {
    name: 'words',
    test: /src\/(cli\/(main|parse-command|invocation\/changes|declared-.*|views\/views|lines\/display-text|turn\/.*)|remote\/(?!http-|worker-).*|core\/document\/suggest|operations\/table)\.ts$/,
  },
  // What operations declare in common; each of them lies in a file of its own.
  {
    name: 'declared',
    test: /src\/(operations\/(operation|index)|tasks\/(shapes\/.*|task-room)|core\/shapes)\.ts$/,
  },
  // What reads YAML and JSON that is more than plain lines; loaded late (see LATE).
  { name: 'yaml', test: /node_modules\/(yaml|jsonc-parser)\// },
  // The tables of a ledger that every command uses which opens a room.
  {
    name: 'tables',
    test: /src\/store\/ledger\/(meta|table|(tasks|turns|mirrors|writes)\/(?!conflicts|dispatched|sync-days).*)\.ts$/,
  },
  // The tables of a ledger, for making one or bringing an old one up to date; loaded late (see LATE).
  { name: 'schema', test: /src\/store\/ledger\/schema\.ts$/ },
  // What every command needs that opens a room.
  { name: 'room', test: /src\/(app\/(open-room|caller-turn)|bin\/bin-rooms)\.ts$/ },
  // What reads the list, and tells why a task is not run.
  { name: 'list', test: /src\/tasks\/views\/(list|why-not)\.ts$/ },
  // The words of a command and what it prints.
  {
    name: 'terminal',
    // Not what few commands print, nor the live log.
    test: /src\/cli\/lines\/(?!agent-|chore-|event-|progress)/,
  },
  // Reading a task's text, and changing it.
  { name: 'text', test: /src\/(core\/(document|markdown)|tasks\/observe)\/(?!cancel-subtasks)/ },
  // The parts of a task, and how tasks hang together, are changed by few commands.
  {
    name: 'change',
    test: /src\/(store\/write|tasks\/(change\/(?!file-text|questions|create-task|remove-task)|lookup\/(?!one-line))|core\/merge)/,
  },
  { name: 'parts', test: /src\/tasks\/change\/(?!file-text)/ },
  // Without what is made of zod at once, which only those need who read room.yaml.
  { name: 'settings', test: /src\/core\/config\/(?!room-config)/ },
  // What a turn is told, which a view of its context needs without the runners.
  { name: 'context', test: /src\/core\/context\// },
  // Without what a turn of the runners acp and model loads itself.
  {
    name: 'process',
    test: /src\/agents\/(?!(acp|model)\/(?!(acp|model|programs|output-reader|packages|key-variable)\.ts))|node_modules\/execa\//,
  },
].map((group, at, { length }) => ({ ...group, priority: length - at }));

// A module that one place loads late and another at once is no mistake.
const EXPECTED_LOGS = ['INEFFECTIVE_DYNAMIC_IMPORT'];

/** Writes the bundle; returns the source files that went into it. */
async function bundle(input) {
  const build = await rolldown({
    input,
    plugins: [finishedRows],
    external: (id) =>
      id.startsWith('node:') || OWN_PACKAGES.some((name) => id === name || id.startsWith(`${name}/`)),
    platform: 'node',
    resolve: {
      // A package's ES modules where it has them: what is left of it unused goes.
      mainFields: ['module', 'main'],
    },
    cwd: ROOT,
    onLog: (level, log, print) => EXPECTED_LOGS.includes(log.code) || print(level, log),
  });
  try {
    const written = await build.write({
      ...{ dir: out, format: 'cjs', sourcemap: true, sourcemapExcludeSources: true },
      ...{ entryFileNames: '[name].cjs', chunkFileNames: 'program/[name].cjs' },
      codeSplitting: { groups: CHUNKS },
    });
    const chunks = written.output.filter(({ type }) => type === 'chunk');
    for (const { fileName } of chunks) loadLate(path.join(out, fileName));
    return chunks.flatMap(({ moduleIds }) => moduleIds);
  } finally {
    await build.close();
  }
}

// What takes a good part of a small command's start, and most commands never call: two parts of Node, the parsers, and the
// steps that a ledger took to be what it is.
const LATE = [
  /^let (node_(?:crypto|child_process)) = (require\("node:\w+"\));$/gm,
  /^const (require_(?:yaml|schema|zod)) = (require\("\.\/(?:yaml|schema|zod)\.cjs"\));$/gm,
  /^var (import_\w+) = (?:\/\* @__PURE__ \*\/ )?(.*require_yaml\.require_\w+\(\).*);$/gm,
];

/** Makes a chunk load these when something of them is first asked for; no line moves, so that the source map holds. */
function loadLate(file) {
  const code = readFileSync(file, 'utf8');
  const late = LATE.reduce(
    (text, line) =>
      text.replace(line, 'let $1 = new Proxy({}, { get: (late, name) => (late.it ??= $2)[name] });'),
    code,
  );
  if (late !== code) writeFileSync(file, late);
}

/** `…/node_modules/yaml` of a file in it; null for our own. */
function packageOf(file) {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(file)?.[0] ?? null;
}

function licenceOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? `Licence: ${license}` : readFileSync(path.join(folder, file), 'utf8').trim();
  return `${name} ${version}\n\n${text}\n`;
}

/** A tree may have no board. */
async function board() {
  if (!existsSync(path.join(ROOT, 'src', 'web'))) return [];
  return (await import('./bundle-board.mjs')).bundleBoard(ROOT, out);
}

/** The types of zod's messages in other languages are CommonJS, which can't be rolled up; nothing here names them. */
const withoutLanguages = {
  name: 'without-languages',
  resolveId: {
    order: 'pre',
    handler: (id) => (id.endsWith('/locales/index.cjs') ? `${types}/no-languages.d.ts` : null),
  },
  load: (id) => (id.endsWith('no-languages.d.ts') ? 'export declare const none: undefined;' : null),
};
const nothing = () => {};
const SILENT = { info: nothing, warn: nothing, error: nothing, debug: nothing };

/** The types of the library, with those of what is bundled, in one file. */
async function rollUpTypes(folder) {
  const build = await rolldown({
    input: path.join(folder, 'index.d.ts'),
    plugins: [withoutLanguages, dts({ dtsInput: true, emitDtsOnly: true, logger: SILENT })],
    external: (id) => !/^([./]|zod($|\/))/.test(id),
    cwd: ROOT,
    onLog: nothing,
  });
  const { output } = await build.generate({ format: 'esm' });
  await build.close();
  writeFileSync(path.join(out, 'index.d.ts'), output.find(({ fileName }) => fileName === 'index.d.ts').code);
}

const [out, types] = process.argv.slice(2);
const modules = [
  ...(await bundle({
    'bin/bin': 'src/bin/bin.ts',
    // The `taskroom` of a turn (app/start-loop.ts names it by its path).
    'bin/bin-turn': 'src/bin/bin-turn.ts',
    'program/run-example': 'src/bin/bin-example.ts',
    'program/library': 'src/index.ts',
    // Loaded by its path beside the other chunks (store/files/settings.ts).
    'program/config-files': 'src/store/files/config-files.ts',
  })),
  ...(await board()),
];
await rollUpTypes(types);
const packages = new Set(modules.map(packageOf).filter((folder) => folder !== null && existsSync(folder)));
const licences = [...packages].sort().map(licenceOf);
writeFileSync(path.join(out, 'licenses.txt'), licences.join(`\n${'-'.repeat(78)}\n\n`));
