// The pull request of each task that has one: where it is, and how it was seen last.
import type { TaskId } from '../../../core/ids.ts';
import type { PullRequest } from '../../../core/review-shapes.ts';
import { integer, json, optional, type RowOf, table, text } from '../table.ts';

/** What was said of it between people and its task. */
export interface PullTalk {
  /** What the task was told: `review:12`, `remark:34`, `check:56`. */
  told: string[];
  /** Comments on lines that no push has answered, with the threads they stand in. */
  unanswered: { key: string; thread: string }[];
  /** How often in a row the task was to change it. */
  rounds: number;
  /** The commit that was the last one when its task was asked, until what came of that is pushed. */
  askedAt: string | null;
}

export const NO_TALK: PullTalk = { told: [], unanswered: [], rounds: 0, askedAt: null };

export const PULLS = table('pulls', {
  task: text<TaskId>(),
  provider: text(),
  /** `acme/web` */
  source: text(),
  /** Address of its server's API; null for the tracker's own. */
  url: optional(text()),
  number: integer(),
  uid: text(),
  seen: json<PullRequest>(),
  talk: json<PullTalk>(),
});

export type PullRow = RowOf<typeof PULLS>;

const IS_OPEN = "json_extract(seen, '$.state') = 'open'";

export const pulls = PULLS.with((rows) => ({
  open: () => rows.all(`WHERE ${IS_OPEN} ORDER BY task`),
  /** @param source in any case */
  byNumber: (source: string, number: number) =>
    rows.first('WHERE source = ? COLLATE NOCASE AND number = ?', source, number),
  hasOpen: () => rows.has(`WHERE ${IS_OPEN}`),
}));
