// The tasks of a final plan: one for each step that has none, and its link written into the step. The id of each stands
// in the ledger before its file is made, so that it is made once whoever dies when.

import { parseDocument } from '../../core/document/document.ts';
import { applyEdits } from '../../core/document/edits.ts';
import { isRoomError } from '../../core/errors.ts';
import type { TaskId } from '../../core/ids.ts';
import { type Artifact, type StepToMake, stepsToMake } from '../../core/task/artifact.ts';
import { linkStep } from '../../core/task/body/step-edits.ts';
import { readPlanSteps } from '../../core/task/body/steps.ts';
import type { ArtifactRow } from '../../store/ledger/tasks/links.ts';
import { createTask } from '../change/create-task.ts';
import { freshTaskId } from '../observe/used-ids.ts';
import type { RoomHandle } from '../room-handle.ts';
import { type Actor, nameOfActor } from '../task-room.ts';

export interface MadeTask {
  id: TaskId;
  name: string;
}

/**
 * Makes what is still to be made of a final plan.
 * @param actor in whose name
 * @throws RoomError as `createTask`; what was made before stays, and is not made again
 */
export async function makeTasks(
  handle: RoomHandle,
  row: ArtifactRow,
  artifact: Artifact,
  actor: Actor,
): Promise<MadeTask[]> {
  const { artifacts } = handle.deps.ledger;
  const made: MadeTask[] = [];
  for (const toMake of stepsToMake(artifact.steps)) {
    const before = artifacts.taskOf(row.uid, toMake.key);
    const id = before?.task ?? artifacts.intend(row.uid, toMake.key, freshTaskId(handle.deps));
    if (before?.made !== true) {
      made.push({ id, name: await makeOne(handle, row, artifact, toMake, id, actor) });
      artifacts.setMade(row.uid, toMake.key);
    }
    await writeLink(handle, artifact.path, toMake.key, id, actor);
  }
  return made;
}

/** @returns the name of its file */
async function makeOne(
  handle: RoomHandle,
  row: ArtifactRow,
  artifact: Artifact,
  { step, index }: StepToMake,
  id: TaskId,
  actor: Actor,
): Promise<string> {
  const { name: plan, owner, sprint, scope } = artifact;
  const requester = actor.kind === 'runtime' ? { requester: row.finalBy ?? 'owner' } : {};
  const task = {
    description: step.details,
    artifact: plan,
    sort: index + 1,
    ...requester,
    ...(owner === null ? {} : { owner }),
    ...(sprint === null ? {} : { sprint }),
    ...(scope === null ? {} : { scope }),
  };
  return (await createTask(handle, { ...task, name: step.title, title: step.title }, actor, { id })).name;
}

/** Into the step of that key as the file stands then; a step that went meanwhile needs none. */
async function writeLink(
  { deps }: RoomHandle,
  path: string,
  key: string,
  id: TaskId,
  actor: Actor,
): Promise<void> {
  const edit = (text: string): string => {
    const parsed = parseDocument(text, path);
    if (!parsed.ok) return text;
    const body = text.slice(parsed.doc.bodyStart);
    const found = stepsToMake(readPlanSteps(body)).find((step) => step.key === key);
    return found === undefined
      ? text
      : applyEdits(text, linkStep(body, found.index, id, parsed.doc.bodyStart, readPlanSteps));
  };
  try {
    await deps.writer.edit(path, { actor: nameOfActor(actor), task: null, edit });
  } catch (error) {
    // Deleted while its tasks were made: they are unlinked when that is seen.
    if (!isRoomError(error, 'not_found')) throw error;
  }
}
