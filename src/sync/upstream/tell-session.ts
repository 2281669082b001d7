// Says in a task's session what its file says, each thing once, and shows its plan and its pull request there.
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { isQuestionMark } from '../../core/task/body/questions.ts';
import type { MirrorRow } from '../../store/ledger/mirrors/mirrors.ts';
import type { RemoteSessionRow } from '../../store/ledger/mirrors/outbox.ts';
import { activityKey, hashOf, packBase, sessionId } from '../plan/base.ts';
import { baseOf, type LocalSide } from '../plan/plan-data.ts';
import type { SessionFacts, SessionPush } from '../plan/plan-session.ts';
import { planOfSteps, planSession, reopenedKey } from '../plan/plan-session.ts';
import { writingOf } from '../plan/upstream-text.ts';
import type { SyncPass } from '../sync-pass.ts';
import { send } from './outbox.ts';

/** Null where the work is shown in none, or these credentials have none. */
export const sessionOf = ({ provider, deps }: SyncPass, task: TaskId): RemoteSessionRow | null =>
  provider.sessions === undefined ? null : deps.ledger.remoteSessions.get(task);

const LOOK_AGAIN_MS = 1_000;

/** @param side the file as it is now
 * @returns when it is to be looked at again, epoch ms; null when all is said
 * @throws RoomError of a tracker that fails; what was said before is recorded */
export async function tellSession(pass: SyncPass, row: MirrorRow, side: LocalSide): Promise<number | null> {
  const { ledger, effects } = pass.deps;
  const { task } = row;
  const before = sessionOf(pass, task);
  if (before === null) return null;
  const reopened = reopenedKey(before, side);
  if (reopened !== null) note(pass, task, [reopened]);
  const facts = factsOf(pass, row, sessionOf(pass, task)!, side);
  const pushes = planSession(facts);
  const keys = new Set(pushes.map((push) => activityKey(before.session, push.keys[0]!)));
  for (const { id, key } of ledger.outbox.all({ task, kind: 'activity' }))
    if (!keys.has(key)) ledger.outbox.delete(id);
  for (const push of pushes) {
    const until = await say(pass, row, before.session, push);
    if (until === 'gone') return null;
    if (until !== null) return until;
  }
  await show(pass, task, side, facts.running);
  const waits = ledger.remoteSessions.get(task)?.owed.length ?? 0;
  return waits > 0 ? effects.now() + LOOK_AGAIN_MS : null;
}

function factsOf(pass: SyncPass, { task }: MirrorRow, row: RemoteSessionRow, local: LocalSide): SessionFacts {
  const { ledger } = pass.deps;
  const { config, provider } = pass;
  const gate = baseOf(ledger.mirrors.get(task)!)?.gate ?? null;
  const pause = ledger.pauses.get(task);
  const gated = gate === null ? null : { key: `gate:${hashOf(gate)}`, reason: gate };
  return {
    ...{ row, local, push: config.push, writing: writingOf({ config, profile: provider.profile }) },
    running: ledger.turns.runningOn(threadOfTask(task)) !== null || ledger.checks.isHeld(task),
    pause: gated ?? (pause === null ? null : { key: `pause:${pause.at}`, reason: pause.reason }),
  };
}

async function say(pass: SyncPass, row: MirrorRow, session: string, { type, body, keys }: SessionPush) {
  const { task, ref } = row;
  const sent = await send(
    pass,
    { kind: 'activity', task, key: activityKey(session, keys[0]!), payload: { type, body, keys } },
    (intended, attempt) => pass.provider.sessions!.say(session, intended, attempt, pass.signal),
    (intended, { id, createdAt }) => {
      note(pass, task, intended.keys);
      if (isQuestionMark(intended.keys[0]!)) recordQuestion(pass, task, intended.keys[0]!, id, createdAt);
    },
  );
  if (sent.outcome === 'waiting') return sent.until;
  if (sent.outcome === 'gone') pass.deps.ledger.remoteSessions.delete(task);
  else if (sent.outcome !== 'sent') {
    // It would be refused again.
    note(pass, task, keys);
    pass.skip({ ref, task, what: 'session', why: sent.error.message });
  }
  return sent.outcome === 'gone' ? ('gone' as const) : null;
}

function note({ deps: { ledger } }: SyncPass, task: TaskId, keys: readonly string[]): void {
  const row = ledger.remoteSessions.get(task);
  if (row === null) return;
  const owed = row.owed.filter(({ key }) => !keys.includes(key));
  ledger.remoteSessions.update(task, { said: [...row.said, ...keys], owed });
}

/** Comments on the issue that come after it answer it, as those after a comment that asks. */
function recordQuestion({ deps: { ledger } }: SyncPass, task: TaskId, mark: string, id: string, at: number) {
  const base = baseOf(ledger.mirrors.get(task)!);
  if (base === null) return;
  // No comment that could be edited.
  const known = { remote: '', text: '', local: mark, deleted: true, at };
  const comments = { ...base.comments, [sessionId(id)]: known };
  ledger.mirrors.update(task, { base: packBase({ ...base, comments }) });
}

async function show(pass: SyncPass, task: TaskId, side: LocalSide, running: boolean): Promise<void> {
  const { ledger, config } = pass.deps;
  const { board } = config();
  const pulls = ledger.pulls.of(task).filter(({ seen }) => seen.url !== '');
  const links = [
    ...pulls.map(({ seen: { ref, url } }) => ({ label: `Pull request ${ref}`, url })),
    ...(board === null ? [] : [{ label: 'Board', url: `${board}/#/task/${task}` }]),
  ];
  const view = { plan: planOfSteps(side, running), links };
  const row = ledger.remoteSessions.get(task)!;
  const shown = view.plan.length + links.length === 0 ? '' : hashOf(JSON.stringify(view));
  if (shown === row.shown) return;
  await pass.provider.sessions!.show(row.session, view, pass.signal);
  ledger.remoteSessions.update(task, { shown });
}
