// The program that a turn's `taskroom` is: the bundled one, or this very source.
import { fileURLToPath } from 'node:url';

/** Its absolute path. */
export function turnProgram(): string {
  const name = import.meta.url.endsWith('.ts') ? 'bin-turn.ts' : 'bin-turn.cjs';
  return fileURLToPath(new URL(`../faces/${name}`, import.meta.url));
}
