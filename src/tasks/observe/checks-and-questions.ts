// What an observation means for checks (whose words they are, and whether a new done counts yet: one that does not is held) and for
// questions (which are open, and whose answers are news that wake the task, however they came).
import type { RoomEvent } from '../../core/events.ts';
import { type TaskId, threadOfTask } from '../../core/ids.ts';
import { doneCounts } from '../../core/rules/checks.ts';
import { answerMark } from '../../core/task/body/questions.ts';
import { isFinished } from '../../core/task/status.ts';
import type { Task, TaskQuestion } from '../../core/task/task.ts';
import { BEFORE_OWN_WRITE_MS, rememberChecks } from '../../store/files/trusted-words.ts';
import type { Ledger } from '../../store/ledger/ledger.ts';
import type { FileRow } from '../../store/ledger/tasks/files.ts';
import type { TaskMemory } from '../../store/ledger/tasks/tasks.ts';
import type { QuestionMemory } from '../../store/ledger/tasks/waits.ts';
import type { TaskRoom } from '../task-room.ts';

/** Takes in what a file says about checks, before it is observed as a task. */
export function takeInChecks(ledger: Ledger, { path, hash, stamp }: FileRow, task: Task): void {
  const now = task.checks ?? [];
  if (now.length === 0 && ledger.saidWords.get(`task:${task.id}`) === null) return;
  const isOwnWrite = ledger.writes.isOurs(path, hash);
  const file = { changedAtMs: stamp.ctimeMs, isOwnWrite, isOthers: isOthers(task) };
  if (task.id === null) return rememberChecks(ledger, `path:${path}`, now, file);
  const source = `task:${task.id}` as const;
  const before = ledger.saidWords.get(source) === null ? ledger.saidWords.get(`path:${path}`) : null;
  // It was seen before the runtime wrote an id into it.
  if (before !== null && now.length > 0) {
    ledger.saidWords.put({ ...before, source });
    ledger.saidWords.put({ source: `path:${path}`, said: [], seen: [] });
  }
  rememberChecks(ledger, source, now, file);
}

/** A file that a mirror or an agent made names no checks; what a person adds to it later does. */
const isOthers = ({ requester, createdBy }: Task): boolean =>
  requester !== 'owner' || createdBy?.startsWith('agent:') === true;

/** The task as it counts: a done that must wait for its checks is the status of before. */
export function asItCounts(ledger: Ledger, memory: TaskMemory, task: Task): { task: Task; held: boolean } {
  const newest = ledger.checks.newest(memory.id);
  if (newest === null || memory.status === 'done') return { task, held: false };
  const { turn, state } = newest;
  if (task.status !== 'done') {
    if (state === 'held') ledger.checks.update(turn, { state: 'open' });
    return { task, held: false };
  }
  const isRunning = ledger.turns.runningOn(threadOfTask(memory.id))?.id === turn;
  const isWaived = ledger.checks.waiverSince(memory.id, newest.beganAt) !== null;
  const checks = { state, commands: newest.commands.length, isRunning };
  if (doneCounts({ checks, isWaived })) {
    if (isWaived) ledger.checks.update(turn, { state: 'waived' });
    return { task, held: false };
  }
  // One that failed is about to be sent back.
  if (state === 'open') ledger.checks.update(turn, { state: 'held' });
  // Whoever looks next looks at it anew: it may count by then.
  ledger.files.setObserved(task.path, false);
  return { task: { ...task, status: memory.status }, held: true };
}

/** Answers at first sight are no news. Returns events, and whether somebody typed an answer, who may still be at it. */
export function takeInQuestions(deps: TaskRoom, row: FileRow, task: Task, isFirst: boolean) {
  const { questions, wakes } = deps.ledger;
  const id = task.id!;
  const known = new Map((isFirst ? [] : questions.of(id)).map((memory) => [memory.key, memory]));
  const events: RoomEvent[] = [];
  if (known.size === 0 && task.questions === undefined) return { isTyped: false, events };
  const now = deps.effects.now();
  const news: { isUnsure: boolean }[] = [];
  let isTyped = false;
  for (const [index, question] of (task.questions ?? []).entries()) {
    const before = known.get(question.key) ?? null;
    known.delete(question.key);
    if (before !== null && !before.isWithdrawn && before.answer === question.answer) continue;
    const isUnsure = question.answer !== null && isAgentsMaybe(deps.ledger, id, row, before, question);
    // Those of one moment stay in the order of the file.
    const seenAt = before?.seenAt ?? now + index;
    questions.put(id, { ...question, seenAt, isWithdrawn: false, isUnsure });
    events.push(eventOf(task, question));
    if (question.answer === null) continue;
    if (isFirst) questions.settle(id, question.key);
    else news.push({ isUnsure });
    isTyped ||= question.typed !== (before?.typed ?? null);
  }
  for (const gone of known.values()) if (withdraw(deps.ledger, row, task, gone, events)) news.push(gone);
  if (news.length > 0 && !isFinished(task.status))
    wakes.add(id, news.every(({ isUnsure }) => isUnsure) ? 'own_answer' : 'answered', now);
  return { isTyped, events };
}

/** A question that is gone from its file. One that was open is news: nobody will answer it. */
function withdraw(ledger: Ledger, row: FileRow, task: Task, question: QuestionMemory, events: RoomEvent[]) {
  const id = task.id!;
  if (question.isWithdrawn) return false;
  if (question.answer !== null) {
    ledger.questions.delete(id, question.key);
    return false;
  }
  question.isUnsure = ranMeanwhile(ledger, id, row);
  ledger.questions.put(id, { ...question, isWithdrawn: true });
  events.push({ type: 'question.withdrawn', id, name: task.name, text: question.text });
  return true;
}

function eventOf({ id, name }: Task, { answer, author, text }: TaskQuestion): RoomEvent {
  if (answer === null) return { type: 'question.asked', id: id!, name, author, text };
  return { type: 'question.answered', id: id!, name, text };
}

/** Whether what is new in its answers may be the words of the turn's own agent. */
function isAgentsMaybe(
  ledger: Ledger,
  id: TaskId,
  row: FileRow,
  before: TaskQuestion | null,
  now: TaskQuestion,
): boolean {
  const old = new Set(before?.answerIds);
  const fresh = now.answerIds.filter((one) => !old.has(one));
  const keys = fresh.map(answerMark);
  const said = ledger.postedComments.among(keys);
  if (fresh.length > 0 && now.typed === (before?.typed ?? null)) return !keys.every((key) => said.has(key));
  return ranMeanwhile(ledger, id, row);
}

function ranMeanwhile({ turns, writes }: Ledger, id: TaskId, { path, hash, stamp }: FileRow): boolean {
  const from = stamp.ctimeMs - (writes.isOurs(path, hash) ? BEFORE_OWN_WRITE_MS : 0);
  const [newest] = turns.list({ thread: threadOfTask(id), limit: 1 });
  if (newest === undefined || newest.startedAt > stamp.ctimeMs) return false;
  return newest.endedAt === null || newest.endedAt >= from;
}
