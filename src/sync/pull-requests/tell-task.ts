// What a pull request asks for, brought to its task: each word once, as an entry of its comments. The task is woken, opened
// again where it was done, and paused after so many rounds.
import { removeKey, setKey } from '../../core/document/document.ts';
import { formatComment } from '../../core/task/body/entries.ts';
import { readTask } from '../../core/task/read-task.ts';
import type { RemotePull } from '../../providers/provider.ts';
import type { PullRow, PullTalk } from '../../store/ledger/mirrors/pulls.ts';
import type { SyncDeps } from '../contract.ts';
import { entryOf, hashOf } from '../plan/keys.ts';
import type { Feedback } from './feedback.ts';
import { readSide } from './open-pull.ts';

/** Returns the file that was written; null for none. */
export async function tellTask(
  deps: SyncDeps,
  row: PullRow,
  pull: RemotePull,
  news: readonly Feedback[],
): Promise<string | null> {
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
    ledger.pulls.update(task, { talk: { ...row.talk, told: talk.told } });
    return null;
  }
  const reason = `its pull request ${pull.ref} was to be changed ${rounds} times; what is asked for now stands under Comments`;
  const at = effects.now();
  // On record before the file says so: it counts while that is paused.
  if (isTooMany) ledger.pauses.put({ task, reason, at });
  const edit = (text: string) => reopened(path, text, isTooMany);
  const { changed } = await writer.edit(path, { actor: 'runtime', task, edit, append });
  ledger.transaction(() => {
    ledger.pulls.update(task, { talk });
    // Under our own account it may be our agent that speaks: such turns are counted.
    ledger.wakes.add(task, news.every(({ mine }) => mine) ? 'own_comment' : 'review', at);
    ledger.messages.send({ kind: 'look', tasks: [task] }, at);
  });
  return changed ? path : null;
}

function reopened(path: string, text: string, isPaused: boolean): string {
  const reading = readTask(path, text);
  if (!reading.ok || reading.task.status === 'canceled') return text;
  const isDone = reading.task.status === 'done';
  const open = isDone ? removeKey(setKey(text, 'status', 'todo', path), 'completed_by', path) : text;
  return isPaused ? setKey(open, 'paused', true, path) : open;
}

function talkAfter(
  talk: PullTalk,
  { commit }: RemotePull,
  news: readonly Feedback[],
  rounds: number,
): PullTalk {
  const threads = news.flatMap(({ key, thread }) => (thread === null ? [] : [{ key, thread }]));
  return {
    told: [...talk.told, ...news.map(({ key }) => key)],
    unanswered: [...talk.unanswered, ...threads],
    rounds,
    askedAt: commit,
  };
}
