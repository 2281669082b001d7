import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkArchitecture, type Violation } from './support/architecture.ts';

const ROOT = path.dirname(import.meta.dirname);

function readTree(...folders: string[]): Map<string, string> {
  const sources = new Map<string, string>();
  for (const folder of folders) {
    for (const entry of readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })) {
      const full = path.join(entry.parentPath, entry.name);
      const name = path.relative(ROOT, full).split(path.sep).join('/');
      if (entry.isFile() && /\.(ts|tsx|mjs|js|sh)$/.test(name)) sources.set(name, readFileSync(full, 'utf8'));
    }
  }
  return sources;
}

/** What the checker says of a small tree; the files that imports point at are made up when they are missing. */
function plant(files: Record<string, string>): Pick<Violation, 'rule' | 'file'>[] {
  return checkArchitecture(new Map(Object.entries(files))).map(({ rule, file }) => ({ rule, file }));
}

const EMPTY = 'export const nothing = 0;\n';

test('the tree keeps the layer table and the other rules of the layout', () => {
  const sources = readTree('src', 'test', 'scripts');
  expect([...sources.keys()].filter((file) => file.startsWith('src/core/')).length).toBeGreaterThan(5);
  const found = checkArchitecture(sources).map(({ rule, file, message }) => `${rule}: ${file}: ${message}`);
  expect(found).toEqual([]);
});

describe('an import against the layer table is found', () => {
  test.each([
    ['core imports store', 'src/core/a.ts', 'src/store/b.ts'],
    ['core imports effects', 'src/core/a.ts', 'src/effects.ts'],
    ['effects import store', 'src/effects.ts', 'src/store/b.ts'],
    ['store imports the real effects', 'src/store/a.ts', 'src/node.ts'],
    ['store imports agents', 'src/store/a.ts', 'src/agents/runner.ts'],
    ['agents import store', 'src/agents/a.ts', 'src/store/b.ts'],
    ['providers import sync', 'src/providers/a.ts', 'src/sync/plan.ts'],
    ['a provider imports another', 'src/providers/github/a.ts', 'src/providers/linear/b.ts'],
    ['sync imports a provider', 'src/sync/a.ts', 'src/providers/github/b.ts'],
    ['chores import pulse', 'src/chores/a.ts', 'src/pulse/b.ts'],
    ['tasks import pulse', 'src/tasks/a.ts', 'src/pulse/b.ts'],
    ['tasks import sync', 'src/tasks/a.ts', 'src/sync/b.ts'],
    ['pulse imports a runner', 'src/pulse/a.ts', 'src/agents/command/command.ts'],
    ['pulse imports the app', 'src/pulse/a.ts', 'src/app/open-room.ts'],
    ['the app imports a face', 'src/app/open-room.ts', 'src/cli/main.ts'],
    ['faces import store', 'src/cli/a.ts', 'src/store/b.ts'],
    ['faces import each other', 'src/cli/a.ts', 'src/server/b.ts'],
    ['the board imports the tasks', 'src/web/a.ts', 'src/tasks/b.ts'],
    ['the board imports effects', 'src/web/views/a.tsx', 'src/effects.ts'],
    ['shapes import a face', 'src/server/shapes/a.ts', 'src/cli/b.ts'],
    ['src imports test', 'src/core/a.ts', 'test/support/b.ts'],
    ['a folder the table does not know', 'src/extras/a.ts', 'src/core/b.ts'],
  ])('%s', (_what, from, to) => {
    const specifier = path.posix.relative(path.posix.dirname(from), to);
    const dotted = specifier.startsWith('.') ? specifier : `./${specifier}`;
    const found = plant({ [from]: `import { nothing } from '${dotted}';\nvoid nothing;\n`, [to]: EMPTY });
    expect(found).toEqual([{ rule: 'layer', file: from }]);
  });

  test.each([
    ['a type', `import type { A } from '../store/b.ts';`],
    ['a type among values', `import { type A } from '../store/b.ts';`],
    ['a side effect', `import '../store/b.ts';`],
    ['a re-export', `export * from '../store/b.ts';`],
    ['a re-exported type', `export type { A } from '../store/b.ts';`],
    ['a dynamic import', `export const b = () => import('../store/b.ts');`],
    ['a dynamic import with backquotes', 'export const b = () => import(`../store/b.ts`);'],
    ['an import in a type', `export type B = import('../store/b.ts').A;`],
    ['a typeof import', `export type B = typeof import('../store/b.ts');`],
    ['an import over several lines', `import {\n  A, // from 'x'\n} from\n '../store/b.ts';\nvoid A;`],
  ])('in the form of %s', (_form, text) => {
    const found = plant({ 'src/core/a.ts': text, 'src/store/b.ts': EMPTY });
    expect(found).toEqual([{ rule: 'layer', file: 'src/core/a.ts' }]);
  });
});

