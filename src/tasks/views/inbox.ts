// Everything that needs the person, one line each with what settles it, from the ledger and from files that changed since.
import { existsSync } from 'node:fs';
import { BUILT_IN_SECRETS, type BuiltInProvider, INBOX_KINDS } from '../../core/config/names.ts';
import { type ErrorCode, formatProblem, quoteWord } from '../../core/errors.ts';
import { titleBeside } from '../../core/task/names.ts';
import { hashText } from '../../core/task/read-task.ts';
import { isWaitingForAnswer } from '../../core/task/status.ts';
import type { InvalidFile, TaskReading } from '../../core/task/task.ts';
import { isoOrNull } from '../../core/time/durations.ts';
import { runScan } from '../../store/files/scan.ts';
import type { SourceRow } from '../../store/ledger/mirrors/sources.ts';
import { readUnsaid } from '../observe/handed-over.ts';
import { readAll } from '../observe/room-files.ts';
import {
  type AgentProblemOf,
  readAgentProblems,
  readAgentWaits,
  readWithoutAgent,
  type WithoutAgent,
} from '../obstacles.ts';
import type { InboxItem } from '../shapes/turn.ts';
import type { RoomHandle, TaskRoom } from '../task-room.ts';
import { type Found, upstreamItems } from './inbox-upstream.ts';
import { allTrouble } from './why-not.ts';

/** What files say that changed since they were last observed, by path; null for one that is gone. */
export type News = ReadonlyMap<string, TaskReading | null>;

/** Costs a look at all stamps. @throws RoomError `room_gone`, `io` */
export async function readNews(deps: RoomHandle): Promise<News> {
  const { room, ledger } = deps;
  const { files } = ledger;
  const scan = runScan(room, files.changeTimes(), (ctimeMs, stamp) => ctimeMs === stamp.ctimeMs);
  const news = new Map<string, TaskReading | null>();
  for (const path of [...scan.gone, ...files.missing()]) news.set(path, null);
  for (const path of files.unobserved())
    if (!news.has(path)) news.set(path, unlessDeleted(files.get(path)?.reading ?? null));
  const paths = scan.changed.map(({ path }) => path);
  for (const { path, reading } of await readAll(deps, paths)) news.set(path, unlessDeleted(reading));
  return news;
}

/** A file that says it is deleted counts as gone. */
const unlessDeleted = (reading: TaskReading | null): TaskReading | null =>
  reading?.ok === false && reading.invalid.deleted ? null : reading;

/** In the order of INBOX_KINDS, the oldest first. @throws RoomError `room_gone`, `io` */
export const readInbox = async (deps: RoomHandle): Promise<InboxItem[]> =>
  inboxOf(deps, deps.ports.daemonRuns() ? new Map() : await readNews(deps));

// Of one kind: a bulk edit that breaks ten thousand files is one thing to settle, not ten thousand.
const MOST_OF_A_KIND = 100;

/** The same, where it is known what changed. */
export async function inboxOf(deps: RoomHandle, news: News): Promise<InboxItem[]> {
  const { ports } = deps;
  const problemOf = await readAgentProblems(deps);
  const found: Found[] = [
    ...questionItems(deps, news),
    ...pauseItems(deps, news),
    ...upstreamItems(deps),
    ...unsaidItems(deps),
    ...invalidItems(deps, news),
    ...heldItem(deps),
    ...(await agentItems(deps, problemOf)),
    ...fileItems(deps),
    ...(ports.daemonRuns() ? allTrouble(deps) : []).map((trouble) =>
      ofRoom('trouble', sentence(trouble), 'taskroom doctor'),
    ),
    ...noticeItems(deps),
  ];
  const items = found.map(({ kind, key, task = null, ...one }): InboxItem => {
    const memory = deps.ledger.tasks.get(task ?? '');
    return { kind, key, task, name: null, ...(memory && titleBeside(memory)), at: null, ...one };
  });
  return INBOX_KINDS.flatMap((kind) => {
    const all = items.filter((item) => item.kind === kind);
    all.sort((a, b) => Number((a.at ?? '') > (b.at ?? '')) - Number((a.at ?? '') < (b.at ?? '')));
    const more = all.length - MOST_OF_A_KIND;
    if (more <= 0) return all;
    const rest = { key: `${kind}:more`, text: `and ${more} more of this kind`, settle: 'taskroom status' };
    return [...all.slice(0, MOST_OF_A_KIND), { kind, ...rest, task: null, name: null, at: null }];
  });
}

