// The live log: one line an event. Events for programs have no line; a whole sync is printed for its chore, a prompt for its turn.
import { formatProblem, type Problem } from '../../core/errors.ts';
import type { RoomEvent } from '../../core/events.ts';
import type { TaskId } from '../../core/ids.ts';
import { nameOfPath } from '../../core/task/names.ts';
import type { Paint } from '../paint.ts';
import { cleanLine, fit, plural, truncate } from './display-text.ts';
import { type Sign, signOfTask, signOfTurn } from './glyphs.ts';
import { clockTime, lengthOf, momentText } from './time-text.ts';

export interface EventStyle {
  paint: Paint;
  columns: number | null; // Width to keep to; null cuts nothing.
  at: number; // When the event was seen, epoch ms.
}

interface Titles {
  /** What people call a task. @param name of its file */
  titleOf(task: TaskId, name: string): string;
}

/** The name of the task, chore or turn; '' for the room. What went wrong is `long`: it may take several rows. */
type Line = readonly [sign: Sign, name: string, text: string, long?: 'long' | false];
type Of<Type> = Extract<RoomEvent, { type: Type }>;
type Tell<Type> = (event: Of<Type>, atMs: number) => Line | readonly Line[] | null;

const NAME_CELLS = 26;
const CLOCK_CELLS = 8;
const LONG_ROWS = 4;
const SCAN_WORTH_TELLING = 5_000;
const DOT: Sign = ['·', 'dim'];
const GOOD: Sign = ['✓', 'green'];
const BAD: Sign = ['!', 'red'];
const LOOK: Sign = ['!', 'yellow'];
const HELD: Sign = ['⏸', 'yellow'];
const AGAIN: Sign = ['↻', 'yellow'];
const RUNS = signOfTurn({ state: 'running', reason: null });
const state = (status: Parameters<typeof signOfTask>[0]['status'], more = {}) =>
  signOfTask({ status, paused: false, blocked: false, running: false, ...more });
