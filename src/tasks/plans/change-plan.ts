// Writing plans and moving them from stage to stage; their tasks follow from the file, as if a person had written it.
import { existsSync, mkdirSync } from 'node:fs';
import { setKey, setKeys, type Value } from '../../core/document/document.ts';
import { applyEdits } from '../../core/document/edits.ts';
import { RoomError } from '../../core/errors.ts';
import { newTag } from '../../core/ids.ts';
import { FIRST_STAGE, isFinal, readArtifact, STEPS_HINT } from '../../core/task/artifact.ts';
import { normaliseForeign, safeAgentText } from '../../core/task/body/foreign-text.ts';
import { appendStep } from '../../core/task/body/step-edits.ts';
import { artifactNameOf, safeFileName } from '../../core/task/names.ts';
import { ARTIFACTS } from '../../store/files/scan.ts';
import { onDisk } from '../../store/room.ts';
import { assertMayChange } from '../change/change.ts';
import { oneLine } from '../change/key-values.ts';
import { checkAgent } from '../change/set-keys.ts';
import { moveToTrash } from '../observe/hide-deleted.ts';
import { refresh } from '../observe/refresh.ts';
import type { NewPlan, PlanChanged } from '../shapes/room.ts';
import type { Actor, RoomHandle } from '../task-room.ts';
import { isAgent, nameOfActor, requestOf, signatureOf, titleOfAgent, withoutRequest } from '../task-room.ts';
import { findPlan, pathOfArtifact } from './artifact-file.ts';
import { forgetArtifact, takeInArtifact } from './take-in-artifacts.ts';

/** @throws RoomError `conflict` when the file exists, `bad_input` for a name, owner or step that can't be written */
export async function createPlan(deps: RoomHandle, plan: NewPlan, actor: Actor): Promise<PlanChanged> {
  assertMayChange(deps, actor, null, 'create');
  await refresh(deps);
  const name = safeFileName(plan.name);
  const hint = 'give the plan a name with letters or digits in it';
  if (name === null)
    throw new RoomError('bad_input', `name: ${JSON.stringify(plan.name)} can't be a file name`, hint);
  const path = pathOfArtifact(name);
  const { key } = requestOf(actor);
  const wasMade = key !== undefined && deps.writer.known(key) !== null && existsSync(deps.room.at(path));
  if (!wasMade) {
    const text = textOf(deps, plan, name, path, actor);
    if (existsSync(deps.room.at(path))) throw new RoomError('conflict', `${path} exists already`);
    onDisk(path, () => mkdirSync(deps.room.at(ARTIFACTS), { recursive: true }));
    recordWord(deps, name, stageOf(plan.stage ?? FIRST_STAGE), actor);
    await deps.writer.create(path, text, { actor: nameOfActor(actor), task: null, ...requestOf(actor) });
  }
  const { artifact } = await findPlan(deps, name);
  const made = await takeInArtifact(deps, name, withoutRequest(actor));
  return { name, path, stage: artifact.stage, changed: true, made };
}

function textOf(deps: RoomHandle, plan: NewPlan, name: string, path: string, actor: Actor): string {
  const words =
    plan.title?.trim() || (plan.name.trim() === name ? '' : plan.name.replace(/[\p{Cc}\s]+/gu, ' ').trim());
  const keys: Record<string, Value> = { type: 'plan', stage: stageOf(plan.stage ?? FIRST_STAGE) };
  const owner = plan.owner === undefined ? '' : checkAgent(deps, plan.owner.trim());
  const typed = { title: words, owner, sprint: plan.sprint ?? '', scope: plan.scope ?? '' };
  for (const [key, value] of Object.entries(typed)) if (value.trim() !== '') keys[key] = oneLine(key, value);
  if (isAgent(actor)) keys.created_by = signatureOf(actor);
  const given = plan.body ?? '';
  let body = `${(isAgent(actor) ? safeAgentText(given) : normaliseForeign(given)).trim()}\n`.replace(
    /^\n/,
    '',
  );
  for (const step of plan.steps ?? [])
    body = applyEdits(body, appendStep(body, { details: '', task: null, ...step, done: false }, 0));
  const text = setKeys(body === '' ? '## Steps\n' : body, keys, path);
  const reading = readArtifact(path, text);
  if (!reading.ok)
    throw new RoomError('bad_input', `${path} could not be read as a plan`, { problems: reading.problems });
  return text;
}

/** Any word is a stage: only `final` has a meaning here. */
function stageOf(given: string): string {
  const stage = given.trim().toLowerCase();
  if (/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,39}$/u.test(stage)) return stage;
  const hint = 'a word of at most 40 letters, such as draft, review or final';
  throw new RoomError('bad_input', `stage: ${JSON.stringify(given)} is no stage`, hint);
}

/** @throws RoomError `not_found`, `refused` for a plan without steps that is to be final */
export async function setPlanStage(deps: RoomHandle, word: string, given: string, actor: Actor) {
  assertMayChange(deps, actor, null, 'create');
  await refresh(deps);
  const stage = stageOf(given);
  const { artifact } = await findPlan(deps, word);
  const { name, path } = artifact;
  if (isFinal({ stage }) && artifact.steps.length === 0)
    throw new RoomError('refused', `${path} has no steps that tasks could be made of`, STEPS_HINT);
  recordWord(deps, name, stage, actor);
  const { changed } = await deps.writer.edit(path, {
    actor: nameOfActor(actor),
    task: null,
    edit: (text) =>
      artifact.stage.trim().toLowerCase() === stage ? text : setKey(text, 'stage', stage, path),
  });
  const made = await takeInArtifact(deps, name, withoutRequest(actor));
  return { name, path, stage, changed: changed || made.length > 0, made };
}

/** Who made it final is on record before the file says so, so that it is known after a crash. */
function recordWord(deps: RoomHandle, name: string, stage: string, actor: Actor): void {
  const { artifacts } = deps.ledger;
  const known = artifacts.get(name) ?? { name, uid: newTag(deps.effects.randomBytes), problem: null };
  artifacts.put({ ...known, stamp: null, finalBy: isFinal({ stage }) ? signatureOf(actor) : null });
}

/** Several that went at once keep their tasks until somebody says so. @throws RoomError `not_found`, `not_allowed` for an agent that did not make it */
export async function removePlan(deps: RoomHandle, word: string, actor: Actor) {
  assertMayChange(deps, actor, null, 'create');
  await refresh(deps);
  const lost = deps.ledger.artifacts.get(artifactNameOf(word));
  const path = pathOfArtifact(lost?.name ?? '');
  if (lost !== null && actor.kind === 'person' && !existsSync(deps.room.at(path)))
    return { name: lost.name, path, attic: null, unlinked: await forgetArtifact(deps, lost.name) };
  const { artifact } = await findPlan(deps, word);
  if (isAgent(actor) && artifact.createdBy !== signatureOf(actor)) {
    const message = `${titleOfAgent(actor)} did not make ${artifact.path}`;
    throw new RoomError('not_allowed', message, 'ask the person to delete it');
  }
  const attic = moveToTrash(deps, artifact.path);
  const unlinked = await forgetArtifact(deps, artifact.name);
  return { name: artifact.name, path: artifact.path, attic, unlinked };
}