const withoutPrefix = (author: string) => author.replace(/^agent:/, '');

function questionItems({ ledger }: TaskRoom, news: News): Found[] {
  const known = ledger.questions.open().filter(({ path }) => !news.has(path));
  const fresh = [...news.values()].flatMap((reading) => {
    if (!reading?.ok || reading.task.id === null || !isWaitingForAnswer(reading.task)) return [];
    const { id: task, name, questions = [] } = reading.task;
    return questions.map((question) => ({ ...question, task, name, seenAt: null }));
  });
  const open = [...known, ...fresh].filter(({ answer }) => answer === null);
  const counts = Map.groupBy(open, ({ task }) => task);
  return open.map(({ task, name, key, author, text, seenAt }) => ({
    ...{ kind: 'question', key: `question:${task}:${key}`, task, name, at: isoOrNull(seenAt) },
    text: `${withoutPrefix(author)} asks: ${text}`,
    settle: `taskroom answer ${task} 'your answer'${counts.get(task)!.length > 1 ? ` --question ${key}` : ''}`,
  }));
}

function pauseItems({ ledger }: TaskRoom, news: News): Found[] {
  const isPaused = (path: string) => {
    const reading = news.get(path);
    return reading === undefined || (reading?.ok === true && reading.task.paused);
  };
  const paused = ledger.pauses.list().filter(({ path }) => isPaused(path));
  return paused.map(({ task, name, reason, at }) => ({
    ...{ kind: 'paused', key: `paused:${task}:${at}`, task, name, at: isoOrNull(at) },
    ...{ text: `paused: ${reason}`, settle: `taskroom resume ${task}` },
  }));
}

/** What opens rights and waits for the person's word. */
function unsaidItems(deps: TaskRoom): Found[] {
  return readUnsaid(deps).map(({ what, task, name, hash, text }) => ({
    ...{ kind: 'rights', key: `rights:${hash}`, name, text, task: task as InboxItem['task'] },
    settle: `taskroom accept ${quoteWord(what)}`,
  }));
}

function invalidItems({ ledger }: TaskRoom, news: News): Found[] {
  const known = ledger.files.invalid().flatMap(({ path, reading }): InvalidFile[] => {
    return reading.ok || reading.invalid.deleted || news.has(path) ? [] : [reading.invalid];
  });
  const fresh = [...news.values()].flatMap((reading) => (reading?.ok === false ? [reading.invalid] : []));
  return [...known, ...fresh].map(({ path, problems }) => ({
    ...{ kind: 'invalid', key: `invalid:${path}`, name: path, settle: `taskroom edit ${quoteWord(path)}` },
    text: problems[0] === undefined ? `${path} can't be read` : formatProblem(problems[0]),
  }));
}

const sentence = ({ message, hint }: { message: string; hint: string | null }) =>
  hint === null ? message : `${message}; ${hint}`;

function ofRoom(kind: Found['kind'], text: string, settle: string, name: string | null = null): Found {
  return { kind, key: `${kind}:${hashText(`${name}\n${text}`).slice(0, 12)}`, name, text, settle };
}

function heldItem({ ledger }: TaskRoom): Found[] {
  const count = ledger.tasks.held().length;
  if (count === 0) return [];
  const text = `${count} ${count === 1 ? 'task is' : 'tasks are'} held, since so many changed at once or came of one task`;
  return [{ kind: 'held', key: 'held', text, settle: 'taskroom run --all' }];
}

/** One for each agent that can't run or take its tasks, and each whose account must be paid, however many tasks wait for it. */
async function agentItems(deps: RoomHandle, problemOf: AgentProblemOf): Promise<Found[]> {
  const waiting = Map.groupBy(readWithoutAgent(deps, problemOf), ({ agent }) => agent);
  const items = await Promise.all(
    [...waiting].map(async ([agent, tasks]) => {
      const { problem } = tasks[0]!;
      const count = tasks.length === 1 ? '1 task waits' : `${tasks.length} tasks wait`;
      const item = ofRoom('setup', problem, await anotherAgent(deps, tasks, problemOf), agent);
      return { ...item, text: `${count} for an agent: ${problem}` };
    }),
  );
  const unpaid = [...readAgentWaits(deps).agents].flatMap(([agent, { said }]) => {
    if (said == null) return [];
    const isDefault = deps.config().defaultAgent === agent;
    const owners = [agent, ...(isDefault ? [null] : [])];
    const [task] = owners.flatMap((owner) => deps.ledger.tasks.candidatesOf(owner));
    return [ofRoom('setup', said, `taskroom run ${task?.id ?? '<task>'}`, agent)];
  });
  return [...items, ...unpaid];
}

