// A row for each of our own recent writes to task files: intended before the rename (`done` is null), then numbered in the
// order they happened. They tell our texts from a person's and hold what a merge needs.
import { integer, optional, packed, type RowOf, real, sequence, table, text } from '../table.ts';

export const WRITES = table(
  'writes',
  {
    seq: sequence(),
    atMs: integer(),
    path: text(),
    task: optional(text()),
    actor: text(),
    /** '' for a file that is being created. */
    beforeHash: text(),
    afterHash: text(),
    /** The text before. */
    base: optional(packed()),
    done: optional(integer()),
    windowStartMs: optional(real()),
    windowEndMs: optional(real()),
    /** Where the old inode is linked, relative to the room or absolute, until it is settled; null when it is not kept. */
    oldInode: optional(text()),
    /** What was already merged from it. */
    oldText: optional(packed()),
  },
  {
    indexes: {
      writes_by_path: '(path, done)',
      writes_in_order: '(done) WHERE done IS NOT NULL',
      writes_with_inode: '(at_ms) WHERE old_inode IS NOT NULL',
    },
  },
);

export type WriteRow = RowOf<typeof WRITES>;
