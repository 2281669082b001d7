// Lines as they are kept by the thousand: most tasks have the same to say of owner, labels, steps and the like, which is more
// than half of a line and stands in memory once.
import { halvesOf } from '../../core/task/listed-line.ts';
import { isReadable } from '../../core/task/packed-reading.ts';
import type { FileLine } from '../file-lines.ts';

export type LineKeeper = (path: string, line: string) => FileLine;

/** Where every task says something else, a few are looked through in vain. */
const MOST_ENDS = 500;

export function lineKeeper(): LineKeeper {
  const ends = new Map<string, string>();
  return (path, line) => {
    if (!isReadable(line)) return { path, line };
    const [start, end] = halvesOf(line);
    const same = ends.get(end);
    if (same !== undefined) return new KeptLine(path, start, same);
    if (ends.size === MOST_ENDS) ends.clear();
    ends.set(end, end);
    return new KeptLine(path, start, end);
  };
}

class KeptLine implements FileLine {
  readonly path: string;
  readonly start: string;
  readonly #end: string;

  listed?: object;

  constructor(path: string, start: string, end: string) {
    this.path = path;
    this.start = start;
    this.#end = end;
  }

  /** Put together anew each time. */
  get line(): string {
    return this.start + this.#end;
  }
}
