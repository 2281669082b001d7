// The branches of tasks that are done, handed over without a person's asking: as drafts where their chore says so, and where
// their agent says `after: pr`. Once each; why not is noted under Outcome.
import { isRoomError, type RoomError } from '../../core/errors.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import type { SyncDeps, TaskBranch } from '../contract.ts';
import { hashOf } from '../plan/keys.ts';
import type { SyncPass } from '../sync-pass.ts';
import { noteUnderOutcome, type Opening, openPull } from './open-pull.ts';
import { type PullRoom, repositoryOfRemotes, withPulls } from './repository.ts';

/** @throws RoomError of a tracker that is not reached; what was intended is taken up by a later sync */
export async function openPullRequests(pass: SyncPass): Promise<void> {
  const { deps, provider, factory, config, chore, options, signal } = pass;
  const { ledger } = deps;
  if (pass.isDry || !options.push || config.publish !== 'pull_request') return;
  const onWritten = (path: string) => pass.written.add(path);
  for (const { task } of ledger.workspaces.unpublished(chore)) {
    const row = ledger.mirrors.get(task);
    if (row === null || ledger.turns.runningOn(threadOfTask(task)) !== null) continue;
    if (provider.pullRequest === undefined) {
      pass.skip({ ref: row.ref, task, what: 'pull request', why: `${provider.name} opens none` });
      continue;
    }
    const repository = { provider: withPulls(provider), factory, config };
    const opening = { repository, chore, options, signal, draft: true };
    const why = await openOrNote(deps, task, onWritten, async () => opening);
    if (why !== null) pass.skip({ ref: row.ref, task, what: 'pull request', why });
  }
}

/** Whoever sets `after` does not mean what was done long ago. */
const AFTER_DONE_MS = 86_400_000;

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
    await openOrNote(deps, task, onWritten, async ({ remotes }) => {
      await deps.branches!.assertAtRest(task);
      const repository = await repositoryOfRemotes(room, remotes);
      return { repository, chore: '', options: {}, signal, draft: false };
    });
  }
}

/** Returns why it could not be opened; null where it was, or where there is nothing to hand over. */
async function openOrNote(
  deps: SyncDeps,
  task: TaskId,
  onWritten: (path: string) => void,
  openingOf: (branch: TaskBranch) => Promise<Omit<Opening, 'task' | 'branch' | 'onWritten'>>,
): Promise<string | null> {
  const error = await (async () => {
    const branch = await deps.branches!.read(task);
    if (branch.commits === 0) return null;
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
