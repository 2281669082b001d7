// Plans as people and agents are shown them. Reads the files and writes nothing.
import type { Problem } from '../../core/errors.ts';
import { type Artifact, isPlan } from '../../core/task/artifact.ts';
import { scanArtifacts } from '../../store/artifacts.ts';
import { findByRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRoom } from '../task-room.ts';
import { findPlan, pathOfArtifact, readArtifactFile } from './artifact-file.ts';

/** Every plan, in the order of their names. @throws RoomError `io` */
export async function listPlans({ deps }: RoomHandle) {
  const plans: ReturnType<typeof viewOf>[] = [];
  const invalid: { path: string; problems: Problem[] }[] = [];
  for (const name of scanArtifacts(deps.room, new Map()).names) {
    const file = await readArtifactFile(deps, name);
    if (file === null || file === 'unstable') continue;
    if (!file.reading.ok) invalid.push({ path: pathOfArtifact(name), problems: file.reading.problems });
    else if (isPlan(file.reading.artifact)) plans.push(viewOf(deps, file.reading.artifact));
  }
  return { plans, invalid };
}

/** @throws RoomError as `findPlan` */
export async function showPlan({ deps }: RoomHandle, word: string) {
  const { artifact, text } = await findPlan(deps, word);
  const step_list = artifact.steps.map((step) => ({ ...step, status: statusOf(deps, step.task) }));
  return { ...viewOf(deps, artifact), step_list, text };
}

function viewOf(deps: TaskRoom, artifact: Artifact) {
  const { name, title, path, stage, owner, sprint, scope, createdBy, steps } = artifact;
  const linked = steps.filter(({ task }) => task !== null);
  const done = linked.filter(({ task }) => statusOf(deps, task) === 'done').length;
  const problem = deps.ledger.artifacts.get(name)?.problem ?? null;
  const counts = { steps: steps.length, tasks: { done, total: linked.length } };
  return { name, title, path, stage, owner, sprint, scope, created_by: createdBy, ...counts, problem };
}

function statusOf({ ledger }: TaskRoom, task: string | null) {
  return task === null ? null : (findByRef(ledger, task)?.status ?? null);
}
