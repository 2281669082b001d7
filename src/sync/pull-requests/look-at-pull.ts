// One look at a pull request of a task: what its task did since it was asked is pushed and its threads are answered, then what is
// said there is taken in. Each step is on record before the next.
import { removeKey, setKey } from '../../core/document/document.ts';
import { isRoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { PullRequest } from '../../core/review-shapes.ts';
import { formatComment } from '../../core/task/body/entries.ts';
import { readTask } from '../../core/task/read-task.ts';
import { isFinished } from '../../core/task/status.ts';
import type { RemoteCheck, RemotePull } from '../../providers/provider.ts';
import type { PullRow, PullTalk } from '../../store/ledger/mirrors/outbox.ts';
import { entryOf, hashOf } from '../plan/base.ts';
import { isTrusted } from '../plan/trust.ts';
import type { SyncDeps } from '../sync-pass.ts';
import { send } from '../upstream/outbox.ts';
import { type Feedback, newsOf, ofCheck, type Pull } from './feedback.ts';
import { noteUnderOutcome, readSide, seenOf, senderOf } from './open-pull.ts';
import { openRepository, type PullRoom, type Repository } from './repository.ts';

/** @param written gets the task files that were written */
export async function lookAtPull(room: PullRoom, row: PullRow, written: string[]): Promise<void> {
  const { deps, signal } = room;
  const { ledger } = deps;
  const repository = await openRepository(room, row);
  const pull = await repository.provider.pullRequest.read(row.number, signal);
  const seen = seenOf(deps, repository, pull);
  // Before it is on record that it is merged: then nobody looks at it again.
  if (seen.state === 'merged' && deps.config().pr.doneOn !== 'never' && (await isLastToMerge(deps, row)))
    await finishTask(room, row.task, `merged ${seen.ref}`, written);
  ledger.pulls.change(row, { seen });
  if (isOther(row.seen, seen)) tellRoom(room, row.task, seen);
  if (seen.verdict === 'approved' && row.seen.verdict !== 'approved') setTalk(room, row, { rounds: 0 });
  const isPushed = await handOver(room, repository, pull, row);
  const now = rowNow(deps, row);
  if (isPushed) tellRoom(room, row.task, now.seen);
  const trusts = (author: Parameters<typeof isTrusted>[0]) =>
    isTrusted(author, repository.config, repository.provider.profile);
  const { said, failed } = newsOf(pull, now.talk.told, trusts);
  // What failed on the commit before says nothing of the one that was pushed just now.
  const failures = isPushed ? [] : failed;
  const logs = await Promise.all(failures.map((one) => readFailure(room, repository, pull, one)));
  if (said.length + logs.length === 0) return;
  const path = await tellTask(deps, now, pull, [...said, ...logs]);
  if (path !== null) written.push(path);
}

/** No other repository of the task has something that is not merged. */
async function isLastToMerge({ ledger, branches }: SyncDeps, { task, name }: PullRow): Promise<boolean> {
  const others = ledger.pulls.of(task).filter((one) => one.name !== name);
  if (others.some(({ seen }) => seen.state !== 'merged')) return false;
  const known = [name, ...others.map((one) => one.name)];
  const isUnopened = ledger.workspaces.of(task).some((one) => !known.includes(one.name));
  if (!isUnopened) return true;
  return (await branches!.read(task)).every((one) => known.includes(one.name) || one.commits === 0);
}

const rowNow = ({ ledger }: SyncDeps, { task, name }: PullRow): PullRow => ledger.pulls.get(task, name)!;

async function readFailure(room: PullRoom, { provider }: Repository, pull: Pull, check: RemoteCheck) {
  const log = await provider.pullRequest.readLog(check, room.signal).catch((error: unknown) => {
    // Its log is gone, or not for these credentials: that it failed is known.
    if (isRoomError(error) && error.code !== 'interrupted') return '';
    throw error;
  });
  return ofCheck(pull, check, log, room.deps.effects.now());
}

function setTalk({ deps }: PullRoom, row: PullRow, change: Partial<PullTalk>): void {
  deps.ledger.pulls.change(row, { talk: { ...rowNow(deps, row).talk, ...change } });
}

/** Once the task that was asked for changes is at rest. Returns whether something was pushed. */
async function handOver(room: PullRoom, repository: Repository, pull: Pull, row: PullRow): Promise<boolean> {
  const { deps } = room;
  const { task, name, talk } = row;
  if (talk.askedAt === null || pull.state !== 'open' || !isAtRest(room, task)) return false;
  const branch = (await deps.branches!.read(task)).find((one) => one.name === name);
  if (branch === undefined || branch.commit === talk.askedAt) return false;
  const isNew = branch.commit !== pull.commit;
  if (isNew) {
    await deps.branches!.push(task, name);
    deps.ledger.pulls.change(row, { seen: { ...rowNow(deps, row).seen, commit: branch.commit, checks: [] } });
  }
  let waits = false;
  for (const one of talk.unanswered)
    waits = !(await answer(room, repository, row, one, branch.commit)) || waits;
  if (!waits) setTalk(room, row, { unanswered: [], askedAt: null });
  return isNew;
}

/** Nothing asks for its next turn, and its last one went well. */
function isAtRest({ deps: { ledger } }: PullRoom, task: TaskId): boolean {
  const thread = threadOfTask(task);
  const isAsked = ledger.requests.get(thread) !== null || ledger.wakes.of(task).length > 0;
  if (isAsked || ledger.turns.runningOn(thread) !== null) return false;
  return ledger.turns.list({ thread, limit: 1 })[0]?.state === 'completed';
}

/** False where an earlier try may have done it, which is looked up later. */
async function answer(
  room: PullRoom,
  repository: Repository,
  row: PullRow,
  { key: about, thread }: PullTalk['unanswered'][number],
  commit: string,
): Promise<boolean> {
  const { deps, signal } = room;
  const { task, uid, number } = row;
  const { pullRequest } = repository.provider;
  const key = hashOf(`reply ${uid} ${about}`);
  const payload = { thread, body: `Fixed in ${commit.slice(0, 7)}.` };
  const { outcome } = await send(
    senderOf(deps, repository, {}),
    { kind: 'reply', task, key, payload },
    (intended, attempt) => pullRequest.reply(number, intended.thread, intended.body, attempt, signal),
    () => {
      const unanswered = rowNow(deps, row).talk.unanswered.filter((one) => one.key !== about);
      setTalk(room, row, { unanswered });
    },
  );
  return outcome !== 'waiting';
}

const isOther = (before: PullRequest, after: PullRequest): boolean =>
  JSON.stringify({ ...before, seen_at: '' }) !== JSON.stringify({ ...after, seen_at: '' });

export function tellRoom({ deps }: PullRoom, id: TaskId, { ref, url, state }: PullRequest): void {
  const name = deps.ledger.tasks.get(id)?.name ?? id;
  deps.events.emit({ type: 'pull_request.changed', id, name, ref, url, state });
}

/** The task is done, whatever checks of a turn here would say; not one that is over already, or has no file. */
export async function finishTask({ deps }: PullRoom, task: TaskId, why: string, written: string[]) {
  const { ledger, writer, effects } = deps;
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null) return;
  // On record before the file says so, because an observer of the file must know it.
  ledger.checks.waive(task, { at: effects.now(), reason: why });
  const edit = (text: string) => {
    const reading = readTask(path, text, deps.config);
    return reading.ok && !isFinished(reading.task.status) ? setKey(text, 'status', 'done', path) : text;
  };
  const { changed } = await writer.edit(path, { actor: 'runtime', task, edit });
  if (!changed) return;
  await noteUnderOutcome(deps, task, `Done: ${why}`, `pull-request-done:${task}:${why}`);
  written.push(path);
}

