// Source files that pages and comments name are there: a file that moves takes its mentions along.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.dirname(import.meta.dirname);
const SOURCE = /\.(?:ts|mjs)$/;

function filesOf(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name.split(path.sep).join('/')}`,
    ),
  );
}

/** The comments of a source file; the whole of a page. */
function wordsOf(file: string, text: string): string {
  if (!SOURCE.test(file)) return text;
  return text
    .split('\n')
    .map((line) => /(?:^|\s)(?:\/\/|\/?\*).*$/.exec(line)?.[0] ?? '')
    .join('\n');
}

/** Source files a text names, by the end of their path, that are none of `known`. */
function missing(words: string, known: readonly string[]): string[] {
  // `./a.mjs` stands for a file of the reader's own.
  const named = [...words.matchAll(/(?<![\w./*-])[\w-]+(?:\/[\w.-]+)*\.(?:ts|mjs)\b/g)].map(([name]) => name);
  return named.filter((name) => !known.some((file) => file === name || file.endsWith(`/${name}`)));
}

// A path in the repository of the program that the preset runs.
const ELSEWHERE = ['packages/opencode/src/cli/cmd/run.ts'];

test('every source file that a page or a comment of src names is there', () => {
  const known = filesOf('src', 'test', 'scripts', 'bench').filter((file) => SOURCE.test(file));
  // A record of a decision tells of files as they were then.
  const pages = filesOf('docs').filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/'));
  const read = [...known.filter((file) => file.startsWith('src/')), ...pages, 'README.md', 'CONTRIBUTING.md'];
  const found = read.flatMap((file) => {
    const words = wordsOf(file, readFileSync(path.join(ROOT, file), 'utf8'));
    return missing(words, [...known, ...ELSEWHERE]).map((name) => `${file}: ${name}`);
  });
  expect(read.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});

test('a name that leads nowhere is found, in a comment alone', () => {
  const known = ['src/sync/plan/plan.ts'];
  const text =
    "import { a } from './gone.ts'; // see plan/gone.ts\n/** As in sync/plan/plan.ts and `old.ts`. */\n";
  expect(missing(wordsOf('src/a.ts', text), known)).toEqual(['plan/gone.ts', 'old.ts']);
  expect(missing(wordsOf('docs/a.md', '`plan.ts`, `./own.mjs`, `gone.mjs`'), known)).toEqual(['gone.mjs']);
});
