// Long answers that are asked for again and again, kept while nothing changed: a poll costs no look at ten thousand files.
import { createHash } from 'node:crypto';

export interface KeptAnswer {
  body: Uint8Array;
  etag: string;
}

export interface KeptAnswers {
  /** The answer to `question` as of `version`; made anew when that is another one. */
  get(question: string, version: () => string, make: () => Promise<string>): Promise<KeptAnswer>;
}

interface Kept extends KeptAnswer {
  version: string;
  atMs: number;
}

const MAX_BYTES = 16 * 1024 * 1024;
// What waits for a time (a retry, a limit) shows without a change.
const FRESH_MS = 5_000;

export function createKeptAnswers(clock: { monotonicMs(): number }): KeptAnswers {
  const answers = new Map<string, Kept>();
  const making = new Map<string, Promise<Kept>>();
  const keep = (question: string, kept: Kept) => {
    answers.delete(question);
    answers.set(question, kept);
    let bytes = 0;
    for (const { body } of answers.values()) bytes += body.byteLength;
    for (const [oldest, { body }] of answers) {
      if (bytes <= MAX_BYTES) return;
      answers.delete(oldest);
      bytes -= body.byteLength;
    }
  };
  const makeAnew = async (question: string, version: string, make: () => Promise<string>): Promise<Kept> => {
    const body = Buffer.from(await make());
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    const kept = { body, etag, version, atMs: clock.monotonicMs() };
    keep(question, kept);
    return kept;
  };
  return {
    async get(question, version, make) {
      const now = version();
      const known = answers.get(question);
      if (known?.version === now && clock.monotonicMs() - known.atMs < FRESH_MS) return known;
      // Many who ask at once wait for one answer.
      const key = `${now} ${question}`;
      const running = making.get(key) ?? makeAnew(question, now, make);
      making.set(key, running);
      return running.finally(() => making.delete(key));
    },
  };
}

/** Whether `If-None-Match` names this one. */
export function isKnown(headers: Headers, etag: string): boolean {
  const said = headers.get('if-none-match');
  if (said === null) return false;
  return said.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
}