const withHint = (text: string, hint: string | null) => (hint === null ? text : `${text}; ${hint}`);
const inWords = (reason: string) => reason.replaceAll('_', ' ');
const counted = (count: number, what: string) => (count === 0 ? [] : [plural(count, what)]);
const fieldWord = (field: string) => inWords(field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

const LINES: { readonly [Type in RoomEvent['type']]?: Tell<Type> } = {
  'room.scanning': ({ done, total }) =>
    total < SCAN_WORTH_TELLING ? null : [DOT, '', `reading ${done} of ${total} files`],
  'room.ready'({ tasks, invalid, tookMs }) {
    const unread = invalid === 0 ? '' : `, ${invalid} can't be read`;
    return [GOOD, '', `ready: ${plural(tasks, 'task')}${unread} (${lengthOf(tookMs)})`];
  },
  'api.ready': ({ url, socket }) => [DOT, '', `the API answers at ${url ?? socket}`],
  'room.idle': () => [DOT, '', 'idle: nothing is due'],
  'room.stopping'({ turns }) {
    const waits = `: waiting up to 30 s for ${plural(turns, 'turn')}; Ctrl-C again stops now`;
    return [['■', 'yellow'], '', `stopping${turns === 0 ? '' : waits}`];
  },
  'room.stopped': () => [['■', 'dim'], '', 'stopped'],
  'room.trouble': ({ message, hint }) => [BAD, '', withHint(message, hint), 'long'],
  'room.mended': ({ message }) => [GOOD, '', message],
  'person.notified': ({ name, author, text }) => [['✉', 'magenta'], name, `${author}: ${text}`, 'long'],
  'webhooks.listening'({ hears, address }) {
    const whose = hears.length === 0 ? 'of no tracker: no secret is set' : `of ${hears.join(', ')}`;
    return [DOT, '', `hears webhooks ${whose} at ${address}/hooks/…`, 'long'];
  },
  'config.reloaded': () => [GOOD, '', 'settings read again'],
  'config.invalid': ({ problems }) => problemLines('settings', problems),

  'agent.waiting'({ agent, fallback, text, until }, atMs) {
    const who = agent === null ? 'turns' : 'its turns';
    const what = fallback === null ? `${who} wait until` : `${fallback} takes ${who} until`;
    return [HELD, '', `${text}: ${what} ${momentText(until, atMs)}`, 'long'];
  },
  'agent.ready'({ agent }) {
    return [GOOD, '', `turns${agent === null ? '' : ` of agent ${agent}`} no longer wait`];
  },

  'turn.started'({ name, adopted, agent, reasons, attempt }) {
    const facts = [
      adopted ? 'found running' : 'started',
      `@${agent}`,
      reasons.length === 0 ? '' : `(${reasons.map(inWords).join(', ')})`,
      attempt > 1 ? `attempt ${attempt}` : '',
    ];
    return [RUNS, name, facts.filter(Boolean).join('  ')];
  },
  'turn.ended'(event) {
    // Ends that count as completed, and yet leave something to be said.
    const saysWhy = ['nothing_written', 'checks_failed'].includes(event.reason);
    const isLong = event.state === 'failed' || saysWhy;
    return [signOfTurn(event), event.name, endOf(event), isLong && 'long'];
  },
  'turn.claimed'({ name, worker, attempt }) {
    const lost = attempt === 0 ? '' : ', since the one before lost it';
    return [RUNS, name, `at worker ${worker}${lost}`];
  },
  'turn.late_report'({ turn, worker }) {
    const text = `worker ${worker}, which had lost this turn, told of it too late`;
    return [LOOK, turn, text, 'long'];
  },
  'turn.checking': ({ name, checks }) => [RUNS, name, `checks run: ${checks.join(' · ')}`],
  'turn.checked'({ name, ok, message }) {
    const text = message === null ? 'checks passed' : `a check failed: ${message}`;
    return [ok ? GOOD : ['✗', 'red'], name, text, !ok && 'long'];
  },
  'turn.retrying'({ name, attempt, retryAt }) {
    return [AGAIN, name, `attempt ${attempt} at ${clockTime(retryAt)}`];
  },
  'turn.refused': ({ name, message }) => [LOOK, name, `refused its agent: ${message}`, 'long'],

  'chore.finished': ({ kind, name, tookMs, message }) =>
    kind === 'prompt' ? null : [['⇅', 'green'], name, `synced in ${lengthOf(tookMs)}: ${message}`],
  'chore.failed'({ kind, name, message, hint, retryAt }) {
    // Its turn told what failed.
    if (kind === 'prompt' && retryAt !== null) return [AGAIN, name, `again at ${clockTime(retryAt)}`];
    const what = withHint(`${kind === 'mirror' ? 'sync' : 'chore'} failed: ${message}`, hint);
    return [BAD, name, retryAt === null ? what : `${what}; again at ${clockTime(retryAt)}`, 'long'];
  },
  'chore.invalid': ({ path, problems }) => problemLines(nameOfPath(path), problems),
  'chore.mended': ({ path }) => [GOOD, nameOfPath(path), 'the chore can be read again'],

  // The chore that ran a whole sync says so itself, with the time of its next try.
  'sync.failed': ({ direction, chore, message, hint }) =>
    direction !== 'push'
      ? null
      : [BAD, chore, withHint(`changes could not be sent: ${message}`, hint), 'long'],
  'mirror.updated'({ name, fields, comments }) {
    // `remote:` put back and a pause are not the tracker's words.
    const said = fields.filter((field) => field !== 'remote' && field !== 'paused').map(fieldWord);
    const what = [...said, ...counted(comments, 'comment')].join(', ');
    return what === '' ? null : [['↓', 'cyan'], name, `from upstream: ${what}`];
  },
  'mirror.pushed': (event) => [['↑', 'green'], event.name, pushOf(event)],
  'mirror.conflict'({ name, fields, kept }) {
    const copy = kept.length === 0 ? '' : `; the text that lost lies in ${kept.join(', ')}`;
    return [['≠', 'yellow'], name, `both sides changed ${fields.map(fieldWord).join(', ')}${copy}`, 'long'];
  },
  'mirror.settled'({ name, field, take }) {
    const whose = { standing: 'it stays', lost: 'the other text was taken', own: 'with a text of your own' };
    return [GOOD, name, `${fieldWord(field)} settled: ${whose[take]}`];
  },
  'pull_request.changed': ({ name, ref, state }) => [DOT, name, `${ref} is ${state}`],
  'mirror.detached'({ name, ref, reason }) {
    return [['·', 'yellow'], name, `no longer follows ${ref}: ${reason}`, 'long'];
  },
  'mirror.paused'({ name, id, reason }) {
    return [HELD, name, `waits for you: ${reason}; taskroom resume ${id} lets it run`, 'long'];
  },

  // That a turn makes its task doing is told by the turn.
  'task.changed': ({ name, was, status }) =>
    status === 'doing' ? null : [state(status), name, `${was} → ${status}`],
  'task.stepped': ({ name, done, total, title }) => [['☑', 'green'], name, `step ${done}/${total}: ${title}`],
  'task.blocked': ({ name, by }) => [state('todo', { blocked: true }), name, `waits for ${by.join(', ')}`],
  'task.unblocked': ({ name }) => [state('todo'), name, 'unblocked'],
  'task.paused': ({ name, reason }) => [state('todo', { paused: true }), name, `paused: ${reason}`, 'long'],
  'task.resumed': ({ name }) => [state('todo'), name, 'resumed'],
  'task.edited_after_end'({ name, status }) {
    return [state(status), name, `was edited, and is ${status}: taskroom reopen starts it`];
  },
  'question.asked': ({ name, text }) => [state('todo', { waiting: true }), name, `asks: ${text}`, 'long'],
  'question.answered': ({ name }) => [state('todo'), name, 'its question is answered'],
  'question.withdrawn': ({ name, text }) => [state('todo'), name, `no longer asks: ${text}`],
  'tasks.held'({ count }) {
    const text = 'held, since so many changed at once; taskroom run --all releases them';
    return [HELD, '', `${plural(count, 'task')} ${text}`];
  },
  'task.renamed': ({ name, was }) => [DOT, name, `renamed, was ${was}`],
  'task.copied': ({ name, of }) => [DOT, name, `a copy of ${of}, with an id of its own`],
  'task.gone': ({ name }) => [DOT, name, 'its file is gone'],
  'task.archived': ({ name, path }) => [DOT, name, `archived: ${path}`],
  'task.invalid': ({ path, problems }) => problemLines(nameOfPath(path), problems),
  'task.odd_keys': ({ path, problems }) =>
    problems.map(({ message, hint }) => [['?', 'yellow'], nameOfPath(path), `${message}; ${hint ?? ''}`]),
  'task.mended': ({ path }) => [GOOD, nameOfPath(path), 'can be read again'],
  'task.restored'({ path, entries }) {
    const text = `${plural(entries, 'entry', 'entries')} put back that an editor's older text had dropped`;
    return [['↺', 'yellow'], nameOfPath(path), text];
  },
};

const problemLines = (name: string, problems: readonly Problem[]): Line[] =>
  problems.map((problem) => [BAD, name, formatProblem(problem), 'long']);

function endOf({ state: end, reason, exitCode, message, tookMs }: Of<'turn.ended'>): string {
  const why = reason === 'exit' && exitCode !== null ? `exit code ${exitCode}` : inWords(reason);
  // Its message says the exit code by itself.
  if (message.startsWith(why)) return `turn ${end} after ${lengthOf(tookMs)}: ${message}`;
  return `turn ${end}${reason === 'ok' ? '' : `: ${why}`} after ${lengthOf(tookMs)}${message === '' ? '' : `; ${message}`}`;
}

function pushOf({ status, fields, comments, edited }: Of<'mirror.pushed'>): string {
  const closed = { done: 'closed upstream', canceled: 'closed upstream as not planned' };
  const parts = [
    ...(status === null ? [] : [closed[status as keyof typeof closed] ?? `now ${status} upstream`]),
    ...fields.map(fieldWord),
    ...counted(comments, 'comment'),
    ...counted(edited, 'comment').map((text) => `${text} brought up to date`),
  ];
  return `${status === null ? 'sent upstream: ' : ''}${parts.join(', ')}`;
}

/** The lines of an event, each with its line end; empty when it has none. */
export function renderEvent(event: RoomEvent, { titleOf, ...style }: EventStyle & Titles): string {
  const isOfTask = 'id' in event && event.id !== null && 'name' in event;
  const titled = isOfTask ? { ...event, name: titleOf(event.id!, event.name) } : event;
  const told = (LINES[event.type] as Tell<RoomEvent['type']> | undefined)?.(titled, style.at) ?? [];
  if (told.length === 0) return '';
  // The first of a line is its sign, a text and a colour.
  const lines = (typeof told[0]![0] === 'string' ? [told] : told) as readonly Line[];
  return lines.map((line) => rendered(line, style)).join('');
}

export const renderSyncProgress = (chore: string, text: string, style: EventStyle): string =>
  rendered([['⇅', 'dim'], chore, text], style);

function rendered([[glyph, color], name, text, long]: Line, { paint, columns, at }: EventStyle): string {
  const shown = name === '' ? '' : `${fit(cleanLine(name), NAME_CELLS)}  `;
  const used = CLOCK_CELLS + 2 + 2 + (name === '' ? 0 : NAME_CELLS + 2);
  const room = columns === null ? null : columns * (long ? LONG_ROWS : 1) - used;
  const rest = truncate(cleanLine(text), room);
  return `${paint('dim', clockTime(at))}  ${paint(color, glyph)} ${shown}${rest}`.trimEnd().concat('\n');
}

/** Leaves out repeated syncs that find nothing new, and that the room is idle again after one.
 * @returns to be called with every event in order; true when the log says the same already */
export function createRepeatFilter(): (event: RoomEvent, hasLines: boolean) => boolean {
  const quiet = new Set<string>();
  let idle = false;
  return (event, hasLines) => {
    if (event.type === 'room.idle') {
      const told = idle;
      idle = true;
      return told;
    }
    if (event.type === 'chore.finished' && event.kind === 'mirror') {
      const { requests: _, ...counts } = event.counts;
      const isQuiet = Object.values(counts).every((count) => count === 0);
      if (isQuiet && quiet.has(event.name)) return true;
      quiet[isQuiet ? 'add' : 'delete'](event.name);
    } else if (event.type === 'chore.failed' || event.type === 'chore.invalid') quiet.clear();
    if (hasLines) idle = false;
    return false;
  };
}
