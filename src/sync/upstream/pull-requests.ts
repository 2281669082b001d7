// The branches of tasks that are done, handed over as draft pull requests where the chore says so: once each. The intent
// is in the outbox before the branch is pushed, and goes when the address stands in the file and on record.

import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { asNote, formatOutcome } from '../../core/task/body/entries.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import { baseOf } from '../plan/base.ts';
import { hashOf } from '../plan/keys.ts';
import type { SyncPass } from '../sync-pass.ts';
import { send } from './outbox.ts';

/** @throws RoomError of a tracker that is not reached; what was intended is taken up by a later sync */
export async function openPullRequests(pass: SyncPass): Promise<void> {
  const { ledger } = pass.deps;
  if (pass.isDry || !pass.options.push || pass.config.publish !== 'pull_request') return;
  for (const { task, branch } of ledger.workspaces.unpublished(pass.chore)) {
    const row = ledger.mirrors.byTask(task);
    if (row === null || ledger.turns.runningOn(threadOfTask(task)) !== null) continue;
    await openOne(pass, row, branch);
  }
}

async function openOne(pass: SyncPass, row: MirrorRow, branch: string): Promise<void> {
  const { deps, provider, signal } = pass;
  const { task, ref } = row;
  const { pullRequest } = provider;
  const { pushBranch } = deps;
  if (pullRequest === undefined || pushBranch === undefined)
    return pass.skip({ ref, task, what: 'pull request', why: `${provider.name} opens none` });
  const title = baseOf(row)?.remote.title ?? deps.ledger.tasks.get(task)?.name ?? branch;
  const key = hashOf(`pull-request ${pass.room} ${task} ${branch}`).slice(0, 24);
  const sent = await send(
    pass,
    { kind: 'pull_request', task, key, payload: { branch, title } },
    async (intended) => {
      if (!(await pushBranch(task))) return '';
      const { url } = await pullRequest.open(ref, { head: intended.branch, title: intended.title }, signal);
      await say(pass, task, `Pull request: ${url}`, `pull-request:${task}`);
      return url;
    },
    (_, url) => deps.ledger.workspaces.update(task, { pullRequest: url }),
  );
  if (sent.outcome === 'sent' || sent.outcome === 'waiting') return;
  const { message, hint } = sent.error;
  const why = hint === undefined ? message : `${message}; ${hint}`;
  pass.skip({ ref, task, what: 'pull request', why });
  await say(pass, task, `No pull request: ${why}`, `no-pull-request:${task}:${hashOf(why).slice(0, 12)}`);
}

/** Under Outcome, as the runtime's own words: they go nowhere. */
async function say(pass: SyncPass, task: TaskId, text: string, key: string): Promise<void> {
  const { ledger, writer, effects } = pass.deps;
  const path = ledger.tasks.get(task)?.path ?? null;
  if (path === null) return;
  const block = asNote(formatOutcome({ atMs: effects.now(), author: 'taskroom', text }));
  const append = [{ section: 'Outcome' as const, block, key }];
  const { changed } = await writer.edit(path, { actor: 'runtime', task, edit: (now) => now, append });
  if (changed) pass.written.add(path);
}
