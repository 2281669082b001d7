// Everything that needs the person, one line each with what settles it. What the ledger remembers is asked by index, so that
// a screen may ask again and again; files that changed since are looked at where no daemon does.
import { INBOX_KINDS, type InboxKind } from '../../core/config/inbox-kinds.ts';
import { formatProblem } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { InvalidFile, TaskReading } from '../../core/task/task.ts';
import { isWaitingForAnswer } from '../../core/task/waiting.ts';
import { isoOrNull } from '../../core/time/iso-time.ts';
import { readUnsaid } from '../observe/handed-over.ts';
import { type RoomHandle, readAgentProblems } from '../room-handle.ts';
import type { InboxItem } from '../shapes/turn.ts';
import type { TaskRoom } from '../task-room.ts';
import { roomItems } from './inbox-room.ts';
import { trackerItems } from './inbox-trackers.ts';
import { readNews } from './news.ts';
import { allTrouble } from './why-not.ts';

/** What files say that changed since they were last observed, by path; null for one that is gone. */
export type News = ReadonlyMap<string, TaskReading | null>;

// Of one kind: a mass edit that breaks ten thousand files is one thing to settle, not ten thousand.
const MOST_OF_A_KIND = 100;

/** In the order of INBOX_KINDS, the oldest first. @throws RoomError `room_gone`, `io` */
export async function readInbox(handle: RoomHandle): Promise<InboxItem[]> {
  // A daemon takes in what changes: its ledger says how files stand.
  const news = handle.ports.daemonRuns() ? new Map() : await readNews(handle);
  return inboxOf(handle, news);
}

/** The same, where it is known what changed. */
export async function inboxOf(handle: RoomHandle, news: News): Promise<InboxItem[]> {
  const { deps } = handle;
  const items: InboxItem[] = [
    ...questionItems(handle, news),
    ...pauseItems(handle, news),
    ...trackerItems(deps),
    ...unsaidItems(deps),
    ...invalidItems(handle, news),
    ...(await roomItems(
      handle,
      await readAgentProblems(handle),
      handle.ports.daemonRuns() ? allTrouble(handle) : [],
    )),
  ];
  return INBOX_KINDS.flatMap((kind) => ofKind(kind, items));
}

function ofKind(kind: InboxKind, items: readonly InboxItem[]): InboxItem[] {
  const all = items.filter((item) => item.kind === kind);
  all.sort((a, b) => Number((a.at ?? '') > (b.at ?? '')) - Number((a.at ?? '') < (b.at ?? '')));
  const more = all.length - MOST_OF_A_KIND;
  if (more <= 0) return all;
  const text = `and ${more} more of this kind`;
  const rest = {
    kind,
    key: `${kind}:more`,
    task: null,
    name: null,
    text,
    settle: 'taskroom status',
    at: null,
  };
  return [...all.slice(0, MOST_OF_A_KIND), rest];
}

function questionItems({ deps }: RoomHandle, news: News): InboxItem[] {
  const known = deps.ledger.questions.open().filter(({ path }) => !news.has(path));
  const fresh = [...news.values()].flatMap((reading) => {
    if (!reading?.ok || reading.task.id === null || !isWaitingForAnswer(reading.task)) return [];
    const { id: task, name, questions = [] } = reading.task;
    return questions.map((question) => ({ ...question, task, name, seenAt: null }));
  });
  const open = [...known, ...fresh].filter(({ answer }) => answer === null);
  const several = new Set(open.map(({ task }) => task).filter((task, at, all) => all.indexOf(task) !== at));
  return open.map(({ task, name, key, author, text, seenAt }) => ({
    kind: 'question',
    key: `question:${task}:${key}`,
    task,
    name,
    text: `${author.replace(/^agent:/, '')} asks: ${text}`,
    settle: `taskroom answer ${task} 'your answer'${several.has(task) ? ` --question ${key}` : ''}`,
    at: isoOrNull(seenAt),
  }));
}

function pauseItems({ deps }: RoomHandle, news: News): InboxItem[] {
  const isPaused = (path: string) => {
    const reading = news.get(path);
    return reading === undefined || (reading?.ok === true && reading.task.paused);
  };
  return deps.ledger.pauses
    .list()
    .filter(({ path }) => isPaused(path))
    .map(({ task, name, reason, at }) => ({
      kind: 'paused',
      key: `paused:${task}:${at}`,
      task,
      name,
      text: `paused: ${reason}`,
      settle: settlesPause(deps.ledger.turns.list({ thread: threadOfTask(task), limit: 1 })[0]?.id, task),
      at: isoOrNull(at),
    }));
}

function settlesPause(turn: string | undefined, task: TaskId): string {
  return `taskroom resume ${task}${turn === undefined ? '' : `; see taskroom log ${turn}`}`;
}

function invalidItems({ deps }: RoomHandle, news: News): InboxItem[] {
  const known = deps.ledger.files.invalid().flatMap(({ path, reading }): InvalidFile[] => {
    return reading.ok || reading.invalid.deleted || news.has(path) ? [] : [reading.invalid];
  });
  const fresh = [...news.values()].flatMap((reading) => (reading?.ok === false ? [reading.invalid] : []));
  return [...known, ...fresh].map(({ path, problems }) => ({
    kind: 'invalid',
    key: `invalid:${path}`,
    task: null,
    name: path,
    text: problems[0] === undefined ? `${path} can't be read` : formatProblem(problems[0]),
    settle: `edit ${path}`,
    at: null,
  }));
}

/** What opens rights and waits for the person's word. */
function unsaidItems(deps: Pick<TaskRoom, 'ledger' | 'agents'>): InboxItem[] {
  return readUnsaid(deps).map(({ what, task, name, hash, text }) => ({
    ...{ kind: 'rights', key: `rights:${hash}`, name, text, at: null },
    task: task as InboxItem['task'],
    settle: `taskroom accept ${/^[\w./-]+$/.test(what) ? what : JSON.stringify(what)}`,
  }));
}
