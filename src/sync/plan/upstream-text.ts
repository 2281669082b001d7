// What goes upstream as a comment, and texts cut to what a tracker takes. Words of agents call nobody there by name, and show
// no picture that lies on this machine.
import { basename } from 'node:path/posix';
import { scanBlocks } from '../../core/markdown/blocks.ts';
import type { CommentEntry, OutcomeEntry, ProgressEntry } from '../../core/task/body/entries.ts';
import { isQuestionMark } from '../../core/task/body/questions.ts';
import type { PlanInput } from './plan-data.ts';

/** How words go up: cut after so many characters; those of agents may call people where `mentions`. */
export type Writing = { limit: number; mentions: boolean };

export function writingOf({ config, profile }: Pick<PlanInput, 'config' | 'profile'>): Writing {
  // What nobody is notified of calls nobody.
  return { limit: profile.limits.comment, mentions: config.mentions || !profile.remote };
}

const CUT = '\n\n… (cut at the limit of the tracker; the whole text is in the task file)';
const OLDER = '… (older entries are in the task file)';

/** The text, or as much of it as fits, saying that more is in the file. Characters are never cut in two. */
export const cutText = (text: string, limit: number): string =>
  text.length <= limit ? text : `${cutAt(text, limit - CUT.length)}${CUT}`.slice(0, limit);

const cutAt = (text: string, length: number): string =>
  text
    .slice(0, Math.max(0, length))
    .toWellFormed()
    .replace(/\ufffd$/, '');

/** The whole text after somebody edited what was left of it upstream: the rest goes on where it was cut.
 * @param whole the text that was cut, `cut` what that left, `edited` what became of it
 * @returns null when nothing was cut, or the notice of it was taken out */
export function withRest(whole: string, cut: string, edited: string): string | null {
  const head = cut.slice(0, -CUT.length);
  if (!cut.endsWith(CUT) || !edited.endsWith(CUT) || !whole.startsWith(head)) return null;
  return edited.slice(0, -CUT.length) + whole.slice(head.length);
}

/** Words of an agent as they go up. */
export const wordsOf = (text: string, { limit, mentions }: Writing): string =>
  cutText(mentions ? text : withoutCalls(text), limit);

/** A title on one line, cut to the limit. */
export function cutTitle(title: string, limit: number): string {
  const line = title.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= limit ? line : `${cutAt(line, limit - 1)}…`;
}

/** The Progress section as one comment; the newest entries when not all fit. */
export function renderProgress(entries: readonly ProgressEntry[], { limit, mentions }: Writing): string {
  const items = entries.map(({ at, text }) => {
    // Behind its time a fence is none.
    const words = mentions ? text : withoutCalls(text, false);
    const below = words.replace(/\n(?=[^\n])/g, '\n  ');
    return at === null ? `- ${below}` : `- ${at} · ${below}`;
  });
  return newestThatFit('**Progress**\n\n', items, '\n', limit);
}

export function renderSection(kind: 'notes' | 'steps', text: string, { limit, mentions }: Writing): string {
  const head = kind === 'notes' ? '**Notes**' : '**Steps**';
  const words = text === '' ? '*(none)*' : mentions ? text : withoutCalls(text);
  return cutText(`${head}\n\n${words}`, limit);
}

export function renderOutcome(entries: readonly OutcomeEntry[], { limit, mentions }: Writing): string {
  const parts = entries.map(({ at, author, text }) => {
    if (at === null) return text;
    const isPersons = author === null || author === 'owner';
    const words = isPersons || mentions ? text : withoutCalls(text);
    return `*${at}${isPersons ? '' : ` · ${author}`}*\n\n${words}`;
  });
  return newestThatFit('**Outcome**\n\n', parts, '\n\n', limit);
}

function newestThatFit(head: string, parts: readonly string[], glue: string, limit: number): string {
  const all = head + parts.join(glue);
  if (all.length <= limit) return all;
  let kept = '';
  for (const part of parts.toReversed()) {
    const more = kept === '' ? part : `${part}${glue}${kept}`;
    if (head.length + OLDER.length + glue.length + more.length > limit) break;
    kept = more;
  }
  if (kept === '') return cutText(head + parts.at(-1)!, limit);
  return `${head}${OLDER}${glue}${kept}`;
}

/** A comment entry as it is posted: an agent's words are signed, since the account is the person's. A question says how to answer. */
export function renderEntry(entry: Pick<CommentEntry, 'id' | 'author' | 'text'>, how: Writing): string {
  const { id, author, text } = entry;
  const isPersons = author === 'owner';
  const words = isPersons || how.mentions ? text : withoutCalls(text);
  const sign = isPersons ? '' : `\n\n— ${author}`;
  const end = isQuestionMark(id) ? `${sign}\n\n${HOW_TO_ANSWER}` : sign;
  return `${cutText(words, how.limit - end.length)}${end}`;
}

const HOW_TO_ANSWER = '*A question: the work goes on with your reply below.*';

// An address (`ann@example.org`) calls nobody.
const MENTION = /(?<![\p{L}\p{N}_.+-])@(?=[\p{L}\p{N}])/gu;
const PICTURE = /!\[([^\]\n]*)\]\(\s*<?(?!https?:|data:)([^)>\s]+)[^)\n]*\)/gi;
const BREAK = '\u200b'; // Has no width: who reads the name sees no difference.

/** The text with mentions broken and local pictures named. Fenced code, which calls nobody, stays as it is where `keepsCode`. */
function withoutCalls(text: string, keepsCode = true): string {
  if (!/[@!]/.test(text)) return text;
  let result = '';
  let at = 0;
  for (const { start, end } of keepsCode ? scanBlocks(text).fences : []) {
    result += broken(text.slice(at, start)) + text.slice(start, end);
    at = end;
  }
  return result + broken(text.slice(at));
}

const broken = (text: string): string =>
  text
    .replace(
      PICTURE,
      (_, alt: string, path: string) => `*(picture: ${alt || basename(path)}; it is not sent)*`,
    )
    .replace(MENTION, `@${BREAK}`);
