// What people asked for in a tracker's sessions: work that was handed over, words that no comment of the issue shows, and that the
// work is to stop. Who asked gets a first word at once; their words are the mirror's to judge, like any comment.

import { threadOfTask } from '../core/ids.ts';
import { isFinished } from '../core/task/status.ts';
import type { RemoteComment, RemoteSession, RemoteTask, SessionPrompt } from '../providers/provider.ts';
import type { MirrorRow } from '../store/ledger/mirrors/mirrors.ts';
import type { SourceRow } from '../store/ledger/mirrors/sources.ts';
import { readTaskFile } from './file/task-file.ts';
import type { ListedMirror } from './pairing/create-tasks.ts';
import { sessionId } from './plan/base.ts';
import { baseOf } from './plan/plan-data.ts';
import { saidBefore } from './plan/plan-session.ts';
import { isTrusted } from './plan/trust.ts';
import type { SyncPass } from './sync-pass.ts';

const OVERLAP_MS = 3_600_000; // Clocks differ, and a session shows a little after it changed.

/** @returns the known issues, with what was said of them in sessions. @throws RoomError as `sessions.list` */
export async function takeSessions(
  pass: SyncPass,
  { syncedAt }: SourceRow,
  known: readonly ListedMirror[],
): Promise<ListedMirror[]> {
  const { provider, deps, signal } = pass;
  const items = new Map(known.map((item) => [item.task, item]));
  if (provider.sessions === undefined || pass.isDry) return [...items.values()];
  const since = syncedAt === null ? 0 : syncedAt - OVERLAP_MS;
  for (const session of await provider.sessions.list(since, signal)) {
    const row = deps.ledger.mirrors.byUid(pass.config.provider, session.issue);
    if (row === null || row.state === 'detached' || row.chore !== pass.chore) continue;
    if (!(await takeUp(pass, row, session))) continue;
    const words = await takePrompts(pass, row, session);
    if (words.length === 0) continue;
    const remote = items.get(row.task)?.remote ?? (await pass.fetchOne(row.ref));
    if (remote !== null) items.set(row.task, { task: row.task, remote: withWords(remote, words) });
  }
  return [...items.values()];
}

/** The newest session of an issue is where its work is shown. @returns whether this is it */
async function takeUp(pass: SyncPass, row: MirrorRow, session: RemoteSession): Promise<boolean> {
  const { ledger, effects } = pass.deps;
  const { task } = row;
  const mine = ledger.remoteSessions.get(task);
  if (mine?.session === session.id) return true;
  const base = baseOf(row);
  if (session.ended || base === null || (mine?.createdAt ?? 0) > session.createdAt) return false;
  const file = await readTaskFile(pass.deps, row, pass.signal);
  if (file.kind !== 'file') return false;
  const isAsked = (mark: string) => Object.values(base.comments).some(({ local }) => local === mark);
  const body = `Received: it is the task ${JSON.stringify(file.name)}.`;
  const first = { key: 'received', type: 'thought' as const, body, atRest: false };
  const { id, by, createdAt } = session;
  const asksAgain =
    by !== null &&
    isTrusted(by, pass.config, pass.provider.profile) &&
    !isFinished(file.local.class) &&
    (ledger.tasks.get(task)?.consumed ?? null) !== null &&
    ledger.turns.runningOn(threadOfTask(task)) === null;
  ledger.transaction(() => {
    ledger.remoteSessions.put({
      ...{ task, session: id, createdAt, shown: '' },
      ...{ said: saidBefore(file.local, isAsked), owed: [first] },
    });
    lookAgain(pass, row);
    if (asksAgain) {
      ledger.wakes.add(task, 'comment', effects.now());
      ledger.messages.send({ kind: 'look', tasks: [task] }, effects.now());
    }
  });
  if (asksAgain) pass.written.add(file.path);
  return true;
}

const lookAgain = ({ deps }: SyncPass, { task }: MirrorRow): void =>
  void deps.ledger.mirrors.update(task, { localHash: null, dueAt: null });

/** @returns words of people that the issue does not show */
async function takePrompts(
  pass: SyncPass,
  row: MirrorRow,
  { prompts }: RemoteSession,
): Promise<SessionPrompt[]> {
  const { ledger } = pass.deps;
  const base = baseOf(row);
  for (const { id, stops } of prompts) {
    const session = ledger.remoteSessions.get(row.task)!;
    const isTaken = session.said.includes(id) || session.owed.some(({ key }) => key === id);
    if (!stops || isTaken) continue;
    await pass.deps.stopTurn?.(row.task);
    const body = 'Stopped: nothing of it runs. A reply starts it again.';
    const owed = [...session.owed, { key: id, type: 'response' as const, body, atRest: true }];
    ledger.transaction(() => {
      ledger.remoteSessions.update(row.task, { owed });
      lookAgain(pass, row);
    });
  }
  return prompts.filter(
    ({ id, stops, comment }) => !stops && comment === null && base?.comments[sessionId(id)] === undefined,
  );
}

function withWords(remote: RemoteTask, words: readonly SessionPrompt[]): RemoteTask {
  const said = words.map(({ id, author, role, mine, body, at }): RemoteComment => {
    return { id: sessionId(id), author, role, mine, body, key: null, createdAt: at, updatedAt: at };
  });
  const { comments } = remote;
  return { ...remote, comments: { ...comments, items: [...comments.items, ...said] } };
}
