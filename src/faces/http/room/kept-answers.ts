// Long answers that are asked for again and again, kept while nothing changed: a poll costs no look at ten thousand files.
import { hash } from 'node:crypto';

export interface KeptAnswer {
  /** Its bytes, in the pieces it was made of. */
  body: readonly Uint8Array[];
  etag: string;
}

export interface KeptAnswers {
  /** The answer to `question` as of `version`; made anew when that is another one. */
  get(question: string, version: () => string, make: () => Promise<Made>): Promise<KeptAnswer>;
}

/** What is to be kept; without an ETag of its own it gets that of its bytes. */
export interface Made {
  /** In pieces where it is long: put together it would be one more text of megabytes. */
  text: string | readonly (string | Uint8Array)[];
  etag?: string;
}

interface Kept extends KeptAnswer {
  bytes: number;
  version: string;
  atMs: number;
}

const MAX_BYTES = 16 * 1024 * 1024;
// What waits for a time (a retry, a limit) shows without a change.
const FRESH_MS = 5_000;

export function createKeptAnswers(clock: { monotonicMs(): number }): KeptAnswers {
  const answers = new Map<string, Kept>();
  const making = new Map<string, Promise<Kept>>();
  let bytes = 0;
  const keep = (question: string, kept: Kept) => {
    const before = answers.get(question);
    answers.delete(question);
    answers.set(question, kept);
    bytes += kept.bytes - (before?.bytes ?? 0);
    for (const [oldest, answer] of answers) {
      if (bytes <= MAX_BYTES) return;
      answers.delete(oldest);
      bytes -= answer.bytes;
    }
  };
  const makeAnew = async (question: string, version: string, make: () => Promise<Made>): Promise<Kept> => {
    const { text, etag: own } = await make();
    const texts = typeof text === 'string' ? [text] : text;
    const body = texts.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
    const etag = own ?? etagOf(body);
    const size = body.reduce((sum, each) => sum + each.byteLength, 0);
    const kept = { body, etag, bytes: size, version, atMs: clock.monotonicMs() };
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

// Of a long answer most pieces are the same objects as in the last one.
const hashes = new WeakMap<Uint8Array, string>();

function hashOf(piece: Uint8Array): string {
  const known = hashes.get(piece);
  if (known !== undefined) return known;
  const made = hash('sha256', piece);
  hashes.set(piece, made);
  return made;
}

function etagOf(pieces: readonly Uint8Array[]): string {
  const all = pieces.map((piece) => `${piece.byteLength} ${hashOf(piece)}`).join();
  return `"${hash('sha256', all, 'base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` names this one. */
export function isKnown(headers: Headers, etag: string): boolean {
  const said = headers.get('if-none-match');
  if (said === null) return false;
  return said.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
}
