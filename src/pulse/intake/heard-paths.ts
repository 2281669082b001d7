// The latest paths of which something was heard, counted from the start of the loop: whoever keeps what files say looks again
// at those since its last look.
import type { HeardPaths } from '../../tasks/file-lines.ts';

const MOST = 2_000;

export function createHeardPaths(): HeardPaths & { note(path: string): void } {
  let paths: string[] = [];
  let dropped = 0;
  return {
    note(path) {
      paths.push(path);
      if (paths.length < 2 * MOST) return;
      dropped += MOST;
      paths = paths.slice(MOST);
    },
    count: () => dropped + paths.length,
    since: (count) => (count < dropped ? null : paths.slice(count - dropped)),
  };
}
