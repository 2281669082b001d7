// The layer table and the other rules of the layout, as one function over sources in memory: a test hands it the
// real tree, and plants.
import path from 'node:path';
import { findRoomFaults } from './rooms.ts';
import { type Facts, readFacts } from './source-facts.ts';

export interface Violation {
  rule:
    | 'layer'
    | 'package'
    | 'cycle'
    | 'room'
    | 'size'
    | 'function-size'
    | 'name'
    | 'default-export'
    | 'ambient'
    | 'import-path'
    | 'reexport';
  file: string;
  message: string;
}

const BELOW_APP = 'effects node core store providers agents sync chores tasks operations pulse remote'.split(
  ' ',
);
const BELOW_FACES = ['core', 'effects', 'node', 'remote', 'tasks', 'operations', 'app'];
/** What every face shows alike. */
const SHARED = 'server/shapes';
/** Who may import whom, besides their own kind. `layer/file` allows that file alone, `layer/folder` that folder. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  effects: ['core'],
  node: ['core', 'effects'],
  store: ['core', 'effects'],
  providers: ['core', 'effects'],
  agents: ['core', 'effects'],
  sync: ['core', 'effects', 'store', 'providers/provider.ts'],
  chores: ['core', 'effects', 'store'],
  tasks: ['core', 'effects', 'store'],
  operations: ['core', 'effects', 'store', 'chores', 'tasks'],
  pulse: ['core', 'effects', 'store', 'sync', 'chores', 'tasks', 'operations', 'agents/runner.ts'],
  remote: [
    ...['core', 'effects'],
    ...['client', 'operation', 'places', 'request'].map((each) => `operations/${each}.ts`),
  ],
  app: BELOW_APP,
  index: [...BELOW_APP, 'app'],
  // node.ts is the effects' one real implementation: who starts the process picks it up.
  server: BELOW_FACES,
  mcp: [...BELOW_FACES, SHARED],
  cli: [...BELOW_FACES, SHARED],
  // The two faces of the terminal put the same words on it.
  top: [...BELOW_FACES, SHARED, 'cli/lines', 'cli/paint.ts'],
  web: ['core', SHARED],
  // The programs' first steps alone hand one face to another.
  bin: [...BELOW_FACES, 'cli', 'server', 'mcp', 'top'],
};

const CORE_PACKAGES = ['yaml', 'jsonc-parser', 'zod', 'croner', 'rrule-temporal', 'node-diff3'];
/** What core may take of packages that also bring randomness: hashes, and the id maker that is handed its bytes. */
const CORE_TAKES: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash', 'hash', 'Hash', 'BinaryToTextEncoding'],
  nanoid: ['customRandom'],
};
/** Layers that take clock, timers, randomness and environment from Effects only. */
const EFFECTS_ONLY = ['core', 'store', 'sync', 'chores', 'tasks', 'pulse', 'agents', 'providers', 'effects'];
const AMBIENT_MODULES = ['node:timers', 'node:timers/promises', 'node:process'];
/** The one place that loads files nobody here knows: what a room names. */
const LOADS_ANYTHING = 'src/providers/registry.ts';
const MAX_LINES = 300;
/** Written by a script, and held to be current by a test. */
const GENERATED = ['src/operations/index.ts', 'src/operations/all.ts'];
/** Of a function in src, closure factories too: one that holds a whole room can't be read from its start to its end. */
const MAX_FUNCTION_LINES = 60;
const BANNED_NAMES = /^(utils?|helpers?|common|types|lib|misc|manager)$/;

/** `src/store/files/scan.ts` → `store`; `src/index.ts` → `index`; null outside src. */
function layerOf(file: string): string | null {
  const parts = file.split('/');
  if (parts[0] !== 'src' || parts[1] === undefined) return null;
  return parts.length === 2 ? parts[1].replace(/\.ts$/, '') : parts[1];
}

/** `cli` of `src/cli/main.ts`, `registry.ts` of `src/providers/registry.ts`. */
const partOf = (file: string) => file.split('/')[2] ?? '';

