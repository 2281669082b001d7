// Plans as people and agents are shown them. Reads the files and writes nothing.
import { type Artifact, isPlan } from '../../core/task/artifact.ts';
import { scanArtifacts } from '../../store/artifacts.ts';
import type { PlanDetail, PlanList, PlanView } from '../contract/plans.ts';
import { findByRef } from '../references.ts';
import type { RoomHandle } from '../room-handle.ts';
import type { TaskRoom } from '../task-room.ts';
import { findPlan, pathOfArtifact, readArtifactFile } from './artifact-file.ts';

/** Every plan, in the order of their names. @throws RoomError `io` */
export async function listPlans({ deps }: RoomHandle): Promise<PlanList> {
  const list: PlanList = { plans: [], invalid: [] };
  for (const name of scanArtifacts(deps.room, new Map()).names) {
    const file = await readArtifactFile(deps, name);
    if (file === null || file === 'unstable') continue;
    if (!file.reading.ok) list.invalid.push({ path: pathOfArtifact(name), problems: file.reading.problems });
    else if (isPlan(file.reading.artifact)) list.plans.push(viewOf(deps, file.reading.artifact));
  }
  return list;
}

/** @throws RoomError as `findPlan` */
export async function showPlan({ deps }: RoomHandle, word: string): Promise<PlanDetail> {
  const { artifact, text } = await findPlan(deps, word);
  const stepList = artifact.steps.map((step) => ({ ...step, status: statusOf(deps, step.task) }));
  return { ...viewOf(deps, artifact), stepList, text };
}

function viewOf(deps: TaskRoom, artifact: Artifact): PlanView {
  const { name, title, path, stage, owner, sprint, scope, createdBy, steps } = artifact;
  const linked = steps.filter(({ task }) => task !== null);
  const done = linked.filter(({ task }) => statusOf(deps, task) === 'done').length;
  const problem = deps.ledger.artifacts.get(name)?.problem ?? null;
  const counts = { steps: steps.length, tasks: { done, total: linked.length } };
  return { name, title, path, stage, owner, sprint, scope, createdBy, ...counts, problem };
}

function statusOf({ ledger }: TaskRoom, task: string | null) {
  return task === null ? null : (findByRef(ledger, task)?.status ?? null);
}