// What a pull request asks for, brought to its task: each word once, as an entry of its comments. The task is woken, opened
// again where it was done, and paused after so many rounds.

/** Returns the file that was written; null for none. */
export async function tellTask(deps: SyncDeps, row: PullRow, pull: RemotePull, news: readonly Feedback[]) {
  const { ledger, writer, effects, config } = deps;
  const { task } = row;
  const memory = ledger.tasks.get(task);
  const path = memory?.path ?? null;
  // Nobody works on it any more, or it waits for its person as it is.
  if (memory === null || path === null || memory.status === 'canceled') return null;
  const standing = new Set((await readSide(deps, path))?.comments.map(({ id }) => id));
  const append = news.flatMap(({ key: about, author, role, at: atMs, text }) => {
    const id = entryOf(row.provider, about);
    const key = `pull:${hashOf(`${row.uid} ${about}`)}`;
    // It was told before the ledger was lost.
    if (standing.has(id) && writer.known(key) === null) return [];
    return [{ section: 'Comments' as const, block: formatComment({ author, role, atMs, id, text }), key }];
  });
  const rounds = row.talk.rounds + Math.min(1, append.length);
  const isTooMany = rounds > config().maxReviewRounds;
  const talk = talkAfter(row.talk, pull, news, isTooMany ? 0 : rounds);
  if (append.length === 0) {
    ledger.pulls.change(row, { talk: { ...row.talk, told: talk.told } });
    return null;
  }
  const reason = `its pull request ${pull.ref} was to be changed ${rounds} times; what is asked for now stands under Comments`;
  const at = effects.now();
  // On record before the file says so: it counts while that is paused.
  if (isTooMany) ledger.pauses.put({ task, reason, at });
  const edit = (text: string) => reopened(deps, path, text, isTooMany);
  const { changed } = await writer.edit(path, { actor: 'runtime', task, edit, append });
  ledger.transaction(() => {
    ledger.pulls.change(row, { talk });
    // What comes of it in another repository is pushed too.
    for (const other of ledger.pulls.of(task).filter(({ name }) => name !== row.name))
      ledger.pulls.change(other, {
        talk: { ...other.talk, askedAt: other.talk.askedAt ?? other.seen.commit },
      });
    // Under our own account it may be our agent that speaks: such turns are counted.
    ledger.wakes.add(task, news.every(({ mine }) => mine) ? 'own_comment' : 'review', at);
    ledger.messages.send({ kind: 'look', tasks: [task] }, at);
  });
  return changed ? path : null;
}

function reopened({ config }: SyncDeps, path: string, text: string, isPaused: boolean): string {
  const reading = readTask(path, text, config);
  if (!reading.ok || reading.task.status === 'canceled') return text;
  const isDone = reading.task.status === 'done';
  const open = isDone ? removeKey(setKey(text, 'status', 'todo', path), 'completed_by', path) : text;
  return isPaused ? setKey(open, 'paused', true, path) : open;
}

function talkAfter(talk: PullTalk, { commit }: RemotePull, news: readonly Feedback[], rounds: number) {
  const threads = news.flatMap(({ key, thread }) => (thread === null ? [] : [{ key, thread }]));
  return {
    told: [...talk.told, ...news.map(({ key }) => key)],
    unanswered: [...talk.unanswered, ...threads],
    rounds,
    askedAt: commit,
  };
}