test('what the table allows is not found', () => {
  const allowed: [string, string][] = [
    ['src/store/ledger/a.ts', 'src/store/b.ts'],
    ['src/sync/a.ts', 'src/providers/provider.ts'],
    ['src/providers/registry.ts', 'src/providers/github/b.ts'],
    ['src/providers/github/a.ts', 'src/providers/provider.ts'],
    ['src/pulse/a.ts', 'src/agents/runner.ts'],
    ['src/app/open-room.ts', 'src/agents/command/command.ts'],
    ['src/cli/a.ts', 'src/node.ts'],
    ['src/cli/a.ts', 'src/app/open-room.ts'],
    ['src/cli/a.ts', 'src/server/shapes/b.ts'],
    ['src/bin/bin.ts', 'src/server/b.ts'],
    ['test/support/a.ts', 'src/store/b.ts'],
  ];
  for (const [from, to] of allowed) {
    const specifier = path.posix.relative(path.posix.dirname(from), to);
    const dotted = specifier.startsWith('.') ? specifier : `./${specifier}`;
    expect(plant({ [from]: `import '${dotted}';\n`, [to]: EMPTY }), `${from} → ${to}`).toEqual([]);
  }
  const text = `// import '../store/b.ts'; setTimeout(Date.now)\nexport const a = "import '../store/b.ts'";\n`;
  expect(plant({ 'src/core/a.ts': text })).toEqual([]);
  const script = `await import('../dist/program/a.cjs');\n`;
  expect(plant({ 'scripts/a.mjs': script, 'src/cli/a.ts': EMPTY })).toEqual([]);
  expect(plant({ 'scripts/a.mjs': script })).toEqual([{ rule: 'import-path', file: 'scripts/a.mjs' }]);
});

describe('a package core must not have is found', () => {
  test.each([
    ['node:fs', `import { readFileSync } from 'node:fs';`],
    ['fs by its old name', `import fs from 'fs';`],
    ['execa', `import { execa } from 'execa';`],
    ['a name that begins like an allowed one', `import { x } from 'yaml-eslint';`],
    ['the randomness of node:crypto', `import { createHash, generatePrimeSync } from 'node:crypto';`],
    ['all of node:crypto', `import * as crypto from 'node:crypto';`],
    ['the randomness of nanoid', `import { customRandom, nanoid } from 'nanoid';`],
    ['the type of one', `import type { Stats } from 'node:fs';`],
  ])('%s', (_what, text) => {
    expect(plant({ 'src/core/a.ts': text })).toEqual([{ rule: 'package', file: 'src/core/a.ts' }]);
    expect(plant({ 'src/cli/a.ts': text })).toEqual([]);
  });

  test('and the ones it may have are not', () => {
    const text = `import { createHash } from 'node:crypto';\nimport { parse } from 'yaml';\nimport 'zod/v4';\n`;
    expect(plant({ 'src/core/a.ts': text })).toEqual([]);
  });
});

describe('what comes from outside Effects is found', () => {
  const uses = [
    ...['process.env.HOME', "process['env']", 'Date.now()', 'new Date()', 'Date()', 'Math.random()'],
    ...['performance.now()', 'setTimeout(() => {}, 1)', 'globalThis.setTimeout'],
    ...['setInterval(() => {}, 1)', 'crypto.randomUUID()', "fetch('http://localhost')"],
    ...['process.hrtime()', 'Reflect.ownKeys(process)'],
  ];
  const layers = ['core', 'store', 'sync', 'chores', 'tasks', 'pulse', 'agents', 'providers'];
  test.each(uses)('%s', (use) => {
    for (const layer of layers) {
      const file = `src/${layer}/a.ts`;
      expect(plant({ [file]: `export const a = () => ${use};\n` })).toEqual([{ rule: 'ambient', file }]);
    }
    for (const file of ['src/node.ts', 'src/cli/a.ts', 'test/a.test.ts'])
      expect(plant({ [file]: `export const a = () => ${use};\n` })).toEqual([]);
  });

  test('through a module', () => {
    for (const name of ['node:timers/promises', 'node:process']) {
      const found = plant({ 'src/pulse/a.ts': `import { b } from '${name}';\nvoid b;\n` });
      expect(found).toEqual([{ rule: 'package', file: 'src/pulse/a.ts' }]);
    }
    const random = plant({
      'src/store/a.ts': `import { randomUUID } from 'node:crypto';\nvoid randomUUID;\n`,
    });
    expect(random).toEqual([{ rule: 'ambient', file: 'src/store/a.ts' }]);
  });

  test('but processes, platforms and giving way are open to layers that touch the machine', () => {
    for (const use of ['process.kill(1, 0)', 'process.platform', 'setImmediate(() => {})']) {
      const text = `export const a = () => ${use};\n`;
      expect(plant({ 'src/agents/a.ts': text })).toEqual([]);
      expect(plant({ 'src/core/a.ts': text })).toEqual([{ rule: 'ambient', file: 'src/core/a.ts' }]);
    }
    expect(plant({ 'src/store/a.ts': 'export const at = (ms: number) => new Date(ms);\n' })).toEqual([]);
  });
});

