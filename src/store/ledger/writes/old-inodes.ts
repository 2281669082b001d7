// Old inodes of files we replaced: each stays linked for a while after its write, so that what a program still saves
// into it is not lost. A row of `writes` names the link until the inode is settled.
import type { Database, Row } from '../database.ts';
import { packText, unpackText } from './packed-text.ts';

export interface OldInode {
  /** The write that replaced it. */
  seq: number;
  atMs: number;
  path: string;
  task: string | null;
  /** Where it is linked: relative to the room, or absolute. */
  link: string;
  /** The text in it that is merged already: at first what the write was made on. */
  text: string;
}

export interface OldInodesTable {
  /** Those of writes made at or before `untilMs`, oldest first. */
  list(untilMs: number, limit: number): OldInode[];
  get(seq: number): OldInode | null;
  /** Records what of it is merged by now. */
  setText(seq: number, text: string): void;
  drop(seq: number): void;
}

function inodeOf(row: Row): OldInode {
  return {
    seq: Number(row.seq),
    atMs: Number(row.at),
    path: row.path as string,
    task: row.task as string | null,
    link: row.kept as string,
    text: unpackText(row.kept_text) ?? unpackText(row.base) ?? '',
  };
}

export function createOldInodesTable(db: Database): OldInodesTable {
  return {
    list(untilMs, limit) {
      const sql = 'SELECT * FROM writes WHERE kept IS NOT NULL AND at <= ? ORDER BY at, seq LIMIT ?';
      return (db.prepare(sql).all(Math.trunc(untilMs), limit) as Row[]).map(inodeOf);
    },
    get(seq) {
      const sql = 'SELECT * FROM writes WHERE seq = ? AND kept IS NOT NULL';
      const row = db.prepare(sql).get(seq) as Row | undefined;
      return row ? inodeOf(row) : null;
    },
    setText(seq, text) {
      db.prepare('UPDATE writes SET kept_text = ? WHERE seq = ?').run(packText(text), seq);
    },
    drop(seq) {
      db.prepare('UPDATE writes SET kept = NULL, kept_text = NULL WHERE seq = ?').run(seq);
    },
  };
}
