// What all task files say now, with what their references name: for commands that look a task up.
import type { TaskId } from '../../core/ids.ts';
import { isBlocked } from '../../core/rules/decide.ts';
import { asListed, type ListedTask } from '../../core/task/listed-task.ts';
import { isCopyName, nameOfPath } from '../../core/task/names.ts';
import { isFinished, type Status } from '../../core/task/status.ts';
import type { InvalidFile, Task } from '../../core/task/task.ts';
import { statTask } from '../../store/files/scan.ts';
import {
  type Candidate,
  chooseByWord,
  findByRef,
  idOfRef,
  namesOfTask,
  namesOfWord,
  taskOfIssue,
  throughIssue,
} from '../references.ts';
import type { RoomHandle } from '../task-room.ts';
import { RoomFiles, readFresh } from './room-files.ts';

export interface Snapshot {
  /** In the order of their paths. A copy that has no id of its own yet has none here. */
  tasks: readonly ListedTask[];
  invalid: InvalidFile[];
  /** Status of what a task's `blocked_by` names: by id, else by exact name, archived tasks too; null when nothing fits. */
  statusOf(ref: string): Status | null;
  find(ref: string): ListedTask | null;
}

export async function takeSnapshot(deps: RoomHandle): Promise<Snapshot> {
  const index = deps.ports.index?.() ?? null;
  const alone = index === null ? new RoomFiles(deps, null) : null;
  await (index ?? alone!).look();
  const files = index?.files ?? alone!;
  const tasks = [...files.known.values()].flatMap(({ task }) => task ?? []);
  tasks.sort((a, b) => (a.path < b.path ? -1 : 1));
  const borrowed = borrowedIds(deps, tasks);
  const own =
    borrowed.size === 0 ? tasks : tasks.map((one) => (borrowed.has(one.path) ? { ...one, id: null } : one));
  return { tasks: own, invalid: files.invalid(), ...lookups(deps, own) };
}

/** One task and those around it, by what the ledger knows: what it waits for, what waits for it, its subtasks. @throws RoomError `io` */
export async function takeSnapshotAround(deps: RoomHandle, task: Task): Promise<Snapshot> {
  const { ledger, room } = deps;
  const names = namesOfTask(ledger, task.id, task.name);
  const around = [
    // A word nobody knows yet may be the name of a file that nobody saw.
    ...task.blockedBy.map((ref) => findByRef(ledger, ref)?.path ?? `tasks/${namesOfWord(ref).at(-1)}.md`),
    ...ledger.tasks.all({ parent: names }).map(({ path }) => path),
    ...task.steps.map((step) => (step.task === null ? null : (findByRef(ledger, step.task)?.path ?? null))),
    ...ledger.blockers.holders(names).map((id) => ledger.tasks.get(id)?.path ?? null),
  ];
  const paths = new Set(around.filter((path) => path !== null && path !== task.path));
  const readings = await Promise.all(
    [...paths].map((path) => {
      const stamp = statTask(room.at(path!));
      return stamp === null || typeof stamp === 'string' ? null : readFresh(deps, path!, stamp);
    }),
  );
  const others = readings.flatMap((reading) => (reading?.ok ? [asListed(reading.task, null)] : []));
  const tasks = [asListed(task, null), ...others];
  return { tasks, invalid: [], ...lookups(deps, tasks) };
}

/** Paths of files whose id is another's: the file that the ledger knows keeps it, the others are about to get their own. */
export function borrowedIds(deps: RoomHandle, tasks: readonly Pick<ListedTask, 'id' | 'name' | 'path'>[]) {
  const seen = new Map<TaskId, (typeof tasks)[number]>();
  const borrowed = new Set<string>();
  for (const task of tasks) {
    if (task.id === null) continue;
    const other = seen.get(task.id);
    if (other === undefined) {
      seen.set(task.id, task);
      continue;
    }
    const home = deps.ledger.tasks.get(task.id)?.path;
    const isPlainer = home === undefined && isCopyName(other.name, task.name);
    const loser = task.path === home || isPlainer ? other : task;
    if (loser === other) seen.set(task.id, task);
    borrowed.add(loser.path);
  }
  return borrowed;
}

/** The task that a word means: a file there is, or one the ledger remembers. @throws RoomError `not_found`, `ambiguous` */
export async function chooseTask(deps: RoomHandle, given: string, known?: Snapshot): Promise<Candidate> {
  const { tasks, invalid } = known ?? (await takeSnapshot(deps));
  const { ledger } = deps;
  const present = new Set(tasks.map(({ id }) => id));
  // A file that can't be read is still the task it last was, under every word for it.
  const lastId = (path: string): TaskId | null => {
    const id = ledger.tasks.byPath(path)?.id ?? null;
    return present.has(id) ? null : id;
  };
  return chooseByWord(throughIssue(ledger, given), [
    ...tasks,
    ...invalid.map(({ path }) => ({ id: lastId(path), name: nameOfPath(path), path })),
    ...ledger.tasks.absent().filter(({ id }) => !present.has(id)),
  ]);
}

function lookups(deps: RoomHandle, tasks: readonly ListedTask[]): Pick<Snapshot, 'statusOf' | 'find'> {
  const byWord = new Map(tasks.map((task) => [task.name, task]));
  // Where an id is also a name, the id counts.
  for (const task of tasks) if (task.id !== null) byWord.set(task.id, task);
  const find = (word: string) => byWord.get(word);
  return {
    find(ref) {
      const word = idOfRef(ref);
      return find(word) ?? find(taskOfIssue(deps.ledger, word) ?? '') ?? null;
    },
    statusOf: (ref) => statusLookup(deps, find, [idOfRef(ref)])(idOfRef(ref)),
  };
}

/** The status of each of these words: ids, names or mirrored issues, archived ones too. @param find among the tasks with a file */
export function statusLookup(
  { ledger }: RoomHandle,
  find: (word: string) => { status: Status } | undefined,
  words: readonly string[],
): (word: string) => Status | null {
  const unknown = [...new Set(words)].filter((word) => find(word) === undefined);
  const absent = unknown.length === 0 ? new Map() : ledger.tasks.statusesOfAbsent(unknown);
  const issues = new Map<string, Status>();
  for (const word of unknown) {
    const task = absent.has(word) ? null : taskOfIssue(ledger, word);
    if (task === null) continue;
    const status = find(task)?.status ?? ledger.tasks.statusesOfAbsent([task]).get(task);
    if (status !== undefined) issues.set(word, status);
  }
  return (word) => find(word)?.status ?? absent.get(word) ?? issues.get(word) ?? null;
}

/** Whether an open task waits for another; finished ones wait for nothing. */
export function isWaiting(
  { statusOf }: Pick<Snapshot, 'statusOf'>,
  { blocked_by, status }: Pick<ListedTask, 'blocked_by' | 'status'>,
): boolean {
  if (blocked_by.length === 0 || isFinished(status)) return false;
  return isBlocked(blocked_by.map((ref) => ({ status: statusOf(ref) })));
}
