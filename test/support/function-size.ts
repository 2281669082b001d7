// How long a function may be, closure factories too: one that holds a whole room can't be read from its start to its end.
import type { FunctionFact } from './source-facts.ts';

/** Lines from the first to the last, by folder; the innermost folder counts. */
const MAX_LINES: Readonly<Record<string, number>> = { 'src/': 100, 'src/pulse/': 60 };

/** Folders in which longer ones still stand: empty once they are cut. */
const STILL_LONG: readonly string[] = ['src/chores/', 'src/providers/linear/', 'src/pulse/'];

export function* findLongFunctions(
  file: string,
  functions: readonly FunctionFact[],
  stillLong = STILL_LONG,
): Iterable<string> {
  const isIn = (folder: string) => file.startsWith(folder);
  if (stillLong.some(isIn)) return;
  const [folder] = Object.keys(MAX_LINES)
    .filter(isIn)
    .sort((a, b) => b.length - a.length);
  if (folder === undefined) return;
  const most = MAX_LINES[folder]!;
  for (const { name, line, lines } of functions)
    if (lines > most) yield `${name} (line ${line}) has ${lines} lines, ${most} at most in ${folder}`;
}
