// Opens the pull request of a task's branch in one repository, once: the intent is durable before anything is pushed, and one that is there
// already, after a crash say, is taken for it.
import { isRoomError, RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { PullRequest } from '../../core/review-shapes.ts';
import { describeCheck } from '../../core/rules/checks.ts';
import { asNote, formatOutcome } from '../../core/task/body/entries.ts';
import { nameOfPath } from '../../core/task/names.ts';
import type { PullRequestDraft, RemotePull } from '../../providers/provider.ts';
import { keepRoomId } from '../../store/files/room-id.ts';
import { NO_TALK } from '../../store/ledger/mirrors/outbox.ts';
import { readStable } from '../../store/write/stable-read.ts';
import { hashOf, readLocalSide } from '../plan/base.ts';
import type { LocalSide } from '../plan/plan-data.ts';
import { isTrusted } from '../plan/trust.ts';
import { cutText, cutTitle, renderOutcome } from '../plan/upstream-text.ts';
import type { SyncDeps, SyncOptions, SyncPass, TaskBranch } from '../sync-pass.ts';
import { type Sender, type SendResult, send } from '../upstream/outbox.ts';
import { viewOf } from './feedback.ts';
import { type PullRoom, type Repository, repositoryOfRemotes, withPulls } from './repository.ts';

export interface Opening {
  repository: Repository;
  task: TaskId;
  branch: TaskBranch;
  draft: boolean;
  chore: string; // The chore that asks for it; '' for a person.
  options: Pick<SyncOptions, 'byPerson' | 'force'>;
  signal: AbortSignal;
  onWritten(path: string): void; // The task's file was written.
}

/** @throws RoomError of a tracker that is not reached: the intent stays, and is taken up later */
export async function openPull(deps: SyncDeps, opening: Opening): Promise<SendResult<RemotePull>> {
  const { repository, task, branch, chore, options, signal } = opening;
  const { pullRequest: pulls } = repository.provider;
  const draft = await draftOf(deps, opening);
  const room = keepRoomId(deps.room, deps.ledger, deps.effects);
  const of = [branch.branch, branch.name].filter((word) => word !== '').join(' ');
  const key = hashOf(`pull-request ${room} ${task} ${of}`).slice(0, 24);
  return send(
    senderOf(deps, repository, options, chore),
    { kind: 'pull_request', task, key, payload: draft },
    async (intended) => {
      const found = await pulls.find(branch.branch, branch.commit, signal);
      // Before anything is pushed: a branch that nobody can open a pull request of is half of the work.
      if (found === null) await pulls.assertMayOpen(signal);
      if (found === null || found.state === 'open') await deps.branches!.push(task, branch.name);
      const pull = found ?? (await pulls.open(intended, signal));
      const key = `pull-request:${task}:${pull.ref}`;
      const written = await noteUnderOutcome(deps, task, `Pull request: ${pull.url}`, key);
      if (written !== null) opening.onWritten(written);
      return pull;
    },
    (_, pull) => {
      const { provider, source, url } = repository.config;
      const { number, uid } = pull;
      const row = { task, name: branch.name, provider, source, url, number, uid };
      deps.ledger.pulls.put({ ...row, seen: seenOf(deps, repository, pull), talk: NO_TALK });
    },
  );
}

/** @param chore that a write belongs to; '' for none */
export function senderOf(
  deps: SyncDeps,
  { config, provider }: Repository,
  options: Sender['options'],
  chore = '',
): Sender {
  return { deps, config, chore, provider, options, probe: deps.probe ?? (() => {}), resetFaults() {} };
}

export function seenOf(deps: SyncDeps, repository: Repository, pull: RemotePull): PullRequest {
  const { config, provider } = repository;
  return viewOf(pull, (author) => isTrusted(author, config, provider.profile), deps.effects.now());
}

async function draftOf(deps: SyncDeps, opening: Opening): Promise<PullRequestDraft> {
  const { task, branch, draft, repository } = opening;
  const { config, factory, provider } = repository;
  const { limits } = provider.profile;
  const memory = deps.ledger.tasks.get(task);
  const path = memory?.path ?? memory?.archived ?? null;
  const side = path === null ? null : await readSide(deps, path);
  if (path === null || side === null)
    throw new RoomError('not_found', `the file of ${task} is gone, or can't be read`);
  const mirror = deps.ledger.mirrors.get(task);
  const isIssue = mirror?.provider === config.provider && factory.owns(mirror.ref, config);
  const writing = { limit: limits.body, mentions: config.mentions };
  const outcome = side.outcome.length === 0 ? '' : renderOutcome(side.outcome, writing);
  const body = [outcome, checkedText(deps, task)].filter((part) => part !== '').join('\n\n');
  return {
    ...{ head: branch.branch, base: branch.base, draft, closes: isIssue ? mirror.ref : null },
    title: cutTitle(side.title ?? nameOfPath(path), limits.title),
    // What closes the issue comes below.
    body: cutText(body, limits.body - 100),
  };
}

/** What the file says; null where it is gone or can't be read. */
export async function readSide(
  { room, effects, writer, config }: SyncDeps,
  path: string,
): Promise<LocalSide | null> {
  const isOurs = (hash: string) => writer.isOurs(path, hash);
  const read = await readStable(room.at(path), { effects, isOurs, shownAs: path });
  return read?.ok ? readLocalSide(path, read.text, config) : null;
}

/** What was checked before its done counted. */
function checkedText({ ledger }: SyncDeps, task: TaskId): string {
  const { state, results } = ledger.checks.newest(task) ?? { state: 'open', results: [] };
  if (state === 'waived') return '**Checked**\n\n- left out by a person';
  if (results.length === 0) return '';
  const lines = results.map((result) => `- \`${describeCheck(result).replaceAll('`', "'")}\``);
  return `**Checked**\n\n${lines.join('\n')}`;
}

/** As the runtime's own words: they go nowhere. Returns the file that was written; null for none. */
export async function noteUnderOutcome(deps: SyncDeps, task: TaskId, text: string, key: string) {
  const { ledger, writer, effects } = deps;
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null) return null;
  const block = asNote(formatOutcome({ atMs: effects.now(), author: 'taskroom', text }));
  const append = [{ section: 'Outcome' as const, block, key }];
  const { changed } = await writer.edit(path, { actor: 'runtime', task, edit: (now) => now, append });
  return changed ? path : null;
}

// The branches of tasks that are done, handed over without a person's asking: as drafts where their chore says so, and where
// their agent says `after: pr`. Once each; why not is noted under Outcome.

/** @throws RoomError of a tracker that is not reached; what was intended is taken up by a later sync */
export async function openPullRequests(pass: SyncPass): Promise<void> {
  const { deps, provider, factory, config, chore, options, signal } = pass;
  const { ledger } = deps;
  if (pass.isDry || !options.push || config.publish !== 'pull_request') return;
  const onWritten = (path: string) => pass.written.add(path);
  for (const { task, name } of ledger.workspaces.unpublished(chore)) {
    const row = ledger.mirrors.get(task);
    if (row === null || ledger.turns.runningOn(threadOfTask(task)) !== null) continue;
    if (provider.pullRequest === undefined) {
      pass.skip({ ref: row.ref, task, what: 'pull request', why: `${provider.name} opens none` });
      continue;
    }
    const repository = { provider: withPulls(provider), factory, config };
    const opening = { repository, chore, options, signal, draft: true };
    const why = await openOrNote(deps, { task, name }, onWritten, async ({ remotes }) => {
      const isOf = (address: string) => factory.sourceOfRemote?.(address, config.url) === config.source;
      if (name === '' || remotes.some(isOf)) return opening;
      throw new RoomError('refused', `${name} is not ${config.source}`, { hint: `taskroom pr ${task}` });
    });
    if (why !== null) pass.skip({ ref: row.ref, task, what: 'pull request', why });
  }
}

const AFTER_DONE_MS = 86_400_000; // Whoever sets `after` does not mean what was done long ago.

/** @param tasks null for all @throws RoomError as {@link openPullRequests} */
export async function openAfterTurns(room: PullRoom, tasks: readonly TaskId[] | null, written: string[]) {
  const { deps, signal } = room;
  const onWritten = (path: string) => written.push(path);
  const { workspaces, outbox } = deps.ledger;
  const done = workspaces.justDone(deps.opensPulls?.() ?? [], deps.effects.now() - AFTER_DONE_MS);
  // Begun by a process that died.
  const begun = outbox.all({ kind: 'pull_request', chore: '' });
  for (const task of new Set([...done, ...begun].map((row) => row.task))) {
    if (tasks?.includes(task) === false) continue;
    for (const one of workspaces.withoutPull(task))
      await openOrNote(deps, one, onWritten, async ({ remotes }) => {
        await deps.branches!.assertAtRest(task);
        const repository = await repositoryOfRemotes(room, remotes);
        return { repository, chore: '', options: {}, signal, draft: false };
      });
  }
}

/** Returns why it could not be opened; null where it was, or where there is nothing to hand over. */
async function openOrNote(
  deps: SyncDeps,
  { task, name }: { task: TaskId; name: string },
  onWritten: (path: string) => void,
  openingOf: (branch: TaskBranch) => Promise<Omit<Opening, 'task' | 'branch' | 'onWritten'>>,
): Promise<string | null> {
  const error = await (async () => {
    const branch = (await deps.branches!.read(task)).find((one) => one.name === name);
    if (branch === undefined || branch.commits === 0) return null;
    const sent = await openPull(deps, { ...(await openingOf(branch)), task, branch, onWritten });
    return 'error' in sent ? sent.error : null;
  })().catch(asRefusal);
  if (error === null) return null;
  const { message, hint } = error;
  const why = hint === undefined ? message : `${message}; ${hint}`;
  const key = `no-pull-request:${task}:${hashOf(why).slice(0, 12)}`;
  const path = await noteUnderOutcome(deps, task, `No pull request: ${why}`, key);
  if (path !== null) onWritten(path);
  return why;
}

/** What git refuses, or a branch that is gone, is that task's alone. */
function asRefusal(error: unknown): RoomError {
  if (isRoomError(error, 'refused') || isRoomError(error, 'not_found')) return error;
  throw error;
}