describe('rooms inside a folder', () => {
  const imports = (path: string) => `import { nothing } from '${path}';\nexport const b = nothing;\n`;

  test('that import each other are found, with both ways', () => {
    const sources = new Map([
      ['src/core/task/a.ts', imports('../merge/a.ts')],
      ['src/core/merge/a.ts', EMPTY],
      ['src/core/merge/b.ts', imports('../task/b.ts')],
      ['src/core/task/b.ts', EMPTY],
    ]);
    expect(checkArchitecture(sources)).toEqual([
      {
        rule: 'room',
        file: 'src/core/merge/b.ts',
        message:
          'the rooms merge and task of src/core import each other: src/core/merge/b.ts → src/core/task/b.ts, src/core/task/a.ts → src/core/merge/a.ts',
      },
    ]);
    sources.set('src/core/merge/b.ts', EMPTY);
    expect(checkArchitecture(sources)).toEqual([]);
  });

  test('a loose file that is their door and their floor is found', () => {
    const door = { 'src/sync/a.ts': imports('./plan/a.ts'), 'src/sync/plan/a.ts': EMPTY };
    const floor = { 'src/sync/file/a.ts': imports('../a.ts') };
    expect(plant(door)).toEqual([]);
    expect(plant({ ...floor, 'src/sync/a.ts': EMPTY })).toEqual([]);
    expect(plant({ ...door, ...floor })).toEqual([{ rule: 'room', file: 'src/sync/a.ts' }]);
  });
});

describe('the rest of the layout', () => {
  test('a cycle is found once, with its way', () => {
    const sources = new Map([
      ['src/core/a.ts', `import type { B } from './b.ts';\nexport type A = B;\n`],
      ['src/core/b.ts', `export * from './c.ts';\n`],
      ['src/core/c.ts', `import './a.ts';\n`],
      ['src/core/d.ts', `import './a.ts';\n`],
    ]);
    const message = 'src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts';
    expect(checkArchitecture(sources)).toEqual([{ rule: 'cycle', file: 'src/core/a.ts', message }]);
  });

  test('a file above 300 lines is found, wherever it is', () => {
    for (const file of ['src/core/a.ts', 'test/a.test.ts', 'scripts/a.mjs']) {
      expect(plant({ [file]: '//\n'.repeat(301) })).toEqual([{ rule: 'size', file }]);
      expect(plant({ [file]: '//\n'.repeat(300) })).toEqual([]);
    }
  });

  test('a function above 60 lines of src is found, closure factories too', () => {
    const file = 'src/core/a.ts';
    const inside = (lines: number) => '  void 0;\n'.repeat(lines - 2);
    const forms: ((lines: number) => string)[] = [
      (lines) => `export function build() {\n${inside(lines)}}\n`,
      (lines) => `export const build = () => {\n${inside(lines)}};\n`,
      (lines) => `export const room = { build() {\n${inside(lines)}} };\n`,
      (lines) => `export class Room { build() {\n${inside(lines)}} }\n`,
    ];
    for (const form of forms) {
      const message = 'build (line 1) has 61 lines, 60 at most';
      const sources = new Map([[file, form(61)]]);
      expect(checkArchitecture(sources)).toEqual([{ rule: 'function-size', file, message }]);
      expect(plant({ [file]: form(60), 'test/a.ts': form(61) })).toEqual([]);
    }
  });

  test.each(['util', 'utils', 'helper', 'helpers', 'common', 'types', 'lib', 'misc', 'manager'])(
    'a file or folder named %s',
    (word) => {
      for (const file of [
        `src/core/${word}.ts`,
        `src/${word}.ts`,
        `test/${word}/a.ts`,
        `test/${word}.test.ts`,
      ])
        expect(plant({ [file]: EMPTY })).toEqual([{ rule: 'name', file }]);
    },
  );

  test('a default export is found', () => {
    for (const text of ['export default 1;', 'const a = 1;\nexport { a as default };']) {
      expect(plant({ 'src/core/a.ts': text })).toEqual([{ rule: 'default-export', file: 'src/core/a.ts' }]);
      expect(plant({ 'test/a.ts': text })).toEqual([]);
    }
  });

  test('an import that no check could follow is found', () => {
    const computed = plant({ 'src/core/a.ts': 'export const a = (name: string) => import(name);' });
    expect(computed).toEqual([{ rule: 'import-path', file: 'src/core/a.ts' }]);
    const loader = { 'src/providers/registry.ts': 'export const a = (name: string) => import(name);' };
    expect(plant(loader)).toEqual([]);
    const wrong = plant({ 'src/core/a.ts': `import './b.js';`, 'src/core/b.ts': EMPTY });
    expect(wrong).toEqual([{ rule: 'import-path', file: 'src/core/a.ts' }]);
  });

  test('index.ts that does more than re-export is found', () => {
    const file = 'src/index.ts';
    expect(plant({ [file]: 'export const version = 1;' })).toEqual([{ rule: 'reexport', file }]);
    expect(plant({ [file]: `export { nothing } from './core/a.ts';`, 'src/core/a.ts': EMPTY })).toEqual([]);
  });
});