function isApart(from: string, to: string): boolean {
  const layer = layerOf(from);
  // Providers never import each other: a provider is its folder or its file, apart from the two shared contracts and the rules of all trackers.
  if (layer !== 'providers' || /^(provider|registry|tracker-(?:rules|requests))\.ts$/.test(partOf(to)))
    return false;
  return partOf(from) !== 'registry.ts' && partOf(from) !== partOf(to);
}

function checkLayer(from: string, to: string): string | null {
  const source = layerOf(from);
  const target = layerOf(to);
  if (source === null) return null;
  if (target === null) return `${from} is in src and imports ${to} outside it`;
  if (MAY_IMPORT[source] === undefined) return `${source} is not a layer of the table`;
  const isInPage = from.startsWith('src/web/') && !to.startsWith('src/web/');
  // What operations take and answer, and what the API does, are types alone; the build leaves the places and the summaries of them.
  const isTypes =
    /^src\/(operations\/(client|operation|places|request|summaries)|tasks\/shapes\/\w+)\.ts$/.test(to);
  if (isInPage && isTypes) return null;
  if (isInPage && !/^src\/(core|server\/shapes)\//.test(to))
    return `${from} runs in a browser and imports ${to}`;
  if (source === target) return isApart(from, to) ? `${from} imports its neighbour ${to}` : null;
  const allowed = MAY_IMPORT[source];
  const inside = to.slice('src/'.length);
  if (allowed.some((each) => each === target || each === inside || inside.startsWith(`${each}/`)))
    return null;
  return `${source} must not import ${target} (${to})`;
}

function checkPackage(file: string, name: string, names: readonly string[] | null): string | null {
  const layer = layerOf(file);
  if (layer !== null && layer !== 'node' && EFFECTS_ONLY.includes(layer) && AMBIENT_MODULES.includes(name))
    return `${name} brings clock, timers or environment past Effects`;
  if (layer !== 'core') return null;
  const takes = CORE_TAKES[name];
  if (takes !== undefined) {
    const other = names === null ? ['*'] : names.filter((each) => !takes.includes(each));
    return other.length === 0 ? null : `core takes only ${takes[0]} of ${name}, not ${other.join(', ')}`;
  }
  const isAllowed = CORE_PACKAGES.some((each) => name === each || name.startsWith(`${each}/`));
  return isAllowed ? null : `core must not import ${name}`;
}

/** Scripts run what was built: for them a bundled `dist/program/a.cjs` is the `a.ts` of src. */
function sourceOf(file: string, target: string, sources: ReadonlyMap<string, string>): string {
  const built = file.startsWith('scripts/') ? /^dist\/program\/([^/]+)\.cjs$/.exec(target) : null;
  if (built === null) return target;
  return (
    [...sources.keys()].find((each) => each.startsWith('src/') && each.endsWith(`/${built[1]}.ts`)) ?? target
  );
}

function* checkImports(
  file: string,
  facts: Facts,
  sources: ReadonlyMap<string, string>,
): Iterable<Violation> {
  for (const { specifier, names } of facts.imports) {
    if (specifier === null && file === LOADS_ANYTHING) continue;
    if (specifier === null) {
      yield { rule: 'import-path', file, message: 'an import whose path is computed escapes every check' };
    } else if (!specifier.startsWith('.')) {
      const message = checkPackage(file, specifier, names);
      if (message !== null) yield { rule: 'package', file, message };
    } else {
      const target = sourceOf(file, path.posix.join(path.posix.dirname(file), specifier), sources);
      if (!sources.has(target))
        yield { rule: 'import-path', file, message: `${specifier} is not a file of the tree` };
      const message = checkLayer(file, target);
      if (message !== null) yield { rule: 'layer', file, message };
    }
  }
}

function* checkNames(file: string): Iterable<Violation> {
  for (const part of file.split('/')) {
    // `lib.test.ts` and `.lib.mjs` are as empty a name as `lib.ts`.
    const bare = part.replace(/^\.+/, '').split('.')[0] ?? '';
    if (BANNED_NAMES.test(bare))
      yield { rule: 'name', file, message: `"${bare}" says nothing of what is inside` };
  }
}

function countLines(text: string): number {
  return text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}

function* checkFunctions(file: string, { functions }: Facts): Iterable<Violation> {
  if (layerOf(file) === null) return;
  for (const { name, line, lines } of functions) {
    const message = `${name} (line ${line}) has ${lines} lines, ${MAX_FUNCTION_LINES} at most`;
    if (lines > MAX_FUNCTION_LINES) yield { rule: 'function-size', file, message };
  }
}

function* checkFile(file: string, text: string, facts: Facts | null, sources: ReadonlyMap<string, string>) {
  yield* checkNames(file);
  const lines = countLines(text);
  if (lines > MAX_LINES && !GENERATED.includes(file))
    yield { rule: 'size', file, message: `${lines} lines, ${MAX_LINES} at most` } satisfies Violation;
  if (facts === null) return;
  yield* checkImports(file, facts, sources);
  yield* checkFunctions(file, facts);
  const layer = layerOf(file);
  if (layer !== null && facts.hasDefaultExport)
    yield { rule: 'default-export', file, message: 'exports are named' } satisfies Violation;
  if (layer === 'index' && !facts.onlyReexports) {
    yield {
      rule: 'reexport',
      file,
      message: 'the public API file re-exports and does nothing else',
    } satisfies Violation;
  }
  if (layer === null || !EFFECTS_ONLY.includes(layer)) return;
  for (const use of facts.ambient) {
    // Processes and platforms are the business of store and agents; of core nothing of the machine is.
    if (!use.isHarmlessOutsideCore || layer === 'core') {
      yield {
        rule: 'ambient',
        file,
        message: `${use.name} (line ${use.line}) comes from outside Effects`,
      } satisfies Violation;
    }
  }
}

/** Checks sources by path from the project's root, forward slashes: `src/…`, `test/…`, `scripts/…`. */
export function checkArchitecture(sources: ReadonlyMap<string, string>): Violation[] {
  const violations: Violation[] = [];
  const graph = new Map<string, string[]>();
  for (const [file, text] of sources) {
    const facts = /\.(ts|mjs|js|tsx)$/.test(file) ? readFacts(file, text) : null;
    violations.push(...checkFile(file, text, facts, sources));
    const targets = (facts?.imports ?? []).flatMap(({ specifier }) =>
      specifier?.startsWith('.') ? [path.posix.join(path.posix.dirname(file), specifier)] : [],
    );
    graph.set(file, targets);
  }
  // A list of all there is, written by a script, is neither a door nor a floor.
  const rooms = new Map([...graph].filter(([file]) => !GENERATED.includes(file)));
  for (const fault of findRoomFaults(rooms)) violations.push({ rule: 'room', ...fault });
  for (const cycle of findCycles(graph))
    violations.push({ rule: 'cycle', file: cycle[0]!, message: cycle.join(' → ') });
  return violations;
}

// Import cycles: every strongly connected group of a graph, each shown as one path back to its start.

function pathBack(graph: ReadonlyMap<string, readonly string[]>, start: string): string[] | null {
  const cameFrom = new Map<string, string | null>([[start, null]]);
  const queue = [start];
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    for (const next of graph.get(at) ?? []) {
      if (next === start) {
        const back = [start];
        for (let step: string | null = at; step !== null; step = cameFrom.get(step) ?? null)
          back.unshift(step);
        return back;
      }
      if (!cameFrom.has(next)) {
        cameFrom.set(next, at);
        queue.push(next);
      }
    }
  }
  return null;
}

/** The shortest cycle through each node that has one, those sharing a node with an earlier one left out. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const reported = new Set<string>();
  const cycles: string[][] = [];
  for (const start of [...graph.keys()].sort()) {
    if (reported.has(start)) continue;
    const cycle = pathBack(graph, start);
    if (cycle === null) continue;
    for (const each of cycle) reported.add(each);
    cycles.push(cycle);
  }
  return cycles;
}
