// Writes the lists of the operations, one line for each file of a subject's folder: `src/operations/index.ts`, which loads one when it
// is asked for, and `src/operations/all.ts`, which has them all. They are no part of the repository; the build writes them first.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folders that hold what operations share. */
const SHARED = ['tools'];

const camelCase = (name) => name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());

/** A tree may have none. */
export function writeOperationIndex(root) {
  const folder = path.join(root, 'src', 'operations');
  if (!existsSync(folder)) return;
  const subjects = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
    .map(({ name }) => name)
    .sort();
  const files = subjects.flatMap((subject) =>
    readdirSync(path.join(folder, subject))
      .filter((file) => file.endsWith('.ts'))
      .sort()
      .map((file) => ({ name: camelCase(file.slice(0, -3)), at: `./${subject}/${file}` })),
  );
  write(path.join(folder, 'index.ts'), [
    '// Every operation by its name, loaded when it is asked for.',
    'export const OPERATIONS = {',
    ...files.map(({ name, at }) => `  ${name}: async () => (await import('${at}')).${name},`),
    '};',
  ]);
  write(path.join(folder, 'all.ts'), [
    '// Every operation.',
    ...files.map(({ name, at }) => `import { ${name} } from '${at}';`),
    "import { named } from './operation.ts';",
    '',
    `export const ALL = named({ ${files.map(({ name }) => name).join(', ')} });`,
  ]);
}

function write(file, [about, ...lines]) {
  const text = [about, '// Made by scripts/operation-index.mjs.', ...lines, ''].join('\n');
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  writeOperationIndex(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