const MOST_NAMED = 20; // In one command; those that are left stand in the next line.

/** The command by which tasks get an agent that takes them. */
async function anotherAgent(deps: RoomHandle, tasks: readonly WithoutAgent[], problemOf: AgentProblemOf) {
  const agents = deps.agents();
  const isProse = agents.get(tasks[0]!.agent)?.runner === 'runbook';
  // A program of the person's own may read no prose.
  const takes = [...agents.values()].find(
    ({ id, runner, preset }) =>
      runner !== 'runbook' &&
      !(isProse && runner === 'command' && preset === null) &&
      problemOf(id, null) === null,
  );
  const areAllOwned = tasks.every(({ memory }) => memory.owner !== null);
  const ids = tasks.slice(0, MOST_NAMED).map(({ memory }) => memory.id);
  const give = (to: string) => `taskroom set ${ids.join(' ')} owner=${to}`;
  if (takes !== undefined) return areAllOwned ? give(takes.id) : `taskroom init --agent ${takes.id}`;
  const [found] = (await deps.ports.codingAgents?.()) ?? [];
  const install = found === undefined ? 'npm install -g @anthropic-ai/claude-code && claude && ' : '';
  const init = `${install}taskroom init --agent ${found ?? 'claude'}`;
  return areAllOwned ? `${init} && ${give(found ?? 'claude')}` : init;
}

/** What no later try settles by itself: a new token does, or a change of the chore's file. */
const NEEDS_PERSON: Readonly<Partial<Record<ErrorCode, 'token' | 'file'>>> = {
  ...{ unauthorized: 'token', not_allowed: 'token' },
  ...{ bad_input: 'file', not_found: 'file' },
};

const pathOf = (chore: string) => `chores/${chore}.md`;

/** The command after which a source can be synced again. */
function settleSource({ ports }: RoomHandle, { chore, provider }: SourceRow, needs: 'token' | 'file') {
  const name = quoteWord(chore);
  const [variable] = needs === 'token' ? (BUILT_IN_SECRETS[provider as BuiltInProvider] ?? []) : [];
  if (variable === undefined) return `taskroom edit ${quoteWord(pathOf(chore))} && taskroom sync ${name}`;
  const token = `${variable}='your token'`;
  // Only a daemon that starts with the token has it.
  return ports.daemonRuns() ? `taskroom stop && ${token} taskroom up` : `${token} taskroom sync ${name}`;
}

/** Chores that stand still, and plans that can't be read. */
function fileItems(deps: RoomHandle): Found[] {
  const { ledger, room } = deps;
  const stopped = ledger.chores.all().flatMap(({ name, stopped: why }) => {
    if (why === null) return [];
    return [ofRoom('setup', `stands still: ${why}`, `taskroom chores run ${quoteWord(name)}`, pathOf(name))];
  });
  const failed = ledger.sources.all().flatMap((source) => {
    const { chore, error } = source;
    const needs = error === null ? undefined : NEEDS_PERSON[error.code];
    if (error === null || needs === undefined) return [];
    return [ofRoom('setup', sentence(error), settleSource(deps, source, needs), pathOf(chore))];
  });
  const chores = [...stopped, ...failed].filter(({ name }) => existsSync(room.at(name!)));
  const plans = ledger.artifacts.all().flatMap(({ name, problem }) => {
    const path = `artifacts/${name}.md`;
    return problem === null ? [] : [ofRoom('setup', problem, `taskroom edit ${quoteWord(path)}`, path)];
  });
  return [...chores, ...plans];
}

function noticeItems({ ledger }: TaskRoom): Found[] {
  const untold = ledger.notices.list({ untold: true, limit: MOST_OF_A_KIND });
  return untold.map(({ seq, at, author, task, text }) => ({
    ...{ kind: 'notice', key: `notice:${seq}`, task, at: isoOrNull(at), settle: 'taskroom inbox --notices' },
    name: task === null ? null : (ledger.tasks.get(task)?.name ?? null),
    text: `${withoutPrefix(author)}: ${text}`,
  }));
}
